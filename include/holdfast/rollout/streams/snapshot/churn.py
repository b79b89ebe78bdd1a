"""Clients that join, die and join again: crash loops in the group's completed rebalances, and what looks similar.

Each start of a stream thread is a new member under the thread's old name (its client.id). Those of a process that died are listed
until their session times out, so that one client is listed several times: under one process ID, or under a new one at each start
where none is kept. Two processes that really run under one process ID stay in the group together, longer than any session lasts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from holdfast.errors import CannotPredict, HoldfastError
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.kafka.wire import consumer_protocol, subscription_info
from holdfast.rollout.contract import group_state
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember, Snapshot
from holdfast.rollout.text.format import host_or, many

WINDOW_S = 600
STARTS = 4
"""From this many starts of one client within the window on: a rolling restart is one, and its repetition two."""
_DEFAULT_SESSION_S = 45


@dataclass(frozen=True, slots=True)
class Churn:
    """One client that was started `starts` times within `seconds`, in which the group rebalanced `rebalances` times.

    `process_id` None: each start came under another one, all on `host`.
    """

    process_id: ProcessId | None
    host: str | None
    starts: int
    seconds: int
    rebalances: int


def churning(generations: Sequence[Generation], now: str | None = None) -> tuple[Churn, ...]:
    """The clients that churn, the worst first. `now`: when it was looked at, ISO 8601; None: right after the newest rebalance."""
    window = _recent(generations, now)
    rebalances, seconds = len(window), _seconds(window)
    seen: dict[tuple[ProcessId, str], dict[str, None]] = {}
    hosts: dict[ProcessId, str] = {}
    lasted: dict[ProcessId, list[Generation]] = {}
    for generation in window:
        for member, process_id in processes_of(generation):
            if process_id is None:
                continue
            seen.setdefault((process_id, member.client_id), {})[member.member_id] = None
            hosts[process_id] = member.client_host.removeprefix("/")
            lasted.setdefault(process_id, []).append(generation)
    starts: dict[ProcessId, int] = {}
    for (process_id, _), members in seen.items():
        starts[process_id] = max(starts.get(process_id, 0), len(members))
    found = [
        Churn(process_id, hosts[process_id] or None, count, seconds, rebalances)
        for process_id, count in starts.items()
        if count >= STARTS
    ]
    found += _under_other_ids(window, hosts, lasted)
    return tuple(sorted(found, key=lambda one: (-one.starts, str(one.process_id))))


def refuse_unsettled(snapshot: Snapshot, *, not_said: bool = False) -> None:
    """As `group_state.refuse_unsettled`; a client that dies again and again is named: it keeps the group from being stable."""
    try:
        group_state.refuse_unsettled(snapshot.group_id, snapshot.group_state, members=len(snapshot.clients), not_said=not_said)
    except CannotPredict as refusal:
        why = [f" {in_words(one)} {REMEDY}" for one in churning(snapshot.generations, snapshot.captured_at)[:1]]
        raise CannotPredict("".join([str(refusal), *why])) from None


def _under_other_ids(
    window: Sequence[Generation], hosts: dict[ProcessId, str], lasted: dict[ProcessId, list[Generation]]
) -> Iterator[Churn]:
    """Hosts on which clients came within the window and are gone again, each under a process ID of its own."""
    came_and_went: dict[str, list[ProcessId]] = {}
    for process_id, its in lasted.items():
        if its[0] is not window[0] and its[-1] is not window[-1]:
            came_and_went.setdefault(hosts[process_id], []).append(process_id)
    for host, gone in came_and_went.items():
        if host and len(gone) >= STARTS:
            yield Churn(None, host, len(gone), _seconds(window), len(window))


def _recent(generations: Sequence[Generation], now: str | None) -> tuple[Generation, ...]:
    """The rebalances within the window."""
    if not generations:
        return ()
    at = datetime.fromisoformat(now or generations[-1].completed_at)
    since = at - timedelta(seconds=WINDOW_S)
    return tuple(one for one in generations if datetime.fromisoformat(one.completed_at) >= since)


def _seconds(window: Sequence[Generation]) -> int:
    """From the first to the last of them."""
    if not window:
        return 1
    first, last = (datetime.fromisoformat(one.completed_at) for one in (window[0], window[-1]))
    return max(1, round((last - first).total_seconds()))


def in_words(churn: Churn) -> str:
    """The observation, in a sentence."""
    who = (
        f"A client on {host_or(churn.host, 'one host')}, each time under a new process ID,"
        if churn.process_id is None
        else (f"Client {churn.process_id} ({host_or(churn.host, 'host unknown')})")
    )
    rate = 60 * churn.rebalances / churn.seconds
    return (
        f"{who} was started {churn.starts} times within {many(churn.seconds, 'second')}, with"
        f" {many(churn.rebalances, 'rebalance')} ({rate:.1f} a minute): it joins and dies again, as in a crash loop."
    )


REMEDY = (
    "Read its log, and stop it until it stays up. Leave its state directory and the process ID in it as they are: under another one"
    " it would reshuffle the group. Take a new snapshot then."
)


class Twice(StrEnum):
    """What it means that one process ID has members with the same thread name."""

    TWO_PROCESSES = "two processes"
    EARLIER_START = "an earlier start"
    NOT_CERTAIN = "not certain"


def why_twice(snapshot: Snapshot, client: Client) -> Twice:
    """Two processes, where members of one thread name have been there together for longer than a dead one would be listed. An
    earlier start, where they came from one host. Where they are on several, and not for long enough: not certain."""
    names = [consumer.client_id for consumer in client.consumers]
    doubled = {consumer.member_id: None for consumer in client.consumers if names.count(consumer.client_id) > 1}
    since: str | None = None
    hosts: dict[str, None] = {}
    for generation in reversed(snapshot.generations):
        members = {member.member_id: member for member in generation.members}
        if any(one not in members for one in doubled):
            break
        since = generation.completed_at
        hosts |= {members[one].client_host: None for one in doubled}
    if since is not None and snapshot.captured_at is not None:
        together = datetime.fromisoformat(snapshot.captured_at) - datetime.fromisoformat(since)
        if together > timedelta(seconds=2 * _session_s(snapshot)):
            return Twice.TWO_PROCESSES
    return Twice.EARLIER_START if len(hosts) == 1 else Twice.NOT_CERTAIN


def _session_s(snapshot: Snapshot) -> float:
    """How long a dead member may be listed: the longest session timeout that is known."""
    timeouts = [member.session_timeout_ms for one in snapshot.generations[-1:] for member in one.members]
    known = [one for one in timeouts if one is not None]
    if known:
        return max(known) / 1000
    given = _milliseconds(dict(snapshot.config).get("session.timeout.ms"))
    return _DEFAULT_SESSION_S if given is None else given / 1000


def _milliseconds(value: ConfigValue) -> int | None:
    return int(value) if isinstance(value, int | str) and not isinstance(value, bool) and str(value).isdecimal() else None


def processes_of(generation: Generation) -> Iterator[tuple[GenerationMember, ProcessId | None]]:
    """Each member of a completed rebalance and the process of its report; None: unreadable."""
    for member in generation.members:
        try:
            envelope = consumer_protocol.decode_subscription(member.subscription)
            info = subscription_info.decode(envelope.user_data or b"")
        except HoldfastError:
            yield member, None
        else:
            yield member, info.process_id if isinstance(info, subscription_info.SubscriptionInfo) else None
