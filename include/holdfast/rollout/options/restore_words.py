"""What the rules about restored bytes and disks found, and their limits, in words: (found, limit) of each."""

from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.format import amount_of_bytes, listed, printable
from holdfast.rollout.timing import time_words

Words = tuple[str, str]
_BYTES_NOT_KNOWN = "unknown: the size of changelogs, or bytes per record"


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
    limit = f"{amount_of_bytes(int(one.limit or 0))} free on every disk"
    if one.rooms:
        rooms = (
            f"{printable(room.name)} needs {amount_of_bytes(room.needs)} and has {amount_of_bytes(room.free)} free"
            for room in one.rooms
        )
        return listed(list(rooms)), limit
    unknown = [*map(printable, one.unknown), *(f"{printable(host)}, if its clients share a disk" for host in one.names)]
    return f"unknown: {listed(unknown)}" if unknown else "enough room, estimated from changelog sizes", limit


def without_copy(one: Measured, policy: Policy) -> Words:
    usual, most, limit = int(one.usual or 0), int(one.most or 0), int(one.limit or 0)
    found = f"{usual} s" if usual else "under 1 s"
    found = f"{found} at {policy.restore_records_per_second:,} records/s" if one.of else "no task"
    if usual <= limit < most:
        found = f"{found}, {most} s at {policy.slowest_restore:,}; the speed is {policy.restore_rate_says}"
    if one.condition is not None:
        found = f"{found} if {time_words.condition(one.condition)}, else {one.condition.otherwise_downtime_s} s"
    return found, f"{limit} s"
