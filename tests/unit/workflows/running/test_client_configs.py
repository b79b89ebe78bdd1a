"""A run gives all clients other settings, and rolls that back: client by client, before each restart, whatever is killed."""

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from itertools import count, pairwise
from typing import Any, ClassVar

import pytest
from tests.harness.article import AFTER, A, B, C, client, group
from tests.harness.operators_hands import STRANGER, approved, waits_for
from tests.harness.plans import planned
from tests.harness.running_group import Killed, RunningGroup
from tests.unit.workflows.running.test_run import halt

from holdfast.errors import HostTrouble
from holdfast.rollout.execution import undo_words
from holdfast.rollout.journal.acted import Does, Halt
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows.apply import Confirmation, apply
from holdfast.workflows.rollbacks import steps_of
from holdfast.workflows.running.run import Ran

WARMUPS, LAG = "max.warmup.replicas", "acceptable.recovery.lag"
WANTED = {LAG: "5", WARMUPS: "3"}
ORDER = (C, A, B)
"""Of process IDs, as Kafka has it."""
EACH = [(one, WANTED) for one in ORDER]
RESTARTS = [(Does.RESTART, one) for one in ORDER]
BOTH = ("set_client_config", "restart_client")
RUNS = (RunningGroup.run, RunningGroup.run_in_turns)


@lru_cache
def rolled(*acts: str, at_once: int = 1, **others: Any) -> Plan:
    policy = Policy(acts=acts or BOTH)
    rolling = {"set_config": {WARMUPS: 3, LAG: 5}, "at_once": at_once} | others
    plan = planned(group(AFTER), {"rolling_restart": rolling}, policy=policy)
    assert [step.action.__class__.__name__ for step in plan.steps] == ["RollOutConfig", "RollOutConfig", "AwaitStable"]
    return plan


def real() -> RunningGroup:
    """The applications set one of the two."""
    found = RunningGroup()
    found.configs = {one: {LAG: "0"} for one in ORDER}
    return found


def about_settings(reality: RunningGroup, plan: Plan) -> list[JournalEntry]:
    return [one for one in reality.journal(plan).entries if one.configured is not None]


def check(reality: RunningGroup, ran: Ran, plan: Plan) -> None:
    """Each client has the settings since its one restart, and no restart began before the one before was seen."""
    assert ran.halted is None, ran.halted
    assert ran.applied.waiting_for is None
    assert reality.done == RESTARTS
    assert reality.configs == reality.runs_with == dict.fromkeys(ORDER, WANTED)
    assert all(reality.journal(plan).has(step.id, JournalEvent.DONE) for step in plan.steps)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("reads", [True, False])
def test_each_client_gets_them_before_its_restart(run: Callable[..., Ran], *, reads: bool) -> None:
    reality, plan = real(), rolled()
    reality.reads = reads
    check(reality, run(reality, plan), plan)

    assert reality.written == EACH
    entries = reality.journal(plan).entries
    acts = [(one.configured or one.acted) for one in entries if one.event is JournalEvent.ACTED]
    assert [one.client for one in acts if one is not None] == [C, C, A, A, B, B]
    begun = next(one.configured for one in about_settings(reality, plan))
    assert begun is not None
    assert ({one.key: one.value for one in begun.before or ()} == {LAG: "0", WARMUPS: None}) is reads
    said = [one.detail for one in about_settings(reality, plan) if one.event is JournalEvent.ACTED]
    assert all(one.endswith("next start, read back" if reads else "nothing here reads them back") for one in said)


def test_a_restart_waits_until_the_group_shows_the_one_before() -> None:
    """Four seconds after a restart; not in the moment in which the group is stable, and lists the former members."""
    reality, began = real(), []
    act = reality.perform

    def noted(does: Does, one: Any) -> str | None:
        began.append(reality.time)
        return act(does, one)

    reality.perform = noted  # type: ignore[method-assign]
    reality.run(rolled())
    assert [later - one >= 4 for one, later in pairwise(began)] == [True, True]


