"""The orders in which a coordinator may have gone through the members of a group whose broker assigns, by what the records show."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice, permutations, product

from holdfast.kafka.coordinator.member_table import MemberTable

MOST_ORDERS = 64
"""Orders of the members that are tried."""


def orders(joined: Sequence[str], *, newcomer: bool, most: int, unknown: Collection[str] | None) -> Iterator[tuple[str, ...]]:
    """`joined`: the members, the first to join first; `newcomer`: the last of them computed the target with its own first
    heartbeat. `most`: how many there were at once, by the records. `unknown`: those whose records were written again, or of before
    the log begins, which joined at any time; None: all joined in that order."""
    last = joined[-1:] if newcomer else []
    before = joined[: len(joined) - len(last)]
    seen: set[tuple[str, ...]] = set()
    for table in MemberTable.possible(before, most):
        found = [table.order()] if unknown is None else _with_others_first(table, unknown)
        for order in found:
            if order not in seen:
                seen.add(order)
                yield (*order, *last)


def _with_others_first(table: MemberTable, unknown: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Members that share a slot, in every order, where one of them may have joined at any time. Of one slot no more are looked at
    than are tried in all: any client may choose a member ID that shares one."""
    slots = table.slots()
    free = [not set(unknown).isdisjoint(slot) and len(slot) > 1 for slot in slots]
    each_slot = (islice(permutations(slot), MOST_ORDERS + 1) if may else (slot,) for slot, may in zip(slots, free, strict=True))
    for each in product(*each_slot):
        yield tuple(name for slot in each for name in slot)
