"""One applies a plan at a time; who loses the lease does nothing more; one process ID never gets into two directories."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.harness.article import Document
from tests.harness.operators_hands import BACK, GONE, Operator, approved, taken, waits_for
from tests.harness.plans import article_plan

from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.errors import InvalidInput, StatePathTrouble, StepRefused
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.journal.lease import CLOCKS_AGREE_WITHIN, HELD_FOR, LeaseOwner, LeaseState
from holdfast.rollout.journal.seal import SigningKeys
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import apply as workflow
from holdfast.workflows import leases
from holdfast.workflows import plan as plans
from holdfast.workflows.apply import Applied, Hands
from holdfast.workflows.leases import LeaseLost, Leases

ANN, BOB = LeaseOwner("ann", "host-a", 11, "m-1"), LeaseOwner("bob", "host-b", 22, "m-2", "a run")
SECOND = timedelta(seconds=1)
KEYS = SigningKeys.read("k" * 44, "the test")
OF_THE_GROUP = ("leases", "cluster=local", "group=streams-wordcount")
OVER = HELD_FOR + CLOCKS_AGREE_WITHIN + SECOND


class Pair:
    """Two operators of one plan, each with a state directory of its own for the same process ID."""

    def __init__(self, folder: Path) -> None:
        self.ann = Operator(folder, article_plan())
        (process_id,) = self.ann.dirs
        self.elsewhere = folder / "elsewhere" / "streams-wordcount"
        self.elsewhere.mkdir(parents=True)
        self.process_id: ProcessId = process_id
        self.ended = False

    def hands(self, who: LeaseOwner = ANN, *, elsewhere: bool = False, force: bool = False, **others: object) -> Hands:
        one = self.ann
        directory = str(self.elsewhere) if elsewhere else str(one.state_dir)
        hands = Hands(one.lake, one.files, {self.process_id: directory}, lambda: one.now, me=who, force=force)
        return replace(hands, has_ended=lambda _: self.ended, **others)  # type: ignore[arg-type]

    def apply(self, hands: Hands, fresh: Document = GONE) -> Applied:
        return workflow.apply(self.ann.plan, taken(fresh, self.ann.now), approved(self.ann.plan), (), hands)

    def leases(self, who: LeaseOwner) -> Leases:
        return self.hands(who).leases(self.ann.plan)

    def written(self) -> list[bool]:
        files = LocalProcessMetadataFiles()
        return [files.read(str(one)) is not None for one in (self.ann.state_dir, self.elsewhere)]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


class TestWhoHasIt:
    def test_who_holds_it_is_named_and_nothing_is_done(self, pair: Pair) -> None:
        pair.leases(BOB).take()

        with pytest.raises(StatePathTrouble, match="is being applied by bob on host-b, process 22, run a run, since 2026"):
            pair.apply(pair.hands())
        assert pair.written() == [False, False]
        assert pair.ann.events() == []

    def test_it_is_released_at_the_end_however_it_ends(self, pair: Pair) -> None:
        assert waits_for(pair.apply(pair.hands())) == "3"
        (pair.ann.state_dir / "kafka-streams-process-metadata").unlink()

        class Full(LocalProcessMetadataFiles):
            def write(self, *_: object) -> None:
                raise MemoryError

        other = Pair(pair.ann.state_dir.parent / "b")
        with pytest.raises(MemoryError):
            other.apply(other.hands(files=Full()))
        for one in (pair, other):
            number, lease, _ = one.leases(ANN).latest()
            assert (number, lease and lease.state) == (2, LeaseState.RELEASED)

    @pytest.mark.parametrize(("later", "free"), [(OVER, True), (OVER - 2 * SECOND, False)])
    def test_one_that_is_over_is_taken_over_and_the_journal_says_so(self, pair: Pair, later: timedelta, free: bool) -> None:
        pair.leases(BOB).take()
        pair.ann.now += later

        if not free:
            with pytest.raises(StatePathTrouble, match="is being applied by bob"):
                pair.apply(pair.hands())
            return
        entries = pair.apply(pair.hands()).journal.entries
        assert (entries[0].event, entries[0].step) == (JournalEvent.TAKEN_OVER, "1")
        assert entries[0].detail.startswith("after bob on host-b, process 22, which held the lease from 2026-11-20T12:01:00Z until")

    def test_one_of_a_process_that_has_ended_is_taken_over_at_once(self, pair: Pair) -> None:
        pair.leases(BOB).take()
        pair.ended = True

        assert pair.apply(pair.hands()).journal.entries[0].event is JournalEvent.TAKEN_OVER

    def test_one_that_ends_in_another_year_is_not_believed_and_not_waited_for(self, pair: Pair) -> None:
        pair.leases(BOB).take()
        pair.ann.now -= timedelta(days=400)

        with pytest.raises(StatePathTrouble, match="one of the two clocks is wrong"):
            pair.leases(ANN).take()

    def test_of_two_who_take_it_in_the_same_moment_one_has_it(self, pair: Pair) -> None:
        class Slow(type(pair.ann.lake)):  # type: ignore[misc]
            def create(self, path: tuple[str, ...], content: bytes) -> bool:
                pair.leases(BOB).take()
                return super().create(path, content)  # type: ignore[no-any-return]

        with pytest.raises(StatePathTrouble, match="at the same moment"):
            replace(pair.leases(ANN), lake=Slow(pair.ann.lake.url)).take()

    def test_it_is_renewed_while_there_is_something_to_do(self, pair: Pair) -> None:
        held = pair.leases(ANN).take()
        for _ in range(5):
            pair.ann.now += 25 * SECOND
            held.keep()

        with pytest.raises(StatePathTrouble, match="is being applied by ann"):
            pair.leases(BOB).take()
        assert held.number == 6

    def test_who_comes_too_late_to_renew_it_has_lost_it(self, pair: Pair) -> None:
        held = pair.leases(ANN).take()
        pair.ann.now += 55 * SECOND

        with pytest.raises(LeaseLost, match="is over"):
            held.keep()

    def test_with_a_key_one_without_a_signature_is_refused_and_force_helps(self, pair: Pair) -> None:
        pair.leases(BOB).take()
        pair.ann.now += OVER

        with pytest.raises(StepRefused, match=r"The lease of group .*: not signed"):
            pair.apply(pair.hands(keys=KEYS))
        assert waits_for(pair.apply(pair.hands(keys=KEYS, force=True))) == "3"

    @pytest.mark.parametrize("content", [b"{}", b"\xff", b"x" * 100_000])
    def test_one_that_is_none_is_refused_by_name_and_force_helps(self, pair: Pair, content: bytes) -> None:
        pair.ann.lake.write((*OF_THE_GROUP, "000000007.json"), content)

        with pytest.raises((InvalidInput, StatePathTrouble), match=r"leases/cluster=.*/000000007.json"):
            pair.apply(pair.hands())
        assert waits_for(pair.apply(pair.hands(force=True))) == "3"


class TestOneLeaseAGroup:
    """Two plans for one group: the second one's steps wait until no run applies the first."""

    def other(self, pair: Pair) -> Pair:
        """For the same group, in the same lake."""
        second = Pair(pair.ann.state_dir.parent / "second")
        second.ann.lake = pair.ann.lake
        second.ann.plan = article_plan(Policy(rebalances_most=13))
        assert second.ann.plan.plan_id != pair.ann.plan.plan_id
        return second

    @pytest.mark.thorough
    def test_while_one_is_applied_another_one_waits_and_says_for_which(self, pair: Pair) -> None:
        second = self.other(pair)
        held = pair.leases(BOB).take()

        with pytest.raises(
            StatePathTrouble, match=rf"Plan {pair.ann.plan.plan_id} for the same group as plan .* is being applied by bob"
        ):
            second.apply(second.hands())
        assert second.written() == [False, False]
        held.release()
        assert waits_for(second.apply(second.hands())) == "3"

    def test_force_takes_it_whichever_plan_it_was_taken_for(self, pair: Pair) -> None:
        second = self.other(pair)
        held = pair.leases(BOB).take()
        second.apply(second.hands(force=True))

        with pytest.raises(LeaseLost, match="was taken over by another run"):
            held.keep()

    def test_a_run_of_hours_does_not_hide_the_plans_before_it(self, pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
        second = self.other(pair)
        pair.leases(BOB).take().release()
        held = second.leases(BOB).take()
        for _ in range(5):
            second.ann.now += 25 * SECOND
            held.keep()
        monkeypatch.setattr(leases, "MOST_LOOKED_AT", 2)

        assert pair.leases(ANN).applied() == (second.ann.plan.plan_id, pair.ann.plan.plan_id)

    def test_plans_for_other_groups_are_applied_beside_it(self, pair: Pair) -> None:
        pair.leases(BOB).take()
        elsewhere = replace(pair.leases(ANN), group=("local", "another"))

        assert elsewhere.take().number == 1
        assert replace(pair.leases(ANN), group=("local/group=streams-wordcount", "")).take().number == 1

    def test_one_of_another_group_in_its_place_is_refused(self, pair: Pair) -> None:
        replace(pair.leases(BOB), group=("local", "another")).take()
        pair.ann.lake.write(
            (*OF_THE_GROUP, "000000001.json"), pair.ann.lake.read((*OF_THE_GROUP[:2], "group=another", "000000001.json"), 9**9)
        )

        with pytest.raises(InvalidInput, match="it is the lease of another group"):
            pair.leases(ANN).take()

    def test_one_in_the_former_place_is_respected_until_it_is_over(self, pair: Pair) -> None:
        """Former versions held one a plan, and may run still."""
        at, until = ("2026-11-20T12:01:00Z", "2026-11-20T12:02:00Z")
        former = {
            "format_version": "1.0", "plan_id": pair.ann.plan.plan_id, "number": 7, "state": "held", "at": at, "until": until,
            "owner": {"name": "bob", "host": "host-b", "pid": 22, "process": "m-2", "run": None},
        }  # fmt: skip
        pair.ann.lake.write(("plans", pair.ann.plan.plan_id, "lease", "00007.json"), json.dumps(former).encode())

        with pytest.raises(StatePathTrouble, match="is being applied by bob on host-b"):
            pair.apply(pair.hands())
        pair.leases(ANN).take(forced=True).release()
        pair.ann.now += OVER
        assert waits_for(pair.apply(pair.hands())) == "3"
        assert pair.ann.lake.names(("plans", pair.ann.plan.plan_id, "lease")) == ("00007.json",)


class TestForce:
    def test_a_run_takes_over_once_and_is_not_thrown_out_by_its_own_retry(self, pair: Pair) -> None:
        """Airflow tries a failed task again, with the parameters of the run: *Take over* among them."""
        first = replace(ANN, run="manual 1")
        pair.leases(BOB).take()
        pair.apply(pair.hands(first, force=True))
        held = pair.leases(replace(BOB, run="manual 2")).take()  # the first one failed meanwhile, and another user continues

        with pytest.raises(StatePathTrouble, match="is being applied by bob on host-b, process 22, run manual 2"):
            pair.apply(pair.hands(replace(first, process="m-3"), force=True))
        held.keep()
        held.release()
        pair.apply(pair.hands(replace(first, process="m-3"), force=True))
        assert [event for _, event in pair.ann.events()].count("forced") == 1

    def test_the_retry_has_what_its_run_took(self, pair: Pair) -> None:
        """The first attempt was killed, on another machine: the end of its process cannot be observed."""
        first, again = replace(ANN, run="manual 1"), replace(BOB, run="manual 1", process="m-9")
        pair.leases(BOB).take()
        leases = pair.leases(first)
        leases.force()
        lost = leases.take(forced=True)

        assert waits_for(pair.apply(pair.hands(replace(again, host=ANN.host), force=True))) == "3"
        with pytest.raises(LeaseLost):
            lost.keep()
        pair.leases(BOB).take()
        with pytest.raises(StatePathTrouble, match="is being applied by"):
            pair.leases(replace(again, run=None)).take()

    def test_a_run_that_did_not_take_over_waits_for_its_own_lost_attempt(self, pair: Pair) -> None:
        pair.leases(replace(ANN, run="manual 1")).take()

        with pytest.raises(StatePathTrouble, match="run manual 1"):
            pair.apply(pair.hands(replace(BOB, run="manual 1")))

    def test_another_run_may_take_over_again(self, pair: Pair) -> None:
        pair.apply(pair.hands(replace(ANN, run="manual 1"), force=True))
        held = pair.leases(BOB).take()
        pair.apply(pair.hands(replace(ANN, run="manual 2"), force=True))

        with pytest.raises(LeaseLost):
            held.keep()

    def test_it_is_recorded_with_who_did_it_and_whose_it_was(self, pair: Pair) -> None:
        pair.leases(BOB).take()
        first = pair.apply(pair.hands(force=True)).journal.entries[0]

        assert (first.event, first.by) == (JournalEvent.FORCED, "ann")
        assert "it was held by bob on host-b" in first.detail

    def test_who_it_was_taken_from_does_nothing_more(self, pair: Pair) -> None:
        held = pair.leases(BOB).take()
        pair.apply(pair.hands(force=True))

        with pytest.raises(LeaseLost, match="was taken over by another run"):
            held.keep()
        held.release()
        assert pair.leases(ANN).latest()[1].state is LeaseState.RELEASED  # type: ignore[union-attr]


class Between(LocalProcessMetadataFiles):
    """Something happens right before a process ID is written."""

    def __init__(self, happens: Callable[[], object]) -> None:
        self.happens = happens

    def write(self, state_dir: str, process_id: ProcessId, replaces: ProcessId | None = None) -> None:
        self.happens()
        super().write(state_dir, process_id, replaces)


class TestOneDirectory:
    """Ann is stopped for two minutes between her entry in the journal and her act; Bob takes over, with another directory."""

    def stopped(self, pair: Pair, then: Callable[[], object]) -> Hands:
        """An operator, Ann, whose lake is unavailable after the entry that begins step 2."""

        class Stopping(type(pair.ann.lake)):  # type: ignore[misc]
            def write(self, path: tuple[str, ...], content: bytes) -> None:
                super().write(path, content)
                if path[-1] == "journal-head.json" and b'"entries": 2' in content:
                    pair.ann.now += 2 * timedelta(minutes=1)
                    then()

        return pair.hands(lake=Stopping(pair.ann.lake.url))

    def test_who_takes_over_does_not_write_it_elsewhere(self, pair: Pair) -> None:
        def bob() -> None:
            with pytest.raises(StepRefused, match=r"Step 2 was begun at .* whether it wrote process ID"):
                pair.apply(pair.hands(BOB, elsewhere=True))

        with pytest.raises(LeaseLost):
            pair.apply(self.stopped(pair, bob))
        assert pair.written() == [False, False]

    def test_in_the_same_directory_who_takes_over_goes_on(self, pair: Pair) -> None:
        same = replace(BOB, host=ANN.host)
        with pytest.raises(LeaseLost):
            pair.apply(self.stopped(pair, lambda: pair.apply(pair.hands(same))))

        assert pair.written() == [True, False]
        assert pair.ann.events() == [("1", "done"), ("2", "begun"), ("2", "taken over"), ("2", "done")]

    def test_the_same_path_on_another_machine_is_another_directory(self, pair: Pair) -> None:
        def bob() -> None:
            with pytest.raises(StepRefused, match=r"was begun at .* on host-a"):
                pair.apply(pair.hands(BOB))

        with pytest.raises(LeaseLost):
            pair.apply(self.stopped(pair, bob))

    def test_who_knows_better_may_name_another(self, pair: Pair) -> None:
        def bob() -> None:
            assert waits_for(pair.apply(pair.hands(BOB, elsewhere=True, force=True))) == "3"

        with pytest.raises(LeaseLost):
            pair.apply(self.stopped(pair, bob))
        assert pair.written() == [False, True]
        assert ("2", "forced") in pair.ann.events()

    def test_a_refused_directory_may_be_replaced_by_another(self, pair: Pair) -> None:
        (pair.ann.state_dir / "kafka-streams-process-metadata").write_text('{"processId":"11111111-57d0-457d-951f-d06556c148ca"}')
        with pytest.raises(StepRefused, match="already holds process ID 11111111"):
            pair.apply(pair.hands())

        assert waits_for(pair.apply(pair.hands(elsewhere=True))) == "3"

    def test_one_that_may_hold_it_may_not(self, pair: Pair) -> None:
        """It was written, and then the disk failed."""

        class Fails(LocalProcessMetadataFiles):
            def write(self, state_dir: str, process_id: ProcessId, replaces: ProcessId | None = None) -> None:
                super().write(state_dir, process_id, replaces)
                raise StatePathTrouble("the disk failed")

        with pytest.raises(StepRefused, match="the disk failed"):
            pair.apply(pair.hands(files=Fails()))
        with pytest.raises(StepRefused, match="was begun at"):
            pair.apply(pair.hands(elsewhere=True))
        assert waits_for(pair.apply(pair.hands())) == "3"

    def test_who_appends_in_the_same_moment_is_refused(self, pair: Pair) -> None:
        """Even without any lease the journal's numbers let one through."""
        journal = pair.apply(pair.hands()).journal
        kept = plans.journals.read(pair.ann.lake, journal.plan_id)
        entry = replace(journal.entries[-1], step="3")
        plans.journals.append(pair.ann.lake, kept, entry, lease=7)

        with pytest.raises(StatePathTrouble, match="its journal has new entries"):
            plans.journals.append(pair.ann.lake, kept, replace(entry, by="bob"), lease=8)
        plans.journals.append(pair.ann.lake, kept, entry, lease=7)  # the answer was lost, and it was this run's


def test_a_whole_way_by_turns(pair: Pair) -> None:
    pair.apply(pair.hands())
    assert waits_for(pair.apply(pair.hands(BOB, elsewhere=True), BACK)) is None
    assert pair.written() == [True, False]
