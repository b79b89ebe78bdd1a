"""Two teams in one Airflow: each user with each route, for a group of theirs, for one of another team, and for one that there is
not. The last two have the same answer."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlencode

import pytest
from tests.harness.pages.airflow_server import Answer, Server
from tests.web.test_access import routes

from holdfast.rollout.kinds.any_document import AnyPlan

pytestmark = [pytest.mark.airflow, pytest.mark.usefixtures("runs")]


def team(name: str, users: list[str], approvers: list[str], *groups: str) -> dict[str, object]:
    patterns = [{"cluster": "local", "group": one} for one in groups]
    return {"name": name, "groups": patterns, "members": {"users": users}, "approvers": approvers}


TEAMS = {
    "format_version": "1.0",
    "teams": [
        team("ledger", ["vera", "olga"], ["olga"], "payments-*"),
        team("words", ["bob"], ["bob"], "streams-wordcount", "no-such-words"),
        team("decided", ["bob"], ["bob", "olga"], "decided-*"),  # runs of other tests go on meanwhile
    ],
    "all_groups": {"roles": ["admin"]},
}
VERAS, BOBS = "payments-ledger", "streams-wordcount"
USERS = ("vera", "bob", "olga", "admin")
SEES = {"vera": {VERAS}, "olga": {VERAS}, "bob": {BOBS}, "admin": {VERAS, BOBS}}
NO_PLAN = "0123456789abcdef"


@pytest.fixture(scope="module", autouse=True)
def teams(server: Server) -> Iterator[None]:
    server.rest("POST", "/api/v2/variables", {"key": "holdfast_teams", "value": json.dumps(TEAMS)})
    yield
    server.ask("DELETE", "/api/v2/variables/holdfast_teams", "admin")


@dataclass(frozen=True)
class About:
    """A group, a plan for it, a snapshot of it."""

    group: str
    plan: str
    snapshot: str


@pytest.fixture(scope="module")
def known(server: Server, made: dict[str, AnyPlan]) -> dict[str, About]:
    found = {}
    for name, group in (("rejected", VERAS), ("waiting", BOBS)):
        (newest, *_) = sorted((server.lake / "snapshots" / "cluster=local").glob(f"day=*/group={group}/*.json"), reverse=True)
        found[group] = About(group, made[name].plan_id, str(newest.relative_to(server.lake)))
    return found


def nothing(one: About) -> About:
    """The same kind of thing, which there is not."""
    return About("no-such-payments", NO_PLAN, re.sub(r"group=.*", f"group=x/1-{NO_PLAN}.json", one.snapshot))


Ask = Callable[[Server, str, About], Answer]
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


def get(path: str) -> Ask:
    def ask(server: Server, user: str, one: About) -> Answer:
        asked = path.format(plan=one.plan, group=urlencode({"cluster": "local", "group": one.group}), snapshot=one.snapshot)
        return server.ask("GET", f"/holdfast{asked}", user)

    return ask


def post(path: str, **form: str) -> Ask:
    def ask(server: Server, user: str, one: About) -> Answer:
        filled = {name: value.format(group=one.group) for name, value in form.items()}
        return server.ask("POST", f"/holdfast{path.format(plan=one.plan)}", user, filled, SAME_SITE)

    return ask


ABOUT_ONE: dict[tuple[str, str], tuple[Ask, ...]] = {
    ("/plans/{plan_id}", "GET"): (get("/plans/{plan}"),),
    ("/plans/{plan_id}/now", "GET"): (get("/plans/{plan}/now"),),
    ("/plans/{plan_id}/tasks", "GET"): (get("/plans/{plan}/tasks"),),
    ("/plans/{plan_id}/{name}", "GET"): (get("/plans/{plan}/plan.json"), get("/plans/{plan}/plan.md")),
    ("/plans/{plan_id}/decision", "POST"): (post("/plans/{plan}/decision", decision="approve", token="x"),),
    ("/plans/{plan_id}/comments", "POST"): (post("/plans/{plan}/comments", text="x", comment_token="x"),),
    ("/plans/{plan_id}/pause", "POST"): (post("/plans/{plan}/pause", pause_token="x"),),
    ("/plans/{plan_id}/resume", "POST"): (post("/plans/{plan}/resume", pause_token="x"),),
    ("/group", "GET"): (get("/group?{group}"),),
    ("/protocols", "GET"): (get("/protocols?{group}"),),
    ("/compare", "GET"): (get("/compare?before={plan}&after={plan}"), get("/compare?before={snapshot}&after={snapshot}")),
    ("/new", "GET"): (get("/new?{group}"),),
    ("/new", "POST"): (post("/new", cluster="local", group="{group}", key="x", token="x"),),
}
"""Routes about one group. Those that a viewer may not use answer 403 for every plan of theirs, and 404 for others."""
OF_ALL = {
    ("/plans", "GET"): ("/plans", "/plans?q={other}", "/plans?state=rejected"),
    ("/fleet", "GET"): ("/fleet", "/fleet?q={other}"),
}
"""Routes over all groups: what they show and count is of the user's own alone. `/new` without a group is one too."""
ELSEWHERE = {("/", "GET"), ("/static/{name}", "GET"), ("/run", "GET")}
"""What has no group; and the page of a run, which has tests of its own below."""


