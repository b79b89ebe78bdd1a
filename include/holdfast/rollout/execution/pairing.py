"""Which consumer that was found may be which of a forecast's, where member IDs are made at each start: for every kind of consumer
group."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, permutations
from typing import NamedTuple

MOST_IN_ANY_ORDER = 4
MOST_PAIRINGS = 24
"""Of the new consumers with those of the plan, where nothing distinguishes them."""


class Comer(NamedTuple):
    """A consumer that joins, or has joined, and what distinguishes it. `instance_id` None: it is dynamic."""

    member_id: str
    instance_id: str | None
    subscription: frozenset[str]
    host: str | None
    client_id: str


def pairings(wanted: Sequence[Comer], arrived: Sequence[Comer]) -> list[Mapping[str, str]] | None:
    """As many of both: from the forecast's IDs to the real ones, the likeliest first. None: static ones came under other
    instance IDs."""
    static, dynamic = _by_instance(wanted, arrived)
    if static is None:
        return None
    waiting = [one for one in wanted if one.member_id not in static]
    return [
        static | {one.member_id: real.member_id for one, real in zip(waiting, order, strict=True)}
        for order in orders(waiting, sorted(dynamic))
    ]


def alike(wanted: Sequence[Comer], arrived: Sequence[Comer], names: Mapping[str, str]) -> int:
    """How much speaks for a pairing of all of them."""
    real = {one.member_id: one for one in arrived}
    return _alike(wanted, [real[names[one.member_id]] for one in wanted])


def orders(waiting: Sequence[Comer], dynamic: Sequence[Comer]) -> list[Sequence[Comer]]:
    """Those that were found, in the order of those that they may be: all such orders, and one more than MOST_PAIRINGS at most."""
    if len(dynamic) <= MOST_IN_ANY_ORDER:
        ranked = sorted(permutations(dynamic), key=lambda order: -_alike(waiting, order))
        return [order for order in ranked if _alike(waiting, order) == _alike(waiting, ranked[0])]
    found: list[Comer] = []
    left: dict[object, list[Comer]] = {}
    for one in dynamic:
        left.setdefault(_looks(one), []).append(one)
    for one in waiting:
        looks = max(left, key=partial(_alike_any, one, left))
        found.append(left[looks].pop(0))
        if not left[looks]:
            del left[looks]
    places: dict[object, list[int]] = {}
    for place, one in enumerate(found):
        places.setdefault(_looks(one), []).append(place)
    return list(islice(_swapped(found, list(places.values())), MOST_PAIRINGS + 1))


def _alike_any(wanted: Comer, by_looks: Mapping[object, Sequence[Comer]], looks: object) -> int:
    return _alike([wanted], by_looks[looks][:1])


def _looks(one: Comer) -> tuple[frozenset[str], str | None, str]:
    """What distinguishes a member, but for its ID."""
    return one.subscription, one.host, one.client_id


def _swapped(found: Sequence[Comer], alike: Sequence[Sequence[int]]) -> Iterator[Sequence[Comer]]:
    """In all orders of those that look alike."""
    if not alike:
        yield found
        return
    first, *others = alike
    for order in permutations(first):
        to = dict(zip(first, order, strict=True))
        yield from _swapped([found[to.get(place, place)] for place in range(len(found))], others)


def _by_instance(wanted: Sequence[Comer], arrived: Sequence[Comer]) -> tuple[dict[str, str] | None, list[Comer]]:
    """Static ones are known by their instance IDs: from the forecast's IDs to the real ones, and who is left. None: others came."""
    real = {one.instance_id: one.member_id for one in arrived if one.instance_id is not None}
    static = [one for one in wanted if one.instance_id is not None]
    names = {one.member_id: real[one.instance_id] for one in static if one.instance_id in real}
    if not len(real) == len(static) == len(names):
        return None, []
    return names, [one for one in arrived if one.instance_id is None]


def _alike(wanted: Sequence[Comer], found: Sequence[Comer]) -> int:
    """How much speaks for these being those."""
    return sum(
        4 * (one.subscription == real.subscription)
        + 2 * (one.host is not None and one.host == real.host)
        + (one.client_id == real.client_id)
        for one, real in zip(wanted, found, strict=True)
    )
