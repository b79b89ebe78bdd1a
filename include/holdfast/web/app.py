"""The pages as a FastAPI app. Each route: may this user, what is asked for, the view, the template; nothing else.

Annotations are real objects here, not text: with postponed annotations FastAPI would take the user for a query parameter.
"""

import logging
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from typing import Annotated, TypeVar
from urllib.parse import urlencode

from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException as AnyHTTPException

from holdfast import secrecy
from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring.signing import signing_keys
from holdfast.errors import HoldfastError, InvalidInput, StatePathTrouble, StepRefused
from holdfast.ports import Lake
from holdfast.rollout.journal.comment import Comment
from holdfast.rollout.json import instants
from holdfast.rollout.kinds.approval import fingerprint, needs_another_approver
from holdfast.rollout.teams.sight import Sight
from holdfast.web import access, comparing, decision, overview, own_airflow, runs, serving, templating, theirs, waiting
from holdfast.web.new import making
from holdfast.web.plan import live, stages, task_table
from holdfast.web.plan.comments_view import CommentsView
from holdfast.web.plan.plan_page import PlanPages, Refused
from holdfast.web.plans import MOST_BROKEN, NEWEST_FIRST, Filter, PlanList, PlanRow, PlanState, known_sort, select
from holdfast.web.routes import new as new_routes
from holdfast.web.routes import pausing as pausing_routes
from holdfast.web.routes import protocols as protocols_routes
from holdfast.web.theirs import Theirs
from holdfast.workflows import comments
from holdfast.workflows import plan as plans

log = logging.getLogger(__name__)
T = TypeVar("T")
Text = Annotated[str, Query(max_length=300)]
Name = Annotated[str, Query(max_length=4_000)]
"""Of a group: Kafka sets no limit that matters."""


@lru_cache(maxsize=4)
def _list_of(place: LakeAddress) -> PlanList:
    return PlanList(FsspecLake(place))


@lru_cache(maxsize=4)
def _pages_of(place: LakeAddress) -> PlanPages:
    return PlanPages(FsspecLake(place))


app = FastAPI(
    title="Holdfast",
    docs_url=None,
    redoc_url=None,
    openapi_url=None,
    redirect_slashes=False,
    dependencies=[access.may_read, Depends(theirs.refuse_others_plans)],
)
app.add_middleware(access.SecurityHeaders)
app.include_router(new_routes.router)
app.include_router(pausing_routes.router)
app.include_router(protocols_routes.router)


@app.get("/static/{name}")
def static(name: str) -> Response:
    content = templating.static(name)
    if content is None:
        raise HTTPException(404, "There is no such file.")
    kind = templating.STATIC_TYPES[name.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"Cache-Control": "private, max-age=86400"})


