"""Secrets planted in every field that our pages and DAGs take, then looked for in Airflow's database, its logs, and the lake."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from tests.harness import planted
from tests.harness.pages.airflow_server import Server
from tests.harness.pages.web_lake import WebLake
from tests.web.conftest import start
from tests.web.test_decision import answer_airflow, decided, page, send, token_in, waiting_plan
from tests.web.test_new import form, hidden
from tests.web.test_new import send as send_form

from holdfast.workflows import plan as plans

pytestmark = [pytest.mark.airflow, pytest.mark.usefixtures("runs")]
PLANTED = "oPen5esame"
AIRFLOW_KEEPS_ANSWERS = {
    ("log", "extra"),
    ("hitl_detail", "params_input"),
    ("hitl_detail_history", "params_input"),
    ("task_instance", "next_kwargs"),
    ("task_instance_history", "next_kwargs"),
}
"""Columns in which Airflow keeps what it is sent, whatever it is: docs/approval.md says so."""
CHANGE = {"format_version": "1.0", "events": [{"rolling_restart": {}}]}


def secret(label: str) -> str:
    return f"{PLANTED}{re.sub('[^a-z]', '', label)}"


def typed(label: str) -> str:
    return f"password={secret(label)}"


OF_THE_FORM = {
    "cluster": {"cluster": typed("cluster")},
    "group": {"group": typed("group")},
    "hosts": {"what": "rolling restart", "more_hosts": typed("hosts")},
    "new_host": {"what": "replace a host", "more_hosts": "app-a", "new_host": typed("newhost")},
    "disk": {"what": "replace a host", "more_hosts": "app-a", "disk": typed("disk")},
    "threads": {"what": "scale", "clients": "5", "threads": typed("threads")},
    "clients": {"what": "scale", "clients": typed("clients")},
    "at_once": {"what": "rolling restart", "at_once": typed("atonce")},
    "settings": {"what": "change settings", "settings": f"num.standby.replicas=1\nssl.key.password={secret('settings')}"},
    "kafka_release": {"what": "upgrade Kafka Streams", "kafka_release": typed("release")},
    "minutes": {"what": "stop and start all", "minutes": typed("minutes")},
    "change": {"what": "change", "change": json.dumps(CHANGE | {"token": secret("change")})},
    "policy": {"what": "rolling restart", "policy": f"format_version: 1.0\n# password: {secret('policy')}"},
    "snapshot": {"what": "rolling restart", "snapshot": f"snapshots/{typed('snapshot')}"},
}
BASIS = {"cluster": "local", "group": "streams-wordcount"}


def cells(server: Server) -> Iterator[tuple[str, str, str]]:
    """Every text in Airflow's database with what was planted: table, column, content."""
    for table, column, cell in planted.cells(server.home / "airflow.db"):
        text = cell.decode(errors="replace")
        if PLANTED in text:
            yield table, column, text


def files_with(folder: Path, *left_out: str) -> set[str]:
    """Names and contents."""
    found = set()
    for path in folder.rglob("*"):
        inside = path.is_file() and path.name not in left_out and PLANTED.encode() in path.read_bytes()
        if PLANTED in str(path.relative_to(folder)) or inside:
            found.add(str(path.relative_to(folder)))
    return found


def ended(server: Server, dag: str, run_id: str) -> str:
    def state() -> str | None:
        found = str(server.rest("GET", f"/api/v2/dags/{dag}/dagRuns/{quote(run_id, safe='')}")["state"])
        return found if found in ("success", "failed") else None

    return server.wait(f"the end of {dag} {run_id}", state)


def test_a_secret_on_our_pages_reaches_neither_airflow_nor_the_lake(server: Server) -> None:
    before = server.rest("GET", "/api/v2/dags/plan_rollout/dagRuns?limit=1")["total_entries"]
    for name, fields in OF_THE_FORM.items():
        shown = BASIS | {"what": fields.get("what", "rolling restart")}
        base = hidden(server.ask("GET", f"/holdfast/new?{urlencode(shown)}", "bob").text)
        sent = base | {"snapshot": "fresh"} | fields
        said = hidden(send_form(server, "bob", sent | {"do": "check"}).text).get("said", "")
        answer = send_form(server, "bob", sent | {"do": "send", "said": said})
        assert answer.status in (200, 422), (name, answer.status)
        assert "location" not in answer.headers, name
        assert 'id="e-' in answer.text or 'id="problems"' in answer.text, name
    assert server.rest("GET", "/api/v2/dags/plan_rollout/dagRuns?limit=1")["total_entries"] == before
    assert [(table, column) for table, column, _ in cells(server)] == []
    assert files_with(server.lake) == set()
    assert files_with(server.home, "server.log") == set()


def test_a_secret_in_a_reason_is_refused_on_our_page_and_asked_again_by_airflow_s(server: Server) -> None:
    run = start(server, "decided-secret")
    plan_id = waiting_plan(server, run)
    token = token_in(page(server, plan_id, "olga"))
    for choice in ("approve", "reject"):
        refused = send(server, plan_id, "olga", {"decision": choice, "reason": f"ok, {typed('ourreason')}", "token": token})
        assert (refused.status, "seems to contain a secret" in refused.text) == (400, True)
        assert PLANTED not in refused.text
    assert [one for one in cells(server) if secret("ourreason") in one[2]] == []

    path = f"/api/v2/dags/plan_rollout/dagRuns/{quote(run)}/taskInstances/approve"
    answer_airflow(server, run, "olga", "Approve", reason=f"ok, {typed('restreason')}")
    server.wait("the question again", lambda: server.rest("GET", path)["try_number"] > 1 or None)
    assert plans.approval_of(WebLake(server.lake).lake, plan_id) is None
    assert waiting_plan(server, run) == plan_id
    shown = server.ask("GET", f"/holdfast/plans/{plan_id}", "olga").text
    assert PLANTED not in shown

    decided(server, plan_id, "olga", "reject", "not before the weekend")
    assert plans.approval_of(WebLake(server.lake).lake, plan_id).reason == "not before the weekend"
    ended(server, "plan_rollout", run)
    columns = {(table, column) for table, column, text in cells(server) if secret("restreason") in text}
    assert columns <= AIRFLOW_KEEPS_ANSWERS
    assert columns, "Airflow keeps less than the docs say"
    assert files_with(server.lake) == set()
    assert files_with(server.home, "airflow.db", "airflow.db-wal", "airflow.db-shm") == set()


def test_a_form_that_is_right_is_sent_all_the_same(server: Server) -> None:
    """What the first test refuses is refused for the secret, not for the rest of the form."""
    answer = send_form(server, "bob", form(server, "bob", at_once="2"))
    assert answer.status == 303
