"""What the rules of streams groups whose broker assigns found, and their limits, in words: (found, limit) of each."""

from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.text.format import amount_of_bytes, duration, many, printable

Words = tuple[str, str]
_SIZES = "unknown: the snapshot does not state the sizes of all changelogs"


def in_delay(one: Measured) -> Words:
    usual, most = duration(int(one.usual or 0)), duration(int(one.most or 0))
    return f"the last client joins {usual} after the first, {most} at most", f"{(one.limit or 0) / 1000:g} s, the initial delay"


def without_copy(one: Measured) -> Words:
    limit = duration(int(one.limit or 0))
    return (
        f"unknown for {many(one.of, 'hand-over')} restored in full" if one.of else "no task",
        limit,
    )


def at_once(one: Measured) -> Words:
    return f"{many(int(one.most or 0), 'task')} at once", many(int(one.limit or 0), "task")


def restored(one: Measured) -> Words:
    return "no task is restored in full" if one.most == 0 else _SIZES, f"{one.limit:,} bytes"


def per_hour(one: Measured) -> Words:
    found, limit = restored(one)
    return found, f"{limit} an hour"


def disk(one: Measured) -> Words:
    limit = f"{amount_of_bytes(int(one.limit or 0))} free on every disk"
    return "no disk gets more tasks" if one.most == 0 else _SIZES, limit


def copies(one: Measured) -> Words:
    limit = f"{one.limit} % of an even share"
    if one.most is None:
        return "no copies", limit
    return f"{many(one.of or 0, 'copy', 'copies')} on {printable(one.names[0])}, {one.most} % of an even share", limit
