"""How fast one client restores, and who says so: the change, the policy, the group's own history, or nobody.

The history is the completed rebalances that a Snapshot holds. A copy that a client began with nothing, and of which it reported so
much at the next rebalance, was restored at that speed or faster: it may have been complete long before. Only where it went on
growing as fast afterwards was it restoring all the while, and the speed is measured.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median_low

from holdfast.errors import HoldfastError
from holdfast.kafka.streams import membership
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.change import CatchUp, Change
from holdfast.rollout.policy import Policy
from holdfast.rollout.rates import RateSource
from holdfast.rollout.snapshot import Generation, Snapshot

_STILL_RESTORING = 0.5
"""The part of its speed at which a copy must have gone on. One that is complete grows as its log does, which is slower."""

_Copy = tuple[ProcessId, TaskId]


@dataclass(frozen=True, slots=True)
class Measured:
    """In records a second. `speeds`: of clients that restored all the time between two rebalances, sorted. `at_least`: what some
    client reached, if not more; 0: none was seen restoring."""

    speeds: tuple[int, ...]
    at_least: int


@dataclass(frozen=True, slots=True)
class _Seen:
    """A completed rebalance: what clients reported when it began, and which standby copies they were handed."""

    number: int
    at: datetime
    sums: Mapping[_Copy, int]
    standby: Mapping[_Copy, None]


def effective(policy: Policy, snapshot: Snapshot, change: Change) -> Policy:
    """The policy with the best speed that is known: the change's own, then the team's, then the group's; else its assumption."""
    given = change.assume.records_per_second if change.assume.catch_up is CatchUp.RATE else None
    if given is not None:
        return replace(policy, restore_records_per_second=max(1, int(given)), restore_rate_source=RateSource.CHANGE)
    if policy.restore_rate_source is not RateSource.ASSUMED:
        return policy
    found = measured(snapshot.generations)
    speed = median_low(found.speeds) if found.speeds else found.at_least
    if not found.speeds and speed <= policy.restore_records_per_second:
        return policy
    return replace(policy, restore_records_per_second=speed, restore_rate_source=RateSource.MEASURED)


def measured(generations: tuple[Generation, ...]) -> Measured:
    """What the rebalances show. Members whose bytes cannot be read are left out."""
    seen = [_seen(one) for one in generations]
    speeds: list[int] = []
    at_least = 0
    for index, first in enumerate(seen[:-1]):
        for process_id, speed in _restored(first, seen[index + 1], first.standby, anew=True).items():
            at_least = max(at_least, int(speed))
            if index + 2 < len(seen):
                then = _restored(seen[index + 1], seen[index + 2], first.standby, anew=False).get(process_id, 0)
                if then >= _STILL_RESTORING * speed and int(speed):
                    speeds.append(int(speed))
    return Measured(tuple(sorted(speeds)), at_least)


def _restored(first: _Seen, second: _Seen, copies: Mapping[_Copy, None], *, anew: bool) -> Mapping[ProcessId, float]:
    """How many records a second each client got of these copies, which it was handed in `first`. `anew`: begun with nothing."""
    seconds = (second.at - first.at).total_seconds()
    if second.number != first.number + 1 or seconds <= 0:
        return {}
    found: dict[ProcessId, int] = {}
    for copy in copies:
        before = max(0, first.sums.get(copy, 0))
        gained = second.sums.get(copy, 0) - before
        if copy in first.standby and gained > 0 and not (anew and before):
            found[copy[0]] = found.get(copy[0], 0) + gained
    return {process_id: records / seconds for process_id, records in found.items()}


def _seen(generation: Generation) -> _Seen:
    sums: dict[_Copy, int] = {}
    standby: dict[_Copy, None] = {}
    for member in _members(generation):
        for task, total in member.joined_sums:
            copy = member.process_id, task
            sums[copy] = max(total, sums.get(copy, total))
        standby.update(((member.process_id, task), None) for task, _ in member.standby)
    return _Seen(generation.number, datetime.fromisoformat(generation.completed_at), sums, standby)


def _members(generation: Generation) -> Iterator[membership.Member]:
    for one in generation.members:
        try:
            yield membership.decode(one.member_id, one.subscription, one.assignment)
        except HoldfastError:
            continue
