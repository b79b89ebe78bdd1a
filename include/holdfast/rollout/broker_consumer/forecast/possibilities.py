"""Random member IDs: every start makes a new one. Where few positions are possible each is forecast, else draws stand for all.

`range` goes by nothing but the order of the IDs: of k new ones next to m there are (m+1)(m+2)…(m+k) orders, each with a
probability that follows from the gaps between the known IDs. `uniform` goes by the order of the coordinator's tables: of one new ID
it is the bucket and the slot that it falls into. For several new ones, and where both assignors take part, IDs are drawn.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from holdfast.kafka import java, java_hash
from holdfast.kafka.coordinator.consumer.group import Assignor, MemberType
from holdfast.kafka.coordinator.member_table import MemberTable
from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import new_consumer
from holdfast.rollout.broker_consumer.events.set_assignor import SetAssignor
from holdfast.rollout.broker_consumer.forecast.course import Ground
from holdfast.rollout.contract.batches import FromOld, Then
from holdfast.rollout.coordinated import chance

MOST, FEWEST = 300, 20
USUAL_WORK = 200_000
"""Partitions and members that all possibilities of a forecast may look at together."""
_LETTERS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
"""Those of member IDs, in Java's order."""
_IN_ORDER = [java.string_order(one) for one in _LETTERS]
_LENGTH = 22
_FIRST, _END = len(_LETTERS) ** (_LENGTH - 1), len(_LETTERS) ** _LENGTH
"""Member IDs as numbers: none begins with a dash."""
_TRIES_PER_CLASS = 40


@dataclass(frozen=True, slots=True)
class Possibility:
    """The change with an ID for each consumer that it starts."""

    change: GroupChange
    probability: float


@dataclass(frozen=True, slots=True)
class Possibilities:
    """`exhaustive`: whatever the IDs, what follows is one of them."""

    each: tuple[Possibility, ...]
    exhaustive: bool


def possibilities(ground: Ground, change: GroupChange, times: int, at_most: int | None = None) -> Possibilities:
    """`times`: the factor by which more than the usual work is allowed. `at_most`: where no more than these are wanted."""
    opened = tuple(index for index, item in enumerate(change.events) if _open(item))
    if not opened:
        return Possibilities((Possibility(change, 1.0),), exhaustive=True)
    most = _most(ground, change, times) if at_most is None else at_most
    last = _joins_classic(ground, change)
    decisive = tuple(index for index in opened if index not in last and not _is_static(ground, change.events[index]))
    found = _enumerated(ground, change, decisive, most)
    if found is None:
        count = max(FEWEST, most) if at_most is None else most
        drawn = tuple(Possibility(_with_ids(ground, change, opened, {}, number), 1 / count) for number in range(count))
        return Possibilities(drawn, exhaustive=False)
    each = tuple(Possibility(_with_ids(ground, change, opened, ids, 0), probability) for ids, probability in found)
    return Possibilities(each, exhaustive=True)


def _open(item: Item) -> bool:
    comes = item.comes() if isinstance(item, ConsumerEvent) else None
    return comes is not None and comes.consumer.member_id is None


def _is_static(ground: Ground, item: Item) -> bool:
    comes = item.comes() if isinstance(item, ConsumerEvent) else None
    if comes is None:
        return False
    old = next((one for one in ground.group.members if one.member_id == comes.old), None)
    return new_consumer.made(comes.consumer, old).instance_id is not None


