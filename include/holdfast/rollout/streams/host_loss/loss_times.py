"""The duration of a loss by the time model (`timing.timeline`), for forecast losses and counted ones.

As a plan for the same loss says it under Holdfast's own policy: with the group's own restore speed and start-ups where its history
shows them. What happens usually and at the most depends on the course alone; the least takes forecasts of quicker courses, and is
left to plans.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from holdfast.kafka.streams.group import Assignment
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.rebalances import Round, Trigger, restore_seconds
from holdfast.rollout.contract.times import TimedBatch
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.forecast import outcomes
from holdfast.rollout.streams.forecast.compiled.totals import Restoring, Totals
from holdfast.rollout.streams.plan import restore_rate, start_up
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.timing import timeline


@dataclass(frozen=True, slots=True)
class LossTimes:
    """In seconds from the loss: the last rebalance is over, and all state is restored. `…_most` None: unknown.

    `exact`: these are the figures of a plan for this loss; else they are near them.
    """

    ends: int
    restored: int
    exact: bool
    ends_most: int | None = None
    restored_most: int | None = None


def policy_of(snapshot: Snapshot) -> Policy:
    """The defaults of a plan of this group."""
    return start_up.learnt(restore_rate.effective(Policy(), snapshot, Change(())), snapshot)


def of_course(course: outcomes.Course, policy: Policy) -> LossTimes:
    """Of a forecast that settles."""
    rounds = [
        Round(
            str(one.trigger),
            math.ceil(one.at_seconds),
            0,
            0,
            0,
            max((count for _, count in one.restoring), default=0),
            0,
            one.restoring,
        )
        for one in course.rounds
        if isinstance(one.decision, Assignment)
    ]
    follow_ups = any(one.trigger == Trigger.IMMEDIATE for one in rounds)
    found = timeline.combined(
        timeline.TimedCourse(
            tuple(_of_acts(course.acts, rounds)),
            more=max(course.length.open_copies, 2 * course.length.unstarted) if follow_ups else 0,
            probes_more=course.length.unstarted if follow_ups else 0,
            probing_s=max(
                (two.at_seconds - one.at_seconds for one, two in pairwise(rounds) if two.trigger == "probing"), default=0
            ),
        ),
        policy,
    )
    assert found.rebalancing_ends is not None, "it settles"
    assert found.restored is not None, "it settles"
    return LossTimes(found.rebalancing_ends.usual, found.restored.usual, True, found.rebalancing_ends.high, found.restored.high)


def of_totals(act: TimedBatch, totals: Totals, at_seconds: float, probing_s: float, policy: Policy) -> LossTimes:
    """The same of a walk of which only totals are known: it begins at that time, and probes after that long."""
    rebalances: list[tuple[int, Restoring]] = []
    before = None
    for number, restoring in enumerate(totals.restoring):
        at = math.ceil(at_seconds)
        probed = number > 0 and totals.asked[number - 1] is Trigger.PROBING
        rebalances.append((at - before if probed and before is not None else 0, restoring))
        before = at
        at_seconds += probing_s if totals.asked[number] is Trigger.PROBING else 0
    follow_ups = Trigger.IMMEDIATE in totals.asked
    course = timeline.OneAct(
        act,
        rebalances,
        more=max(totals.open_copies, 2 * totals.unstarted) if follow_ups else 0,
        probes_more=totals.unstarted if follow_ups else 0,
        probing_s=max((interval for interval, _ in rebalances), default=0),
    )
    ends, restored = timeline.figures(course, policy)
    return LossTimes(ends.usual, restored.usual, True, ends.high, restored.high)


def _of_acts(acts: Sequence[TimedBatch], rounds: Sequence[Round]) -> list[tuple[TimedBatch, tuple[Round, ...]]]:
    found, at = [], 0
    for act in acts:
        found.append((act, tuple(rounds[at : at + act.rebalances])))
        at += act.rebalances
    return found


def of_count(act: TimedBatch, rounds: tuple[Round, ...], interval_ms: int, policy: Policy, *, exact: bool) -> LossTimes:
    """Of one that is counted: as it usually goes. `exact`: whether these are all rebalances.

    Which warm-ups share a batch is not counted, only how many. That matters where restores may outlast a probing interval.
    """
    totals = Counter[ProcessId]()
    for one in rounds:
        totals.update(dict(one.restoring))
    longest = restore_seconds(max(totals.values(), default=0), policy.restore_records_per_second)
    alone = not any(one.trigger == "probing" for one in rounds) or longest * 1000 <= interval_ms
    return LossTimes(*timeline.usually(timeline.TimedCourse(((act, rounds),)), policy), exact and alone)
