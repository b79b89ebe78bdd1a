"""Notifications that a plan waits for a decision."""

import json
import logging
import re
import sys
import traceback
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from airflow.sdk.bases.notifier import BaseNotifier
from tests.dags.conftest import CHANGE, PLAIN_FORM
from tests.harness.pages.mail_server import Mailbox, receiving_mail

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import fleet, notifiers, planning, runs
from holdfast.airflow_wiring.approval import AskForApproval
from holdfast.errors import ClusterTrouble
from holdfast.rollout.journal.seal import NO_KEYS
from holdfast.rollout.json.strict import loads
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots

DOCS = Path(__file__).resolve().parents[2] / "docs" / "approval.md"
JSON_IN_DOCS = re.findall(r"```json\n(.*?)```", DOCS.read_text(), re.DOTALL)
SMTP = "airflow.providers.smtp.notifications.smtp.SmtpNotifier"
PASSWORD = "a-very-secret-word"
HOSTILE = "<img src=//evil.test> \u202e @everyone"


class Heard(BaseNotifier):
    """A notifier that remembers what it was asked to say, or fails."""

    template_fields = ("message",)
    said: ClassVar[list[str]] = []

    def __init__(self, message: str, fails: bool = False) -> None:
        super().__init__()
        self.message = message
        self.fails = fails

    def notify(self, _context: dict) -> None:
        if self.fails:
            raise ConnectionError(f"https://chat.example.com/services/{PASSWORD} does not answer")
        self.said.append(self.message)


def notify(_plan_id: str, run_id: str) -> None:
    asking = AskForApproval(task_id="approve")
    instance = type("TI", (), {"dag_id": "plan_rollout", "run_id": run_id, "task_id": "approve", "map_index": -1})
    notifiers.PlanWaits()({"task": asking, "task_instance": instance, "ti": instance})


