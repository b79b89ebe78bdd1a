"""The restore speed of one client in records per second, and its source: the change, the policy, the group's history, or a default.

The history is the completed rebalances that a Snapshot holds. It shows the speed of one copy at a time, between two rebalances, and
only where all of this is seen:

- it was handed out by the rebalance before the first of the two, and had grown by then: it was being restored;
- what it had is reported at both, so that nothing is guessed about where it began and how far it came;
- the leader still called it a warm-up at the second: it was more than `acceptable.recovery.lag` behind, so that it was restored all
  the while. (With standbys a complete copy cannot be distinguished from an incomplete one: logs grow, and old ends are not kept.)
- its client had nothing else to restore meanwhile: gains of several copies do not show the speed of one.

What some copy gained between two rebalances shows that the speed is no lower. That may raise the assumption, never lower it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median_low

from holdfast.errors import HoldfastError
from holdfast.kafka.streams import membership
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.policy.rates import RateSource
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.scene.assumptions import CatchUp
from holdfast.rollout.streams.snapshot.passing_settings import RECOVERY_LAG, RECOVERY_LAG_DEFAULT, STANDBYS, number_set
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot

SESSION_S = 45
"""A member reports when it joins, and the rebalance is complete when the last has joined or was given up: so much later at most.
Kafka's longest default of `session.timeout.ms`, where the snapshot says nothing else."""
CLEARLY_BEHIND = 1_000
"""A copy that keeps up with its log is a few records behind at any moment. Where `acceptable.recovery.lag` is less than this, a
warm-up may be one of those, and what it gets is what its log grows by."""

_Copy = tuple[ProcessId, TaskId]


