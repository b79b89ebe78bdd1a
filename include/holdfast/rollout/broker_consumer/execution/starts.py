"""The consumers that started since a plan was made, with the member IDs that they really got.

Every start makes a new member ID. Which of those that are there is which consumer of the plan shows by its instance ID, its host,
its client.id and its subscription; where that leaves several pairings, each is a change of its own. So is how fast a consumer was:
one that restarts may be back before the coordinator has computed a target without it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.events.event import Coming
from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import FromOld, Then
from holdfast.rollout.contract.group_state import EMPTY
from holdfast.rollout.execution import pairing
from holdfast.rollout.execution.pairing import MOST_PAIRINGS, Comer
from holdfast.rollout.facts.differences import Difference, Differs

MOST_FAST = 7
"""Restarts of which each may have been fast or not: the courses are two to the power of them."""
LEAST_COURSES, MOST_COURSES = 24, 200
MOST_WORK = 200_000
"""Courses, times the members and partitions of each."""


@dataclass(frozen=True, slots=True)
class Courses:
    """`changes`: with the IDs that consumers got, the likeliest first. `all_of_them`: whether no other is possible. `trouble`: why
    there is none, as what differs; `waiting`: consumers are missing only."""

    changes: tuple[GroupChange, ...] = ()
    all_of_them: bool = True
    trouble: Difference | None = None
    waiting: bool = False


def courses(basis: BrokerConsumerSnapshot, change: GroupChange, fresh: BrokerConsumerSnapshot) -> Courses:
    """What the change may have been for the members that are there now."""
    before = {one.member_id: one for one in basis.members}
    ends = {name for item in change.statements() if (name := item.stops()) is not None}
    known = before.keys() - ends
    present = {one.member_id: one for one in fresh.members}
    if left := tuple(sorted(known - present.keys())):
        return Courses(trouble=Difference(Differs.LEFT, expected=left))
    starts = [(index, comes) for index, item in enumerate(change.events) if (comes := _coming(item)) is not None]
    lasting = [(index, comes) for index, comes in starts if comes.consumer.member_id not in ends or not comes.consumer.member_id]
    wanted = [_comer(str(index), comes, before) for index, comes in lasting]
    arrived = [_found(one) for name, one in present.items() if name not in known and name not in ends]
    still = tuple(sorted(ends & present.keys()))
    if still or len(arrived) != len(wanted):
        joined = Difference(Differs.CONSUMERS, found=still, count=len(arrived), most=len(wanted))
        return Courses(trouble=joined, waiting=bool(still) or len(arrived) < len(wanted))
    paired = pairing.pairings(wanted, arrived)
    if paired is None:
        return Courses(trouble=Difference(Differs.INSTANCE_IDS))
    size = len(fresh.members) + sum(len(one.partitions) for one in fresh.topics)
    most = max(LEAST_COURSES, min(MOST_COURSES, MOST_WORK // (size or 1)))
    found = tuple(islice(_each(basis, change, paired), most + 1))
    few = len(paired) <= MOST_PAIRINGS and len(_quick(basis, change)) <= MOST_FAST and len(lasting) == len(starts)
    return Courses(found[:most], few and len(found) <= most)


def _coming(item: Item) -> Coming | None:
    return None if isinstance(item, Then) else item.comes()


def _each(basis: BrokerConsumerSnapshot, change: GroupChange, paired: Sequence[Mapping[str, str]]) -> Iterator[GroupChange]:
    quick = _quick(basis, change)
    for fast in product((False, True), repeat=len(quick) if len(quick) <= MOST_FAST else 0):
        at_once = {index for index, is_fast in zip(quick, fast, strict=False) if is_fast}
        for names in paired[:MOST_PAIRINGS]:
            events = (_named(item, names.get(str(index)), index in at_once) for index, item in enumerate(change.events))
            yield replace(change, events=tuple(events))


def _named(item: Item, member_id: str | None, fast: bool) -> Item:
    if isinstance(item, Then) or member_id is None:
        return item
    found = item.drawn(member_id)
    return replace(found, within_interval=True) if fast and isinstance(found, RestartConsumer) else found


def _quick(basis: BrokerConsumerSnapshot, change: GroupChange) -> list[int]:
    """The restarts, by their index, of consumers that leave and may be back before the next target."""
    static = {one.member_id for one in basis.members if one.instance_id is not None}
    return [
        index
        for index, item in enumerate(change.events)
        if not isinstance(item, Then)
        and item.restarts()
        and not (item.crashes() or item.in_interval() or item.leaves_as_static())
        and item.stops() not in static
    ]


def _comer(name: str, comes: Coming, before: Mapping[str, BrokerConsumer]) -> Comer:
    """With what it takes over from the consumer in whose place it comes."""
    old, new = before.get(comes.old or ""), comes.consumer
    like = old or BrokerConsumer("")
    return Comer(
        name,
        like.instance_id if isinstance(new.instance_id, FromOld) else new.instance_id,
        frozenset(like.subscription if isinstance(new.subscription, FromOld) else new.subscription),
        _host(new, like),
        like.client_id if isinstance(new.client_id, FromOld) else new.client_id,
    )


def _host(new: NewConsumer, like: BrokerConsumer) -> str | None:
    return like.host if isinstance(new.host, FromOld) else new.host


def _found(one: BrokerConsumer) -> Comer:
    return Comer(one.member_id, one.instance_id, frozenset(one.subscription), one.host, one.client_id)


def without_members(basis: BrokerConsumerSnapshot, items: Sequence[Item], fresh: BrokerConsumerSnapshot) -> bool:
    """Whether these events leave no consumer of the group, and it has none."""
    if fresh.group_state != EMPTY or fresh.members:
        return False
    there = len(basis.members)
    for item in items:
        if not isinstance(item, Then):
            there += (item.comes() is not None) - (item.stops() is not None)
    return not there
