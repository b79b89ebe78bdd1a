"""*Pause* and *Resume* on a plan's page: for those who may trigger `apply_rollout`, and seen by all readers."""

import re

import pytest
from tests.harness.pages.airflow_server import Answer, Server
from tests.harness.pages.web_lake import WebLake

from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows.running import pausing

pytestmark = pytest.mark.airflow


def page(server: Server, plan: Plan, user: str) -> str:
    return server.ask("GET", f"/holdfast/plans/{plan.plan_id}", user).text


def token(server: Server, plan: Plan, user: str) -> str:
    found = re.search(r'name="pause_token" value="([^"]+)"', page(server, plan, user))
    return found[1] if found else "none"


def send(server: Server, plan: Plan, user: str, what: str, reason: str = "", given: str = "") -> Answer:
    form = {"pause_token": given or token(server, plan, user), "reason": reason}
    return server.ask("POST", f"/holdfast/plans/{plan.plan_id}/{what}", user, form, {"Origin": server.origin})


def paused(server: Server, plan: Plan) -> str | None:
    return pausing.paused(WebLake(server.lake).lake, plan.plan_id)


def test_a_plan_is_paused_and_resumed(server: Server, made: dict[str, Plan]) -> None:
    plan = made["running"]
    lake = WebLake(server.lake).lake
    pausing.pause(lake, plan.plan_id, "ann", "from a shell", WebLake(server.lake).now)
    assert send(server, plan, "bob", "resume").headers["location"].endswith(f"{plan.plan_id}#live")
    assert paused(server, plan) is None
    pausing.pause(lake, plan.plan_id, "ann", "", WebLake(server.lake).now)
    asked = token(server, plan, "bob")
    pausing.resume(lake, plan.plan_id)

    answer = send(server, plan, "bob", "pause", "<i>lunch</i>\u202e", asked)
    assert answer.status == 303
    assert str(paused(server, plan)).startswith("Paused by bob: ")
    shown = page(server, plan, "vera")
    assert "&lt;i&gt;lunch&lt;/i&gt;\\u202e" in shown
    assert "pause_token" not in shown, "who may only read is not offered it"
    assert ">Resume</button>" in page(server, plan, "bob")
    assert send(server, plan, "bob", "resume").status == 303
    assert paused(server, plan) is None


def test_who_may_not_and_what_may_not_be_kept(server: Server, made: dict[str, Plan]) -> None:
    plan = made["approved"]
    pausing.pause(WebLake(server.lake).lake, plan.plan_id, "ann", "", WebLake(server.lake).now)
    try:
        asked = token(server, plan, "bob")
        assert asked != "none"
        for user, given in (("vera", asked), ("bob", "x"), ("olga", asked)):
            assert send(server, plan, user, "resume", given=given).status == 403, user
        assert paused(server, plan) is not None
    finally:
        pausing.resume(WebLake(server.lake).lake, plan.plan_id)
    for what in ("the password=oPen5esame works", "x" * 501):
        refused = send(server, plan, "bob", "pause", what, asked)
        assert refused.status == 422
        assert "oPen5esame" not in refused.text
    other = send(server, made["moves"], "bob", "pause", given=asked)
    assert other.status == 403
    assert paused(server, plan) is None
