"""Is an approved plan carried out on real directories, where that is possible, and is everything that would do harm refused?"""

import contextlib
import json
from datetime import datetime
from pathlib import Path

import pytest
from tests.harness.article import AFTER, BEFORE, LAST, A, B, C, altered, client, group
from tests.harness.operators_hands import BACK, GONE, MINUTE, NEW_MEMBERS, STRANGER, Operator, approved, waits_for
from tests.harness.plans import (
    NOON,
    REPLACE_FIRST,
    article_plan,
    planned,
    raised_plan,
    restarted,
    with_client,
    without_client,
)

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.state_dirs.process_metadata import FILE_NAME, LocalProcessMetadataFiles
from holdfast.errors import InvalidInput, StalePlan, StatePathTrouble, StepRefused
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.journal.journal import Approval, JournalEvent
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import apply as workflow
from holdfast.workflows import plan as plans
from holdfast.workflows.apply import Hands


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    return Operator(tmp_path, article_plan())


class TestTheWholeWay:
    def test_it_waits_for_the_stop_writes_waits_for_the_start_and_is_done(self, operator: Operator) -> None:
        assert waits_for(operator.apply(group(AFTER))) == "1"
        assert operator.written() is None

        assert waits_for(operator.apply(GONE)) == "3"
        assert operator.written() == {"processId": C}

        assert waits_for(operator.apply(BACK)) is None
        assert operator.events() == [("1", "done"), ("2", "begun"), ("2", "done"), ("3", "done"), ("4", "done")]

    def test_plan_approval_and_journal_are_in_the_lake(self, operator: Operator) -> None:
        operator.apply(GONE)

        assert operator.lake.names(("plans", operator.plan.plan_id)) == (
            "approval.json",
            "checklist.json",
            "journal",
            "journal-head.json",
            "plan.json",
            "plan.md",
            "summary.json",
        )
        assert plans.load(operator.lake, operator.plan.plan_id) == operator.plan
        assert plans.approval_of(operator.lake, operator.plan.plan_id) == approved(operator.plan)

    def test_asking_again_does_nothing_twice(self, operator: Operator) -> None:
        operator.apply(GONE)
        before = operator.events()

        assert waits_for(operator.apply(GONE)) == "3"
        assert operator.events() == before

    def test_new_offsets_are_no_drift(self, operator: Operator) -> None:
        busier = altered(group(AFTER), ["tasks", "1_5", "changelogs"], [["changelog", 5, 99]])

        assert waits_for(operator.apply(busier)) == "1"

    def test_the_operator_may_say_that_the_process_has_ended_before_its_session_has(self, operator: Operator) -> None:
        applied = operator.apply(group(AFTER), confirm=["1"])

        assert operator.written() == {"processId": C}
        assert waits_for(applied) == "3"
        assert "still lists the old members" in str(applied.waiting_for)
        assert waits_for(operator.apply(BACK)) is None

    def test_without_a_directory_the_operator_writes_the_file(self, operator: Operator) -> None:
        operator.dirs = {}
        applied = operator.apply(GONE)

        assert waits_for(applied) == "2"
        assert applied.waiting_for is not None
        assert f"--state-dir-of {C}=DIRECTORY" in applied.waiting_for.needed
        assert waits_for(operator.apply(GONE, confirm=["2"])) == "3"

    def test_the_checklist_says_how_far_it_is(self, operator: Operator) -> None:
        document = workflow.applied_to_json(operator.apply(GONE))

        assert document["done"] is False
        checklist = document["checklist"]
        assert isinstance(checklist, list)
        assert [item["done"] for item in checklist] == [True, True, False, False]

    def test_it_waits_for_a_rebalance_to_end(self, operator: Operator) -> None:
        applied = operator.apply(altered(group(AFTER), ["group_state"], "PreparingRebalance"))

        assert waits_for(applied) == "1"
        assert "PreparingRebalance" in str(applied.waiting_for)


