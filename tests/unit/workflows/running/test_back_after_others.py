"""Going back is refused where another plan was begun for the group since, and halts where the group has other clients by now."""

from datetime import datetime

import pytest
from tests.harness.article import A, B, C, client
from tests.harness.operators_hands import STRANGER, Approval, approved
from tests.harness.running_group import Killed, RunningGroup
from tests.unit.workflows.running.test_going_back import BOTH, fewer, forward, in_place, paused
from tests.unit.workflows.running.test_run import halt

from holdfast.errors import StatePathTrouble, StepRefused
from holdfast.rollout.journal.acted import Does, Halt
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import apply as workflow
from holdfast.workflows import plan as plans
from holdfast.workflows.apply import Confirmation
from holdfast.workflows.running import going_back, pausing, run


def stops(reality: RunningGroup, one: str) -> Plan:
    """A plan for the group at this moment."""
    change = change_from_json({"format_version": "1.0", "events": [{"remove_client": {"process_id": one, "leaves": False}}]})
    made = plans.make(reality.look(20), change, Policy(exclude=("relabel",), acts=BOTH), reality.now())
    assert isinstance(made, Plan)
    return made


def applied(reality: RunningGroup, plan: Plan, *, back: bool = False, by: str | None = None) -> run.Ran:
    approval = Approval(plan.plan_id, True, "ann", "seen", plan.created_at)
    return run.run(plan, approval, reality.means(by), back=back)


def stopped(reality: RunningGroup) -> Plan:
    """A plan that has stopped its client, and halted in its last wait; nothing pauses the next one."""
    plan = fewer()
    paused(reality, plan, lambda: len(reality.done) == 1)
    reality.sleep(30)
    return plan


def begun(reality: RunningGroup, plan: Plan) -> None:
    """The run stops its client, and is paused then; nothing pauses it any more."""
    done = len(reality.done)

    def pauses() -> None:
        if len(reality.done) > done:
            pausing.pause(reality.lake, plan.plan_id, "bob", "", reality.now())

    reality.on_sleep = pauses
    assert halt(applied(reality, plan)) is Halt.PAUSED
    reality.on_sleep = lambda: None
    pausing.resume(reality.lake, plan.plan_id)


@pytest.fixture
def reality() -> RunningGroup:
    return RunningGroup()


@pytest.fixture
def first(reality: RunningGroup) -> Plan:
    return stopped(reality)


@pytest.fixture
def second(reality: RunningGroup, first: Plan) -> Plan:
    return stops(reality, B)


