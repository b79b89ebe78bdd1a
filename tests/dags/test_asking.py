"""The operator that asks: what it makes of answers, bad ones and those of the plan's requester among them."""

from datetime import UTC, datetime, timedelta
from traceback import format_exception
from typing import Any, ClassVar

import pytest
from airflow.sdk.exceptions import AirflowSkipException
from tests.dags.conftest import decided, policy, question

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring.approval import AskForApproval
from holdfast.errors import HoldfastError
from holdfast.rollout.journal.journal import DecidedBy
from holdfast.rollout.kinds import approval
from holdfast.workflows import plan as plans

pytestmark = pytest.mark.usefixtures("lake")
SECRET = "oPen-5esame"


def context(instance: object, run_id: str) -> dict[str, object]:
    """What the operator needs of Airflow's context."""
    return {"ti": instance, "run_id": run_id}


class Instance:
    """What the operator needs of Airflow's task instance."""

    def __init__(self) -> None:
        self.pushed: dict[str, object] = {}

    def xcom_push(self, key: str, value: object) -> None:
        self.pushed[key] = value


class TestTheOperator:
    EVENT: ClassVar[dict[str, Any]] = {
        "chosen_options": ["Approve"],
        "params_input": {"reason": "fine"},
        "responded_at": datetime(2026, 11, 20, 14, tzinfo=UTC),
        "responded_by_user": {"id": "7", "name": "vera"},
        "timedout": False,
    }

    @pytest.fixture
    def made(self, make: Any) -> tuple[str, str]:
        return make()

    def resumed(self, made: tuple[str, str], **event: object) -> dict[str, Any]:
        asked = question(*made).fingerprint
        asking = AskForApproval(task_id="approve")
        return asking.execute_complete(context(Instance(), made[1]), self.EVENT | event, fingerprint=asked)

    def test_answers_with_what_was_asked_about(self, lake: FsspecLake, made: tuple[str, str]) -> None:
        found = self.resumed(made)

        assert found["plan_fingerprint"] == approval.fingerprint(plans.load(lake, made[0]))
        assert (found["timed_out"], found["params_input"]) == (False, {"reason": "fine"})
        assert self.resumed(made, params_input={})["params_input"] == {}

    @pytest.mark.parametrize("chosen", ["Approve", "Reject"])
    def test_an_answer_that_airflow_loses_is_not_asked_for_again(
        self, lake: FsspecLake, made: tuple[str, str], chosen: str
    ) -> None:
        """It is kept before the task ends: the next attempt finds it."""
        self.resumed(made, chosen_options=[chosen])
        instance = Instance()
        again = AskForApproval(task_id="approve").execute(context(instance, made[1]))

        assert instance.pushed == {}
        if chosen == "Reject":
            with pytest.raises(AirflowSkipException, match="rejected by vera: fine"):
                decided(made[0], again)
        else:
            assert decided(made[0], again) == made[0]
        assert plans.approval_of(lake, made[0]).by == "vera"

    def test_nobody_in_time_is_kept_as_that(self, lake: FsspecLake, made: tuple[str, str]) -> None:
        self.resumed(made, chosen_options=["Reject"], timedout=True, responded_by_user=None)

        assert plans.approval_of(lake, made[0]).decided_by is DecidedBy.TIME_OUT

    @pytest.mark.parametrize(
        "bad",
        [
            {"params_input": {"reason": 99}},
            {"params_input": {"reason": "x" * 4_001}},
            {"params_input": {"raeson": "x"}},
            {"params_input": {"reason": "x", "max_parallel": 3}},
            {"chosen_options": ["Perhaps"]},
            {"chosen_options": []},
            {"chosen_options": ["Approve", "Reject"]},
        ],
    )
    def test_takes_no_bad_answer_and_asks_again(self, lake: FsspecLake, made: tuple[str, str], bad: dict[str, object]) -> None:
        asking = AskForApproval(task_id="approve")

        with pytest.raises(ValueError, match=r".") as trouble:
            self.resumed(made, **bad)
        assert not isinstance(trouble.value, HoldfastError)
        assert plans.approval_of(lake, made[0]) is None
        assert (asking.retries, asking.retry_delay) == (10, timedelta(seconds=2))

    @pytest.mark.parametrize(
        "bad",
        [
            {"params_input": {"reason": f"password={SECRET}"}},
            {"params_input": {"reason": f"ok\\u0070assword={SECRET}"}},
            {"params_input": {"reason": f"https://ann:{SECRET}@example.com/why"}},
            {"params_input": {"reason": {"token": SECRET}}},
            {"params_input": {"raeson": f"password={SECRET}"}},
            {"params_input": {"reason": "x", f"password={SECRET}": 3}},
            {"chosen_options": [f"password={SECRET}"]},
        ],
        ids=str,
    )
    def test_a_secret_is_not_kept_nor_repeated_and_it_is_asked_again(
        self, lake: FsspecLake, made: tuple[str, str], bad: dict[str, object]
    ) -> None:
        """Neither in the lake, nor in the log of the airflow task, nor in what it hands on."""
        with pytest.raises(ValueError, match="change that secret, and answer again") as trouble:
            self.resumed(made, **bad)
        assert not isinstance(trouble.value, HoldfastError), "it is asked again"
        assert SECRET not in "".join(format_exception(trouble.value))
        assert plans.approval_of(lake, made[0]) is None
        assert self.resumed(made)["params_input"] == {"reason": "fine"}

    @pytest.mark.parametrize(
        ("chosen", "by", "counts"),
        [
            ("Approve", {"id": "7", "name": "Ann"}, False),
            ("Approve", {"id": "ann", "name": "A. N. Other"}, False),
            ("Approve", {"id": "7", "name": "vera"}, True),
            ("Reject", {"id": "7", "name": "ann"}, True),
        ],
    )
    def test_who_asked_may_only_reject_where_the_policy_wants_four_eyes(
        self, lake: FsspecLake, make: Any, chosen: str, by: dict[str, str], counts: bool
    ) -> None:
        made = make(policy(four_eyes=True))
        if counts:
            self.resumed(made, chosen_options=[chosen], responded_by_user=by)
            assert plans.approval_of(lake, made[0]).asked_by == "ann"
            return
        with pytest.raises(ValueError, match="another person must approve it") as trouble:
            self.resumed(made, chosen_options=[chosen], responded_by_user=by)
        assert not isinstance(trouble.value, HoldfastError), "it is asked again"
        assert plans.approval_of(lake, made[0]) is None

    def test_any_eyes_are_a_second_pair_where_nobody_asked(self, lake: FsspecLake, make: Any) -> None:
        made = make(policy(four_eyes=True), requested_by=None)
        self.resumed(made)

        assert (plans.approval_of(lake, made[0]).approved, plans.approval_of(lake, made[0]).asked_by) == (True, "nobody")

    def test_changes_can_be_requested_on_airflows_own_page_and_say_which(self, lake: FsspecLake, made: tuple[str, str]) -> None:
        """It is one of the options of its question; without a reason it is asked again."""
        assert AskForApproval(task_id="approve").options == ["Approve", "Reject", "Request changes"]
        with pytest.raises(ValueError, match="say which") as trouble:
            self.resumed(made, chosen_options=["Request changes"], params_input={})
        assert not isinstance(trouble.value, HoldfastError), "it is asked again"
        self.resumed(made, chosen_options=["Request changes"], params_input={"reason": "two at a time"})

        kept = plans.approval_of(lake, made[0])
        assert (kept.approved, kept.reason, kept.says) == (False, "two at a time", "changes requested")

    def test_whoever_asked_may_request_changes_under_four_eyes(self, lake: FsspecLake, make: Any) -> None:
        made = make(policy(four_eyes=True))
        who = {"id": "7", "name": "ann"}
        self.resumed(made, chosen_options=["Request changes"], params_input={"reason": "a mistake of mine"}, responded_by_user=who)

        assert plans.approval_of(lake, made[0]).changes_requested

    def test_rejects_when_nobody_answers(self) -> None:
        assert AskForApproval(task_id="approve").defaults == ["Reject"]