class TestCrashes:
    def test_between_journal_and_act_it_goes_on(self, operator: Operator) -> None:
        class Dies(LocalProcessMetadataFiles):
            def write(self, state_dir: str, process_id: ProcessId, replaces: ProcessId | None = None) -> None:  # noqa: ARG002 - the port's signature
                raise KeyboardInterrupt

        operator.files = Dies()
        with pytest.raises(KeyboardInterrupt):
            operator.apply(GONE)
        assert operator.events() == [("1", "done"), ("2", "begun")]
        assert operator.written() is None

        operator.files = LocalProcessMetadataFiles()
        assert waits_for(operator.apply(GONE)) == "3"
        assert operator.events() == [("1", "done"), ("2", "begun"), ("2", "done")]

    def test_between_act_and_journal_it_goes_on(self, operator: Operator) -> None:
        class Dies(LocalProcessMetadataFiles):
            def write(self, state_dir: str, process_id: ProcessId, replaces: ProcessId | None = None) -> None:
                super().write(state_dir, process_id, replaces)
                raise KeyboardInterrupt

        operator.files = Dies()
        with pytest.raises(KeyboardInterrupt):
            operator.apply(GONE)
        assert operator.written() == {"processId": C}

        operator.files = LocalProcessMetadataFiles()
        assert waits_for(operator.apply(GONE)) == "3"

    @pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
    @pytest.mark.parametrize("writes", range(7))
    def test_wherever_the_lake_dies_it_ends_the_same(self, operator: Operator, writes: int, before: bool) -> None:
        """Power fails around the n-th write of any file of the plan; the next call ends as if nothing had happened."""
        lake, remaining = operator.lake, [writes]

        class Dying(FsspecLake):
            def write(self, path: tuple[str, ...], content: bytes) -> None:
                remaining[0] -= 1
                if remaining[0] < 0 and before:
                    raise KeyboardInterrupt
                super().write(path, content)
                if remaining[0] < 0:
                    raise KeyboardInterrupt

        operator.lake = Dying(lake.url)
        with contextlib.suppress(KeyboardInterrupt):
            operator.apply(GONE)
        operator.lake = lake

        assert waits_for(operator.apply(GONE)) == "3"
        assert operator.written() == {"processId": C}
        assert operator.events() == [("1", "done"), ("2", "begun"), ("2", "done")]

    def test_two_at_once_are_noticed(self, operator: Operator) -> None:
        operator.apply(GONE)
        old = plans.Journal(operator.plan.plan_id)

        with pytest.raises(StatePathTrouble, match="Another run is applying"):
            plans.add_entry(operator.lake, old, plans.JournalEntry("2026-11-20T12:02:00Z", "1", JournalEvent.DONE, "bob", ""))


