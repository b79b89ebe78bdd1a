"""A run carries out a rolling restart by itself, and stops before the next act where reality leaves the plan."""

from datetime import timedelta
from functools import lru_cache
from pathlib import Path

import pytest
from tests.harness.article import AFTER, A, B, C, client, group
from tests.harness.operators_hands import STRANGER, waits_for
from tests.harness.plans import article_plan, planned
from tests.harness.running_group import RunningGroup
from tests.unit.workflows.test_apply_restarts import in_generation

from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.errors import HostTrouble, StepRefused
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.journal.acted import Does, Halt
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.hours import TimeOfDay, Window
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.review import sections
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import seed_places
from holdfast.workflows.leases import LeaseLost
from holdfast.workflows.running import pausing
from holdfast.workflows.running.progress import Tells

ROLLING = (
    {"restart_client": {"process_id": A}},
    {"then": "stable"},
    {"restart_client": {"process_id": B}},
    {"then": "stable"},
    {"restart_client": {"process_id": C}},
)
ALL_THREE = [(Does.RESTART, A), (Does.RESTART, B), (Does.RESTART, C)]


@lru_cache
def rolling(*acts: str, **limits: object) -> Plan:
    policy = Policy(exclude=("relabel",), acts=acts or ("restart_client",), **limits)  # type: ignore[arg-type]
    plan = planned(group(AFTER), *ROLLING, policy=policy)
    assert plan.chosen == "baseline"
    return plan


def halt(ran: object) -> Halt | None:
    halted = getattr(ran, "halted", None)
    return None if halted is None else halted.why


def test_a_rolling_restart_goes_by_itself() -> None:
    reality, plan = RunningGroup(), rolling()
    ran = reality.run(plan)

    assert (ran.halted, ran.applied.waiting_for) == (None, None)
    assert reality.done == ALL_THREE
    assert all(reality.journal(plan).has(step.id, JournalEvent.DONE) for step in plan.steps)
    assert reality.told[-1].event is Tells.FINISHED
    done = next(one.detail for one in reality.journal(plan).entries if one.event is JournalEvent.DONE)
    assert done == f"Restart client {A} on app-4b61: done. {A} restarted: new member IDs.", "no person said so"


def test_the_next_restart_waits_until_the_group_shows_the_one_before() -> None:
    reality = RunningGroup()
    reality.run(rolling())
    entries = reality.journal(rolling()).entries
    begun = [one.step for one in entries if one.event is JournalEvent.BEGUN and one.acted is not None]

    assert begun == ["1", "3", "5"]
    for step in ("1", "3"):
        after = entries.index(next(one for one in entries if one.step == step and one.event is JournalEvent.DONE))
        assert all(entries.index(one) > after for one in entries if one.step > step and one.acted is not None)


def test_what_the_policy_does_not_name_is_a_person_s() -> None:
    for acts in (("stop_client", "start_client"), ("write_process_metadata",)):
        reality = RunningGroup()
        ran = reality.run(rolling(*acts))

        assert waits_for(ran.applied) == "1"
        assert reality.done == []


def test_a_plan_without_acts_does_nothing_by_itself() -> None:
    reality = RunningGroup()
    plan = planned(group(AFTER), *ROLLING, policy=Policy(exclude=("relabel",)))

    assert waits_for(reality.run(plan).applied) == "1"
    assert reality.done == []


def test_without_commands_a_person_does_it() -> None:
    reality = RunningGroup()
    del reality.processes[A]
    ran = reality.run(rolling())

    assert ran.applied.waiting_for is not None
    assert ran.applied.waiting_for.needed.startswith("It has no commands for it.")
    assert reality.done == []


