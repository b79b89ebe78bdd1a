"""Approve and reject on the page of a plan: the request of a real run, answered through the page, recorded in the lake."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.error import HTTPError
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect
from tests.harness.article import C
from tests.harness.pages.airflow_server import Answer, Server
from tests.harness.pages.browser import Reader, reading
from tests.harness.pages.web_lake import WebLake, article

from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import plan as plans

pytestmark = pytest.mark.airflow
OURS = {"Sec-Fetch-Site": "same-origin"}


def waiting_plan(server: Server, run: str) -> str:
    """The plan that the run asks about, once it asks."""
    path = f"/api/v2/dags/plan_rollout/dagRuns/{run}/taskInstances"

    def asks() -> str | None:
        states = {one["task_id"]: one["state"] for one in server.rest("GET", path)["task_instances"]}
        assert "failed" not in states.values(), states
        if states.get("approve") != "awaiting_input":
            return None
        return str(server.rest("GET", f"{path}/assemble/xcomEntries/return_value")["value"]).strip('"')

    return server.wait("the question", asks)


def page(server: Server, plan_id: str, user: str) -> str:
    answer = server.ask("GET", f"/holdfast/plans/{plan_id}", user)
    assert answer.status == 200
    return answer.text


def token_in(text: str) -> str:
    (token,) = re.findall(r'name="token" value="([^"]+)"', text)
    return str(token)


def send(
    server: Server, plan_id: str, user: str | None, form: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> Answer:
    sent = OURS | {"Origin": server.origin} if headers is None else headers
    return server.ask("POST", f"/holdfast/plans/{plan_id}/decision", user, form, sent)


@pytest.fixture(scope="module")
def asked(server: Server, runs: dict[str, str]) -> dict[str, str]:
    return {name: waiting_plan(server, runs[name]) for name in ("approve", "reject")}


def decided(server: Server, plan_id: str, user: str, decision: str, reason: str) -> Answer:
    """Decide on the page until it is recorded; the first answer. On a busy machine Airflow's scheduler may lose an answer in spite
    of all waiting: then it asks again, the page has its form again, and a person would decide again."""
    lake = WebLake(server.lake).lake
    answers: list[Answer] = []

    def read() -> bool | None:
        if "approval.json" in lake.names((plans.FOLDER, plan_id)):
            return True
        if found := re.findall(r'name="token" value="([^"]+)"', page(server, plan_id, user)):
            answers.append(send(server, plan_id, user, {"decision": decision, "reason": reason, "token": found[0]}))
        return None

    server.wait("the decision", read)
    return answers[0]


def kept(server: Server, plan_id: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(plans.document_of(WebLake(server.lake).lake, plan_id, "approval.json"))
    return found


@pytest.mark.parametrize("user", ["vera", "admin"])
def test_who_may_not_decide_is_told_who_may(server: Server, asked: dict[str, str], user: str) -> None:
    """The one may not trigger the DAG; the other may do everything in this Airflow, but is no approver."""
    text = page(server, asked["approve"], user)

    assert 'name="decision"' not in text
    assert "Waiting for review" in text
    assert "Requested by <bdi>bob</bdi>." in text
    assert "Approvers: <bdi>bob</bdi>, <bdi>olga</bdi>." in text


def test_airflow_itself_lets_only_approvers_answer(server: Server, asked: dict[str, str]) -> None:
    """Its page of required actions, and callers of its REST interface, use this route."""
    run = plans.run_of(WebLake(server.lake).lake, asked["approve"])
    for user in ("vera", "admin"):
        with pytest.raises(HTTPError, match="403"):
            answer_airflow(server, str(run), user, "Approve", reason="I may do anything")
    assert 'name="decision"' in page(server, asked["approve"], "olga"), "something was decided all the same"


def test_who_asked_cannot_approve_where_the_policy_wants_four_eyes(server: Server, asked: dict[str, str]) -> None:
    plan_id = asked["approve"]
    text = page(server, plan_id, "bob")
    answer = send(server, plan_id, "bob", {"decision": "approve", "reason": "mine", "token": token_in(text)})

    assert "You requested this plan" in text
    assert re.search(r'value="approve" disabled', text)
    assert (answer.status, "requires another approver" in answer.text) == (403, True)
    others = page(server, plan_id, "olga")
    assert "You requested this plan" not in others
    assert re.search(r'value="approve">', others)


def answer_airflow(server: Server, run: str, user: str, chosen: str, **params: str) -> None:
    path = f"/api/v2/dags/plan_rollout/dagRuns/{quote(run)}/taskInstances/approve/-1/hitlDetails"
    server.rest("PATCH", path, {"chosen_options": [chosen], "params_input": params}, user)


def test_forged_decisions_are_refused(server: Server, asked: dict[str, str]) -> None:
    plan_id = asked["approve"]
    token = token_in(page(server, plan_id, "bob"))
    form = {"decision": "approve", "reason": "", "token": token}
    cases = {
        "nobody": (send(server, plan_id, None, form), 401),
        "a viewer": (send(server, plan_id, "vera", form), 403),
        "somebody else's token": (send(server, plan_id, "admin", form), 403),
        "no token": (send(server, plan_id, "bob", form | {"token": ""}), 403),
        "another plan's token": (send(server, asked["reject"], "bob", form), 403),
        "another site": (send(server, plan_id, "bob", form, {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.test"}), 403),
        "a neighbour": (send(server, plan_id, "bob", form, {"Sec-Fetch-Site": "same-site", "Origin": server.origin}), 403),
        "another origin": (send(server, plan_id, "bob", form, {"Origin": "https://evil.test"}), 403),
        "no origin": (send(server, plan_id, "bob", form, {}), 403),
        "no choice": (send(server, plan_id, "bob", form | {"decision": "maybe"}), 400),
        "a rejection without a reason": (send(server, plan_id, "bob", form | {"decision": "reject"}), 400),
        "a very long reason": (send(server, plan_id, "bob", form | {"reason": "x" * 5_000}), 400),
        "a huge form": (send(server, plan_id, "bob", form | {"reason": "x" * 100_000}), 413),
    }

    assert {name: answer.status for name, (answer, _) in cases.items()} == {name: status for name, (_, status) in cases.items()}
    assert 'name="decision"' in page(server, plan_id, "bob"), "something was decided all the same"


def test_a_stale_plan_cannot_be_approved(server: Server, asked: dict[str, str]) -> None:
    """The group loses a client after the plan was made: approving is refused, and says what drifted."""
    plan_id = asked["reject"]
    lake = WebLake(server.lake)
    moved = article("decided-reject")
    lake.snapshot(
        moved | {"clients": {one: client for one, client in moved["clients"].items() if one != C}, "leader_process_id": None}, 0
    )
    text = page(server, plan_id, "olga")
    answer = send(server, plan_id, "olga", {"decision": "approve", "reason": "", "token": token_in(text)})

    assert "Drift detected" in text
    assert answer.status == 409
    assert f"Client {C}" in answer.text
    assert "has left the group" in answer.text


def test_a_rejection_is_recorded_with_its_reason(server: Server, asked: dict[str, str]) -> None:
    plan_id = asked["reject"]
    token = token_in(page(server, plan_id, "bob"))
    answer = decided(server, plan_id, "bob", "reject", "<b>Not</b> today")
    again = send(server, plan_id, "bob", {"decision": "reject", "reason": "again", "token": token})

    assert (answer.status, answer.headers["location"]) == (303, f"{server.below}/holdfast/plans/{plan_id}#decision")
    assert again.status == 409
    found = kept(server, plan_id)
    assert {key: found[key] for key in ("approved", "by", "reason", "plan_id")} == {
        "approved": False, "by": "bob", "reason": "<b>Not</b> today", "plan_id": plan_id,
    }  # fmt: skip
    text = page(server, plan_id, "vera")
    assert "Rejected" in text
    assert "&lt;b&gt;Not&lt;/b&gt; today" in text
    run = f"/api/v2/dags/plan_rollout/dagRuns/{quote(str(plans.run_of(WebLake(server.lake).lake, plan_id)))}"
    ends = server.wait("the end of the run", lambda: found if (found := server.rest("GET", run))["state"] != "running" else None)
    assert ends["state"] == "success"
    assert server.rest("GET", f"{run}/taskInstances/record")["state"] == "skipped"


def test_an_approval_is_recorded(server: Server, asked: dict[str, str]) -> None:
    plan_id = asked["approve"]

    assert decided(server, plan_id, "olga", "approve", "").status == 303
    found = kept(server, plan_id)
    assert (found["approved"], found["by"], found["asked_by"]) == (True, "olga", "bob")
    logged = server.rest("GET", "/api/v2/eventLogs?dag_id=plan_rollout&event=update_hitl_detail&limit=100")["event_logs"]
    assert {one["owner"] for one in logged} == {"admin", "bob", "olga"}, "who tried in vain is there too"


def forge(server: Server, run: str, another_plan: str) -> None:
    """What a user who may trigger a DAG may do in Airflow: write what its tasks returned and remember, and start them again. Here:
    another group was read, another task follows, another plan was made, and it was approved."""
    of_run = f"/api/v2/dags/plan_rollout/dagRuns/{quote(run)}/taskInstances"
    answer = {
        "chosen_options": ["Approve"], "params_input": {}, "responded_at": "2026-11-21T12:00:00Z", "timed_out": False,
        "responded_by_user": {"id": "olga", "name": "olga"}, "plan_fingerprint": "sha256:0", "asked_by": "ann",
    }  # fmt: skip
    for task, value in (("snapshot", "../plans"), ("assemble", another_plan)):
        server.rest("PATCH", f"{of_run}/{task}/xcomEntries/return_value", {"value": value}, "bob")
    for task, said in (("search", "search_on_spark"), ("approve", answer)):
        server.rest("POST", f"{of_run}/{task}/xcomEntries", {"key": "return_value", "value": said}, "bob")
    again = {"dry_run": False, "only_failed": False, "dag_run_id": run, "task_ids": ["search"], "include_downstream": True}
    server.rest("POST", "/api/v2/dags/plan_rollout/clearTaskInstances", again, "bob")


def test_on_airflows_own_page_who_asked_cannot_approve_and_another_can(
    browser: Browser, server: Server, runs: dict[str, str], made: dict[str, Plan]
) -> None:
    """Under Required Actions, in a browser. The requester learns there that another person must approve; their yes is asked again.
    What was shown is what is approved, whatever is written meanwhile to the question."""
    plan_id = waiting_plan(server, runs["airflow"])
    kept_before = lake_files(server, plan_id)
    task = f"/api/v2/dags/plan_rollout/dagRuns/{quote(runs['airflow'])}/taskInstances/approve"
    where = f"/dags/plan_rollout/runs/{quote(runs['airflow'])}/tasks/approve/required_actions"
    lake = WebLake(server.lake).lake

    def press(reader: Reader, reason: str) -> None:
        """Answer, if there is a form."""
        reader.open(where)
        button = reader.page.get_by_test_id("hitl-option-Approve")
        button.wait_for()
        if reason:
            reader.page.locator("textarea").fill(reason)
            reader.page.wait_for_timeout(300)
        with reader.page.expect_response(lambda answer: answer.request.method == "PATCH"):
            button.click()

    def asks_again() -> bool | None:
        found = server.rest("GET", task)
        assert "approval.json" not in lake.names((plans.FOLDER, plan_id))
        return True if found["try_number"] > 1 and found["state"] == "awaiting_input" else None

    def recorded() -> bool | None:
        if "approval.json" in lake.names((plans.FOLDER, plan_id)):
            return True
        if server.rest("GET", task)["state"] == "awaiting_input":
            press(reader, "Read <i>there</i>")
        return None

    with reading(browser, server, "bob") as reader:
        press(reader, "")
        server.wait("the question again", asks_again)
    forge(server, runs["airflow"], made["waiting"].plan_id)
    server.wait("the question after everything was begun again", lambda: asked_since(server, runs["airflow"]))
    assert lake_files(server, plan_id) == kept_before, "a run makes one plan"
    with reading(browser, server, "olga") as reader:
        text = reader.open(where).page.locator("body")
        reader.page.get_by_test_id("hitl-option-Reject").wait_for()
        expect(text).to_contain_text(f"in decided-airflow: within policy. Approve plan {plan_id}?")
        expect(text).to_contain_text("Requested by bob; another person must approve it.")
        expect(reader.page.locator(f"a[href$='/holdfast/plans/{plan_id}']")).to_have_count(1)
        server.wait("the decision", recorded)
        assert reader.trouble == []

    found = kept(server, plan_id)
    assert {key: found[key] for key in ("approved", "by", "by_id", "reason", "asked_by", "decided_by")} == {
        "approved": True, "by": "olga", "by_id": "olga", "reason": "Read <i>there</i>", "asked_by": "bob", "decided_by": "person",
    }  # fmt: skip
    assert str(found["at"]) <= datetime.now(UTC).isoformat()
    assert "approval.json" not in lake.names((plans.FOLDER, made["waiting"].plan_id))


def lake_files(server: Server, plan_id: str) -> dict[str, bytes]:
    lake = WebLake(server.lake).lake
    return {name: plans.document_of(lake, plan_id, name) for name in lake.names((plans.FOLDER, plan_id))}


def asked_since(server: Server, run: str) -> bool | None:
    """Whether all tasks that were begun again have ended, and the run asks again."""
    path = f"/api/v2/dags/plan_rollout/dagRuns/{quote(run)}/taskInstances"
    states = {one["task_id"]: (one["state"], one["try_number"]) for one in server.rest("GET", path)["task_instances"]}
    assert not {"failed", "upstream_failed"} & {state for state, _ in states.values()}, states
    return True if states["approve"][0] == "awaiting_input" and states["assemble"] == ("success", 2) else None


def test_airflow_leads_to_the_page(server: Server, asked: dict[str, str]) -> None:
    """The tab of a run, and the links of the tasks that made the plan and asked about it."""
    plan_id = asked["approve"]
    run = plans.run_of(WebLake(server.lake).lake, plan_id)
    tab = server.ask("GET", f"/holdfast/run?dag=plan_rollout&run={run.replace('+', '%2B').replace(':', '%3A')}", "vera")
    links = [
        server.rest("GET", f"/api/v2/dags/plan_rollout/dagRuns/{run}/taskInstances/{task}/links")["extra_links"]
        for task in ("assemble", "approve")
    ]

    assert tab.headers["location"] == f"{server.below}/holdfast/plans/{plan_id}"
    assert links == [{"Open the plan": f"{server.below}/holdfast/plans/{plan_id}"}] * 2
