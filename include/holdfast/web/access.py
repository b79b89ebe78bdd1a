"""Who may see the pages and who may decide: Airflow says, by the DAG `plan_rollout`. And what a browser may do with them.

Every route of the app depends on `may_read`, static files included. No route changes anything by GET. A decision needs the right to
answer the DAG's requests and to trigger it, a token that this page was given, and a request that comes from our own pages.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.models.base_user import BaseUser
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity, DagDetails
from airflow.api_fastapi.core_api.security import requires_access_dag
from airflow.configuration import conf
from airflow.models.dag import DagModel
from fastapi import Depends, Request
from fastapi.responses import PlainTextResponse
from itsdangerous import BadSignature, URLSafeTimedSerializer

from holdfast.errors import HoldfastError

DAG = "plan_rollout"
APPLY = "apply_rollout"
TOKEN_SECONDS = 12 * 3600
SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"; ".join(
            (
                b"default-src 'none'",
                *(name + b" 'self'" for name in (b"script-src", b"style-src", b"img-src", b"connect-src", b"form-action")),
                b"base-uri 'none'",
                b"frame-ancestors 'self'",
            )
        ),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)

may_read = Depends(requires_access_dag("GET", param_dag_id=DAG))
may_ask = (Depends(requires_access_dag("POST", DagAccessEntity.RUN, DAG)),)
may_apply = (Depends(requires_access_dag("POST", DagAccessEntity.RUN, APPLY)),)
may_decide = (Depends(requires_access_dag("PUT", DagAccessEntity.HITL_DETAIL, DAG)), *may_ask)


class Forged(HoldfastError):
    """A decision, or a form, that does not come from a page of Holdfast's that this user was shown."""


def can_ask(user: BaseUser) -> bool:
    """Whether `may_ask` would let this user pass: for showing the link to the form."""
    return _can_trigger(user, DAG)


def can_apply(user: BaseUser) -> bool:
    """Whether `may_apply` would let this user pass: for showing *Pause* and *Resume*."""
    return _can_trigger(user, APPLY)


def _can_trigger(user: BaseUser, dag: str) -> bool:
    manager = get_auth_manager()
    return bool(manager.is_authorized_dag(method="POST", access_entity=DagAccessEntity.RUN, details=_dag(dag), user=user))


def can_decide(user: BaseUser, approvers: tuple[str, ...] = ()) -> bool:
    """Whether `may_decide` and Airflow's own request would let this user pass: for showing the form."""
    manager = get_auth_manager()
    return bool(
        can_ask(user)
        and manager.is_authorized_dag(method="PUT", access_entity=DagAccessEntity.HITL_DETAIL, details=_dag(), user=user)
        and (not approvers or manager.is_authorized_hitl_task(assigned_users=set(approvers), user=user))
    )


def _dag(dag: str = DAG) -> DagDetails:
    return DagDetails(id=dag, team_name=DagModel.get_team_name(dag))


def names_of(user: BaseUser) -> tuple[str, str]:
    """What Airflow calls the user: where it says who triggered a run, and where it says who may answer."""
    return user.get_name(), str(user.get_id())


def token_for(user: BaseUser, subject: str) -> str:
    """`subject`: the plan that is decided, or the form that is sent."""
    return str(_serializer().dumps([str(user.get_id()), subject]))


def refuse_forgery(request: Request, user: BaseUser, subject: str, token: str) -> None:
    """Raise Forged unless the request comes from a page of Holdfast's, with the token of this user and subject."""
    if (site := request.headers.get("sec-fetch-site")) is not None and site != "same-origin":
        raise Forged("The request came from another site. Open this page and send it from here.")
    origin = request.headers.get("origin")
    if origin is None and site is None and "authorization" not in request.headers:
        raise Forged("The request has no Origin header. Send it from the page.")
    if origin is not None and origin not in _own_origins(request):
        raise Forged("The request came from another site. Open this page and send it from here.")
    try:
        given = _serializer().loads(token, max_age=TOKEN_SECONDS)
    except BadSignature:
        given = None
    if given != [str(user.get_id()), subject]:
        raise Forged("The page is too old or belongs to another user. Reload it and send again.")


def login_page(request: Request) -> str:
    """Airflow's login, and back to the requested page."""
    prefix = request.scope.get("root_path", "").removesuffix("/holdfast")
    here = request.scope.get("root_path", "") + request.url.path.removeprefix(request.scope.get("root_path", ""))
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{prefix}/api/v2/auth/login?{urlencode({'next': here + query})}"


def _own_origins(request: Request) -> tuple[str, ...]:
    base = urlsplit(conf.get("api", "base_url", fallback="") or "")
    return f"{request.url.scheme}://{request.headers.get('host', '')}", f"{base.scheme}://{base.netloc}"


def _serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(conf.get_mandatory_value("api", "secret_key"), salt="holdfast-decision")


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class SecurityHeaders:
    """Puts our headers on every answer of the app, refusals too."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun: list[bool] = []

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                begun.append(True)
                known = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *SECURITY_HEADERS,
                    *(() if b"cache-control" in known else ((b"cache-control", b"no-store"),)),
                ]
            await send(message)

        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            await self._app(scope, receive, with_headers)
        except Exception:
            if not begun:  # a mistake of Holdfast's: the reader learns no more than that, and Airflow's log has the rest
                await PlainTextResponse("Internal error: see the api-server's log.", 500)(scope, receive, with_headers)
            raise