class TestHalts:
    """Nothing is begun after it, and the journal says why."""

    def halts(self, reality: RunningGroup, plan: Plan, why: Halt, done: int) -> None:
        ran = reality.run(plan)

        assert halt(ran) is why
        assert reality.done == ALL_THREE[:done]
        last = reality.journal(plan).entries[-1]
        assert (last.event, last.halt) == (JournalEvent.HALTED, why)

    def test_a_client_that_joins_midway(self) -> None:
        reality, plan = RunningGroup(), rolling()

        def joins() -> None:
            if reality.done:
                reality.strangers = {STRANGER: client(STRANGER, ((), ()))}

        reality.on_sleep = joins
        self.halts(reality, plan, Halt.DRIFT, 1)
        reality.on_sleep, reality.strangers = (lambda: None), {}

        assert halt(reality.run(plan)) is None, "once it is gone, the run goes on"
        assert reality.done == ALL_THREE

    def test_a_person_s_pause(self) -> None:
        reality, plan = RunningGroup(), rolling()

        def pauses() -> None:
            if reality.done:
                pausing.pause(reality.lake, plan.plan_id, "bob", "lunch", reality.now())

        reality.on_sleep = pauses
        self.halts(reality, plan, Halt.PAUSED, 1)
        assert "bob" in reality.journal(plan).entries[-1].detail
        reality.on_sleep = lambda: None
        self.halts(reality, plan, Halt.PAUSED, 1)
        pausing.resume(reality.lake, plan.plan_id)

        assert halt(reality.run(plan)) is None
        assert reality.done == ALL_THREE

    def test_a_pause_that_cannot_be_read_is_one(self) -> None:
        reality, plan = RunningGroup(), rolling()
        reality.lake.write(("plans", plan.plan_id, "pause.json"), b"{")

        self.halts(reality, plan, Halt.PAUSED, 0)

    @pytest.mark.thorough
    def test_lag(self) -> None:
        reality = RunningGroup()
        reality.lag = 11
        self.halts(reality, rolling(lag_most=10), Halt.LAG, 0)
        reality.lag = None
        self.halts(reality, rolling(lag_most=10), Halt.LAG_UNKNOWN, 0)
        reality.lag = 10

        assert halt(reality.run(rolling(lag_most=10))) is None

    @pytest.mark.thorough
    def test_a_window_that_closes(self) -> None:
        plan = rolling(windows=(Window(TimeOfDay("11:00Z"), TimeOfDay("14:00Z")),))
        reality = RunningGroup()

        def closes() -> None:
            if len(reality.done) == 2:
                reality.wall_ahead = timedelta(hours=2)

        reality.on_sleep = closes
        self.halts(reality, plan, Halt.WINDOW, 2)

    def test_a_deadline(self) -> None:
        reality = RunningGroup()
        reality.wall_ahead = timedelta(hours=3)
        self.halts(reality, rolling(finish_before="2 h"), Halt.DEADLINE, 0)

    def test_a_command_that_fails(self) -> None:
        reality, plan = RunningGroup(), rolling()
        reality.fails[B] = "Job for b.service failed"
        self.halts(reality, plan, Halt.COMMAND, 1)
        assert "Job for b.service failed" in reality.journal(plan).entries[-1].detail
        del reality.fails[B]

        assert halt(reality.run(plan)) is None
        assert reality.done == ALL_THREE

    def test_a_process_that_does_not_run(self) -> None:
        reality = RunningGroup()
        reality.processes[A].runs = False
        reality.processes[A].changed_at = 0
        self.halts(reality, rolling(), Halt.PROCESS, 0)

    def test_a_host_that_does_not_answer(self) -> None:
        reality = RunningGroup()
        reality.unknown.add(B)
        self.halts(reality, rolling(), Halt.PROCESS, 1)

    @pytest.mark.thorough
    def test_a_client_that_does_not_come_back(self) -> None:
        reality, plan = RunningGroup(), rolling()

        def ends() -> None:
            if reality.done == ALL_THREE[:1]:
                reality.processes[A].runs = False

        reality.on_sleep = ends
        self.halts(reality, plan, Halt.TIME, 1)

    def test_a_cluster_that_is_away(self) -> None:
        reality, plan = RunningGroup(), rolling()

        def goes() -> None:
            if reality.done:
                reality.away_until = 10_000

        reality.on_sleep = goes
        self.halts(reality, plan, Halt.CLUSTER, 1)


def test_a_cluster_that_is_away_for_a_moment_does_no_harm() -> None:
    reality = RunningGroup()
    reality.away_after_the_first_act(60)

    assert halt(reality.run(rolling())) is None
    assert reality.done == ALL_THREE


def test_a_connection_that_breaks_while_a_command_runs_repeats_nothing() -> None:
    reality = RunningGroup()
    reality.breaks = [A, C]

    assert halt(reality.run(rolling())) is None
    assert reality.done == ALL_THREE


@pytest.mark.thorough
def test_more_rebalances_than_forecast_halt_it_until_they_are_accepted() -> None:
    document = in_generation(7, group(AFTER))
    plan = planned(document, *ROLLING, policy=Policy(exclude=("relabel",), acts=("restart_client",)))
    reality = RunningGroup(document)

    def others() -> None:
        reality.extra = 50 * bool(reality.done)

    reality.on_sleep = others
    ran = reality.run(plan)

    assert (halt(ran), reality.done) == (Halt.REBALANCES, ALL_THREE[:1])
    assert reality.journal(plan).entries[-1].rebalances == 51
    assert halt(reality.run(plan)) is Halt.REBALANCES, "without a word it stays so"
    assert halt(reality.run(plan, accept=True)) is None
    assert reality.done == ALL_THREE
    assert any(one.event is Tells.REBALANCE and one.rebalances == 53 for one in reality.told)


def test_nothing_is_accepted_that_did_not_happen() -> None:
    with pytest.raises(StepRefused, match="nothing to accept"):
        RunningGroup().run(rolling(), accept=True)


def test_the_wall_clock_may_jump() -> None:
    reality = RunningGroup()

    def jumps() -> None:
        reality.wall_ahead = timedelta(days=len(reality.done))

    reality.on_sleep = jumps

    assert halt(reality.run(rolling())) is None