class TestRefused:
    def test_a_source_that_is_still_in_the_group(self, operator: Operator) -> None:
        applied = operator.apply(group(AFTER))
        hands = Hands(operator.lake, operator.files, operator.dirs, lambda: operator.now)

        with pytest.raises(StepRefused, match="still in the group"):
            workflow.refuse_if_requested_too_early(applied, hands)
        assert operator.written() is None

    def test_a_target_that_has_another_id(self, operator: Operator) -> None:
        (operator.state_dir / FILE_NAME).write_text(json.dumps({"processId": A}))

        with pytest.raises(StepRefused, match=f"already holds process ID {A}"):
            operator.apply(GONE)
        assert operator.written() == {"processId": A}
        assert operator.events()[-1] == ("2", "stopped")

    def test_no_approval_for_this_plan(self, operator: Operator) -> None:
        other = Approval("0" * 16, True, "ann", "", "2026-11-20T12:00:30Z")

        with pytest.raises(StepRefused, match="The approval is for plan 0000000000000000"):
            operator.apply(GONE, approval=other)
        assert operator.written() is None

    def test_a_rejection(self, operator: Operator) -> None:
        rejected = Approval(operator.plan.plan_id, False, "ann", "no", "2026-11-20T12:00:30Z")

        with pytest.raises(StepRefused, match="rejected by ann"):
            operator.apply(GONE, approval=rejected)

    def test_an_approval_after_a_rejection(self, operator: Operator) -> None:
        plans.keep_approval(operator.lake, Approval(operator.plan.plan_id, False, "bob", "no", "2026-11-20T12:00:10Z"))

        with pytest.raises(InvalidInput, match="was rejected by 'bob'"):
            operator.apply(GONE)
        assert operator.written() is None

    def test_a_blocked_plan(self, tmp_path: Path) -> None:
        blocked = planned(altered(group(AFTER), ["tasks", "1_0", "changelogs"], None), REPLACE_FIRST)

        with pytest.raises(StepRefused, match="is blocked"):
            Operator(tmp_path, blocked).apply(group(AFTER))

    def test_a_start_with_other_threads(self, operator: Operator) -> None:
        operator.apply(GONE)
        one_thread = with_client(group(AFTER), C, client(C, [("0_0", "0_3", "1_0", "1_3")]))

        with pytest.raises(StepRefused, match="has 1 stream thread, the plan has 2"):
            operator.apply(one_thread)

    def test_a_step_that_is_not_due(self, operator: Operator) -> None:
        with pytest.raises(InvalidInput, match="step 3 cannot be confirmed before step 1"):
            operator.apply(group(AFTER), confirm=["3"])
        with pytest.raises(InvalidInput, match="no step '9'"):
            operator.apply(group(AFTER), confirm=["9"])

    def test_one_that_never_gets_stable(self, operator: Operator) -> None:
        operator.apply(GONE)
        elsewhere = with_client(GONE, C, NEW_MEMBERS["clients"][C])
        for number, consumer in enumerate(elsewhere["clients"][C]["consumers"].values()):
            consumer["owned"] = [["repartition", 3]] if number else []
            consumer["task_offset_sums"] = {}
        assert waits_for(operator.apply(elsewhere)) == "4"

        operator.now += 20 * MINUTE
        with pytest.raises(StepRefused, match="600 s have passed"):
            operator.apply(elsewhere)


ONE_THREAD = client(A, [("0_1", "0_4", "1_1", "1_4")])
LOST_ONE, GOT_ONE = client(A, [("0_1",), ("0_4", "1_4")]), client(C, [("0_0", "1_0", "1_1"), ("0_3", "1_3")])
DRIFTED = {
    "a new member": (with_client(group(AFTER), STRANGER, client(STRANGER, [("0_1",)])), f"{STRANGER} .* is new in the group"),
    "a client gone that no step touches": (without_client(group(AFTER), A), f"Client {A} .* has left the group"),
    "another number of threads": (with_client(group(AFTER), A, ONE_THREAD), "had 2 stream threads"),
    "tasks elsewhere": (with_client(with_client(group(AFTER), A, LOST_ONE), C, GOT_ONE), "no longer runs 1_1"),
    "another setting": (altered(group(AFTER), ["config", "num.standby.replicas"], 1), "was not set, it is now 1"),
    "another release": (group(AFTER, "3.9.1"), r"release was 2\.7\.2, it is now 3\.9\.1"),
    "another group": (altered(group(AFTER), ["group_id"], "other"), "The snapshot is of 'other'"),
    "another topology": (altered(group(AFTER), ["tasks", "1_5", "changelogs"], []), "Tasks 1_5 are stateful instead of stateless"),
}


@pytest.mark.parametrize("name", DRIFTED)
def test_a_stale_plan_says_what_drifted_and_leaves_no_trace(operator: Operator, name: str) -> None:
    fresh, message = DRIFTED[name]

    with pytest.raises(StalePlan, match=message) as refusal:
        operator.apply(fresh)
    assert refusal.value.drifted
    assert operator.written() is None
    assert operator.lake.names(("plans",)) == ()


def test_what_nobody_said_this_time_is_no_drift(operator: Operator) -> None:
    """The broker provides neither release nor settings nor which tasks keep state."""
    silent = altered(group(AFTER, None), ["config"], {"probing.rebalance.interval.ms": 600_000})
    silent = altered(silent, ["task_assignor"], None)
    silent = altered(silent, ["tasks", "1_5", "changelogs"], None)
    silent["unknown"] = [{"what": "config.probing.rebalance.interval.ms", "reason": "not given; assumed to be Kafka's default"}]

    assert waits_for(operator.apply(silent)) == "1"