def _most(ground: Ground, change: GroupChange, times: int) -> int:
    partitions = sum(one.partitions for one in ground.group.topics)
    of_one = (partitions + len(ground.group.members)) * (len(change.events) + 1)
    return min(MOST, times * USUAL_WORK // max(1, of_one))


_Ids = Mapping[int, str]
"""By the index of the event."""


def _enumerated(ground: Ground, change: GroupChange, opened: Sequence[int], most: int) -> list[tuple[_Ids, float]] | None:
    """Every possibility, with its probability. None: they are too many, or unknown."""
    assignors = {ground.group.assignor} | {one.assignor for one in change.statements() if isinstance(one, SetAssignor)}
    if not opened and assignors == {Assignor.RANGE}:
        return [({}, 1.0)]
    if assignors == {Assignor.RANGE}:
        return _by_rank(ground, change, opened, most)
    if assignors == {Assignor.UNIFORM} and _all_open(change) == 1:
        index = next(index for index, item in enumerate(change.events) if _open(item))
        return _by_place(ground, change, index, most)
    return None


def _all_open(change: GroupChange) -> int:
    return sum(map(_open, change.events))


# `range`: the order of the IDs.


def _by_rank(ground: Ground, change: GroupChange, opened: Sequence[int], most: int) -> list[tuple[_Ids, float]] | None:
    ids = {one.member_id for one in ground.group.members if one.instance_id is None}
    ids |= {comes.consumer.member_id for comes in change.starts() if comes.consumer.member_id is not None}
    if math.prod(len(ids) + 1 + number for number in range(len(opened))) > most:
        return None
    edges = [_FIRST, *(one for one in sorted(set(map(_number, ids))) if _FIRST <= one < _END), _END]
    gaps = [(low, high) for low, high in pairwise(edges) if high - low > 2 * len(opened) + 1]
    return [(dict(zip(opened, ids, strict=True)), probability) for ids, probability in _orders(gaps, len(opened))]


def _orders(gaps: list[tuple[int, int]], count: int) -> Iterator[tuple[tuple[str, ...], float]]:
    """IDs in every order that `count` new ones can have among the known ones."""
    space = sum(high - low for low, high in gaps)
    for chosen in _choices(len(gaps), count):
        ids: dict[int, str] = {}
        probability = 1.0
        for gap, inside in enumerate(chosen):
            low, high = gaps[gap]
            probability *= ((high - low) / space) ** len(inside) / math.factorial(len(inside))
            step = (high - low) // (len(inside) + 1)
            ids |= {one: _text(low + step * (rank + 1)) for rank, one in enumerate(inside)}
        yield tuple(ids[number] for number in range(count)), probability


def _choices(gaps: int, count: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Which of the new ones are in each gap, in which order."""
    found: list[tuple[tuple[int, ...], ...]] = [((),) * gaps]
    for number in range(count):
        found = [
            (*each[:gap], (*each[gap][:rank], number, *each[gap][rank:]), *each[gap + 1 :])
            for each in found
            for gap in range(gaps)
            for rank in range(len(each[gap]) + 1)
        ]
    yield from found


def _number(member_id: str) -> int:
    """How many texts of that many letters come before it, as Java compares text. Members of the classic protocol have IDs with
    other characters, too."""
    found = 0
    for place in range(_LENGTH):
        found *= len(_LETTERS)
        if place < len(member_id):
            found += bisect_left(_IN_ORDER, java.string_order(member_id[place]))
            if member_id[place] not in _LETTERS:
                return found * int(len(_LETTERS) ** (_LENGTH - 1 - place))
    return found


def _text(number: int) -> str:
    letters = []
    for _ in range(_LENGTH):
        number, letter = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return "".join(reversed(letters))


# `uniform`: bucket and slot.


def _by_place(ground: Ground, change: GroupChange, index: int, most: int) -> list[tuple[_Ids, float]] | None:
    """Of one new ID. The tables are taken as large as they can become: in a larger one fewer IDs are alike."""
    entries = len(ground.group.members) + len(change.starts()) + 1
    buckets = 16
    while entries > buckets * 3 // 4:
        buckets *= 2
    bits = MemberTable.bits_for(entries + 1)
    classes = buckets << bits
    if classes > most:
        return None
    found: dict[tuple[int, int], tuple[str, int]] = {}
    tries = classes * _TRIES_PER_CLASS
    for number in range(tries):
        member_id = chance.member_id(ground.group.release, index, number)
        key = java_hash.bits_of(java.string_hash(member_id)) & (buckets - 1), MemberTable.slot_of(member_id, bits)
        first, count = found.get(key, (member_id, 0))
        found[key] = first, count + 1
    if len(found) < classes:
        return None
    return [({index: member_id}, count / tries) for member_id, count in found.values()]


# The change with these IDs.


def _with_ids(ground: Ground, change: GroupChange, opened: Sequence[int], ids: _Ids, number: int) -> GroupChange:
    """`ids`: of some events; those of the others that are open are drawn."""
    last = _joins_classic(ground, change)
    events = list(change.events)
    for index in opened:
        item = events[index]
        if isinstance(item, ConsumerEvent):
            drawn = chance.member_id(ground.snapshot.group_id, number, index)
            client = last.get(index)
            events[index] = item.drawn(ids.get(index) or (drawn if client is None else f"{client}-{drawn}"))
    return replace(change, events=tuple(events))


def _joins_classic(ground: Ground, change: GroupChange) -> dict[int, str]:
    """The events, by their index, whose consumer joins a group that has become classic by it, with its client ID: a classic group
    makes the member ID of it (`ClassicGroup.generateMemberId`)."""
    clients = {one.member_id: one.client_id for one in ground.snapshot.members}
    consumers = {one.member_id for one in ground.group.members if not one.classic}
    found: dict[int, str] = {}
    for index, item in enumerate(change.events):
        if isinstance(item, Then):
            continue
        old, comes, before = item.stops() or "", item.comes(), len(consumers)
        inherits = MemberType.CONSUMER if old in consumers else MemberType.CLASSIC
        consumers.discard(old)
        if comes is None:
            continue
        given = item.converts_to() or comes.consumer.member_type
        if (inherits if isinstance(given, FromOld) else given) is MemberType.CONSUMER:
            consumers.add(comes.consumer.member_id or str(index))
        elif before and not consumers:
            client = comes.consumer.client_id
            found[index] = clients.get(old, "") if isinstance(client, FromOld) else client
    return found