class TestAnotherPlan:
    def test_one_that_was_begun_since_refuses_it_by_name(self, reality: RunningGroup, first: Plan, second: Plan) -> None:
        begun(reality, second)
        before, hands = reality.journal(first).entries, reality.means().hands

        for refused in (
            lambda: reality.run(first, back=True),
            lambda: reality.run_in_turns(first, back=True),
            lambda: going_back.confirm(first, approved(first), (), hands),
            lambda: going_back.confirm(first, approved(first), (Confirmation("1", "bob", ""),), hands),
        ):
            with pytest.raises(StepRefused, match=rf"plan {second.plan_id} for the same group was begun since \(step 1"):
                refused()
        assert reality.journal(first).entries == before
        assert reality.done == [(Does.STOP, A), (Does.STOP, B)]

    def test_once_that_one_is_rolled_back_it_may_be(self, reality: RunningGroup, first: Plan, second: Plan) -> None:
        begun(reality, second)
        assert halt(applied(reality, second, back=True)) is None

        assert in_place(reality.run(first, back=True))
        assert reality.done[2:] == [(Does.START, B), (Does.START, A)]

    def test_one_that_did_nothing_does_not(self, reality: RunningGroup, first: Plan, second: Plan) -> None:
        with workflow.under_lease(second, reality.means().hands):
            pass

        assert in_place(reality.run(first, back=True))

    @pytest.mark.usefixtures("first")
    def test_one_of_before_does_not(self, reality: RunningGroup, second: Plan) -> None:
        begun(reality, second)

        assert halt(applied(reality, second, back=True)) is None

    def test_one_that_is_begun_in_the_moment_in_which_it_begins_does(
        self, reality: RunningGroup, first: Plan, second: Plan, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Between the first look of a run that goes back and its lease."""
        look, looked = reality.look, list[float]()

        def and_begins(limit_s: float) -> object:
            found = look(limit_s)
            if not looked:
                looked.append(limit_s)
                begun(reality, second)
            return found

        monkeypatch.setattr(reality, "look", and_begins)
        with pytest.raises(StepRefused, match=rf"plan {second.plan_id} .* was begun since"):
            reality.run(first, back=True)
        assert reality.done == [(Does.STOP, A), (Does.STOP, B)]
        assert reality.journal(first).went_back() is None

    def test_one_that_begins_while_it_goes_back_is_refused(self, reality: RunningGroup, first: Plan, second: Plan) -> None:
        refused = list[datetime]()

        def begins() -> None:
            if not refused and reality.journal(first).went_back() is not None:
                refused.append(reality.now())
                with pytest.raises(StatePathTrouble, match=f"Plan {first.plan_id} for the same group"):
                    applied(reality, second, by="run 2")

        reality.on_sleep = begins
        assert in_place(reality.run(first, back=True))
        assert refused

    def test_a_second_look_at_it_comes_with_each_turn(self, reality: RunningGroup) -> None:
        """Its lease was over between two turns, and the other plan was begun."""
        first = fewer()
        forward(reality, first)
        left = run.turn(first, approved(first), reality.means("run 1"), None, back=True)
        assert isinstance(left, run.LeftForNextTurn)
        reality.sleep(100)
        begun(reality, stops(reality, B))

        with pytest.raises(StepRefused, match="was begun since"):
            run.turn(first, approved(first), reality.means("run 1"), left.after(100, 15), back=True)


class TestOtherClients:
    def test_who_joined_after_the_run_is_named_before_anything_is_rolled_back(self, reality: RunningGroup) -> None:
        plan = fewer()
        forward(reality, plan)
        reality.strangers = {STRANGER: client(STRANGER, ((), ()))}

        ran = reality.run(plan, back=True)
        assert halt(ran) is Halt.DRIFT
        assert ran.halted is not None
        assert ran.halted.text.startswith("1 client joined since the halt of 2026-11-20T12:01:")
        assert STRANGER in ran.halted.text
        assert (len(reality.done), reality.journal(plan).went_back()) == (2, None)
        assert halt(reality.run(plan, back=True)) is None, "the person knows it now"
        assert reality.done[2:] == [(Does.START, B), (Does.START, A)]

    def test_who_left_since_that_halt_and_is_none_of_the_plan_s_does_not_halt_it(self, reality: RunningGroup) -> None:
        """It joined, the run halted for it, and a person has put that right."""
        plan = fewer()
        forward(reality, plan)
        reality.strangers = {STRANGER: client(STRANGER, ((), ()))}
        assert halt(reality.run(plan, back=True)) is Halt.DRIFT
        reality.strangers = {}

        assert in_place(reality.run(plan, back=True))

    def test_who_left_since_that_halt_and_is_one_of_the_plan_s_is_named(self, reality: RunningGroup) -> None:
        plan = fewer()
        forward(reality, plan)
        reality.strangers = {STRANGER: client(STRANGER, ((), ()))}
        assert halt(reality.run(plan, back=True)) is Halt.DRIFT
        reality.take_effect(Does.STOP, C)
        reality.sleep(10)

        ran = reality.run(plan, back=True)
        assert halt(ran) is Halt.DRIFT
        assert ran.halted is not None
        assert ran.halted.text.startswith("1 client left since the halt of")
        assert f"({C})" in ran.halted.text
        assert len(reality.done) == 3, "what the person stopped is the last"

    def test_without_a_halt_it_is_compared_with_what_the_steps_make_of_the_plan_s_group(self, reality: RunningGroup) -> None:
        plan = fewer()

        def dies() -> None:
            if reality.journal(plan).has("3", JournalEvent.DONE):
                raise Killed

        reality.on_sleep = dies
        with pytest.raises(Killed):
            reality.run(plan)
        reality.on_sleep, reality.strangers = (lambda: None), {STRANGER: client(STRANGER, ((), ()))}

        ran = reality.run(plan, back=True)
        assert halt(ran) is Halt.DRIFT
        assert ran.halted is not None
        assert ran.halted.text.startswith("1 client joined since the steps of the plan were done")


def test_who_decides_it_while_the_group_rebalances_has_it_begun_in_that_turn() -> None:
    """Else the next turn would not know of it, and go forward."""
    reality, plan = RunningGroup(), fewer()
    forward(reality, plan)
    reality.state = "PreparingRebalance"
    run.turn(plan, approved(plan), reality.means("run 1"), None, back=True)

    assert reality.journal(plan).went_back() is not None
