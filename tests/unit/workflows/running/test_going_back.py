"""A run goes back: what was done is undone, the last step first, and nothing is done twice."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import lru_cache
from itertools import count
from pathlib import Path

import pytest
from tests.harness.article import AFTER, A, B, C, client, group
from tests.harness.operators_hands import STRANGER, approved, waits_for
from tests.harness.plans import article_plan, planned
from tests.harness.running_group import Killed, RunningGroup
from tests.unit.workflows.running.test_run import ALL_THREE, halt, rolling

from holdfast.adapters.state_dirs.process_metadata import FILE_NAME, LocalProcessMetadataFiles
from holdfast.errors import InvalidInput, StepRefused
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.journal.acted import Does, Halt
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.policy.hours import TimeOfDay, Window
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import rollbacks
from holdfast.workflows.apply import Confirmation
from holdfast.workflows.running import going_back, pausing
from holdfast.workflows.running.progress import Tells
from holdfast.workflows.running.run import Ran

BOTH = ("stop_client", "start_client")
REPLACES = Policy(acts=(*BOTH, "write_process_metadata"))


@lru_cache
def fewer(*acts: str, **limits: object) -> Plan:
    """A and B are stopped, one after the other."""
    policy = Policy(exclude=("relabel",), acts=acts or BOTH, **limits)  # type: ignore[arg-type]
    events = [{"remove_client": {"process_id": one, "leaves": False}} for one in (A, B)]
    plan = planned(group(AFTER), events[0], {"then": "stable"}, events[1], policy=policy)
    assert plan.chosen == "baseline"
    return plan


def forward(reality: RunningGroup, plan: Plan) -> None:
    """Both are stopped, and the run is halted in its last wait: the group of these tests does not rebalance, so that the end of the
    forecast does not come."""
    paused(reality, plan, lambda: reality.journal(plan).has("3", JournalEvent.DONE))
    assert reality.done == [(Does.STOP, A), (Does.STOP, B)]


def in_place(ran: Ran) -> bool:
    return ran.went_back is not None and ran.went_back.clients.in_place


def events(reality: RunningGroup, plan: Plan, event: JournalEvent) -> list[str]:
    return [one.step for one in reality.journal(plan).entries if one.event is event]


def paused(reality: RunningGroup, plan: Plan, when: Callable[[], bool]) -> None:
    """The run halts then; nothing pauses it any more."""

    def pauses() -> None:
        if when():
            pausing.pause(reality.lake, plan.plan_id, "bob", "", reality.now())

    reality.on_sleep = pauses
    assert halt(reality.run(plan)) is Halt.PAUSED
    reality.on_sleep = lambda: None
    pausing.resume(reality.lake, plan.plan_id)


RUNS = (RunningGroup.run, RunningGroup.run_in_turns)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("records", [None, {}])
def test_what_was_stopped_is_started_again_the_last_one_first(run: type, records: dict[str, int] | None) -> None:
    """Its commands have later numbers than those that they roll back."""
    reality, plan = RunningGroup(), fewer()
    reality.records = None if records is None else {}
    forward(reality, plan)
    ran = run(reality, plan, back=True)

    assert (halt(ran), ran.applied.waiting_for, in_place(ran)) == (None, None, True)
    assert reality.done[2:] == [(Does.START, B), (Does.START, A)]
    assert events(reality, plan, JournalEvent.UNDONE) == ["3", "1"]
    assert events(reality, plan, JournalEvent.LEFT) == ["2"]
    assert reality.told[-1].event is Tells.WENT_BACK
    assert reality.told[-1].done == 0


def test_the_next_one_waits_until_the_group_shows_the_one_before() -> None:
    reality, plan = RunningGroup(), fewer()
    forward(reality, plan)
    started: list[float] = []

    def looks() -> None:
        if len(reality.done) > 2 + len(started):
            started.append(reality.time)

    reality.on_sleep = looks
    reality.run(plan, back=True)

    assert started[1] - started[0] >= 4, "it joins so much later"


def test_only_what_was_done_is_undone() -> None:
    reality, plan = RunningGroup(), fewer()
    paused(reality, plan, lambda: len(reality.done) == 1)
    ran = reality.run(plan, back=True)

    assert in_place(ran)
    assert reality.done == [(Does.STOP, A), (Does.START, A)]


def test_a_restart_is_not_undone() -> None:
    reality, plan = RunningGroup(), rolling()
    paused(reality, plan, lambda: len(reality.done) == 2)
    ran = reality.run(plan, back=True)

    assert in_place(ran)
    assert reality.done == ALL_THREE[:2]
    assert set(events(reality, plan, JournalEvent.LEFT)) == {"1", "2", "3"}


def test_what_was_not_begun_is_not_gone_back_over() -> None:
    reality = RunningGroup()

    with pytest.raises(StepRefused, match="nothing to roll back"):
        reality.run(rolling(), back=True)
    assert reality.journal(rolling()).went_back() is None


def test_a_plan_that_is_undone_is_not_continued() -> None:
    reality, plan = RunningGroup(), fewer()
    paused(reality, plan, lambda: len(reality.done) == 1)
    reality.run(plan, back=True)

    with pytest.raises(StepRefused, match=r"is being rolled back since 2026-11-20T12:01:.*by ann"):
        reality.run(plan)
    assert len(reality.done) == 2


def test_it_may_be_given_again_after_its_end() -> None:
    reality, plan = RunningGroup(), fewer()
    forward(reality, plan)
    reality.run(plan, back=True)
    entries = reality.journal(plan).entries

    assert in_place(reality.run(plan, back=True))
    assert reality.journal(plan).entries == entries


class TestReplacement:
    def reality(self, folder: Path) -> RunningGroup:
        found = RunningGroup()
        found.files, found.state_dirs = LocalProcessMetadataFiles(), {ProcessId.parse(C): str(folder)}
        return found

    @pytest.mark.parametrize("run", RUNS)
    def test_its_file_is_removed_where_there_was_none(self, tmp_path: Path, run: type) -> None:
        reality, plan = self.reality(tmp_path), article_plan(REPLACES)
        reality.run(plan)
        assert (tmp_path / FILE_NAME).exists()
        ran = run(reality, plan, back=True)

        assert (halt(ran), in_place(ran)) == (None, True)
        assert reality.done == [(Does.STOP, C), (Does.START, C), (Does.STOP, C), (Does.START, C)]
        assert not (tmp_path / FILE_NAME).exists()
        assert events(reality, plan, JournalEvent.UNDONE) == ["3", "2", "1"]

    def test_the_process_id_that_was_there_before_stays(self, tmp_path: Path) -> None:
        reality, plan = self.reality(tmp_path), article_plan(REPLACES)
        reality.files.write(str(tmp_path), ProcessId.parse(C))
        reality.run(plan)
        reality.run(plan, back=True)

        assert reality.files.read(str(tmp_path)) == ProcessId.parse(C)
        assert events(reality, plan, JournalEvent.LEFT) == ["4", "2"]

    def test_without_its_directory_a_person_removes_it(self, tmp_path: Path) -> None:
        reality, plan = self.reality(tmp_path), article_plan(REPLACES)
        reality.run(plan)
        reality.state_dirs = {}
        ran = reality.run(plan, back=True)

        assert waits_for(ran.applied) == "2"
        assert ran.applied.waiting_for is not None
        assert str(tmp_path) in ran.applied.waiting_for.needed
        assert reality.done[2:] == [(Does.STOP, C)]

    def test_another_process_id_in_the_directory_halts_it(self, tmp_path: Path) -> None:
        reality, plan = self.reality(tmp_path), article_plan(REPLACES)
        reality.run(plan)
        (tmp_path / FILE_NAME).unlink()
        reality.files.write(str(tmp_path), ProcessId.parse(STRANGER))

        assert halt(reality.run(plan, back=True)) is Halt.REFUSED
        assert reality.done[2:] == [(Does.STOP, C)], "the old client is not started while that is open"

    @pytest.mark.thorough
    def test_a_kill_at_each_single_operation(self, tmp_path: Path) -> None:
        plan = article_plan(REPLACES)
        for left in count():
            (tmp_path / str(left)).mkdir()
            reality = self.reality(tmp_path / str(left))
            reality.run(plan)
            try:
                ran = reality.run(plan, back=True, dies_after=left)
            except Killed:
                ran = reality.run(plan, back=True)
                assert reality.done[2:] == [(Does.STOP, C), (Does.START, C)]
                assert not (tmp_path / str(left) / FILE_NAME).exists()
                assert in_place(ran)
            else:
                break
        assert left > 25, "that was every operation of a whole run"


@pytest.mark.thorough
@pytest.mark.parametrize("acts", [1, 2])
def test_a_run_that_was_killed_at_any_operation_is_gone_back_over(acts: int) -> None:
    """Also in the middle of a command, which takes effect later than the next run begins."""
    plan = fewer()
    for left in range(12 * acts, 60, 3):
        reality = RunningGroup()
        with suppress(Killed):
            reality.run(plan, dies_after=left)
        if not reality.journal(plan).entries or rollbacks.steps_of(plan, reality.journal(plan)) == ():
            continue
        ran = reality.run(plan, back=True)

        assert in_place(ran), left
        assert all(one.runs for one in reality.processes.values())
        stopped = [one for does, one in reality.done if does is Does.STOP]
        assert [one for does, one in reality.done if does is Does.START] == stopped[::-1]


def test_a_restart_that_was_cut_off_is_brought_to_its_end() -> None:
    reality, plan = RunningGroup(), rolling()
    reality.fails[A] = "Job for a.service failed"
    assert halt(reality.run(plan)) is Halt.COMMAND
    reality.take_effect(Does.STOP, A)
    reality.fails, reality.done = {}, []
    ran = reality.run(plan, back=True)

    assert in_place(ran)
    assert reality.done == [(Does.START, A)]


class TestPersons:
    @pytest.mark.thorough
    def test_the_policy_lets_holdfast_stop_only(self) -> None:
        reality, plan = RunningGroup(), fewer("stop_client")
        reality.run(plan)
        ran = reality.run(plan, back=True)

        assert waits_for(ran.applied) == "3"
        assert ran.applied.waiting_for is not None
        assert "does not let Holdfast do this (start_client)" in ran.applied.waiting_for.needed
        assert len(reality.done) == 2

    @pytest.mark.thorough
    def test_what_they_did_they_undo_and_confirm(self) -> None:
        reality, plan = RunningGroup(), fewer("start_client")
        means = reality.means()
        reality.run(plan)
        assert reality.done == []
        for step, stopped in (("1", A), ("3", B)):
            reality.take_effect(Does.STOP, stopped)
            reality.sleep(30)
            reality.run(plan)
            assert reality.journal(plan).has(step, JournalEvent.DONE)
        ran = reality.run(plan, back=True)
        assert waits_for(ran.applied) == "3"

        for step, started in (("3", B), ("1", A)):
            reality.take_effect(Does.START, started)
            words = (Confirmation(step, "bob", "started"),)
            going_back.confirm(plan, approved(plan), words, means.hands)
            going_back.confirm(plan, approved(plan), words, means.hands)
            ran = reality.run(plan, back=True)
        assert in_place(ran)
        assert events(reality, plan, JournalEvent.UNDO_CONFIRMED) == ["3", "1"]

    def test_the_last_step_is_confirmed_first(self) -> None:
        reality, plan = RunningGroup(), fewer()
        forward(reality, plan)
        hands = reality.means().hands

        with pytest.raises(InvalidInput, match="step 3 is the next to roll back, not step 1"):
            going_back.confirm(plan, approved(plan), (Confirmation("1", "bob", ""),), hands)
        with pytest.raises(InvalidInput, match=r"step 9 .* was not begun"):
            going_back.confirm(plan, approved(plan), (Confirmation("9", "bob", ""),), hands)
        journal, left = going_back.confirm(plan, approved(plan), (), hands)
        assert (journal.went_back(), [one.step.id for one in left]) == (None, ["3", "2", "1"])

    def test_it_may_begin_with_their_word(self) -> None:
        reality, plan = RunningGroup(), fewer()
        forward(reality, plan)
        reality.take_effect(Does.START, B)
        hands = reality.means().hands
        going_back.confirm(plan, approved(plan), (Confirmation("3", "bob", ""),), hands)

        assert in_place(reality.run(plan, back=True))
        assert [one.by for one in reality.journal(plan).entries if one.event is JournalEvent.GOING_BACK] == ["bob"]


class TestGuards:
    def test_a_pause_halts_it(self) -> None:
        reality, plan = RunningGroup(), fewer()
        forward(reality, plan)
        pausing.pause(reality.lake, plan.plan_id, "bob", "", reality.now())

        assert halt(reality.run(plan, back=True)) is Halt.PAUSED
        assert len(reality.done) == 2
        pausing.resume(reality.lake, plan.plan_id)
        assert in_place(reality.run(plan, back=True))

    def test_neither_windows_nor_deadlines_nor_lag_keep_it_from_it(self) -> None:
        plan = fewer(lag_most=10, finish_before="2 h", windows=(Window(TimeOfDay("11:00Z"), TimeOfDay("14:00Z")),))
        reality = RunningGroup()
        forward(reality, plan)
        reality.wall_ahead, reality.lag = timedelta(hours=5), None

        assert in_place(reality.run(plan, back=True))

    def test_a_client_that_was_there_when_it_began_does_not_halt_it(self) -> None:
        """It is why the run halted, and the person knew it. The end says it."""
        reality, plan = RunningGroup(), fewer()

        def joins() -> None:
            if reality.done:
                reality.strangers = {STRANGER: client(STRANGER, ((), ()))}

        reality.on_sleep = joins
        assert halt(reality.run(plan)) is Halt.DRIFT
        ran = reality.run(plan, back=True)

        assert halt(ran) is None
        assert reality.done == [(Does.STOP, A), (Does.START, A)]
        assert ran.went_back is not None
        assert ran.went_back.clients.extra == (STRANGER,)
        assert not in_place(ran)
        assert any(one.process_id == ProcessId.parse(STRANGER) for one in ran.went_back.differs.drifts)

    @pytest.mark.parametrize("change", ["joins", "leaves"])
    def test_a_client_that_joins_or_leaves_meanwhile_halts_it(self, change: str) -> None:
        reality, plan = RunningGroup(), fewer()
        forward(reality, plan)

        def changes() -> None:
            if len(reality.done) == 3 and change == "joins":
                reality.strangers = {STRANGER: client(STRANGER, ((), ()))}
            elif len(reality.done) == 3:
                reality.processes[C].runs = False

        reality.on_sleep = changes
        assert halt(reality.run(plan, back=True)) is Halt.DRIFT
        assert reality.done[2:] == [(Does.START, B)]
        reality.on_sleep, reality.strangers, reality.processes[C].runs = (lambda: None), {}, True
        assert in_place(reality.run(plan, back=True)), "once that is put right, it goes on"

    @pytest.mark.thorough
    def test_a_client_that_does_not_come_back_halts_it(self) -> None:
        reality, plan = RunningGroup(), fewer()
        forward(reality, plan)

        def ends() -> None:
            if len(reality.done) == 3:
                reality.processes[B].runs = False

        reality.on_sleep = ends
        assert halt(reality.run(plan, back=True)) is Halt.TIME
        assert reality.done[2:] == [(Does.START, B)]

    @pytest.mark.thorough
    def test_a_group_that_never_rests_is_undone_nonetheless(self, tmp_path: Path) -> None:
        reality, plan = TestReplacement().reality(tmp_path), article_plan(REPLACES)
        reality.run(plan)

        def rests() -> None:
            reality.state = "PreparingRebalance" if len(reality.done) < 4 else "Stable"

        reality.on_sleep = rests
        rests()
        began = reality.time
        assert halt(reality.run(plan, back=True)) is None
        assert reality.done[2:] == [(Does.STOP, C), (Does.START, C)]
        assert reality.time - began > going_back.REST_S
        assert next(one for one in reality.journal(plan).entries if one.event is JournalEvent.GOING_BACK).clients is None

    def test_nothing_is_accepted(self) -> None:
        reality, plan = RunningGroup(), fewer()
        forward(reality, plan)

        with pytest.raises(StepRefused, match="Going back has nothing to accept"):
            reality.run(plan, back=True, accept=True)
