"""Whoever is to be told that a plan waits for somebody."""

import json
import sys
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from airflow.sdk.bases.notifier import BaseNotifier

from holdfast.airflow_wiring import notifiers
from holdfast.airflow_wiring.approval import AskForApproval


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
            raise ConnectionError("does not answer")
        self.said.append(self.message)


class TestTelling:
    @pytest.fixture
    def tell(self, monkeypatch: pytest.MonkeyPatch, make: Any) -> Any:
        plan_id, draft = make()
        monkeypatch.setitem(sys.modules, "team", SimpleNamespace(Heard=Heard))
        Heard.said.clear()

        def told(*wanted: dict[str, object]) -> list[str]:
            named = [{"notifier": "team.Heard", "with": one} for one in wanted]
            monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_REVIEW_NOTIFIERS", json.dumps(named))
            asking = AskForApproval(task_id="approve", plan_id=plan_id, draft=draft)
            instance = type("TI", (), {"dag_id": "plan_rollout", "run_id": "r", "task_id": "approve", "map_index": -1})
            notifiers.PlanWaits()({"task": asking, "task_instance": instance, "ti": instance})
            return [plan_id, *Heard.said]

        return told

    def test_says_the_ten_lines_and_where_to_answer(self, tell: Any) -> None:
        plan_id, said = tell({"message": "{{ plan_summary }}\n{{ plan_link }}\n{{ answer_link }}"})

        *summary, page, answering = said.splitlines()
        assert len(summary) <= 10
        assert summary[0].startswith(f"Plan {plan_id} for streams-wordcount on local: ")
        assert "no stateful task changes hands" in said
        assert page.endswith(f"/holdfast/plans/{plan_id}")
        assert "/dags/plan_rollout/runs/r/tasks/approve/required_actions" in answering

    def test_one_that_fails_stops_nobody(self, tell: Any, caplog: pytest.LogCaptureFixture) -> None:
        _, said = tell({"message": "a", "fails": True}, {"message": "b"})

        assert said == "b"
        assert "Heard did not tell anybody" in caplog.text

    def test_a_wrong_variable_stops_nobody(self, tell: Any, caplog: pytest.LogCaptureFixture) -> None:
        tell({"no such": "argument"})

        assert "Nobody was told that the plan waits" in caplog.text
