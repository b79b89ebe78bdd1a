"""What the rules of Streams groups found, and their limits, in words: (found, limit) of each."""

from holdfast.rollout.contract.measured import Measured
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost import lacking
from holdfast.rollout.streams.cost.lacking import Give
from holdfast.rollout.text.wording import amount_of_bytes, listed, many, printable
from holdfast.rollout.timing import time_words

Words = tuple[str, str]
_BYTES_NOT_KNOWN = "unknown: the size of changelogs, or bytes per record"


def evidence(one: Measured) -> Words:
    if not one.most:
        return "complete", "complete"
    needed = "; ".join(lacking.WORDS[Give(name)] for name in one.names)
    return f"{one.most} unknown" + (f". Give {needed}" if needed else ""), "complete"


def without_copy(one: Measured, policy: Policy) -> Words:
    usual, most, limit = one.usual or 0, one.most or 0, one.limit or 0
    found = f"{usual} s" if usual else "under 1 s"
    found = f"{found} at {policy.restore_records_per_second:,} records/s" if one.of else "no task"
    if usual <= limit < most:
        found = f"{found}, {most} s at {policy.slowest_restore:,}; the speed is {policy.restore_rate_says}"
    if one.condition is not None:
        found = f"{found} if {time_words.condition(one.condition)}, else {one.condition.otherwise_downtime_s} s"
    return found, f"{limit} s"


def restored(one: Measured) -> Words:
    return _BYTES_NOT_KNOWN if one.most is None else f"{one.most:,} bytes", f"{one.limit:,} bytes"


def per_hour(one: Measured) -> Words:
    limit = f"{one.limit:,} bytes an hour"
    if one.most is None:
        return _BYTES_NOT_KNOWN, limit
    if one.least == one.most:
        return f"{one.most:,} bytes at most", limit
    return f"{one.least:,} to {one.most:,} bytes in the busiest hour", limit


def disk(one: Measured) -> Words:
    """`unknown`: disks of which it is unknown; `names`: hosts where it depends on whether clients share a disk."""
    limit = f"{amount_of_bytes(_whole(one.limit))} free on every disk"
    if one.rooms:
        rooms = (
            f"{printable(room.name)} needs {amount_of_bytes(room.needs)} and has {amount_of_bytes(room.free)} free"
            for room in one.rooms
        )
        return listed(list(rooms)), limit
    unknown = [*map(printable, one.unknown), *(f"{printable(host)}, if its clients share a disk" for host in one.names)]
    return f"unknown: {listed(unknown)}" if unknown else "enough room, estimated from changelog sizes", limit


def copies(one: Measured) -> Words:
    """`of`: copies; `most`: percent of an even share."""
    limit = f"{one.limit} % of an even share"
    if one.most is None:
        return "no copies", limit
    return f"{many(one.of or 0, 'copy', 'copies')} on {printable(one.names[0])}, {one.most} % of an even share", limit


def copied(one: Measured, policy: Policy) -> Words:
    limit = "the session timeout" if one.limit is None else f"{one.limit} s, the session timeout"
    if one.most is None:
        return "unknown: measure the copy speed", limit
    return f"{one.most} s at {amount_of_bytes(policy.copy_bytes_per_second or 0)}/s", limit


def at_once(one: Measured) -> Words:
    low, high = _whole(one.least), _whole(one.most)
    found = f"{many(low, 'task')} at once" if low == high else f"{low} to {high} tasks at once"
    return found, many(_whole(one.limit), "task")


def _whole(figure: float | None) -> int:
    return int(figure or 0)
