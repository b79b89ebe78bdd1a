"""One change of a case against its forecast, as a record that is JSON: what agreed, and each difference in words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from tests.live import compare, observe
from tests.live.campaign.changes import Planned
from tests.live.experiment import process_ids

from holdfast.kafka.streams import leader
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.cost.evaluation import Cost
from holdfast.rollout.streams.cost.times_of_costs import rebalances_held, stated, times_of
from holdfast.rollout.streams.forecast.outcomes import Forecast, Outcome
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.snapshot import groups, replay
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Batch:
    """The rebalances of one batch. `settings`: of each client that then ran or had just ended, by process ID."""

    generations: tuple[Generation, ...]
    members: Mapping[str, int]
    settings: Mapping[str, Mapping[str, str]]

    @property
    def counted(self) -> int:
        """Rebalances from the first in which all the members of the end took part."""
        whole = [process_ids(one) == self.members for one in self.generations]
        return len(whole) - whole.index(True) if True in whole else 0


@dataclass(frozen=True, slots=True)
class Happened:
    planned: Planned
    before: Snapshot
    forecast: Forecast
    batches: tuple[Batch, ...]
    began: float
    """Seconds since 1970."""
    policy: Policy | None = None
    """With the speed of restores, where that is known."""

    @property
    def generations(self) -> tuple[Generation, ...]:
        return tuple(one for batch in self.batches for one in batch.generations)


def record_of(happened: Happened, change: Change) -> Record:
    """`same`: rebalances that Holdfast decides as Kafka did, given what was reported. `end`, `count`, `ended`: whether the stable
    end, the number of rebalances and the time of the last are as forecast; None where there is nothing to compare.

    `change`: as it was given, not expanded: the batches of a roll are in it."""
    rebalances, planned = happened.generations, happened.planned
    apart = [row for batch in happened.batches for row in decided_apart(happened.before, batch)]
    found: Record = {"name": planned.name, "rebalances": len(rebalances), "same": len(rebalances) - len({row[0] for row in apart})}
    wrong = [f"generation {row[0]}: {' | '.join(row[1:])}" for row in apart]
    if planned.unseen or not planned.events:
        found |= {"end": not rebalances, "count": not rebalances}
        wrong += [f"{len(rebalances)} rebalances where none was expected"] if rebalances else []
    else:
        ends = [_end_differences(one, rebalances[-1]) for one in happened.forecast.outcomes]
        nearest = min(ends, key=len)
        low, high = _counts(happened, change)
        took = sum(batch.counted for batch in happened.batches)
        found |= {"end": not nearest, "count": low <= took <= high, "took": took, "forecast": [low, high]}
        wrong += nearest
        wrong += [] if found["count"] else [f"{took} rebalances, forecast {low} to {high}"]
        found |= _ended(happened, change)
    return found | {"differences": wrong}


def decided_apart(before: Snapshot, batch: Batch, *, before_any_record: bool = False) -> list[tuple[str, ...]]:
    """Decided again with the settings of the client that led: generation, member, what, Holdfast's, Kafka's."""
    rows: list[tuple[str, ...]] = []
    tasks = compare.before_any_record(before.tasks) if before_any_record else before.tasks
    for generation in batch.generations:
        leading = [str(observe.process_id(one)) for one in generation.members if one.member_id == generation.leader_member_id]
        its = batch.settings.get(leading[0], {}) if leading else {}
        config = tuple((key, type(value)(its[key]) if key in its else value) for key, value in before.config)
        group = groups.group_of(replace(before, config=config))
        reported = replay.reported_group(generation, tasks, group.release, group.config)
        ours = replay.our_decision(leader.assign(reported))
        found = replay.differences(ours, replay.leaders_decision(generation))
        rows += [(str(generation.number), one.member_id, one.what, one.ours, one.leaders) for one in found]
    return rows


def _end_differences(outcome: Outcome, last: Generation) -> list[str]:
    forecast, real = compare.outcome_end(outcome), compare.real_end(last)
    return [
        f"{task} {what}: forecast {forecast.get((task, what), 'nobody')}, happened {real.get((task, what), 'nobody')}"
        for task, what in sorted({**forecast, **real})
        if forecast.get((task, what)) != real.get((task, what))
    ]


def _counts(happened: Happened, change: Change) -> tuple[int, int]:
    """Of the forecast; where restores are slow, that of the plan, which knows their speed."""
    if happened.policy is not None:
        held = rebalances_held(_baseline(happened, change), happened.policy, None)
        return held.low, held.high
    summaries = [one.summary for one in happened.forecast.outcomes]
    return min(one.rebalances_at_least for one in summaries), max(one.rebalances_at_most for one in summaries)


def _baseline(happened: Happened, change: Change) -> Cost:
    """What a plan says of the change as it was given."""
    baseline = next(one for one in proposals.propose(happened.before, change) if one.name == BASELINE_NAME)
    return stated(proposals.evaluate(happened.before, baseline).costs, happened.policy or Policy())


def _ended(happened: Happened, change: Change) -> Record:
    """When the last rebalance was complete, in seconds from the first action on, and the range that a plan gives for it."""
    ended = datetime.fromisoformat(happened.generations[-1].completed_at).timestamp() - happened.began
    estimate = times_of(_baseline(happened, change), happened.policy or Policy()).rebalancing_ends
    if estimate is None:
        return {"ended_s": round(ended, 1)}
    within = estimate.low <= ended <= estimate.high
    return {"ended_s": round(ended, 1), "range_s": [estimate.low, estimate.high], "ended": within}
