"""What the recorded rebalances of a Streams group show of its restores, its restarts and its courses, where the truth is known."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from tests.unit.rollout.streams.backtest.test_group import backtested, history
from tests.unit.rollout.streams.plan.test_restore_rate import generation
from tests.unit.rollout.streams.plan.test_start_up import A, B, C, rebalances

from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.learnt import FEWEST, Courses, Learnt, Quantity, Span
from holdfast.rollout.streams.backtest import question
from holdfast.rollout.streams.backtest.learning import NOTHING, Learning
from holdfast.rollout.streams.backtest.question import PastTask, Settings

TASKS = tuple(PastTask(TaskId.parse(task), (), stateful=True) for task in ("1_0", "1_1", "1_2"))
WARM_UPS: Settings = (("acceptable.recovery.lag", 10_000), ("num.standby.replicas", 0))
INTERVAL_S, SESSION_S = 600, 10


def learnt(generations: tuple[Generation, ...], config: Settings = WARM_UPS, stopped_ms: Mapping[str, int] = NOTHING) -> Learnt:
    learning = Learning(config, SESSION_S, stopped_ms)
    for one in generations:
        learning.take(one, question.of(("3.9.1",), config, TASKS, one))
    return learning.learnt(Courses())


def restores(count: int, chance: random.Random) -> Iterator[Generation]:
    """Each is seen at three probing rebalances, which members report to up to a session before they are complete."""
    number = 0
    for _ in range(count):
        speed = speed_of(chance)
        for probe in range(3):
            number += 1
            at = number * INTERVAL_S
            reported = probe * INTERVAL_S - chance.uniform(0, SESSION_S) if probe else 0
            yield generation(number, at, {"1_1": 1_000 + int(speed * reported)}, copies="1_1")


def speed_of(chance: random.Random) -> float:
    return chance.lognormvariate(8, 0.2)


def test_restore_speeds_are_within_what_is_learnt() -> None:
    chance, within, of = random.Random(11), 0, 0
    for _ in range(12):
        span = learnt(tuple(restores(FEWEST + 6, chance))).restore.span
        assert span is not None
        assert span.high <= 3 * span.low
        for _ in range(50):
            of += 1
            within += span.low <= speed_of(chance) <= span.high

    assert within / of >= 0.88


def test_where_copies_may_be_complete_no_speed_is_learnt() -> None:
    past = tuple(restores(FEWEST, random.Random(1)))
    for other in (("num.standby.replicas", 1), ("acceptable.recovery.lag", 0)):
        assert learnt(past, tuple((dict(WARM_UPS) | dict((other,))).items())).restore == Quantity(0)


def test_restarts_are_counted_over_the_whole_past() -> None:
    """Each is missed for one rebalance: its session, and what passes until it is back."""
    told = [{A: start + back, B: 1} if back else {B: 1} for start in range(FEWEST) for back in (0, 1)]
    found = learnt(rebalances({A: 0, B: 1}, *told))

    assert found.start_up.seen == FEWEST
    assert found.start_up.span is not None
    assert (found.start_up.span.low, found.start_up.span.high) == (20 + SESSION_S - 3 - 8, 20 + SESSION_S + 5 + 8)
    assert found.restart == found.start_up
    assert found.restarts_apart == Quantity(0)


def test_restarts_of_a_rollout_count_from_the_moment_of_its_journal() -> None:
    """9 s before the rebalance without the client; it is back 20 s later."""
    past = rebalances({A: 0, B: 1}, *[{A: start + back, B: 1} if back else {B: 1} for start in range(FEWEST) for back in (0, 1)])
    at_ms = {one.member_id: int(datetime.fromisoformat(past[0].completed_at).timestamp() * 1000) for one in past[0].members}
    for before, after in pairwise(past):
        now_ms = int(datetime.fromisoformat(after.completed_at).timestamp() * 1000)
        gone = {one.member_id for one in before.members} - {one.member_id for one in after.members}
        at_ms |= dict.fromkeys(gone, now_ms - 9_000)
    found = learnt(past, stopped_ms=at_ms).start_up

    assert found.span is not None
    assert (found.span.low, found.span.high) == (20 + 9 - 8 - 1, 20 + 9)


def test_restarts_in_time_take_a_session_and_those_of_a_roll_are_known_apart() -> None:
    """Every 20 s the next client is back in time."""
    told = [{A: (start + 1) // 2, B: start // 2} for start in range(2 * FEWEST + 1)]
    found = learnt(rebalances(*told))

    assert found.start_up.span is not None
    assert found.restart.span is not None
    assert (found.start_up.span.low, found.start_up.span.high) == (0, SESSION_S)
    assert (found.restart.span.low, found.restart.span.high) == (SESSION_S - 3, SESSION_S + 5)
    assert found.restarts_apart == Quantity(FEWEST, Span(20, 20, 20))
    assert found.rolls == (Quantity(FEWEST, Span(20 + SESSION_S - 3, 20 + SESSION_S + 1, 20 + SESSION_S + 5)),)


def test_clients_that_restart_together_are_one_restart_of_a_roll() -> None:
    """Every 20 s one client, or two at once, are back in time."""
    told = [{A: (start + 1) // 2, B: start // 2, C: (start + 1) // 2} for start in range(2 * FEWEST + 1)]
    found = learnt(rebalances(*told))

    assert found.restart.seen == 3 * FEWEST
    assert found.restarts_apart == Quantity(FEWEST, Span(20, 20, 20))


def slower(past: tuple[Generation, ...], chance: random.Random) -> tuple[Generation, ...]:
    """Rebalances take as long as drawn."""
    found, late = [], 0.0
    for one in past:
        late += chance.lognormvariate(0, 0.5)
        at = datetime.fromisoformat(one.completed_at) + timedelta(seconds=late)
        found.append(replace(one, completed_at=at.isoformat()))
    return tuple(found)


@pytest.mark.thorough
def test_durations_of_courses_are_within_what_is_learnt_before_them() -> None:
    past = slower(history(260), random.Random(2))
    found = backtested(past, (("acceptable.recovery.lag", 50),))

    score = found.score
    assert score.courses >= 80
    assert score.durations_learnt >= score.courses - 2 * FEWEST
    by_learnt = [one for one in found.sequences if one.learnt_from is not None and one.course]
    assert sum(one.seconds_within for one in by_learnt) >= 0.88 * len(by_learnt)
    assert found.learnt is not None
    assert found.learnt.took.span is not None
    assert found.learnt.rebalances == replace(found.learnt.rebalances, within=score.course_rounds_within, of=score.courses)