def test_clients_that_restart_together_do_not_wait_for_each_other() -> None:
    reality, plan, began = real(), rolled(at_once=2), []
    act = reality.perform

    def noted(does: Does, one: Any) -> str | None:
        began.append(reality.time)
        return act(does, one)

    reality.perform = noted  # type: ignore[method-assign]
    check(reality, reality.run(plan), plan)
    assert (began[1] - began[0] < 2, began[2] - began[1] >= 4) == (True, True)


@pytest.mark.parametrize("acts", [("restart_client",), ("set_client_config",), ("set_config", "restart_client")])
def test_it_is_a_person_s_unless_the_policy_lists_both(acts: tuple[str, ...]) -> None:
    reality = real()
    assert waits_for(reality.run(rolled(*acts)).applied) == "1"
    assert (reality.written, reality.done) == ([], [])


@pytest.mark.parametrize("others", [{"late": True}, {"process_ids": [A, B]}])
def test_restarts_that_are_no_plain_ones_are_a_person_s(others: dict[str, Any]) -> None:
    reality = real()
    plan = planned(group(AFTER), {"rolling_restart": {"set_config": {WARMUPS: 3}} | others}, policy=Policy(acts=BOTH))
    assert waits_for(reality.run(plan).applied) == "1"
    assert reality.written == []


def test_what_cannot_write_says_so() -> None:
    reality = real()
    del reality.configs[B]
    ran = reality.run(rolled())
    assert ran.applied.waiting_for is not None
    assert ran.applied.waiting_for.needed.startswith("Nothing writes its settings. Step 1 is manual")
    assert reality.written == [], "of none, where one of them cannot be written"


def test_a_value_that_is_neither_the_plan_s_before_nor_after_halts() -> None:
    reality = real()
    reality.configs[A] = {LAG: "0", WARMUPS: "7"}
    ran = reality.run(rolled())
    assert halt(ran) is Halt.DRIFT
    assert f"{WARMUPS}: '7'; expected '2' before and '3' after." in str(ran.halted)
    assert reality.written == EACH[:1]

    reality.configs[A] = {LAG: "0", WARMUPS: "2"}  # as the plan has it, and as Kafka's default is
    check(reality, reality.run(rolled()), rolled())


def test_a_client_that_has_them_is_only_restarted() -> None:
    reality = real()
    reality.configs[A] = dict(WANTED)
    check(reality, reality.run(rolled()), rolled())
    assert reality.written == [EACH[0], EACH[2]]


@pytest.mark.parametrize("reads", [True, False])
def test_a_write_that_fails_halts_before_the_restart(*, reads: bool) -> None:
    reality = real()
    reality.reads = reads
    reality.cannot_write[A] = "read-only file system"
    ran = reality.run(rolled())
    assert halt(ran) is Halt.COMMAND
    assert "read-only file system" in str(ran.halted)
    assert reality.done == RESTARTS[:1]

    reality.cannot_write.clear()
    check(reality, reality.run(rolled()), rolled())


def test_settings_that_nobody_can_see_halt() -> None:
    reality = real()

    def unseen(*_: object) -> None:
        raise HostTrouble("no route to host", begun=False)

    reality.read_config = unseen  # type: ignore[method-assign,assignment]
    ran = reality.run(rolled())
    assert halt(ran) is Halt.PROCESS
    assert "unknown. no route to host" in str(ran.halted)
    assert (reality.written, reality.done) == ([], [])


def test_a_client_that_joins_halts_it_before_the_next_act() -> None:
    reality = real()

    def joins() -> None:
        if len(reality.done) == 1:
            reality.strangers = {STRANGER: client(STRANGER, (("0_1",),))}

    reality.on_sleep = joins
    ran = reality.run(rolled())
    assert halt(ran) is Halt.DRIFT
    assert (len(reality.done), len(reality.written)) == (1, 1)


def test_a_client_whose_session_ends_amid_its_restart_is_awaited() -> None:
    """It is not in the group for a while, which is no drift then."""
    reality = real()
    reality.document["clients"] = dict(reality.document["clients"])
    from tests.harness import running_group

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running_group, "JOINS_S", 30.0)
        check(reality, reality.run(rolled()), rolled())