def test_every_route_is_in_a_table() -> None:
    """A new route must be, so that it is tried with both teams."""
    assert {(path, method) for path, methods in routes() for method in methods} == {*ABOUT_ONE, *OF_ALL, *ELSEWHERE}


def without_names(text: str, one: About) -> str:
    """A page without what was asked for: it may repeat that, as it would of what there is not."""
    for name in (one.group, one.plan, one.snapshot):
        text = text.replace(name, "_")
    return text


@pytest.mark.parametrize("user", USERS)
def test_another_team_s_group_is_answered_as_what_there_is_not(server: Server, known: dict[str, About], user: str) -> None:
    for (path, method), asks in ABOUT_ONE.items():
        for ask in asks:
            for group, one in known.items():
                answer = ask(server, user, one)
                if group in SEES[user]:
                    viewer = user == "vera" and (method == "POST" or path == "/new")
                    assert answer.status == (403 if viewer or method == "POST" else 200), (user, path, group, answer.text)
                    continue
                other = nothing(one)
                absent = ask(server, user, other)
                assert (answer.status, without_names(answer.text, one)) == (absent.status, without_names(absent.text, other)), path
                assert answer.status == (403 if user == "vera" and path == "/new" else 404), (user, path, group)
                assert one.group not in answer.text
                assert {name for name in answer.headers if name in ("etag", "last-modified")} == set()
                assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("user", USERS)
def test_lists_counts_and_searches_are_of_the_user_s_own_groups(
    server: Server, made: dict[str, AnyPlan], known: dict[str, About], user: str
) -> None:
    foreign = {plan.basis.group_id for plan in made.values()} - SEES[user] if user != "admin" else set()
    for addresses in (*OF_ALL.values(), ("/new",) if user != "vera" else ()):
        for address in addresses:
            for other in known:
                answer = server.ask("GET", "/holdfast" + address.format(other=other[:-1]), user)  # the page repeats it
                assert answer.status == 200
                assert {group for group in foreign if group in answer.text} == set(), address
                assert "prod-eu" not in answer.text or user == "admin"
    if user == "admin":
        return
    shown = server.ask("GET", "/holdfast/plans", user).text
    (count,) = re.findall(r"<b>(\d+)</b>\s+all", shown)
    rows = re.findall(r'<a href="[^"]*/plans/([0-9a-f]{16})">', shown)
    assert int(count) == len(rows)
    assert {plan.plan_id for plan in made.values()} & set(rows) == {one.plan for group, one in known.items() if group in SEES[user]}
    fleet = server.ask("GET", "/holdfast/fleet", user).text
    assert re.findall(r"<b>(\d+)</b> (clusters|groups|unreadable)", fleet) == [("1", "clusters"), ("1", "groups")]
    assert 'id="trend"' not in fleet


def test_a_run_for_another_team_s_group_is_refused_and_its_page_is_none(server: Server) -> None:
    """Airflow lets bob, and admin, trigger it. What a form says of the requester changes nothing."""
    wanted = {"cluster": "local", "group": VERAS, "what": "rolling restart", "requested_by": "vera", "triggering_user_name": "vera"}
    begun = {
        user: str(
            server.rest("POST", "/api/v2/dags/plan_rollout/dagRuns", {"logical_date": None, "conf": wanted}, user)["dag_run_id"]
        )
        for user in ("bob", "admin")
    }
    for user, run in begun.items():
        where = f"/api/v2/dags/plan_rollout/dagRuns/{quote(run)}"
        server.wait("the refusal", lambda where=where: server.rest("GET", where)["state"] == "failed" or None)
        log = json.dumps(server.rest("GET", f"{where}/taskInstances/snapshot/logs/1"))
        assert f"user {user} is not a member, by name, of the team" in log, log[-3_000:]
        for path, name in (("/run?dag=plan_rollout&", "run"), ("/new?", "again")):
            absent, foreign = (server.ask("GET", f"/holdfast{path}{urlencode({name: one})}", "bob") for one in ("x", run))
            assert (foreign.status, foreign.text) == (absent.status, absent.text)
            assert server.ask("GET", f"/holdfast{path}{urlencode({name: run})}", "admin").text != absent.text


def test_an_invalid_document_shows_no_page_and_not_what_is_in_it(server: Server) -> None:
    broken = {"format_version": "1.0", "teams": [{"name": "a-secret-name"}]}
    change = {"key": "holdfast_teams", "value": json.dumps(broken)}
    server.rest("PATCH", "/api/v2/variables/holdfast_teams", change)
    try:
        for path in ("/plans", "/fleet", "/static/charts.js", f"/plans/{NO_PLAN}"):
            answer = server.ask("GET", f"/holdfast{path}", "admin")
            assert answer.status == 503
            assert "a-secret-name" not in answer.text
    finally:
        server.rest("PATCH", "/api/v2/variables/holdfast_teams", {"key": "holdfast_teams", "value": json.dumps(TEAMS)})
    assert server.ask("GET", "/holdfast/plans", "vera").status == 200
