"""Policy rules about the bytes that clients restore, and the disks that they restore to: for both kinds of Streams group."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from holdfast.rollout.contract.assessment import Rule, RuleStatus
from holdfast.rollout.contract.policy_measures import Measured, Room
from holdfast.rollout.options import restore_words as words
from holdfast.rollout.policy.judging import between, made, within
from holdfast.rollout.policy.policy import Policy


class Restored(NamedTuple):
    """What one outcome restores: bytes (None: unknown), and in how many seconds at least."""

    size: int | None
    seconds: int


class Growth(NamedTuple):
    """By how many bytes the disk of a client grows, and how many it has free. None: unknown."""

    client: str
    host: str | None
    more: int | None
    free: int | None


def restored_bytes(amounts: Sequence[int | None], policy: Policy) -> Rule | None:
    """Of each outcome. Only where a limit is set."""
    most = policy.restored_bytes_most
    if most is None:
        return None
    known = [amount for amount in amounts if amount is not None]
    found = Measured(most=None if len(known) < len(amounts) else max(known), limit=most)
    status = RuleStatus.UNKNOWN if found.most is None else within(found.most, most)
    return made("restored-bytes", words.restored(found), status, policy, found)


def restored_per_hour(outcomes: Iterable[Restored], policy: Policy) -> Rule | None:
    """No hour has more than all bytes, and some hour has the average or more; between them it is unknown."""
    name, most = "restored-bytes-per-hour", policy.restored_bytes_per_hour_most
    if most is None:
        return None
    high = average = 0
    for size, seconds in outcomes:
        if size is None:
            found = Measured(limit=most)
            return made(name, words.per_hour(found), RuleStatus.UNKNOWN, policy, found)
        high = max(high, size)
        average = max(average, size * 3600 // max(3600, seconds))
    found = Measured(least=average, most=high, limit=most)
    return made(name, words.per_hour(found), between(average, high, most), policy, found)


def disk(outcomes: Sequence[Sequence[Growth]], policy: Policy) -> Rule | None:
    """Only where a limit is set, or something is known of disks. Clients of one host may or may not share a disk: where that
    decides, it is unknown."""
    least, stated = policy.disk_free_bytes_least or 0, policy.disk_free_bytes_least is not None
    lacking: dict[Room, None] = {}
    unknown: dict[str, None] = {}
    shared: dict[str, None] = {}
    for clients in outcomes:
        together: dict[str | None, list[tuple[int, int]]] = {}
        for client, host, more, free in clients:
            if more is None or free is None:
                if stated and more != 0:
                    unknown[host or client] = None
                continue
            together.setdefault(host, []).append((more, free))
            if free - more < least:
                lacking[Room(host or client, more, free)] = None
        for host, known in together.items():
            grown = sum(more for more, _ in known)
            if host is not None and grown and min(free for _, free in known) - grown < least:
                shared[host] = None
    if not stated and not any(one.free is not None for clients in outcomes for one in clients):
        return None
    found = Measured(limit=least, rooms=tuple(lacking), unknown=tuple(unknown), names=tuple(shared))
    status = RuleStatus.FAIL if lacking else RuleStatus.UNKNOWN if unknown or shared else RuleStatus.PASS
    return made("disk", words.disk(found), status, policy, found)
