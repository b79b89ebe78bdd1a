"""The start-up time of a client in seconds, measured in the group's history; otherwise the default, marked as such.

No broker says when a process was started. What completed rebalances show of a dynamic client that stopped and came back:

- its old members and its new ones change over in one rebalance: it was back before its session had timed out, so that its start-up
  took no longer than that;
- a rebalance comes without it, and a later one with it: its session had timed out, and it was back with the later one.

Either gives bounds of the time away, which holds the start-up and what passed before it; and of the time until the group has the
client again, which is no shorter than its session. The journal of a rollout has the moment of the stop: then both are known but for
the rebalance itself. Where one restart follows the other, as in a rolling restart, the time from the
end of one to the end of the next is known. A client that stays away for long was not just restarted, and is not counted. Static
members return without a rebalance: they show nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil, floor
from statistics import median_low

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.policy.rates import RateSource
from holdfast.rollout.streams.plan.restore_rate import rules_of
from holdfast.rollout.streams.snapshot.churn import processes_of
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot
from holdfast.rollout.timing.timeline import CLOSING_S, HEARTBEAT_S, JOIN_S, RESTARTED_WITHIN_S, ROLLS_WITHIN_S

NOT_STOPPED: Mapping[str, int] = {}
OBSERVATIONS = 3
"""Fewer restarts say too little."""


@dataclass(frozen=True, slots=True)
class Away:
    """Seconds from the stop of a client until it had joined again: between these. `late`: its session had timed out by then.
    `missed`: until it was missed no more, which lasts as long as its session. `apart_s`: since the end of the restart before, of
    another client, if nothing else came in between."""

    low: int
    high: int
    late: bool
    missed: tuple[int, int]
    apart_s: float | None = None


def learnt(policy: Policy, snapshot: Snapshot) -> Policy:
    """The policy with the group's own start-ups, where it states none itself and the history shows enough of them."""
    default = Policy()
    if policy.start_up != default.start_up or policy.start_up_observations is not None:
        return policy
    seen = tuple(restarts(snapshot.generations, rules_of(snapshot).reported_within_s))
    late = [one for one in seen if one.late]
    in_time = max((one.high for one in seen if not one.late), default=0) * RateSource.MEASURED.off_by
    if len(seen) < OBSERVATIONS or (not late and in_time >= policy.start_up_s_most):
        return policy
    most = max([min(in_time, policy.start_up_s_most), *(one.high for one in late)])
    usual = median_low((one.low + one.high) // 2 for one in late) if 2 * len(late) > len(seen) else policy.start_up_s
    usual = max(1, min(usual, most))
    return replace(
        policy,
        start_up_s_least=min(policy.start_up_s_least, usual),
        start_up_s=usual,
        start_up_s_most=most,
        start_up_observations=len(seen),
    )


def restarts(generations: Iterable[Generation], session_s: float) -> Iterator[Away]:
    """What completed rebalances, oldest first, show of dynamic clients that came back under their process IDs. `session_s`: where
    the broker does not say how long a member's session lasts."""
    found = Restarts(session_s)
    for generation in generations:
        yield from found.take(generation)


@dataclass(frozen=True, slots=True)
class _Last:
    """The last rebalance that had a process: its members, and how long their sessions last. `missed_at`: when the next rebalance
    was complete, without it; None: there is none yet."""

    members: frozenset[str]
    session_s: float
    missed_at: datetime | None = None


class Restarts:
    """Takes rebalances, oldest first; keeps a few values of each process. `stopped_ms`: when rollouts stopped members, in
    milliseconds since 1970."""

    def __init__(self, session_s: float, stopped_ms: Mapping[str, int] = NOT_STOPPED) -> None:
        self._session_s, self._stopped_ms = session_s, stopped_ms
        self._last: dict[ProcessId, _Last] = {}
        self._number: int | None = None
        self._roll = _Roll()

    def take(self, generation: Generation) -> Iterator[Away]:
        """To be read to its end."""
        if self._number is not None and generation.number != self._number + 1:
            self._last.clear()  # those that are not recorded may have had them
        self._number = generation.number
        now = datetime.fromisoformat(generation.completed_at)
        there = _dynamic(generation, self._session_s)
        missed = {one for one, before in self._last.items() if one not in there and before.missed_at is None}
        for process_id in missed:
            self._last[process_id] = replace(self._last[process_id], missed_at=now)
        self._forget(now)
        back: dict[ProcessId, Away] = {}
        for process_id, (members, session_s) in there.items():
            last = self._last.get(process_id)
            self._last[process_id] = _Last(members, session_s)
            if last is not None and last.members.isdisjoint(members) and (away := self._away(last, now)) is not None:
                back[process_id] = away
        apart_s = self._roll.apart_s(now, frozenset(back), frozenset(missed))
        yield from (replace(one, apart_s=apart_s) for one in back.values())

    def _away(self, last: _Last, back: datetime) -> Away | None:
        """As the stop that a journal has, or the rebalances alone, show it."""
        found = _away(last, back)
        stops = [self._stopped_ms[one] for one in last.members if one in self._stopped_ms]
        seconds = back.timestamp() - max(stops) / 1000 if stops else -1
        return found if found is None or not 0 <= seconds <= _most_s(last) else _since_stop(found, seconds)

    def _forget(self, now: datetime) -> None:
        """Who is away for too long to count."""
        gone = [
            process_id
            for process_id, one in self._last.items()
            if one.missed_at is not None and (now - one.missed_at).total_seconds() > RESTARTED_WITHIN_S
        ]
        for process_id in gone:
            del self._last[process_id]


class _Roll:
    """Whether one restart follows the other: rebalances of restarts, and of nothing else, of each client once."""

    def __init__(self) -> None:
        self._ended_at: datetime | None = None
        self._of: frozenset[ProcessId] = frozenset()
        self._missing: set[ProcessId] = set()

    def apart_s(self, now: datetime, back: frozenset[ProcessId], missed: frozenset[ProcessId]) -> float | None:
        """Of a rebalance with which those are `back`, and those are `missed` for the first time. None: it ends no restart that
        follows another."""
        if not back:
            if missed:
                self._missing |= missed
            else:
                self._ended_at = None  # something else makes the group rebalance
            return None
        before, follows = self._ended_at, self._missing <= back and not missed and self._of.isdisjoint(back)
        self._ended_at, self._missing = now, set(missed)
        if before is None or not follows or not 0 <= (seconds := (now - before).total_seconds()) <= ROLLS_WITHIN_S:
            self._of = back
            return None
        self._of |= back
        return seconds


def _away(last: _Last, back: datetime) -> Away | None:
    """`last`: the last rebalance with the old members; `back`: when the first with the new ones was complete."""
    session_s = int(last.session_s)
    missed = max(0, session_s - HEARTBEAT_S)
    if last.missed_at is None:
        return Away(0, session_s, False, (missed, session_s + CLOSING_S))
    seconds = (back - last.missed_at).total_seconds()
    if not 0 <= seconds <= RESTARTED_WITHIN_S:
        return None
    low = max(missed, int(seconds) + missed - int(JOIN_S.high))
    high = int(seconds + last.session_s) + CLOSING_S + int(JOIN_S.high)
    return Away(low, high, True, (low, high))


def _most_s(last: _Last) -> float:
    return last.session_s + RESTARTED_WITHIN_S


def _since_stop(found: Away, seconds: float) -> Away:
    """The rebalance was complete so long after the stop: the client had joined by then, and one that was late just before."""
    least, most = floor(max(0, seconds - JOIN_S.high - 1)), ceil(seconds)
    missed = (max(least, min(found.missed[0], most)), most)
    return replace(found, low=least if found.late else 0, high=min(found.high, most), missed=missed)


def _dynamic(generation: Generation, session_s: float) -> dict[ProcessId, tuple[frozenset[str], float]]:
    """The members of each process without a static one, and how long the longest of their sessions lasts."""
    members: dict[ProcessId, set[str]] = {}
    sessions: dict[ProcessId, float] = {}
    static: set[ProcessId] = set()
    for member, process_id in processes_of(generation):
        if process_id is None:
            continue
        if member.group_instance_id is not None:
            static.add(process_id)
        members.setdefault(process_id, set()).add(member.member_id)
        session = session_s if member.session_timeout_ms is None else member.session_timeout_ms / 1000
        sessions[process_id] = max(sessions.get(process_id, 0), session)
    return {one: (frozenset(found), sessions[one]) for one, found in members.items() if one not in static}
