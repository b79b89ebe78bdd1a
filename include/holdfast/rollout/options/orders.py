"""The orders of the restarts of a roll, of which an option looks for the best. For groups whose broker assigns."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import islice, permutations
from typing import TypeVar

from holdfast.rollout.json.codec import COUNT, nullable
from holdfast.rollout.json.record import member, record
from holdfast.rollout.text.format import many

R = TypeVar("R")
MOST_ORDERS = 24
"""Up to this number of orders are forecast, each with one draw of new IDs: where they differ, what restarts first decides it."""
ORDERS_WORK = 200_000
"""Tasks (partitions) and members that the forecasts of all orders may look at together."""
MANY = 1_000_000


@record
class OrdersTried:
    """How many orders of the clients were forecast to find this one, of how many there are (None: over a million)."""

    tried: int = member(COUNT)
    of: int | None = member(nullable(COUNT), "Null: over a million.")

    def __str__(self) -> str:
        of = "over a million" if self.of is None else f"{self.of:,}"
        return f"{many(self.tried, 'order')} (of {of})"


def tried(count: int, restarts: int) -> OrdersTried:
    possible = math.factorial(restarts) if restarts < 11 else MANY + 1
    return OrdersTried(count, possible if possible <= MANY else None)


def most_orders(work_of_one: int) -> int:
    """How many are tried. `work_of_one`: the tasks (partitions) and members that one forecast looks at."""
    return min(MOST_ORDERS, ORDERS_WORK // max(1, work_of_one))


def orders(restarts: tuple[R, ...], name: Callable[[R], Hashable]) -> Iterator[tuple[R, ...]]:
    """The order as it was asked for first, then its reverse; then all others where they are few, else each put first."""
    seen = {tuple(map(name, restarts))}
    yield restarts
    few = math.factorial(min(len(restarts), 6)) <= MOST_ORDERS
    others = permutations(restarts) if few else (_from(restarts, number) for number in range(1, len(restarts)))
    for order in (restarts[::-1], *others):
        key = tuple(map(name, order))
        if key not in seen:
            seen.add(key)
            yield tuple(order)


def _from(restarts: Sequence[R], number: int) -> tuple[R, ...]:
    """Beginning with that one, and round."""
    return (*restarts[number:], *restarts[:number])


def best(
    restarts: tuple[R, ...], name: Callable[[R], Hashable], work_of_one: int, costs: Callable[[tuple[R, ...]], tuple[int, ...]]
) -> tuple[tuple[R, ...], OrdersTried] | None:
    """The order with the least costs of those that are tried, the first of them. None: the group is too large to try two."""
    found = tuple(islice(orders(restarts, name), most_orders(work_of_one)))
    return None if len(found) < 2 else (min(found, key=costs), tried(len(found), len(restarts)))