def test_a_reviewer_reads_what_holdfast_may_do_by_itself() -> None:
    said = [text for label, text in sections._summary(kind_of(rolling()).reviewed(rolling())) if label == "Holdfast may"]

    assert said == ["restart_client: in a run (holdfast apply --run, apply_rollout), by itself."]


def test_a_run_whose_lease_another_run_has_taken_stops_and_writes_nothing() -> None:
    """Also where it is about to say why it halts."""
    reality, plan = RunningGroup(), rolling()

    def taken() -> None:
        if reality.done and not reality.extra:
            reality.extra = 1
            newest = max(path for path in reality.lake.files if path[0] == "leases")
            forced = loads(reality.lake.files[newest]) | {"number": int(newest[-1][:9]) + 1, "state": "forced"}  # type: ignore[operator]
            reality.lake.files[(*newest[:-1], f"{int(newest[-1][:9]) + 1:09d}.json")] = dumps(forced).encode()

    reality.on_sleep = taken
    with pytest.raises(LeaseLost):
        reality.run(plan)
    assert reality.done == ALL_THREE[:1]
    assert not reality.journal(plan).has("1", JournalEvent.HALTED)


class TestReplacement:
    """A client is stopped, its process ID is written into another directory, and its successor is started there."""

    ACTS = ("stop_client", "start_client", "write_process_metadata")

    def reality(self, folder: Path) -> RunningGroup:
        found = RunningGroup()
        found.files, found.state_dirs = LocalProcessMetadataFiles(), {ProcessId.parse(C): str(folder)}
        return found

    def test_goes_by_itself(self, tmp_path: Path) -> None:
        reality = self.reality(tmp_path)
        ran = reality.run(article_plan(Policy(acts=self.ACTS)))

        assert (ran.halted, ran.applied.waiting_for) == (None, None)
        assert reality.done == [(Does.STOP, C), (Does.START, C)]
        assert reality.files.read(str(tmp_path)) == ProcessId.parse(C)

    @pytest.mark.parametrize(("acts", "waits"), [(ACTS[:2], "2"), (ACTS[1:], "1"), ((ACTS[0], ACTS[2]), "3")])
    def test_waits_for_a_person_where_the_policy_wants_one(self, tmp_path: Path, acts: tuple[str, ...], waits: str) -> None:
        assert waits_for(self.reality(tmp_path).run(article_plan(Policy(acts=acts))).applied) == waits

    def test_without_a_directory_a_person_writes(self, tmp_path: Path) -> None:
        reality = self.reality(tmp_path)
        reality.state_dirs = {}

        assert waits_for(reality.run(article_plan(Policy(acts=self.ACTS))).applied) == "2"

    def test_a_directory_with_another_id_halts_it(self, tmp_path: Path) -> None:
        reality = self.reality(tmp_path)
        reality.files.write(str(tmp_path), ProcessId.parse(STRANGER))

        assert halt(reality.run(article_plan(Policy(acts=self.ACTS)))) is Halt.REFUSED
        assert reality.done == [(Does.STOP, C)]


def test_an_act_that_was_begun_is_not_taken_for_done_where_its_process_is_not_visible_any_more() -> None:
    """Its commands were taken out of the file of actors: the group alone does not show whether it was restarted."""
    reality, plan = RunningGroup(), rolling()
    reality.fails[A] = "Job for a.service failed"
    assert halt(reality.run(plan)) is Halt.COMMAND
    reality.take_effect(Does.RESTART, A)
    reality.sleep(30)
    reality.lacks = lambda _: "There are no commands for it."  # type: ignore[method-assign]
    ran = reality.run(plan)

    assert (halt(ran), waits_for(ran.applied)) == (None, "1")
    assert ran.applied.waiting_for is not None
    assert ran.applied.waiting_for.can_confirm
    assert "There are no commands for it. Its process decides" in ran.applied.waiting_for.needed


def test_a_directory_that_cannot_be_found_halts_before_it_is_written(tmp_path: Path) -> None:
    def resolved(_: str) -> dict[ProcessId, str]:
        raise HostTrouble("the pod is unclear", begun=False)

    reality, plan = RunningGroup(), article_plan(Policy(acts=("stop_client", "start_client", "write_process_metadata")))
    template = "kubernetes://shop/orders/words-{ordinal}/app/data/words"
    reality.files = LocalProcessMetadataFiles()
    reality.state_dirs = seed_places.Directories({ProcessId.parse(C): template}, resolved)
    ran = reality.run(plan)

    assert halt(ran) is Halt.REFUSED
    assert "the pod is unclear" in reality.journal(plan).entries[-1].detail
    assert reality.done == [(Does.STOP, C)], "its client was stopped, and is not started with another ID"

    reality.state_dirs = seed_places.Directories({ProcessId.parse(C): template}, lambda _: {ProcessId.parse(C): str(tmp_path)})
    reality.run(plan)
    assert (tmp_path / "kafka-streams-process-metadata").exists()
