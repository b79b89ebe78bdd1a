"""Who may see and do what, against a real api-server: as nobody, viewer, user and admin, and as somebody who means harm."""

import re
from urllib.parse import quote, urlencode

import pytest
from tests.harness.airflow_server import Server
from tests.harness.web_lake import HOSTILE

from holdfast.rollout.plan_value import Plan

pytestmark = [pytest.mark.airflow, pytest.mark.usefixtures("runs")]
PAGES = (
    "/",
    "/plans",
    "/fleet",
    "/group?cluster=local&group=streams-wordcount",
    "/plans/{plan}",
    "/plans/{plan}/plan.json",
    "/plans/{plan}/plan.md",
    "/run?dag=plan_rollout&run=x",
)
STATIC = ("/static/holdfast.css", "/static/echarts.min.js", "/static/charts.js", "/static/theme.js", "/static/nothing.js")


def address(path: str, made: dict[str, Plan]) -> str:
    return "/holdfast" + path.format(plan=made["waiting"].plan_id)


@pytest.mark.parametrize("path", [*PAGES, *STATIC])
def test_nobody_sees_nothing(server: Server, made: dict[str, Plan], path: str) -> None:
    machine = server.ask("GET", address(path, made), headers={"Accept": "*/*"})
    browser = server.ask("GET", address(path, made))

    assert machine.status == 401
    assert browser.status == 303
    assert browser.headers["location"].startswith("/api/v2/auth/login?next=%2Fholdfast%2F")
    assert made["waiting"].basis.group_id not in machine.text + browser.text


def test_the_login_leads_back_to_the_plan(server: Server, made: dict[str, Plan]) -> None:
    asked = address("/plans/{plan}", made)
    to_airflow = server.ask("GET", asked).headers["location"]
    to_login = server.ask("GET", to_airflow).headers["location"]

    assert f"next={quote(asked, safe='')}" in to_login


@pytest.mark.parametrize("user", ["vera", "bob", "olga", "admin"])
@pytest.mark.parametrize("path", PAGES)
def test_whoever_may_see_the_dag_may_read(server: Server, made: dict[str, Plan], user: str, path: str) -> None:
    assert server.ask("GET", address(path, made), user).status in (200, 303)


def test_every_answer_carries_the_headers(server: Server, made: dict[str, Plan]) -> None:
    for path, user in (("/plans", "vera"), ("/plans", None), ("/static/charts.js", "vera"), ("/plans/0000000000000000", "vera")):
        headers = server.ask("GET", f"/holdfast{path}", user).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "cache-control" in headers


def test_pages_have_no_script_or_style_of_their_own(server: Server, made: dict[str, Plan]) -> None:
    for path in PAGES[1:5]:
        text = server.ask("GET", address(path, made), "vera").text
        assert re.findall(r"<style|\sstyle=|\son\w+=", text) == []
        assert all("src=" in tag or "application/json" in tag for tag in re.findall(r"<script[^>]*>", text))
        assert re.findall(r'(?:src|href)="https?:', text) == []


@pytest.mark.parametrize(
    "name", ["0000000000000000", "..", "%2e%2e", "..%2f..%2fetc", "A" * 16, "0" * 15, "0" * 400, "plan.json", "%00", "a%2fb"]
)
def test_what_is_no_plan_is_not_found(server: Server, name: str) -> None:
    answer = server.ask("GET", f"/holdfast/plans/{name}", "admin")

    assert answer.status == 404
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("name", ["approval.json", "..%2fplan.json", "summary.json", "%2e%2e"])
def test_other_files_of_a_plan_are_not_given_out(server: Server, made: dict[str, Plan], name: str) -> None:
    assert server.ask("GET", f"/holdfast/plans/{made['waiting'].plan_id}/{name}", "admin").status == 404


def test_hostile_names_are_text(server: Server, made: dict[str, Plan]) -> None:
    basis = made["hostile"].basis
    group = f"/group?{urlencode({'cluster': basis.cluster, 'group': basis.group_id})}"
    for path in ("/plans", f"/plans/{made['hostile'].plan_id}", group, "/fleet"):
        answer = server.ask("GET", f"/holdfast{path}", "vera")
        text = answer.text
        assert answer.status == 200
        assert "alert(1)" in text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "\u202e" not in text
        assert "\u0007" not in text
        assert HOSTILE[:8] not in text


@pytest.mark.parametrize(
    "query", ["cluster=..&group=..", "cluster=local", "group=nobody", "cluster=%2e%2e%2f&group=%00", "group=" + "x" * 3_000]
)
def test_what_is_no_group_is_not_found(server: Server, query: str) -> None:
    answer = server.ask("GET", f"/holdfast/group?{query}", "admin")

    assert answer.status == 404
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("query", ["page=0", "page=x", "q=" + "x" * 400, "page=99999999999999999999"])
def test_bad_questions_are_refused(server: Server, query: str) -> None:
    assert server.ask("GET", f"/holdfast/plans?{query}", "vera").status == 400


def test_no_other_verb_does_anything(server: Server, made: dict[str, Plan]) -> None:
    plan = f"/holdfast/plans/{made['waiting'].plan_id}"
    for method, path in (
        ("GET", f"{plan}/decision"),
        ("PUT", plan),
        ("DELETE", plan),
        ("POST", plan),
        ("PATCH", f"{plan}/decision"),
    ):
        assert server.ask(method, path, "admin").status in (404, 405)