class TestMail:
    """Airflow's own SmtpNotifier, as docs/approval.md has it, and a server that it sends to."""

    @pytest.fixture
    def sent(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        (example,) = [one for one in JSON_IN_DOCS if "SmtpNotifier" in one]

        def send(mail: Mailbox, plan_id: str, run_id: str) -> EmailMessage:
            connection = {
                "conn_type": "smtp", "host": "127.0.0.1", "port": mail.port, "login": "holdfast", "password": PASSWORD,
                "extra": {"disable_ssl": True, "disable_tls": True, "from_email": "holdfast@example.com"},
            }  # fmt: skip
            monkeypatch.setenv("AIRFLOW_CONN_MAIL", json.dumps(connection))
            monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_REVIEW_NOTIFIERS", example)
            notify(plan_id, run_id)
            (got,) = mail.mails
            return got

        return send

    def test_brings_the_ten_lines_to_a_mailbox(self, sent: Any, make: Any, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        with receiving_mail() as mail:
            plan_id, run_id = make()
            got = sent(mail, plan_id, run_id)

        assert (mail.logins, mail.recipients) == ([("holdfast", PASSWORD)], ["sre@example.com"])
        assert got["subject"] == f"Plan {plan_id} waits for a decision"
        text = got.get_body(("html",)).get_content()
        assert f"Plan {plan_id} for streams-wordcount on local: " in text
        assert f"/holdfast/plans/{plan_id}" in text
        assert PASSWORD not in caplog.text

    def test_shows_hostile_names_as_text(self, sent: Any, lake: FsspecLake, recorded: str) -> None:
        document = loads(lake.read(tuple(recorded.split("/")), 10**8))
        snapshot = snapshot_from_json(document | {"group_id": HOSTILE})
        form = PLAIN_FORM | {"group": HOSTILE, "snapshot": snapshots.keep(lake, snapshot)}
        planning.draft("hostile", form)
        plan = plans.make(snapshot, change_from_json(CHANGE), Policy(), datetime.now(UTC))
        runs.keep_made(lake, "hostile", plan, NO_KEYS)
        with receiving_mail() as mail:
            got = sent(mail, plans.keep(lake, plan), "hostile")

        text = got.get_body(("html",)).get_content()
        assert "&lt;img src=//evil.test&gt; \\u202e" in text
        assert "<img" not in text

    def test_one_that_refuses_is_named_without_its_secrets(
        self, monkeypatch: pytest.MonkeyPatch, make: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        monkeypatch.setenv("AIRFLOW_CONN_MAIL", f"smtp://holdfast:{PASSWORD}@127.0.0.1:1/?disable_ssl=true&retry_limit=1&timeout=1")
        named = [{"notifier": SMTP, "with": {"smtp_conn_id": "mail", "to": "a@example.com", "from_email": "b@example.com"}}]
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_REVIEW_NOTIFIERS", json.dumps(named))
        notify(*make())

        assert "SmtpNotifier failed to notify that the plan is waiting" in caplog.text
        assert PASSWORD not in caplog.text


class TestTelling:
    @pytest.fixture
    def tell(self, monkeypatch: pytest.MonkeyPatch, make: Any) -> Any:
        plan_id, run_id = make()
        monkeypatch.setitem(sys.modules, "team", SimpleNamespace(Heard=Heard))
        Heard.said.clear()

        def told(*wanted: dict[str, object]) -> list[str]:
            named = [{"notifier": "team.Heard", "with": one} for one in wanted]
            monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_REVIEW_NOTIFIERS", json.dumps(named))
            notify(plan_id, run_id)
            return [plan_id, *Heard.said]

        return told

    def test_says_the_ten_lines_and_where_to_answer(self, tell: Any) -> None:
        plan_id, said = tell({"message": "{{ plan_summary }}\n{{ plan_link }}\n{{ answer_link }}"})

        *summary, page, answering = said.splitlines()
        assert len(summary) <= 10
        assert summary[0].startswith(f"Plan {plan_id} for streams-wordcount on local: ")
        assert "0 of 6 stateful tasks migrate" in said
        assert page.endswith(f"/holdfast/plans/{plan_id}")
        assert "/dags/plan_rollout/runs/run%200/tasks/approve/required_actions" in answering

    def test_one_that_fails_stops_nobody(self, tell: Any, caplog: pytest.LogCaptureFixture) -> None:
        _, said = tell({"message": "a", "fails": True}, {"message": "b"})

        assert said == "b"
        assert "Heard failed to notify" in caplog.text
        assert PASSWORD not in caplog.text

    def test_one_that_fails_to_tell_of_the_fleet_is_named_without_the_address_that_it_quotes(
        self, lake: FsspecLake, tell: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert tell
        lake.write(("fleet", "day=2026-11-21", "alerts.json"), b'{"day": "2026-11-21", "alerts": ["one"]}')
        named = [{"notifier": "team.Heard", "with": {"message": "a", "fails": True}}]
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_NOTIFIERS", json.dumps(named))

        with pytest.raises(ClusterTrouble, match=r"Heard of holdfast_notifiers failed: ConnectionError$") as trouble:
            fleet.alert("2026-11-21", {})
        assert PASSWORD not in "".join(traceback.format_exception(trouble.value))

    def test_a_wrong_one_stops_nobody_and_no_other(self, tell: Any, caplog: pytest.LogCaptureFixture) -> None:
        _, said = tell({"no such": "argument"}, {"message": "b"})

        assert said == "b"
        assert (
            "Heard failed to notify that the plan is waiting for review: the notifier 'team.Heard' of holdfast_review_notifiers"
            in caplog.text
        )

    @pytest.mark.parametrize("variable", ["{}", "[1]", '[{"with": {}}]'])
    def test_a_wrong_variable_stops_nobody(
        self, make: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, variable: str
    ) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_REVIEW_NOTIFIERS", variable)
        notify(*make())

        assert "No notification was sent that the plan is waiting" in caplog.text
