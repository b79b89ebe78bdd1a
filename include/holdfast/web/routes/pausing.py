"""*Pause* and *Resume* on a plan's page, for those who may trigger `apply_rollout`.

Annotations are real objects here, not text: see `app.py`.
"""

from http import HTTPStatus

from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from holdfast import secrecy
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import HoldfastError
from holdfast.web import access, serving
from holdfast.workflows.running import pausing

LONGEST_REASON = 500
router = APIRouter()


class NotPaused(HoldfastError):
    """A pause that is not kept: its reason is too long, or holds a secret."""


def subject(plan_id: str) -> str:
    """What the token of the form is for."""
    return f"{plan_id} pause"


@router.post("/plans/{plan_id}/pause", dependencies=[*access.may_apply])
async def pause(request: Request, plan_id: str, user: GetUserDep) -> Response:
    """Who pauses is who is logged in."""
    form = await _checked(request, plan_id, user)
    reason = form.get("reason", "").replace("\r\n", " ").strip()
    if len(reason) > LONGEST_REASON:
        raise NotPaused(f"The reason has {len(reason):,} characters; {LONGEST_REASON:,} are allowed. The run is not paused.")

    if secrecy.holds_secret(reason):
        raise NotPaused("The reason seems to contain a secret, and all readers of plans could see it. The run is not paused.")
    await run_in_threadpool(
        lambda: pausing.pause(FsspecLake(serving.lake_address()), plan_id, user.get_name(), reason, serving.now())
    )
    return _back(request, plan_id)


@router.post("/plans/{plan_id}/resume", dependencies=[*access.may_apply])
async def resume(request: Request, plan_id: str, user: GetUserDep) -> Response:
    """The pause is removed, whatever it says. Nothing is started by it."""
    await _checked(request, plan_id, user)
    await run_in_threadpool(lambda: pausing.resume(FsspecLake(serving.lake_address()), plan_id))
    return _back(request, plan_id)


async def _checked(request: Request, plan_id: str, user: GetUserDep) -> dict[str, str]:
    form = {name: values[0] for name, values in (await serving.form(request)).items()}
    access.refuse_forgery(request, user, subject(plan_id), form.get("pause_token", ""))
    return form


def _back(request: Request, plan_id: str) -> Response:
    return RedirectResponse(f"{request.scope.get('root_path', '')}/plans/{plan_id}#live", HTTPStatus.SEE_OTHER)
