"""From one stable state of a recorded group whose broker assigns to the next, and what its restarts show of time."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.harness.kafka.recorded_targets import NOTHING, WrittenGroup, a_history, compacted
from tests.unit.rollout.broker_streams.backtest.test_target_backtest import Log, judged, targets, written

from holdfast.kafka.wire.streams_group_records import CurrentMember, RecordKind
from holdfast.rollout.backtest.judged import NotForecast, SequenceResult
from holdfast.rollout.backtest.learnt import FEWEST, Quantity
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.broker_streams.backtest.question import TargetQuestion
from holdfast.rollout.broker_streams.backtest.replay import TargetReplay
from holdfast.rollout.broker_streams.backtest.sequences import rounds_within
from holdfast.rollout.broker_streams.backtest.standing import Raised, Standing

CONFIG = {"streams.heartbeat.interval.ms": 5_000, "streams.assignment.interval.ms": 1_000}


def apart(found: tuple[SequenceResult, ...]) -> list[NotForecast | None]:
    return [one.not_compared for one in found]


def test_each_change_to_the_next_stable_state_is_compared() -> None:
    found = judged(written())

    assert [(one.first, one.last, one.rounds) for one in found.sequences] == [(epoch, epoch, 1) for epoch in (2, 3, 4, 5)]
    assert (found.score.sequences, found.score.ends_equal, found.score.rounds_within, found.score.courses) == (4, 4, 4, 4)
    assert found.learnt is not None
    assert (found.learnt.took.seen, found.learnt.rebalances.of) == (4, 0)


@pytest.mark.parametrize("seed", range(3))
def test_what_compaction_leaves_is_compared_from_its_first_stable_state_on(seed: int) -> None:
    group = a_history(random.Random(seed))
    for below in group.batches:
        score = judged(compacted(group.log, below)).score
        assert score.ends_equal == score.sequences
        assert score.sequences <= score.judged


def test_a_member_that_does_not_have_its_target_at_the_end_is_a_difference() -> None:
    log = written()
    last = log[-1].value
    assert isinstance(last, CurrentMember)
    log[-1] = log[-1]._replace(value=replace(last, assignment=NOTHING))
    (*others, end) = judged(log).sequences

    assert all(one.end_equal for one in others)
    assert end.end_differences
    assert judged(log).score.wrong == 1


def test_the_time_is_that_from_the_last_change_until_every_member_has_its_target() -> None:
    log = written()
    raised = next(one for one in reversed(log) if one.key.kind is RecordKind.GROUP_METADATA)
    late = [*log[:-1], log[-1]._replace(written_at_ms=raised.written_at_ms + 60_000)]
    end = judged(late).sequences[-1]

    assert end.seconds == 60
    assert not end.seconds_within
    assert end.seconds_at_most is not None
    assert judged(late, Given(group_configs=(("streams.heartbeat.interval.ms", 30_000),))).sequences[-1].seconds_within


def test_what_comes_before_the_last_change_is_not_in_its_time() -> None:
    group = WrittenGroup()
    for name in ("a", "b", "c"):
        group.join(name, f"process-{name}")
    group.leave("a")
    left_at = next(at for at in reversed(range(len(group.log))) if group.log[at].key.kind is RecordKind.TARGET_METADATA)
    del group.log[left_at + 1 :]  # no member has what that target gives when the next one joins, a minute later
    group.join("d", "process-d")
    log = [one._replace(written_at_ms=one.written_at_ms + 60_000 * (at > left_at)) for at, one in enumerate(group.log)]
    end = judged(log).sequences[-1]

    assert (end.first, end.last, end.rounds, end.rounds_at_least, end.rounds_at_most) == (5, 6, 2, 2, 2)
    assert end.seconds < 60


def test_a_member_that_is_still_behind_leaves_it_without_an_end() -> None:
    log = written()
    assert apart(judged(log[:-1]).sequences) == [None, None, None, NotForecast.UNFINISHED]


def test_a_group_that_loses_its_last_member_interrupts_it() -> None:
    group = WrittenGroup()
    group.join("a", "A")
    del group.log[-1]  # it never has its target
    group.leave("a")
    assert apart(judged(group.log).sequences) == [NotForecast.INTERRUPTED]


def test_a_static_member_that_is_back_has_what_its_place_was_given() -> None:
    """In the middle of a rebalance, twice, the second time under its first member ID. What raises the epoch later is no join."""
    group = WrittenGroup("4.4.0")
    group.join("a", "A", "host-a")
    group.join("b", "B")
    del group.log[-2:]  # no member has the target yet
    group.returns("a", "x", "host-a")
    del group.log[-2:]
    group.returns("x", "a", "host-a")
    found = judged(group.log, Given(broker_release="4.4.0"))
    assert [(one.first, one.not_compared, one.end_differences) for one in found.sequences] == [(2, None, ()), (3, None, ())]

    standing = Standing()
    for record in group.log:
        standing.take(record)
    assert (standing.now("a"), standing.now("x"), standing.now("b")) == ("a", "a", "b")
    standing.begin()
    group.leave("b")
    for record in group.log[group.batches[-1] :]:
        standing.take(record)
    assert [one.joined for one in standing.raised] == [False]
    assert not judged(group.log, Given(broker_release="4.4.0")).score.wrong


def test_what_a_static_member_takes_over_is_its_target_before() -> None:
    group = WrittenGroup("4.4.0")
    group.join("a", "A", "host-a")
    group.returns("a", "x", "host-a")
    group.join("b", "B")
    replay = TargetReplay(Given(broker_release="4.4.0"))
    *_, question = filter(None, map(replay.take, group.log))
    assert isinstance(question, TargetQuestion)
    assert [(one.member_id, bool(one.target.active)) for one in question.members] == [("x", True), ("b", False)]


def test_a_target_that_is_not_judged_is_in_none_that_is_compared() -> None:
    log = written()
    broken = targets(log)[1]
    found = judged([*log[: broken - 1], *log[broken:]])
    assert NotForecast.NOT_JUDGED in apart(found.sequences)
    assert found.score.sequences < 4


def test_an_end_whose_target_is_inferred_is_counted_apart() -> None:
    score = judged(written("4.4.0"), Given(broker_release="4.4.0")).score

    assert score.sequences_inferred == 4 - score.sequences > 0
    assert score.ends_equal == score.sequences


def test_since_compares_later_ones_only() -> None:
    moment = judged(written()).rebalances[2].completed_at
    assert [one.first for one in judged(written(), Given(since=moment)).sequences] == [4, 5]


def moments(*at_s: float, joined: bool = False) -> list[Raised]:
    return [Raised(int(1_000 * at), joined) for at in at_s]


def test_targets_are_an_interval_apart_and_no_later_than_a_heartbeat() -> None:
    assert rounds_within(moments(0), "4.3.1", CONFIG) == (1, 1)
    assert rounds_within(moments(0, 0.1, 0.2), "4.3.1", CONFIG) == (1, 2)
    assert rounds_within(moments(0, 2.5, 2.6, 2.7), "4.3.1", CONFIG) == (1, 4)
    assert rounds_within(moments(0, 20), "4.3.1", CONFIG) == (2, 2)


def test_up_to_4_2_every_member_that_joins_computes_a_target() -> None:
    assert rounds_within(moments(0, 0.1, 0.2, joined=True), "4.2.1", CONFIG) == (3, 3)
    assert rounds_within(moments(0, 0.1, 0.2), "4.2.1", CONFIG) == (1, 3)
    assert rounds_within([*moments(0), *moments(0.1, joined=True)], "4.2.1", CONFIG) == (1, 2)


def restarted(away_s: Iterator[float], heard_s: float = 10) -> Log:
    """A client that stops so long after a heartbeat, and comes back under its process ID; another one stays."""
    group, at_ms, log = WrittenGroup(standbys=0), 0, Log()
    group.join("other", "B")
    group.join("m-0", "A")
    for number, away in enumerate(away_s):
        log += [one._replace(written_at_ms=at_ms) for one in group.log[len(log) :]]
        at_ms += int(1_000 * heard_s)
        group.leave(f"m-{number}")
        log += [one._replace(written_at_ms=at_ms) for one in group.log[len(log) :]]
        at_ms += int(1_000 * away)
        group.join(f"m-{number + 1}", "A")
    return [*log, *(one._replace(written_at_ms=at_ms) for one in group.log[len(log) :])]


def at_s(milliseconds: int) -> str:
    """As journals have it."""
    return datetime.fromtimestamp(milliseconds // 1000, UTC).isoformat()


class TestRestarts:
    def seen(self, log: Log, given: Given | None = None) -> Quantity:
        learnt = judged(log, given).learnt
        assert learnt is not None
        return learnt.start_up

    def test_how_long_clients_are_away_is_learnt(self) -> None:
        chance = random.Random(4)
        found = self.seen(restarted(chance.uniform(10, 30) for _ in range(FEWEST + 5)))

        assert found.seen == FEWEST + 5
        assert found.span is not None
        assert 10 <= found.span.low <= 15
        assert 30 <= found.span.high <= 35  # with what it takes to close

    def test_a_client_that_may_have_been_silent_for_its_session_shows_nothing(self) -> None:
        assert self.seen(restarted(iter([20.0] * 3), heard_s=41)).seen == 0
        longer = Given(group_configs=(("streams.session.timeout.ms", 60_000),))
        assert self.seen(restarted(iter([20.0] * 3), heard_s=41), longer).seen == 3

    def test_a_journal_has_when_a_client_was_stopped(self) -> None:
        """In whole seconds, before it has left: also of clients that may have been silent for their session."""
        log = restarted(iter([20.0] * FEWEST), heard_s=41)
        gone = [one for one in log if one.value is None and one.key.kind is RecordKind.MEMBER_METADATA]
        stopped = tuple((str(one.key.member_id), at_s(one.written_at_ms - 2_600)) for one in gone)
        found = self.seen(log, Given(stopped=stopped))

        assert found.seen == FEWEST
        assert found.span is not None
        assert 22.6 - 1 <= found.span.low <= 22.6 <= found.span.high <= 22.6 + 1
        late = tuple((member, at_s(0)) for member, _ in stopped)
        assert self.seen(log, Given(stopped=late)).seen < FEWEST, "one that was long before was another's"

    def test_a_client_that_is_away_for_longer_was_stopped(self) -> None:
        assert self.seen(restarted(iter([121.0, 119.0]))).seen == 1
