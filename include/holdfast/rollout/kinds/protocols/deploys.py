"""The deploys of a group, and how often it goes through each: as given, as its past shows it, or as assumed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from holdfast.rollout.kinds.protocols.comparison import CountedFrom, Deploy, DeployKind

ASSUMED_MONTHLY = 1.0
DAYS_OF_A_MONTH = 365.25 / 12
SHORTEST_PAST = timedelta(days=1)
"""A shorter past says nothing of a month."""
EPISODE = timedelta(minutes=30)
"""Rebalances that are closer belong to one deploy."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A group after one of its completed rebalances. `there`: its members' IDs by client; a client that is back has others.
    `hosts`: of each client."""

    at: datetime
    there: Mapping[str, frozenset[str]]
    hosts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Counted:
    """How often a past of `days` days has each deploy."""

    days: float
    times: Mapping[DeployKind, int]


def deploys(given: Mapping[DeployKind, float], past: Counted | None) -> tuple[Deploy, ...]:
    """`given`: times a month. What is not given is counted in the past, where there is one; else it is assumed."""
    found = []
    for kind in DeployKind:
        if kind in given:
            found.append(Deploy(kind, given[kind], CountedFrom.GIVEN))
        elif past is not None:
            monthly = round(past.times.get(kind, 0) / past.days * DAYS_OF_A_MONTH, 2)
            found.append(Deploy(kind, monthly, CountedFrom.PAST, round(past.days, 2)))
        else:
            found.append(Deploy(kind, ASSUMED_MONTHLY, CountedFrom.ASSUMED))
    return tuple(found)


def counted(seen: Sequence[Seen]) -> Counted | None:
    """`seen`: oldest first. None: the past is too short.

    A rolling restart: at least half of the clients that are there before and after an episode of rebalances, and two of them or
    all, have other members. A client that is gone and one that has come are a replacement; what is left of either, a scale-in
    or a scale-out of one client each.
    """
    if not seen or seen[-1].at - seen[0].at < SHORTEST_PAST:
        return None
    times = dict.fromkeys(DeployKind, 0)
    for before, after in _episodes(seen):
        for kind, count in _of_episode(before, after):
            times[kind] += count
    return Counted((seen[-1].at - seen[0].at) / timedelta(days=1), times)


def _episodes(seen: Sequence[Seen]) -> Iterable[tuple[Seen, Seen]]:
    """The group before and after each."""
    before = end = seen[0]
    for one in seen[1:]:
        if one.at - end.at > EPISODE:
            if end is not before:
                yield before, end
            before = end
        end = one
    if end is not before:
        yield before, end


def _of_episode(before: Seen, after: Seen) -> Iterable[tuple[DeployKind, int]]:
    same = {name: name for name in before.there.keys() & after.there.keys()}
    gone, come = before.there.keys() - same.keys(), after.there.keys() - same.keys()
    by_host = {after.hosts[name]: name for name in sorted(come) if after.hosts.get(name)}
    for name in sorted(gone):  # what keeps no name is the same where it runs on the same host
        other = by_host.pop(before.hosts.get(name, ""), None)
        if other is not None:
            same[name] = other
    gone, come = gone - same.keys(), come - set(same.values())
    restarted = sum(not before.there[one] & after.there[other] for one, other in same.items())
    if restarted and (restarted == len(same) or (restarted > 1 and 2 * restarted >= len(same))):
        yield DeployKind.RESTART, 1
    replaced = min(len(gone), len(come))
    yield DeployKind.REPLACE, replaced
    yield DeployKind.SCALE_OUT, len(come) - replaced
    yield DeployKind.SCALE_IN, len(gone) - replaced