@pytest.mark.thorough
@pytest.mark.parametrize(("run", "reads", "every"), [(RUNS[0], True, 1), (RUNS[1], False, 3)])
def test_a_kill_at_each_operation(run: Callable[..., Ran], *, reads: bool, every: int) -> None:
    """No client is restarted twice, or before it has its settings."""
    for left in count(0, every):
        reality, plan = real(), rolled()
        reality.reads = reads
        try:
            ran = run(reality, plan, dies_after=left)
        except Killed:
            reality.sleep(1.0)
            check(reality, run(reality, plan), plan)
        else:
            check(reality, ran, plan)
            break
    assert left > 60, "that was every operation of a whole run"


class TestGoingBack:
    """What each client had before, the last client first, each restarted."""

    BEFORE: ClassVar = {C: {LAG: "0"}, A: {LAG: "0", WARMUPS: "2", "other": "x"}, B: {LAG: "0"}}

    def reality(self) -> RunningGroup:
        found = real()
        found.configs = {one: dict(had) for one, had in self.BEFORE.items()}
        return found

    def ended(self, reality: RunningGroup, ran: Ran) -> None:
        assert ran.halted is None, ran.halted
        assert ran.applied.waiting_for is None
        assert reality.configs == reality.runs_with == self.BEFORE

    def test_of_all(self) -> None:
        reality = self.reality()
        reality.run(rolled())
        assert reality.configs[A] == {WARMUPS: "3", LAG: "5", "other": "x"}
        ran = reality.run(rolled(), back=True)

        self.ended(reality, ran)
        assert reality.done == RESTARTS + RESTARTS[::-1]
        assert [one for one, _ in reality.written[3:]] == list(ORDER[::-1])
        assert ran.went_back is not None
        assert ran.went_back.clients.in_place

    @pytest.mark.parametrize("run", RUNS)
    def test_comes_after_a_command_whose_connection_broke(self, run: Callable[..., Ran]) -> None:
        """It writes late: not given again meanwhile, it writes nothing after the rollback."""
        reality = self.reality()
        reality.breaks, reality.takes_s = [ORDER[2]], 28.0
        assert halt(run(reality, rolled())) is None
        assert reality.written == EACH
        self.ended(reality, run(reality, rolled(), back=True))
        reality.sleep(60)

        assert reality.configs == self.BEFORE

    def test_where_nothing_reads_them_is_to_what_the_plan_has(self) -> None:
        reality = real()
        reality.reads = False
        reality.run(rolled())
        reality.run(rolled(), back=True)
        assert reality.written[3:] == [(one, {LAG: "0", WARMUPS: "2"}) for one in ORDER[::-1]]

    def test_of_a_part(self) -> None:
        """The second client's write fails; the first one is set back and restarted, the second one has nothing to be put back."""
        reality = self.reality()
        reality.cannot_write[A] = "read-only file system"
        assert halt(reality.run(rolled())) is Halt.COMMAND
        reality.cannot_write.clear()
        ran = reality.run(rolled(), back=True)

        assert ran.halted is None, ran.halted
        assert reality.done == [RESTARTS[0], RESTARTS[0]]
        assert reality.configs == self.BEFORE

    def test_a_client_that_had_them_keeps_them(self) -> None:
        reality = self.reality()
        reality.configs[A] = dict(WANTED)
        reality.run(rolled())
        reality.run(rolled(), back=True)
        assert reality.configs == self.BEFORE | {A: WANTED}
        assert reality.done == [*RESTARTS, RESTARTS[2], RESTARTS[0]]

    def test_keeps_the_value_of_another_user(self) -> None:
        reality = self.reality()
        reality.run(rolled())
        reality.configs[A][WARMUPS] = "9"
        ran = reality.run(rolled(), back=True)
        assert halt(ran) is Halt.DRIFT
        assert "expected '3' before and '2' after" in str(ran.halted)
        assert reality.configs[A][WARMUPS] == "9"

    def test_of_what_a_person_did_is_a_person_s(self) -> None:
        reality, plan = self.reality(), rolled("restart_client")
        reality.run(plan)
        assert waits_for(reality.run(plan, back=True).applied) == "1"
        assert reality.written == []

    def test_what_a_person_did_of_it_stays_a_person_s(self) -> None:
        """The run had done one client, and begun to write another's, when a person did the rest, and confirmed both steps."""
        reality, plan = self.reality(), rolled()
        reality.cannot_write[A] = "read-only file system"
        assert halt(reality.run(plan)) is Halt.COMMAND
        for one in (A, B):
            reality.write(one, WANTED)
            reality.take_effect(Does.RESTART, one)
        reality.sleep(60)
        hands = reality.means().hands
        words = tuple(Confirmation(one, "ann", "by hand") for one in ("1", "2"))
        assert waits_for(apply(plan, reality.look(1), approved(plan), words, hands)) is None
        reality.written.clear()
        reality.cannot_write.clear()
        ran = reality.run(plan, back=True)

        assert reality.written == [(A, {LAG: "0", WARMUPS: "2"}), (C, {LAG: "0", WARMUPS: None})]
        assert ran.applied.waiting_for is not None
        assert "Holdfast did not do this step itself, or not all of it" in ran.applied.waiting_for.needed

    def test_is_listed_before(self) -> None:
        """By the words of each step; the second one's settings went with the first one's restarts."""
        reality, plan = self.reality(), rolled()
        reality.run(plan)
        undos = {one.step.id: undo_words.describe(one) for one in steps_of(plan, reality.journal(plan))}
        assert undos["1"] == (
            f"Set {LAG} back from '5' to '0', {WARMUPS} back from '3' to Kafka's default for 3 clients, and restart 3 clients,"
            " one batch after the other."
        )
        assert undos["2"].startswith("Nothing to roll back here: the restarts of an earlier step brought it")

    @pytest.mark.parametrize("left", ["down", "running with the new ones"])
    def test_of_a_restart_that_was_cut_off(self, left: str) -> None:
        """Whatever it left: the client runs, and has read what it had before."""
        for operations in count(8):
            reality, plan = self.reality(), rolled()
            with suppress(Killed):
                reality.run(plan, dies_after=operations)
            if any(one.acted for one in reality.journal(plan).entries):
                break
        assert reality.done == []
        reality.take_effect(Does.STOP if left == "down" else Does.RESTART, C)
        reality.done.clear()
        ran = reality.run(plan, back=True)

        assert ran.halted is None, ran.halted
        assert reality.done == ([(Does.START, C)] if left == "down" else []) + [(Does.RESTART, C)]
        assert reality.configs == self.BEFORE
        assert reality.runs_with[C] == self.BEFORE[C]
        assert reality.processes[C].runs

    @pytest.mark.thorough
    def test_after_a_kill_at_each_operation(self) -> None:
        """Whatever was begun is rolled back, and no command of the killed run comes after that."""
        for left in count(8):
            reality = self.reality()
            try:
                reality.run(rolled(), dies_after=left)
            except Killed:
                reality.sleep(1.0)
                if not about_settings(reality, rolled()):
                    continue
                ran = reality.run(rolled(), back=True)
                reality.sleep(600)
                assert ran.halted is None, (left, ran.halted)
                assert reality.configs == self.BEFORE, left
                assert all(reality.runs_with[one] in ({}, self.BEFORE[one]) for one in ORDER), left
                assert all(one.runs for one in reality.processes.values()), left
            else:
                break
        assert left > 60

    @pytest.mark.thorough
    def test_that_is_killed_at_each_operation_is_continued(self) -> None:
        for left in count():
            reality = self.reality()
            reality.run(rolled())
            with suppress(Killed):
                self.ended(reality, reality.run(rolled(), back=True, dies_after=left))
                break
            reality.sleep(1.0)
            self.ended(reality, reality.run(rolled(), back=True))
            assert reality.done == RESTARTS + RESTARTS[::-1], left
        assert left > 40
