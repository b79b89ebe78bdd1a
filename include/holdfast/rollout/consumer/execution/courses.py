"""What a change may have been for the consumers that carried it out: with their IDs, and as fast as they were.

The broker generates the member ID of each member that joins, and sticky assignors go by the IDs of all rebalances. Of members that
come and are gone again no ID is known: each rank that it may have had among the others is a course of its own. The order of hash
codes matters too, though seldom; draws of such IDs show whether it does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import combinations, count, cycle, islice
from uuid import UUID

from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.rollout.consumer.change.change import ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.execution.memberships import Stay, stays
from holdfast.rollout.consumer.snapshot.new_id_ranks import new_id_ranks
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.execution.pairing import MOST_PAIRINGS

MOST_SLOW = 4
"""Restarts of which each may have been fast or not: the courses are two to the power of them."""
MOST_COURSES = 200
LEAST_COURSES = 24
MOST_WORK = 200_000
"""Courses, times the members and partitions of each."""
DRAWS = 32
_STICKY = frozenset((Assignor.STICKY, Assignor.COOPERATIVE_STICKY))
Names = Mapping[str, str]
"""From a member ID of the plan to the one that the broker made."""


@dataclass(frozen=True, slots=True)
class Courses:
    """`changes`: the likeliest first. `all_of_them`: whether no other is possible, if `draws` end as some of those."""

    changes: tuple[ConsumerChange, ...]
    all_of_them: bool
    draws: tuple[ConsumerChange, ...]


def courses(basis: ConsumerSnapshot, change: ConsumerChange, pairings: Sequence[Names]) -> Courses:
    """`pairings`: of the members of the end."""
    everyone = stays(basis, change.events)
    size = len(everyone) + sum(len(topic.partitions) for topic in basis.topics)
    most = max(LEAST_COURSES, min(MOST_COURSES, MOST_WORK // (size or 1)))
    found = tuple(islice(_each(everyone, change, pairings), most + 1))
    few = len(_slow(change)) <= MOST_SLOW and len(pairings) <= MOST_PAIRINGS
    return Courses(found[:most], few and len(found) <= most, tuple(_draws(everyone, change, pairings)))


def _draws(everyone: Sequence[Stay], change: ConsumerChange, pairings: Sequence[Names]) -> Iterator[ConsumerChange]:
    joining = [one for one in everyone if one.joined is not None]
    if not _by_history(everyone) or not any(one.passes for one in joining):
        return
    variants = cycle((one, names) for one in as_fast_as_they_were(change) for names in pairings)
    for draw, (one, names) in zip(range(DRAWS), variants, strict=False):
        ids = {number: _drawn(each.member, draw, number) for number, each in enumerate(joining) if each.passes}
        yield named(one, names, ids)


def _drawn(member: Member, *of: int) -> str:
    digest = sha256("/".join(map(str, of)).encode()).digest()[:16]
    return f"{member.group_instance_id or member.client_id}-{UUID(bytes=digest, version=4)}"


def _by_history(everyone: Sequence[Stay]) -> bool:
    return any(_STICKY.intersection(one.member.assignors) for one in everyone)


def _each(everyone: Sequence[Stay], change: ConsumerChange, pairings: Sequence[Names]) -> Iterator[ConsumerChange]:
    by_history = _by_history(everyone)
    for one in as_fast_as_they_were(change):
        for names in pairings:
            for meanwhile in _ids_of_passing(everyone, names) if by_history else ({},):
                yield named(one, names, meanwhile)


def _slow(change: ConsumerChange) -> list[int]:
    return [at for at, item in enumerate(change.events) if not isinstance(item, Then) and item.back_before_others() != item]


def as_fast_as_they_were(change: ConsumerChange) -> Iterator[ConsumerChange]:
    """The change, and the same where some consumers were back before the others had joined, which the group does not show
    afterwards: all of the courses where they are few, else the one in which all were."""
    slow = _slow(change)
    yield change
    if len(slow) <= MOST_SLOW:
        fast_ones = [one for number in range(1, len(slow) + 1) for one in combinations(slow, number)]
    else:
        fast_ones = [tuple(slow)]
    for fast in fast_ones:
        yield replace(change, events=tuple(in_time(item) if at in fast else item for at, item in enumerate(change.events)))


def in_time(item: ConsumerItem) -> ConsumerItem:
    """The same, but consumers are back before the others have joined."""
    return item if isinstance(item, Then) else item.back_before_others()


def _ids_of_passing(everyone: Sequence[Stay], names: Names) -> Iterator[Mapping[int, str]]:
    """IDs for those that come and are gone again, by their numbers among those that join: one for each rank."""
    ids = {
        place: one.member_id if one.joined is None else names.get(one.member_id, one.member_id)
        for place, one in enumerate(everyone)
        if not one.passes
    }
    passing = [place for place, one in enumerate(everyone) if one.passes]
    before = sum(one.joined is None for one in everyone)
    for found in _ranked(everyone, passing, ids):
        yield {place - before: found[place] for place in passing}


def _ranked(everyone: Sequence[Stay], passing: Sequence[int], ids: Mapping[int, str]) -> Iterator[Mapping[int, str]]:
    if not passing:
        yield ids
        return
    first, *others = passing
    member = everyone[first].member
    there = [Member(ids[place], (), ()) for place, one in enumerate(everyone) if place in ids and one.meets(everyone[first])]
    prefix = member.group_instance_id or member.client_id
    for rank in new_id_ranks(Member("", (), (), client_id=prefix or ""), there):
        yield from _ranked(everyone, others, {**ids, first: rank.member_id})


def named(change: ConsumerChange, names: Names, meanwhile: Mapping[int, str]) -> ConsumerChange:
    """The change with other IDs for those who join in it. `meanwhile`: of those that are gone again, by their numbers among those
    that join, from 0. Members that were there before keep theirs, also if another joins under it."""
    now: dict[str, str] = {}
    numbers = count()

    def joins(member_id: str) -> str:
        now[member_id] = meanwhile.get(next(numbers)) or names.get(member_id, member_id)
        return now[member_id]

    def known(member_id: str) -> str:
        return now.get(member_id, member_id)

    return ConsumerChange(tuple(item if isinstance(item, Then) else item.with_ids(known, joins) for item in change.events))
