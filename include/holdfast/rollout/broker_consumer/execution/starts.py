"""The consumers that started since a plan was made, with the member IDs that they really got.

Every start makes a new member ID. Which of those that are there is which consumer of the plan shows by its instance ID, its host,
its client.id and its subscription; where that leaves several pairings, each is a change of its own. So is how fast a consumer was:
one that restarts may be back before the coordinator has computed a target without it.

Where that is more than can be compared, what a run noted of the starts narrows it down. Only courses that are possible without it
too are left: it cannot make anything fit that did not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product

from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.events.convert_consumer import Restarting
from holdfast.rollout.broker_consumer.events.event import Coming
from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import FromOld, Then
from holdfast.rollout.contract.group_state import EMPTY
from holdfast.rollout.execution import pairing
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.execution.pairing import MOST_PAIRINGS, Comer
from holdfast.rollout.facts.differences import Difference, Differs
from holdfast.rollout.journal.started import Started

MOST_FAST = 7
"""Restarts of which each may have been fast or not: the courses are two to the power of them."""
LEAST_COURSES, MOST_COURSES = 24, 200
MOST_WORK = 200_000
"""Courses, times the members and partitions of each."""
Noted = Mapping[int, Started]
"""What a run noted of starts, by the number of their event in the change."""
NOTHING_NOTED: Noted = {}
Pairings = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Courses:
    """`changes`: with the IDs that consumers got, the likeliest first. `all_of_them`: whether no other is possible. `trouble`: why
    there is none, as what differs; `waiting`: consumers are missing only."""

    changes: tuple[GroupChange, ...] = ()
    all_of_them: bool = True
    trouble: Difference | None = None
    waiting: bool = False


def courses(
    basis: BrokerConsumerSnapshot, change: GroupChange, fresh: BrokerConsumerSnapshot, noted: Noted = NOTHING_NOTED
) -> Courses:
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
    quick = dict.fromkeys(_quick(basis, change))
    whole = _courses(change, paired, quick, most)
    if not whole.all_of_them and (held := _possible(noted, wanted, arrived, paired)) is not None:
        narrowed = _courses(change, held, quick | {index: one.fast for index, one in noted.items() if index in quick}, most)
        whole = Courses((*narrowed.changes, *whole.changes), narrowed.all_of_them)
    return replace(whole, all_of_them=whole.all_of_them and len(lasting) == len(starts))


def _coming(item: Item) -> Coming | None:
    return None if isinstance(item, Then) else item.comes()


def _courses(change: GroupChange, paired: Pairings, quick: Mapping[int, bool | None], most: int) -> Courses:
    """`quick`: the restarts that may have been fast, and whether they were (None: unknown)."""
    found = tuple(islice(_each(change, paired, quick), most + 1))
    unknown = sum(one is None for one in quick.values())
    return Courses(found[:most], len(paired) <= MOST_PAIRINGS and unknown <= MOST_FAST and len(found) <= most)


def _possible(noted: Noted, wanted: Sequence[Comer], arrived: Sequence[Comer], paired: Pairings) -> Pairings | None:
    """The pairings with those that were noted. None: there are none, or others are likelier."""
    there = {one.member_id for one in arrived if one.instance_id is None}
    dynamic = [one.member_id for one in wanted if one.instance_id is None]
    names = {one: noted[int(one)].member_id for one in dynamic if int(one) in noted and noted[int(one)].member_id in there}
    if len(set(names.values())) < len(names):
        return None
    others = [one for one in wanted if one.member_id not in names]
    left = pairing.pairings(others, [one for one in arrived if one.member_id not in names.values()])
    found = [{**names, **one} for one in left or ()]
    if not names or not found:
        return None
    alike = partial(pairing.alike, wanted, arrived)
    return found if alike(found[0]) >= alike(paired[0]) else None


def _each(change: GroupChange, paired: Pairings, quick: Mapping[int, bool | None]) -> Iterator[GroupChange]:
    surely = {index for index, is_fast in quick.items() if is_fast}
    unknown = [index for index, is_fast in quick.items() if is_fast is None]
    for fast in product((False, True), repeat=len(unknown) if len(unknown) <= MOST_FAST else 0):
        at_once = surely | {index for index, is_fast in zip(unknown, fast, strict=False) if is_fast}
        for names in paired[:MOST_PAIRINGS]:
            events = (_named(item, names.get(str(index)), index in at_once) for index, item in enumerate(change.events))
            yield replace(change, events=tuple(events))


def _named(item: Item, member_id: str | None, fast: bool) -> Item:
    if isinstance(item, Then) or member_id is None:
        return item
    found = item.drawn(member_id)
    return replace(found, within_interval=True) if fast and isinstance(found, Restarting) else found


def noted(steps: Sequence[AnyStep], started: Iterable[Started], after: str = "") -> Noted:
    """What was noted of the steps after the wait `after` (empty: of all), each of which is an event or a wait."""
    ids = [one.id for one in steps]
    first = ids.index(after) + 1 if after else 0
    places = {step: place for place, step in enumerate(ids[first:])}
    return {places[one.step]: one for one in started if one.step in places}


def to_note(steps: Sequence[AnyStep], change: GroupChange, after: str, known: Noted) -> tuple[Started, ...]:
    """What to note of a course that the group agrees with, but for what is known."""
    first = [one.id for one in steps].index(after) + 1 if after else 0
    found = []
    for place, item in enumerate(change.events):
        if (comes := _coming(item)) is not None and isinstance(comes.consumer.member_id, str):
            fast = isinstance(item, Restarting) and item.within_interval
            one = Started(steps[first + place].id, comes.consumer.member_id, fast)
            found += [one] if known.get(place) != one else []
    return tuple(found)


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
