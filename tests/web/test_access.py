"""Who may see and do what, against a real api-server: anonymously, as viewer, user and admin, and as an attacker."""

import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Browser
from tests.harness.pages.airflow_server import Server
from tests.harness.pages.browser import reading
from tests.harness.pages.web_lake import HOSTILE

from holdfast.rollout.streams.plan.plan import Plan

pytestmark = [pytest.mark.airflow, pytest.mark.usefixtures("runs")]
PAGES = (
    "/",
    "/plans",
    "/fleet",
    "/group?cluster=local&group=streams-wordcount",
    "/protocols?cluster=local&group=streams-wordcount",
    "/plans/{plan}",
    "/plans/{plan}/plan.json",
    "/plans/{plan}/plan.md",
    "/plans/{plan}/now",
    "/compare?before={plan}&after={plan}",
    "/plans/{plan}/tasks?q=1&moves=1&sort=why",
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
    assert browser.headers["location"].startswith("/airflow/api/v2/auth/login?next=%2Fairflow%2Fholdfast%2F")
    assert made["waiting"].basis.group_id not in machine.text + browser.text


def routes() -> list[tuple[str, frozenset[str]]]:
    """Every path of the app with its methods: a new route is tried here too."""
    from fastapi.routing import APIRoute

    from holdfast.web.app import app

    found: dict[str, frozenset[str]] = {}
    for route in app.routes:
        assert isinstance(route, APIRoute), "what is mounted does not ask who the user is"
        found[route.path] = found.get(route.path, frozenset()) | frozenset(route.methods)
    assert {"/", "/plans/{plan_id}/decision", "/static/{name}"} <= found.keys()
    return sorted(found.items())


def filled(path: str, made: dict[str, Plan]) -> str:
    name = "charts.js" if path.startswith("/static") else "plan.json"
    known = path.replace("{plan_id}", made["waiting"].plan_id).replace("{name}", name)
    return "/holdfast" + re.sub(r"\{\w+\}", "x", known)


def test_no_route_answers_nobody(server: Server, made: dict[str, Plan]) -> None:
    """Nor a token that claims to need no signature."""
    unsigned = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiIsInJvbGUiOiJBRE1JTiIsImV4cCI6OTk5OTk5OTk5OX0."
    for path, methods in routes():
        for method in methods:
            for token in ({}, {"Cookie": f"_token={unsigned}"}):
                form = {} if method == "GET" else {"form": {"token": "x"}}
                answer = server.ask(method, filled(path, made), headers={"Accept": "*/*", **token}, **form)
                assert answer.status in (401, 403), (method, path, token)
                assert made["waiting"].basis.group_id not in answer.text


def test_what_changes_something_is_for_those_who_may_and_from_here(server: Server, made: dict[str, Plan]) -> None:
    """A viewer may not; no user may from another site, or without the token of the page."""
    ours, theirs = {"Sec-Fetch-Site": "same-origin", "Origin": server.origin}, {"Origin": "https://evil.test"}
    changing = [(path, method) for path, methods in routes() for method in methods - {"GET"}]
    assert changing
    for path, method in changing:
        for user, headers in (("vera", ours), ("bob", theirs), ("bob", {}), ("bob", ours), ("admin", ours)):
            answer = server.ask(method, filled(path, made), user, {"decision": "approve"}, headers)
            assert answer.status == 403, (method, path, user, headers)


def test_who_may_write_what_tasks_go_by(server: Server) -> None:
    """Who approves, the team's policy, the lake and the directories are in variables and connections. Op and admin write them."""

    def told(user: str, method: str, path: str, body: object) -> int:
        try:
            server.rest(method, path, body, user)
        except HTTPError as refusal:
            return refusal.code
        return 200

    for user, may in (("vera", False), ("bob", False), ("olga", True), ("admin", True)):
        variable = {"key": f"written_by_{user}", "value": "[]"}
        connection = {"connection_id": f"written_by_{user}", "conn_type": "generic"}
        found = [told(user, "POST", "/api/v2/variables", variable), told(user, "POST", "/api/v2/connections", connection)]
        assert found == ([200, 200] if may else [403, 403]), user
        if not may:
            assert told(user, "PATCH", "/api/v2/variables/written_by_nobody", {"key": "written_by_nobody", "value": "x"}) == 403


def test_reading_changes_nothing(server: Server, made: dict[str, Plan]) -> None:
    def state() -> tuple[object, ...]:
        files = sorted((str(one), one.stat().st_mtime_ns) for one in (server.lake / "plans").rglob("*"))
        return files, server.rest("GET", "/api/v2/dags/~/dagRuns?limit=1")["total_entries"]

    before = state()
    for path, methods in routes():
        if "GET" in methods:
            assert server.ask("GET", filled(path, made) + "?decision=approve&token=x", "admin").status < 500, path
    assert state() == before


def test_no_other_method_does_anything(server: Server, made: dict[str, Plan]) -> None:
    for path, methods in routes():
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"} - methods:
            answer = server.ask(method, filled(path, made), "admin", headers={"Origin": "https://evil.test"})
            if method != "GET" or path != "/plans/{plan_id}/decision":  # that is asked for as a document of the plan
                assert answer.status in (404, 405), (method, path)
            assert [name for name in answer.headers if name.startswith("access-control")] == []


def test_the_login_leads_back_to_the_plan(server: Server, made: dict[str, Plan]) -> None:
    asked = address("/plans/{plan}", made)
    to_airflow = server.ask("GET", asked).headers["location"]
    to_login = server.ask("GET", to_airflow.removeprefix(server.below)).headers["location"]

    assert f"next={quote(server.below + asked, safe='')}" in to_login


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
        tags = re.findall(r"<[^>]*>", re.sub(r'"[^"]*"', '""', text))
        assert [tag for tag in tags if re.search(r"^<style|\sstyle=|\son\w+=", tag)] == []
        assert all("src=" in tag or "application/json" in tag for tag in re.findall(r"<script[^>]*>", text))
        assert re.findall(r'(?:src|href)="https?:', text) == []


@pytest.mark.parametrize(
    "name", ["0000000000000000", "..", "%2e%2e", "..%2f..%2fetc", "A" * 16, "0" * 15, "0" * 400, "plan.json", "%00", "a%2fb"]
)
def test_what_is_no_plan_is_not_found(server: Server, name: str) -> None:
    answer = server.ask("GET", f"/holdfast/plans/{name}", "admin")

    assert answer.status == 404
    assert "Traceback" not in answer.text


def test_an_address_of_nothing_is_refused_in_a_sentence_without_it(server: Server) -> None:
    answer = server.ask("GET", "/holdfast/owned-by-mallory", "vera")

    assert answer.status == 404
    assert "There is no such page." in answer.text
    assert "mallory" not in answer.text


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


@contextmanager
def replaced(path: Path, content: bytes | None) -> Iterator[None]:
    """The file with other content; None: a link that leads out of the lake."""
    kept = path.read_bytes() if path.exists() else None
    path.unlink(missing_ok=True)
    try:
        if content is None:
            path.symlink_to("/etc/passwd")
        else:
            path.write_bytes(content)
        yield
    finally:
        path.unlink(missing_ok=True)
        if kept is not None:
            path.write_bytes(kept)


def test_a_broken_plan_is_no_trouble_for_the_others(server: Server, made: dict[str, Plan]) -> None:
    """Half written, no plan at all, with half an approval, with a run that is none; or a link to what is not in the lake."""
    whole = server.lake / "plans" / made["waiting"].plan_id
    broken = {
        "a" * 16: ("plan.json", (whole / "plan.json").read_bytes()[:5_000]),
        "b" * 16: ("plan.json", b"[" * 100_000),
        "c" * 16: ("approval.json", b'{"format_version": "1.0", "plan_id"'),
        "d" * 16: ("run.json", b'{"format_version": "1.0", "run_id": "../x\\u0000"}'),
        "e" * 16: ("plan.md", None),
    }
    try:
        for name, (file, content) in broken.items():
            shutil.copytree(whole, whole.parent / name)
            (whole.parent / name / file).unlink(missing_ok=True)
            if content is None:
                (whole.parent / name / file).symlink_to("/etc/passwd")
            else:
                (whole.parent / name / file).write_bytes(content)
        for name in broken:
            for path in (f"/plans/{name}", f"/plans/{name}/plan.json", f"/plans/{name}/plan.md"):
                answer = server.ask("GET", f"/holdfast{path}", "vera")
                assert answer.status in (200, 404), path
                assert "root:" not in answer.text
            # It is in the folder of another plan, whatever it is.
            assert server.ask("GET", f"/holdfast/plans/{name}", "vera").status == 404
        for file, content in (broken["d" * 16], broken["e" * 16]):  # in its own folder such a plan is shown
            with replaced(whole / file, content):
                assert server.ask("GET", f"/holdfast/plans/{whole.name}", "vera").status == 200, file
        for file in ("approval.json", "verdict.json", "journal.jsonl"):  # what followed from it: the plan is shown, and which it is
            with replaced(whole / file, b'{"format_version": "1.0", "pl'):
                for path in (f"/plans/{whole.name}", f"/plans/{whole.name}/now"):
                    shown = server.ask("GET", f"/holdfast{path}", "bob")
                    assert shown.status == 200, file
                    assert "This plan can be neither approved nor applied until the document is repaired" in shown.text
                    assert f"plans/{whole.name}/{file}" in shown.text
                    assert 'name="decision"' not in shown.text
                found = server.ask("GET", "/holdfast/plans", "vera")
                assert (found.status, f"/plans/{whole.name}" in found.text) == (200, True)
        listed = server.ask("GET", "/holdfast/plans?q=streams-wordcount", "vera")
        assert listed.status == 200
        assert made["waiting"].plan_id in listed.text
    finally:
        for name in broken:
            shutil.rmtree(whole.parent / name, ignore_errors=True)


class Elsewhere(BaseHTTPRequestHandler):
    """An attacker's page, which sends a decision when opened, and shows Holdfast's in a frame."""

    page = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, *_: object) -> None:
        return


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["same site, another port", "another site"])
def test_another_page_cannot_decide_nor_frame_ours(browser: Browser, server: Server, made: dict[str, Plan], host: str) -> None:
    """In a browser that is logged in, and even with a token that this user was shown."""
    plan = f"{server.url}/holdfast/plans/{made['waiting'].plan_id}"
    page = f"""<iframe src="{plan}"></iframe><form method=post action="{plan}/decision"><input name=decision value=approve>
        <input name=token value=x></form><script>document.forms[0].submit()</script>""".encode()
    answers: list[int] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Page", (Elsewhere,), {"page": page})) as elsewhere:
        threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
        with reading(browser, server, "bob") as reader:
            reader.page.on("response", lambda one: answers.append(one.status) if one.request.method == "POST" else None)
            reader.page.goto(f"http://{host}:{elsewhere.server_address[1]}/")
            reader.page.wait_for_url("**/decision")
            reader.page.wait_for_load_state()  # until then the frames of the page before may still go
            assert "streams-wordcount" not in "".join(frame.content() for frame in reader.page.frames)
        elsewhere.shutdown()

    assert answers in ([401], [403])