def test_a_stranger_is_drift_at_every_step(operator: Operator) -> None:
    operator.apply(GONE)

    with pytest.raises(StalePlan, match="is new in the group"):
        operator.apply(with_client(GONE, STRANGER, client(STRANGER, [("0_0",)])))


def test_a_plan_expires_unless_it_is_under_way(operator: Operator) -> None:
    operator.now = NOON + 2 * 60 * MINUTE
    with pytest.raises(StalePlan, match="could be applied until 2026-11-20T13:00:00Z"):
        operator.apply(group(AFTER))

    operator.now = NOON + MINUTE
    operator.apply(GONE)
    operator.now = NOON + 2 * 60 * MINUTE
    assert waits_for(operator.apply(GONE)) == "3"


@pytest.mark.thorough
def test_a_seeded_id_is_written_while_the_old_client_still_runs(tmp_path: Path) -> None:
    """No member has that ID, so none need be gone."""
    operator = Operator(tmp_path, article_plan(Policy(exclude=("copy-process-metadata", "copy-state-directory"))))
    seed = operator.plan.steps[0].action.process_id  # type: ignore[union-attr]
    assert seed is not None
    operator.dirs = {seed: str(operator.state_dir)}

    assert waits_for(operator.apply(group(AFTER))) == "2"
    assert operator.written() == {"processId": str(seed)}
    assert waits_for(operator.apply(GONE)) == "3"
    started = with_client(GONE, str(seed), client(str(seed), AFTER[C]))
    assert waits_for(operator.apply(started)) is None


@pytest.mark.thorough
def test_a_fresh_id_is_found_wherever_it_falls(tmp_path: Path) -> None:
    plan = planned(group(BEFORE), {"add_client": {"process_id": None, "threads": 2}})
    operator = Operator(tmp_path, plan)
    assert waits_for(operator.apply(group(BEFORE))) == "1"

    joined = {**AFTER, LAST: AFTER[C]}
    del joined[C]
    came = group(joined)
    assert waits_for(operator.apply(came)) == "2"  # it is there; the tasks are not where the forecast has them


@pytest.mark.thorough
def test_settings_are_rolled_out_and_back(tmp_path: Path) -> None:
    operator = Operator(tmp_path, raised_plan())
    operator.dirs = {ProcessId.parse(LAST): str(operator.state_dir)}
    before = altered(group(AFTER), ["config", "probing.rebalance.interval.ms"], 600_000)
    six = altered(before, ["config", "max.warmup.replicas"], 6)

    assert waits_for(operator.apply(before)) == "1"
    assert waits_for(operator.apply(six, confirm=["1"])) == "1"  # an operator reports it, and no client has restarted
    assert waits_for(operator.apply(restarted(six, A, B))) == "1"
    assert operator.written() is None
    assert waits_for(operator.apply(restarted(six))) == "4"
    assert operator.written() == {"processId": LAST}


def test_time_goes_by_the_clock_that_was_given(operator: Operator) -> None:
    operator.apply(GONE)

    entries = plans.journal_of(operator.lake, operator.plan.plan_id).entries
    assert {datetime.fromisoformat(entry.at) for entry in entries} == {NOON + MINUTE}


def test_clients_change_process_ids_with_one_another(tmp_path: Path) -> None:
    """A and B run what the other would with its ID: stop both, write both files, start both."""
    swapped = group({A: AFTER[B], B: AFTER[A], C: AFTER[C]})
    plan = planned(swapped, {"restart_client": {"process_id": A}}, {"restart_client": {"process_id": B}})
    assert plan.chosen == "relabel"
    operator = Operator(tmp_path, plan)
    first, second = ProcessId.parse(A), ProcessId.parse(B)
    other = tmp_path / "other" / "streams-wordcount"
    other.mkdir(parents=True)
    operator.files.write(str(operator.state_dir), first)
    operator.files.write(str(other), second)
    operator.dirs = {second: str(operator.state_dir), first: str(other)}

    assert waits_for(operator.apply(swapped)) == "1"
    assert waits_for(operator.apply(swapped, confirm=["1", "2"])) == "5"

    assert (operator.files.read(str(operator.state_dir)), operator.files.read(str(other))) == (second, first)
