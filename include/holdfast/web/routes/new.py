"""The routes of "Plan a rollout": choose and fill in by GET, check and send by POST. Sending triggers `plan_rollout` in Airflow.

All of it needs the right to trigger that DAG. Annotations are real objects here too (see `app`).
"""

import asyncio
from functools import partial
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

import httpx
from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from holdfast.errors import InvalidInput
from holdfast.kafka.release import RELEASES
from holdfast.rollout.teams.sight import Sight
from holdfast.rollout.text.format import printable
from holdfast.web import access, own_airflow, serving, theirs
from holdfast.web.new import making, new_page, new_request, new_view
from holdfast.web.new.new_request import NAMES, CheckedRequest, Sent
from holdfast.web.theirs import Theirs

LONGEST_FORM = 1024 * 1024
"""A Change document for a large group, or a thousand hosts."""
MOST_FIELDS = 2_000
LONGEST_NOTE = 900
TRIES, PAUSE_S = 3, 0.5
_one_at_a_time = asyncio.Lock()
Text = Annotated[str, Query(max_length=300)]
Name = Annotated[str, Query(max_length=4_000)]

router = APIRouter(dependencies=[*access.may_ask])


@router.get("/new")
def new(
    request: Request, user: GetUserDep, sight: Theirs, cluster: Text = "", group: Name = "", q: Text = "", again: Text = ""
) -> HTMLResponse:
    """`again`: the run whose request is asked once more."""
    if again:
        conf = making.conf_of(again)
        typed = {} if conf is None else new_request.typed_of(conf)
        if conf is None or not sight.sees(new_request.text(typed, "cluster"), new_request.text(typed, "group")):
            raise InvalidInput("plan_rollout has no run of that ID.")
        return _form(request, user, typed)
    if not group:
        found = new_page.groups(serving.lake_address(), q, sight)
        return serving.page(request, "new_groups.html", groups=found, q=q, cluster=cluster)
    theirs.refuse_others_group(sight, cluster, group)
    sent = {name: request.query_params.getlist(name) for name in NAMES if name in request.query_params}
    return _form(request, user, sent | {"cluster": [cluster], "group": [group]})


@router.post("/new")
async def ask(request: Request, user: GetUserDep, sight: Theirs) -> Response:
    sent = await serving.form(request, LONGEST_FORM, MOST_FIELDS)
    theirs.refuse_others_group(sight, new_request.text(sent, "cluster"), new_request.text(sent, "group"))
    key = new_request.text(sent, "key")
    access.refuse_forgery(request, user, f"new {key}", new_request.text(sent, "token"))
    one, asked = await run_in_threadpool(lambda: _checked(sent, sight))
    if new_request.text(sent, "only") == "preview":
        shown = partial(
            serving.page, request, "new_preview.html", user=user.get_name(), live=True, what=new_request.text(sent, "what")
        )
        return await run_in_threadpool(lambda: shown(asked=asked, known=one.known, problems=dict(asked.problems)))
    send = new_request.text(sent, "do") == "send" and not asked.problems
    if not send or new_request.text(sent, "said") != asked.said:
        status = HTTPStatus.UNPROCESSABLE_ENTITY if asked.problems and new_request.text(sent, "do") == "send" else HTTPStatus.OK
        return await run_in_threadpool(lambda: _form(request, user, sent, one=one, asked=asked, key=key, status=status))
    run_id = new_page.run_id(key, asked.conf)
    told = await _triggered(request, run_id, asked)
    if told.is_success or told.status_code == httpx.codes.CONFLICT:  # a conflict: this very form was sent before
        query = urlencode({"dag": access.DAG, "run": run_id})
        return RedirectResponse(f"{request.scope.get('root_path', '')}/run?{query}", HTTPStatus.SEE_OTHER)
    refused = CheckedRequest(asked.conf, {"": f"Airflow refused the request ({told.status_code}): {_detail(told)}"})
    return await run_in_threadpool(lambda: _form(request, user, sent, one=one, asked=refused, key=key, status=told.status_code))


async def _triggered(request: Request, run_id: str, asked: CheckedRequest) -> httpx.Response:
    """By Airflow's own route, as this user: its checks apply, and it records who it was.

    The ID makes it safe to ask again where Airflow's database was busy. Two clicks at the same moment would make SQLite busy.
    """
    body = {
        "dag_run_id": run_id,
        "logical_date": None,
        "conf": dict(asked.conf),
        "note": printable(asked.sentence, LONGEST_NOTE),
    }
    async with _one_at_a_time:
        for tries_left in reversed(range(TRIES)):
            told = await own_airflow.ask(request, "POST", f"/api/v2/dags/{access.DAG}/dagRuns", body)
            if not told.is_server_error or not tries_left:
                break
            await asyncio.sleep(PAUSE_S)
    return told


def _detail(told: httpx.Response) -> str:
    try:
        detail = told.json()["detail"]
    except (ValueError, KeyError, TypeError):
        detail = told.text
    return printable(str(detail), 500)


def _checked(sent: Sent, sight: Sight) -> tuple[new_page.Group, CheckedRequest]:
    place = serving.lake_address()
    now = serving.now()
    one = new_page.group(place, new_request.text(sent, "cluster"), new_request.text(sent, "group"), now)
    return one, new_page.asked(one, sent, now, partial(theirs.snapshot, sight, place))


def _form(
    request: Request,
    user: GetUserDep,
    sent: Sent,
    *,
    one: new_page.Group | None = None,
    asked: CheckedRequest | None = None,
    key: str = "",
    status: int = HTTPStatus.OK,
) -> HTMLResponse:
    """The page with what was typed. `asked` None: nothing was checked yet."""
    one = one or new_page.group(
        serving.lake_address(), new_request.text(sent, "cluster"), new_request.text(sent, "group"), serving.now()
    )
    key = key or new_page.new_key(serving.now())
    return serving.page(
        request,
        "new.html",
        status=status,
        group=one,
        known=one.known,
        connection=new_page.sees_connection(one.cluster),
        change_types=new_view.choices(one.known),
        what=(what := new_view.known_choice(one.known, new_request.text(sent, "what"))),
        wanted=new_view.fields_of(what),
        sent=sent,
        releases=tuple(reversed(RELEASES)),
        text=lambda name: new_request.text(sent, name),
        asked=asked,
        problems=dict(asked.problems) if asked is not None else {},
        key=key,
        token=access.token_for(user, f"new {key}"),
        user=user.get_name(),
        live=False,
    )