@app.get("/plans")
def plans_page(
    request: Request,
    user: GetUserDep,
    sight: Theirs,
    q: Text = "",
    state: Text = "",
    assessment: Text = "",
    cluster: Text = "",
    sort: Text = NEWEST_FIRST,
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> HTMLResponse:
    place = serving.lake_address()
    rows, unreadable, broken = _seen(place, sight)
    steps = () if rows or not sight.everything else _first_steps(place, planned=False)
    wanted = Filter(q, state, assessment, cluster)
    pages = _pages_of(place)
    found = waiting.with_requesters(pages.lake, select(waiting.judged(pages, rows, serving.now()), wanted, page, unreadable, sort))
    sort = known_sort(sort)

    def address(**changed: object) -> str:
        asked = {"q": q, "state": state, "assessment": assessment, "cluster": cluster, "sort": sort} | changed
        query = urlencode({key: value for key, value in asked.items() if value not in ("", 1, NEWEST_FIRST)})
        return f"plans?{query}" if query else "plans"

    may_ask = access.can_ask(user)
    return serving.page(
        request, "plans.html", found=found, wanted=wanted, steps=steps, address=address, may_ask=may_ask, broken=broken, sort=sort
    )


def _seen(place: LakeAddress, sight: Sight) -> tuple[tuple[PlanRow, ...], int, tuple[str, ...]]:
    """The plans that the user sees, how many of all cannot be read, and which are broken. The group of one that cannot be read is
    unknown: it is counted for those who see every group."""
    plan_list = _list_of(place)
    rows, unreadable = plan_list.rows(serving.now())
    if sight.everything:
        return rows, unreadable, plan_list.broken()
    rows = tuple(row for row in rows if sight.sees(row.summary.cluster, row.summary.group_id))
    return rows, 0, tuple("; ".join(row.broken) for row in rows if row.broken)[:MOST_BROKEN]


@app.get("/plans/{plan_id}")
async def plan_page(request: Request, plan_id: str, user: GetUserDep) -> HTMLResponse:
    paused = await own_airflow.is_paused(request, access.APPLY)
    return await _in_thread(lambda: _plan_page(request, plan_id, user, paused=paused))


@app.get("/plans/{plan_id}/now")
async def plan_now(request: Request, plan_id: str, user: GetUserDep) -> HTMLResponse:
    """The part of the page that changes while one looks at it: how far the plan is, and its decision."""
    paused = await own_airflow.is_paused(request, access.APPLY)
    return await _in_thread(lambda: _plan_page(request, plan_id, user, paused=paused, template="plan_now.html"))


def _plan_page(
    request: Request,
    plan_id: str,
    user: GetUserDep,
    *,
    problem: Refused | None = None,
    paused: bool = False,
    template: str = "plan.html",
    refused: tuple[str, str] = ("", ""),
) -> HTMLResponse:
    pages = _pages_of(serving.lake_address())
    whole = template == "plan.html"
    shown = waiting.as_airflow_has_it(pages.page(plan_id, serving.now(), whole=whole))
    print_of = pages.fingerprint(plan_id)
    request_of_run = decision.asked(shown.run_id, print_of) if shown.run_id is not None else None
    may = access.can_decide(user, request_of_run.approvers if request_of_run is not None else ())
    token = access.token_for(user, f"{plan_id} {print_of}") if may and request_of_run is not None and request_of_run.open else ""
    own = needs_another_approver(shown.view.plan, shown.view.plan.requested_by, *access.names_of(user))
    values = {
        "page": shown,
        "view": shown.view,
        "asked": request_of_run,
        "may": may,
        "own": own,
        "token": token,
        "user": user.get_name(),
    }
    values["may_ask"] = access.can_ask(user)
    values |= {
        "stages": stages.stages(shown),
        "next_step": stages.next_step(shown.view.plan, shown.done, shown.in_a_run),
        "what_next": stages.what_next(shown),
        "signed": None if shown.broken else plans.standing(pages.lake, plan_id, signing_keys()),
        "paused": paused and shown.state in (PlanState.WAITING, PlanState.APPROVED, PlanState.RUNNING),
    }
    pauses = access.token_for(user, pausing_routes.subject(plan_id)) if access.can_apply(user) else ""
    values["live"] = running = live.of(
        pages.lake,
        shown,
        serving.now(),
        pauses,
        runs.ended_in_airflow,
        pages.built_upon(shown, serving.now(), signing_keys()),
    )
    if running is not None and running.next and shown.state in (PlanState.APPROVED, PlanState.RUNNING):
        values |= {"next_step": None, "what_next": running.next}
    if whole:
        token = access.token_for(user, f"{plan_id} comments") if values["may_ask"] else ""
        values["comments_view"] = CommentsView(comments.read(pages.lake, plan_id), token, *refused)
    return serving.page(
        request, template, status=problem.status if problem else 400 if refused[0] else 200, problem=problem, **values
    )


@app.post("/plans/{plan_id}/decision", dependencies=[*access.may_decide])
async def decide(request: Request, plan_id: str, user: GetUserDep) -> Response:
    """The token was given for the very bytes that the page showed: for others it is none."""
    form = {name: values[0] for name, values in (await serving.form(request)).items()}
    print_of = await _in_thread(lambda: fingerprint(plans.load(FsspecLake(serving.lake_address()), plan_id)))
    access.refuse_forgery(request, user, f"{plan_id} {print_of}", form.get("token", ""))
    choice, reason = form.get("decision", ""), form.get("reason", "").strip()
    try:
        asked = await _in_thread(lambda: _what_is_requested(plan_id, print_of, choice, reason, user))
        await decision.answer(request, asked, print_of, choice=choice, reason=reason)
    except (Refused, decision.NotAnswered) as refusal:
        problem = refusal if isinstance(refusal, Refused) else Refused(str(refusal), status=refusal.status)
        return await _in_thread(lambda: _plan_page(request, plan_id, user, problem=problem))
    return RedirectResponse(f"{request.scope.get('root_path', '')}/plans/{plan_id}#decision", HTTPStatus.SEE_OTHER)


def _refuse_unsigned(lake: Lake, plan_id: str) -> None:
    """Raise Refused for a plan that this deployment did not sign, though it signs."""
    try:
        plans.load(lake, plan_id, signing_keys())
    except StepRefused as refusal:
        raise Refused(str(refusal)) from None


def _what_is_requested(plan_id: str, print_of: str, choice: str, reason: str, user: GetUserDep) -> decision.CheckedRequest:
    """Airflow's request, if this decision may be given to it now. Raise Refused otherwise."""
    if choice not in decision.CHOICES:
        raise Refused("Select approve, reject or request changes.", status=400)
    if choice == "changes" and not reason:
        raise Refused("A reason is required to request changes: state what to change.", status=400)
    if choice == "reject" and not reason:
        raise Refused("A reason is required to reject a plan.", status=400)
    if secrecy.holds_secret(reason):
        raise Refused(
            "The reason seems to contain a secret (a password, token, private key, or address with credentials), and all"
            " readers of plans could see it. Nothing was sent: remove the secret and send again.",
            status=400,
        )
    if len(reason) > decision.LONGEST_REASON:
        raise Refused(f"The reason has {len(reason):,} characters; {decision.LONGEST_REASON:,} are allowed.", status=400)
    pages = _pages_of(serving.lake_address())
    pages.refuse_broken(plan_id)
    if choice == "approve":
        _refuse_unsigned(pages.lake, plan_id)
        pages.refuse_stale(plan_id, serving.now())
    run_id = plans.run_of(pages.lake, plan_id)
    asked = None if run_id is None else decision.asked(run_id, print_of)
    if asked is None or not asked.open:
        raise Refused("Airflow is not asking for a decision about this plan.", status=409)
    if choice == "changes" and not asked.takes_changes:
        raise Refused("This question was asked by an older version: only approve and reject are possible.", status=409)
    if choice == "approve":
        pages.refuse_own(plan_id, *access.names_of(user))
    return asked


@app.post("/plans/{plan_id}/comments", dependencies=[*access.may_ask])
async def comment(request: Request, plan_id: str, user: GetUserDep) -> Response:
    """Who comments is who is logged in; it decides nothing."""
    form = {name: values[0] for name, values in (await serving.form(request)).items()}
    access.refuse_forgery(request, user, f"{plan_id} comments", form.get("comment_token", ""))
    text = form.get("text", "").replace("\r\n", "\n").strip()
    said = Comment(plan_id, user.get_name(), instants.to_second(serving.now()), text)
    try:
        await _in_thread(lambda: comments.add(FsspecLake(serving.lake_address()), said))
    except InvalidInput as refusal:
        shown = "" if secrecy.holds_secret(text) else text
        problem = str(refusal)
        return await _in_thread(lambda: _plan_page(request, plan_id, user, refused=(problem, shown)))
    return RedirectResponse(f"{request.scope.get('root_path', '')}/plans/{plan_id}#comments", HTTPStatus.SEE_OTHER)


async def _in_thread(work: Callable[[], T]) -> T:
    return await run_in_threadpool(work)


@app.get("/plans/{plan_id}/tasks")
def tasks_page(
    request: Request,
    plan_id: str,
    q: Text = "",
    option: Text = "",
    sort: Text = "task",
    moves: Text = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> HTMLResponse:
    """Every task with what it is and where it goes, searched, sorted, a page at a time."""
    view = _pages_of(serving.lake_address()).page(plan_id, serving.now(), whole=False).view
    picture = next((one for one in view.pictures if one.name == option), view.pictures[0] if view.pictures else None)
    found = None if picture is None else task_table.select(picture, view.about, q, sort, page, moves_only=bool(moves))

    def address(**changed: object) -> str:
        asked = {"q": q, "option": option, "sort": sort, "moves": moves, "page": page} | changed
        query = urlencode({key: value for key, value in asked.items() if value not in ("", 1)})
        return f"plans/{plan_id}/tasks?{query}"

    shown = sort if sort in task_table.SORTS else "task"
    return serving.page(
        request, "tasks.html", view=view, picture=picture, found=found, q=q, sort=shown, moves=moves, address=address
    )


@app.get("/plans/{plan_id}/{name}")
def plan_file(plan_id: str, name: str) -> Response:
    """The documents of a plan, as they are kept."""
    kinds = {"plan.json": "application/json", "plan.md": "text/markdown; charset=utf-8"}
    if name not in kinds:
        raise HTTPException(404, "Plans have no document of that name.")
    content = plans.document_of(_pages_of(serving.lake_address()).lake, plan_id, name)
    kept_as = {"Content-Disposition": f'attachment; filename="{plan_id}-{name}"'}
    return Response(content, media_type=kinds[name], headers=kept_as)


@app.get("/group")
def group_page(request: Request, user: GetUserDep, sight: Theirs, cluster: Text = "", group: Name = "") -> HTMLResponse:
    theirs.refuse_others_group(sight, cluster, group)
    place = serving.lake_address()
    rows, _ = _list_of(place).rows(serving.now())
    mine = [row for row in rows if (row.summary.cluster, row.summary.group_id) == (cluster, group)]
    found = overview.group(place, cluster, group, serving.now())
    return serving.page(request, "group.html", view=found, plans=select(mine, Filter(), 1).rows, may_ask=access.can_ask(user))


@app.get("/compare")
def compare_page(request: Request, sight: Theirs, before: Name = "", after: Name = "") -> HTMLResponse:
    """Two snapshots of a group, or two plans for one."""
    found = comparing.compared(serving.lake_address(), before, after, sight)
    return serving.page(request, "compare.html", found=found, before=before, after=after, most=comparing.MOST_LINES)


@app.get("/fleet")
def fleet_page(
    request: Request, sight: Theirs, q: Text = "", cell: Text = "", page: Annotated[int, Query(ge=1, le=100_000)] = 1
) -> HTMLResponse:
    place = serving.lake_address()
    rows, _, _ = _seen(place, sight)
    view = overview.fleet(place, rows, q, page, cell, serving.now(), sight)
    steps = () if view.day or not sight.everything else _first_steps(place, planned=bool(rows))
    return serving.page(request, "fleet.html", view=view, q=q, steps=steps)


def _first_steps(place: LakeAddress, *, planned: bool) -> tuple[tuple[str, bool], ...]:
    return overview.first_steps(place, clusters=serving.knows_clusters(), planned=planned)


@app.get("/run")
def run_page(request: Request, user: GetUserDep, sight: Theirs, run: Text = "", dag: Text = "") -> Response:
    """The plan of a run: the tab that Airflow shows next to its runs. A run about a group that the user does not see is none."""
    place = serving.lake_address()
    plan_id = decision.plan_of(FsspecLake(place), dag, run)
    if plan_id is None or not plans.is_id(plan_id) or not theirs.sees_plan(sight, place, plan_id):
        made = making.of(FsspecLake(place), run, serving.now()) if dag == access.DAG and plan_id is None else None
        if made is not None and sight.sees(made.cluster, made.group):
            return serving.page(request, "making.html", making=made, may_ask=access.can_ask(user))
        return serving.page(request, "no_plan.html", dag=dag, ours=dag == access.DAG)
    return RedirectResponse(f"{request.scope.get('root_path', '')}/plans/{plan_id}", HTTPStatus.SEE_OTHER)


@app.get("/")
def start(request: Request) -> Response:
    return RedirectResponse(f"{request.scope.get('root_path', '')}/plans", HTTPStatus.SEE_OTHER)


TITLES = {401: "Log in", 403: "Not allowed", 404: "Not found", 409: "Not possible now", 413: "Too large", 503: "Not set up yet"}


def _refusal(request: Request, status: int, message: str) -> Response:
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"detail": message}, status)
    return serving.page(
        request, "refusal.html", status=status, title=TITLES.get(status, "Request failed"), message=message, code=status
    )


