"""Task placement, before and after: the chart of a plan's page, for stateful tasks and for partitions.

Owners are in the order in which Kafka assigns to them, because that order is what decides. A thing is marked by why it
moves: its owner goes (`leaves`), or its owner stays and it moves all the same (`collateral`).
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from holdfast.rollout.text.format import many

MOST_ROWS = 48
MOST_CHIPS = 96
MOST_NAMED = 10
STAYS, LEAVES, COLLATERAL = "stays", "leaves", "collateral"
_KINDS = (STAYS, LEAVES, COLLATERAL)
_A_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_A_SHIFT = 0.6
"""The share of what moves that goes equally far, from which on it is called a shift."""
_A_FEW = 4
"""Up to this number of owners, a change is not called a reshuffle."""


@dataclass(frozen=True, slots=True)
class Words:
    """What things and owners are called. `order`: what the owners are ordered by."""

    thing: str
    owner: str
    order: str


@dataclass(frozen=True, slots=True)
class Placement:
    """Who has what, `before` and `after`: owners by things, things in order. `now` and `then`: the owners that there are, and
    `order`: all of them, each in Kafka's order. `names`: what owners are called; `back`: those that come back under their own ID;
    `anew`: those that come back under another ID, by which they are known here. `at`: the rank of an ID among all, 0 to 1000."""

    words: Words
    before: Mapping[str, str]
    after: Mapping[str, str]
    now: tuple[str, ...]
    then: tuple[str, ...]
    order: tuple[str, ...]
    names: Mapping[str, str]
    back: frozenset[str] = frozenset()
    anew: frozenset[str] = frozenset()
    at: Mapping[str, int] = field(default_factory=dict)

    def how(self, thing: str) -> str:
        before, after = self.before.get(thing), self.after[thing]
        if before == after:
            return STAYS
        return COLLATERAL if before in self.now and before in self.then and before not in self.anew else LEAVES


@dataclass(frozen=True, slots=True)
class Chip:
    """A thing in one column. `how`: `stays`, `leaves` or `collateral`; `other`: who has it in the other column."""

    thing: str
    how: str
    other: str


@dataclass(frozen=True, slots=True)
class OwnedThing:
    """A thing and who has it, before and after, by name; `before` and `after` are empty where it has no owner."""

    thing: str
    before: str
    after: str
    how: str


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """`place_now` and `place_then` count from 1, None where it is not there. `at` None: no matter.
    `more_now`, `more_then`: things that are not drawn."""

    id: str
    name: str
    place_now: int | None
    place_then: int | None
    at: int | None
    fate: str
    now: tuple[Chip, ...]
    then: tuple[Chip, ...]
    more_now: int
    more_then: int
    count_now: int
    count_then: int

    @property
    def short(self) -> str:
        return _short(self.id)


@dataclass(frozen=True, slots=True)
class Picture:
    """`rows`: all owners where they are few, else those of which something moves. `says`: what the hops show, in words.

    `hops`: (place now of the owner, places that things of it go, how many of them, how as 0, 1 or 2), for a chart.
    `names`: the owners that there are now, in order.
    """

    name: str
    title: str
    words: Words
    moved: int
    collateral: int
    total: int
    owners: int
    rows: tuple[OwnerRow, ...]
    hidden: int
    names: tuple[str, ...]
    dense: bool
    """From this number of things an owner on, squares have no name."""
    hops: tuple[tuple[int, int, int, int], ...]
    says: str
    things: tuple["OwnedThing", ...] = ()


def picture(name: str, title: str, placement: Placement) -> Picture:
    how = {thing: placement.how(thing) for thing in placement.after}
    rows = tuple(_rows(placement, how))
    drawn = rows if len(rows) <= MOST_ROWS else tuple(row for row in rows if _is_telling(row))[:MOST_ROWS]
    hops = _hops(placement, how)
    counts = Counter(how.values())
    return Picture(
        name=name,
        title=title,
        words=placement.words,
        moved=counts[LEAVES] + counts[COLLATERAL],
        collateral=counts[COLLATERAL],
        total=len(placement.before.keys() | placement.after.keys()),
        owners=len(rows),
        rows=drawn,
        hidden=len(rows) - len(drawn),
        names=tuple(f"{placement.names[one]} ({_short(one)})" for one in placement.now),
        dense=any(max(row.count_now, row.count_then) > MOST_NAMED for row in rows),
        hops=tuple((place, hop, count, _KINDS.index(kind)) for (place, hop, kind), count in sorted(hops.items())),
        says=_text(placement, how, hops),
        things=_things(placement, how),
    )


def _things(placement: Placement, how: Mapping[str, str]) -> tuple[OwnedThing, ...]:
    """In their order; those without an owner in the end are last."""
    called = {one: f"{name} ({_short(one)})" for one, name in placement.names.items()}
    gone = [thing for thing in placement.before if thing not in placement.after]
    return tuple(
        OwnedThing(
            thing,
            called.get(placement.before.get(thing, ""), ""),
            called.get(placement.after.get(thing, ""), ""),
            how.get(thing, LEAVES),
        )
        for thing in (*placement.after, *gone)
    )


def _is_telling(row: OwnerRow) -> bool:
    return row.fate != "stays" or any(chip.how != STAYS for chip in (*row.now, *row.then)) or row.count_now != row.count_then


# How far things go.

_Hops = Counter[tuple[int, int, str]]


def _hops(placement: Placement, how: Mapping[str, str]) -> _Hops:
    """By place now, how many places among those that are there in the end, and why. The neighbours of one that goes are one place
    away from where it was."""
    rank = {one: number for number, one in enumerate(placement.order)}
    place_now = {one: number for number, one in enumerate(placement.now, start=1)}
    place_then = {one: number for number, one in enumerate(placement.then)}
    ranks = [rank[one] for one in placement.then]
    found: _Hops = Counter()
    for thing, kind in how.items():
        before, after = placement.before.get(thing), placement.after[thing]
        if before is None:
            continue
        hop = 0
        if kind != STAYS:
            here = bisect_left(ranks, rank[before])
            beyond = before not in place_then and place_then[after] >= here
            hop = place_then[after] - here + beyond
        found[place_now[before], hop, kind] += 1
    return found


def _text(placement: Placement, how: Mapping[str, str], hops: _Hops) -> str:
    """`3,568 of 4,000 stateful tasks move, … All move to the next client in process-ID order: the order shifts by one.`"""
    words, total = placement.words, len(placement.before.keys() | placement.after.keys())
    counts = Counter(how.values())
    moved = counts[LEAVES] + counts[COLLATERAL]
    if not moved:
        return f"No {words.thing} moves."
    leaving = f"{counts[LEAVES]:,} whose {words.owner} leaves"
    collateral = f"{counts[COLLATERAL]:,} collateral (the {words.owner} stays)"
    reasons = " and ".join(text for text, kind in ((leaving, LEAVES), (collateral, COLLATERAL)) if counts[kind])
    first = f"{moved:,} of {many(total, words.thing)} {'moves' if moved == 1 else 'move'}: {reasons}."
    far: Counter[int] = Counter()
    for (_, hop, kind), count in hops.items():
        if kind != STAYS:
            far[hop] += count
    if not counts[COLLATERAL] or not far:
        return first
    (hop, most), *_ = sorted(far.items(), key=lambda one: (-one[1], abs(one[0])))
    if most < _A_SHIFT * moved or most == 1:
        owners = len({owner for thing, owner in placement.after.items() if how[thing] != STAYS})
        reshuffle = " at many ranks: a reshuffle" if owners > _A_FEW else ""
        return f"{first} They move to {many(owners, words.owner)}{reshuffle}."
    moving = "All move" if most == moved else f"{most:,} of them move"
    neighbour = f"the {'next' if hop > 0 else 'previous'} {words.owner}"
    where = (
        f"to {neighbour} in {words.order.replace(' ', '-')} order"
        if abs(hop) == 1
        else f"by {hop:+d} ranks in {words.order.replace(' ', '-')} order"
    )
    return f"{first} {moving} {where}: the order shifts{' by one' if abs(hop) == 1 else ''}."


# The table.


def _rows(placement: Placement, how: Mapping[str, str]) -> Iterator[OwnerRow]:
    place_now = {one: number for number, one in enumerate(placement.now, start=1)}
    place_then = {one: number for number, one in enumerate(placement.then, start=1)}
    had, has = _by_owner(placement.before), _by_owner(placement.after)
    called = {one: f"{name} ({_short(one)})" for one, name in placement.names.items()}
    for one in placement.order:
        mine, new = had.get(one, ()), has.get(one, ())
        old_chips = tuple(Chip(thing, how.get(thing, LEAVES), called.get(placement.after.get(thing, ""), "")) for thing in mine)
        new_chips = tuple(Chip(thing, how[thing], called.get(placement.before.get(thing, ""), "none")) for thing in new)
        yield OwnerRow(
            id=one,
            name=placement.names[one],
            place_now=place_now.get(one),
            place_then=place_then.get(one),
            at=placement.at.get(one),
            fate=_fate(placement, one, place_now, place_then),
            now=old_chips[:MOST_CHIPS],
            then=new_chips[:MOST_CHIPS],
            more_now=max(0, len(old_chips) - MOST_CHIPS),
            more_then=max(0, len(new_chips) - MOST_CHIPS),
            count_now=len(old_chips),
            count_then=len(new_chips),
        )


def _fate(placement: Placement, one: str, now: Mapping[str, int], then: Mapping[str, int]) -> str:
    if one not in then:
        return "goes"
    if one not in now:
        return "comes"
    return "anew" if one in placement.anew else "returns" if one in placement.back else "stays"


def _by_owner(owners: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for thing, owner in owners.items():
        found.setdefault(owner, []).append(thing)
    return {owner: tuple(things) for owner, things in found.items()}


def _short(one: str) -> str:
    """Enough of an ID to distinguish it from others."""
    most = 8 if _A_UUID.fullmatch(one) else 20
    return one if len(one) <= most else f"{one[:most]}…"
