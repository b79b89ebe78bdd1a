"""Comments on a plan's page: users who may request plans write them, all readers see them, and they decide nothing."""

import re

import pytest
from tests.harness.pages.airflow_server import Answer, Server
from tests.harness.pages.web_lake import WebLake

from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import comments

pytestmark = pytest.mark.airflow
TOKEN = re.compile(r'name="comment_token" value="([^"]+)"')


def page(server: Server, plan: Plan, user: str) -> str:
    return server.ask("GET", f"/holdfast/plans/{plan.plan_id}", user).text


def send(server: Server, plan: Plan, user: str, text: str, token: str = "") -> Answer:
    if not token:
        found = re.search(
            r'action="[^"]*/comments">\s*<input type="hidden" name="comment_token" value="([^"]+)"', page(server, plan, user)
        )
        token = found[1] if found else "none"
    headers = {"Origin": server.origin}
    return server.ask("POST", f"/holdfast/plans/{plan.plan_id}/comments", user, {"comment_token": token, "text": text}, headers)


def test_a_comment_is_shown_to_everybody_as_text(server: Server, made: dict[str, Plan]) -> None:
    plan = made["approved"]
    hostile = "<img src=x onerror=alert(1)> \u202e @team\nsecond line"
    answer = send(server, plan, "bob", hostile)
    assert (answer.status, answer.headers["location"].rpartition("/")[2]) == (303, f"{plan.plan_id}#comments")

    shown = page(server, plan, "vera")
    assert "&lt;img src=x onerror=alert(1)&gt; \\u202e @team<br>second line" in shown
    assert "<img src=x" not in shown
    (kept,) = comments.read(WebLake(server.lake).lake, plan.plan_id).all
    assert (kept.by, kept.text) == ("bob", hostile)
    assert "Add comment" not in shown, "who may only read is not offered it"
    assert page(server, plan, "bob").count("Add comment") == 1


def test_what_may_not_be_kept_is_not(server: Server, made: dict[str, Plan]) -> None:
    plan = made["fleet"]
    secret = send(server, plan, "bob", "the password=oPen5esame works")
    empty = send(server, plan, "bob", " ")
    assert (secret.status, empty.status) == (400, 400)
    assert "Comment not kept" in secret.text
    assert "oPen5esame" not in secret.text
    long = "x" * (comments.LONGEST + 1)
    assert long in send(server, plan, "bob", long).text, "what was typed is not lost"
    assert send(server, plan, "vera", "hello", "x").status == 403
    assert send(server, plan, "bob", "hello", "x").status == 403
    other = re.search(
        r'/comments">\s*<input type="hidden" name="comment_token" value="([^"]+)"', page(server, made["moves"], "bob")
    )
    assert other
    assert send(server, plan, "bob", "hello", other[1]).status == 403
    assert comments.read(WebLake(server.lake).lake, plan.plan_id) == comments.Comments((), 0)