@app.exception_handler(AnyHTTPException)
async def _http_refusal(request: Request, refusal: AnyHTTPException) -> Response:
    browsing = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    if refusal.status_code == HTTPStatus.UNAUTHORIZED and browsing:
        return RedirectResponse(access.login_page(request), HTTPStatus.SEE_OTHER)
    message = {401: "You are not logged in to Airflow.", 403: "Your Airflow role does not permit this."}
    if refusal.detail == HTTPStatus(refusal.status_code).phrase:  # of the framework: a title, not a sentence
        message |= {404: "There is no such page.", 405: "This page does not take such a request."}
    return _refusal(request, refusal.status_code, message.get(refusal.status_code, str(refusal.detail)))


@app.exception_handler(RequestValidationError)
async def _bad_request(request: Request, refusal: RequestValidationError) -> Response:
    return _refusal(request, 400, "The address is not valid:  " + "; ".join(str(one["msg"]) for one in refusal.errors()))


@app.exception_handler(HoldfastError)
async def _our_refusal(request: Request, refusal: HoldfastError) -> Response:
    if isinstance(refusal, access.Forged):
        return _refusal(request, 403, str(refusal))
    if isinstance(refusal, serving.NotSetUp):
        return _refusal(request, 503, str(refusal))
    if isinstance(refusal, StatePathTrouble):  # it names the place in the lake, which is for the operator's log
        log.info("%s: %s", request.url.path, refusal)
        return _refusal(request, 404, "Not in the lake, or not readable.")
    return _refusal(request, 404 if isinstance(refusal, InvalidInput) else 422, str(refusal))