@dataclass(frozen=True, slots=True)
class Measured:
    """In records a second. `speeds`: those that were seen, as (slowest, fastest) each may have been, sorted; `at_least`: what some
    copy got for certain, 0 where none was seen."""

    speeds: tuple[tuple[int, int], ...]
    at_least: int

    @property
    def observations(self) -> int:
        return len(self.speeds)

    @property
    def band(self) -> tuple[int, int, int] | None:
        """The slowest, the usual and the fastest; None: no speed was seen, or the observation contradicts what some copy gained."""
        if not self.speeds:
            return None
        off_by = RateSource.MEASURED.off_by
        slowest, fastest = min(low for low, _ in self.speeds), max(high for _, high in self.speeds)
        usual = median_low((low + high) // 2 for low, high in self.speeds)
        return None if fastest < self.at_least else (max(1, slowest // off_by), max(usual, 1), max(fastest * off_by, 1))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A completed rebalance: what clients reported when it began, what they were handed, and which of that as standbys."""

    number: int
    at: datetime
    sums: Mapping[_Copy, int]
    standby: Mapping[_Copy, None]
    handed: Mapping[ProcessId, tuple[TaskId, ...]]


@dataclass(frozen=True, slots=True)
class HistoryRules:
    """What has to be known to read a history. `warm_ups_tell`: who is handed a copy to warm it up is clearly behind."""

    stateful: Mapping[TaskId, None]
    warm_ups_tell: bool
    reported_within_s: float = SESSION_S


def effective(policy: Policy, snapshot: Snapshot, change: Change) -> Policy:
    """The policy with the best speed that is known: the change's own, then the team's, then the group's; else its assumption."""
    given = change.assume.records_per_second if change.assume.catch_up is CatchUp.RATE else None
    if given is not None:
        exact = replace(policy, restore_slowest=None, restore_fastest=None)
        return replace(exact, restore_records_per_second=max(1, int(given)), restore_rate_source=RateSource.CHANGE)
    if policy.restore_rate_source is not RateSource.ASSUMED:
        return policy
    found = measured(snapshot.generations, rules_of(snapshot))
    if (band := found.band) is not None:
        return replace(
            policy,
            restore_records_per_second=band[1],
            restore_slowest=max(1, band[0]),
            restore_fastest=band[2],
            restore_observations=found.observations,
            restore_rate_source=RateSource.MEASURED,
        )
    if found.at_least <= policy.slowest_restore:
        return policy
    speed = max(found.at_least, policy.restore_records_per_second)
    return replace(
        policy,
        restore_records_per_second=speed,
        restore_slowest=found.at_least,
        restore_fastest=speed * policy.restore_rate_source.off_by,
        restore_rate_source=policy.restore_rate_source if speed > found.at_least else RateSource.AT_LEAST,
    )


def rules_of(snapshot: Snapshot) -> HistoryRules:
    """An unreadable session timeout counts as Kafka's longest default."""
    given = dict(snapshot.config).get("session.timeout.ms")
    seconds = int(given) / 1000 if isinstance(given, int | str) and str(given).isdecimal() else SESSION_S
    measurable = (
        not number_set(snapshot, STANDBYS, 0) and number_set(snapshot, RECOVERY_LAG, RECOVERY_LAG_DEFAULT) >= CLEARLY_BEHIND
    )
    return HistoryRules({task.id: None for task in snapshot.tasks if task.stateful}, measurable, seconds)


def measured(generations: Sequence[Generation], rules: HistoryRules) -> Measured:
    """What the rebalances show. Members whose bytes cannot be read are left out."""
    restores, speeds = Restores(rules), list[tuple[int, int]]()
    for one in generations:
        speeds.extend(restores.take(one))
    return Measured(tuple(sorted(speeds)), restores.at_least)


class Restores:
    """Takes rebalances in order; gives the speeds that each shows, as (slowest, fastest) each may have been. `at_least`: what some
    copy got for certain."""

    def __init__(self, rules: HistoryRules) -> None:
        self._rules = rules
        self._first: _Seen | None = None
        self._second: _Seen | None = None
        self.at_least = 0

    def take(self, generation: Generation) -> Iterator[tuple[int, int]]:
        """To be read to its end. Members whose bytes cannot be read are left out."""
        first, second, third = self._first, self._second, _seen(generation)
        self._first, self._second = second, third
        if second is None:
            return
        within = self._rules.reported_within_s
        for copy in second.standby:
            gained = _gained(second, third, copy)
            if gained is None:
                continue
            seconds = (third.at - second.at).total_seconds()
            low = int(gained / (seconds + within))
            self.at_least = max(self.at_least, low)
            if seconds <= within or first is None or not _restored_all_the_while(first, second, third, copy, self._rules):
                continue
            yield low, -int(-gained // (seconds - within))


def _gained(second: _Seen, third: _Seen, copy: _Copy) -> int | None:
    """What a copy got between two rebalances, of which both say how far it was. None: unknown, or nothing."""
    began, ended = second.sums.get(copy, -1), third.sums.get(copy, -1)
    return ended - began if _seconds(second, third) is not None and 0 <= began < ended else None


def _restored_all_the_while(first: _Seen, second: _Seen, third: _Seen, copy: _Copy, rules: HistoryRules) -> bool:
    """From the second rebalance to the third, and nothing else on its client."""
    if not rules.warm_ups_tell or copy not in first.standby or copy not in third.standby or _seconds(first, second) is None:
        return False
    if second.sums.get(copy, 0) <= max(0, first.sums.get(copy, 0)):
        return False  # it waited for its turn, or may have
    others = (task for task in second.handed.get(copy[0], ()) if task != copy[1] and task in rules.stateful)
    return all(second.sums.get((copy[0], task), 0) < 0 for task in others)


def _seconds(first: _Seen, second: _Seen) -> float | None:
    """Between two rebalances that follow one another. None: one is missing, or no time has passed."""
    seconds = (second.at - first.at).total_seconds()
    return seconds if second.number == first.number + 1 and seconds > 0 else None


def _seen(generation: Generation) -> _Seen:
    sums: dict[_Copy, int] = {}
    standby: dict[_Copy, None] = {}
    handed: dict[ProcessId, tuple[TaskId, ...]] = {}
    for member in _members(generation):
        for task, total in member.joined_sums:
            copy = member.process_id, task
            known = sums.get(copy, total)
            sums[copy] = min(total, known) if min(total, known) < 0 else max(total, known)
        standby.update(((member.process_id, task), None) for task, _ in member.standby)
        handed[member.process_id] = (*handed.get(member.process_id, ()), *member.running)
    return _Seen(generation.number, datetime.fromisoformat(generation.completed_at), sums, standby, handed)


def _members(generation: Generation) -> Iterator[membership.Member]:
    for one in generation.members:
        try:
            yield membership.decode(one.member_id, one.subscription, one.assignment)
        except HoldfastError:
            continue
