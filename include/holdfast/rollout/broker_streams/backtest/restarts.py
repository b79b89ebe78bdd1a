"""How long clients of a streams group are away when they are restarted: from their stop until they have joined again.

Records show when a member joined and when it was gone, but not whether it left or its session was over. What a member is given is
recorded when it sends a heartbeat: one that sent a heartbeat less than a session before it was gone has left. Counted are clients
that left for certain and came back under the same process ID. Where a rollout stopped the client, its journal has the moment: how
long it took to close is known then, and that it was stopped.
"""

from dataclasses import dataclass

from holdfast.kafka.coordinator.config_keys import HEARTBEAT_INTERVAL, SESSION_TIMEOUT, number_of
from holdfast.kafka.wire.streams_group_records import CurrentMember, MemberMetadata, RecordKind
from holdfast.rollout.backtest import stops
from holdfast.rollout.backtest.coordinated import CoordinatorRecord
from holdfast.rollout.backtest.learnt import RestartValues
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.timing.timeline import CLOSING_S, RESTARTED_WITHIN_S, ROLLS_WITHIN_S

LONGEST_S = 600
"""A member that is gone later than that after its stop was not stopped by it: a command failed, or a session is longer."""


@dataclass(slots=True)
class _Client:
    """`left_ms`: when its last member left; None: it has some, or they may have ended without leaving."""

    members: set[str]
    left_ms: int | None = None
    stopped_ms: int | None = None
    """When a rollout began to stop it."""


class _Roll:
    """Whether one restart follows the other, of each client once, with no client that joins otherwise in between."""

    def __init__(self) -> None:
        self._ended_ms: int | None = None
        self._of: set[str] = set()

    def broken(self) -> None:
        self._ended_ms = None

    def apart_s(self, process_id: str, now: int) -> float | None:
        """Seconds since the restart before, of another client. None: this one follows none."""
        before, self._ended_ms = self._ended_ms, now
        if before is None or process_id in self._of or not 0 <= (seconds := (now - before) / 1000) <= ROLLS_WITHIN_S:
            self._of = {process_id}
            return None
        self._of.add(process_id)
        return seconds


class Restarts:
    """Takes a group's records in order. Static members come back without having been gone: they show nothing."""

    def __init__(self, given: Given) -> None:
        config = dict(given.group_configs)
        self._silent_ms = number_of(config, SESSION_TIMEOUT) - number_of(config, HEARTBEAT_INTERVAL)
        self._stopped = stops.moments(given.stopped)
        self._process_of: dict[str, str] = {}
        self._heard_ms: dict[str, int] = {}
        self._clients: dict[str, _Client] = {}
        self.values = RestartValues()
        self._roll = _Roll()

    def take(self, record: CoordinatorRecord) -> None:
        name, value, now = record.key.member_id or "", record.value, record.written_at_ms
        if isinstance(value, MemberMetadata) and value.instance_id is None:
            self._joined(name, value.process_id, now)
        elif isinstance(value, CurrentMember) and name in self._process_of:
            self._heard_ms[name] = now
        elif record.key.kind is RecordKind.MEMBER_METADATA and value is None and name in self._process_of:
            self._gone(name, now)

    def _gone(self, name: str, now: int) -> None:
        heard_ms, process_id = self._heard_ms.pop(name), self._process_of.pop(name)
        client = self._clients[process_id]
        client.members.discard(name)
        if client.members:
            return
        stopped_ms = self._stopped.get(name)
        client.stopped_ms = stopped_ms if stopped_ms is not None and 0 <= now - stopped_ms <= LONGEST_S * 1000 else None
        if now - heard_ms < self._silent_ms or client.stopped_ms is not None:
            client.left_ms = now
        else:
            del self._clients[process_id]

    def _joined(self, name: str, process_id: str, now: int) -> None:
        self._heard_ms[name] = now
        if name in self._process_of:
            return
        self._forget(now)
        self._process_of[name] = process_id
        client = self._clients.setdefault(process_id, _Client(set()))
        client.members.add(name)
        if client.left_ms is not None:
            away = _away(client.left_ms, client.stopped_ms, now)
            self.values.take([(away, away)], self._roll.apart_s(process_id, now))
            client.left_ms = client.stopped_ms = None
        elif len(client.members) == 1:
            self._roll.broken()

    def _forget(self, now: int) -> None:
        """Who is away for too long was stopped, not restarted."""
        earliest = now - RESTARTED_WITHIN_S * 1000
        gone = [one for one, client in self._clients.items() if client.left_ms is not None and client.left_ms < earliest]
        for process_id in gone:
            del self._clients[process_id]


def _away(left_ms: int, stopped_ms: int | None, back_ms: int) -> tuple[float, float]:
    """Seconds from its stop until it is back. Journals have whole seconds, and the closing of a client is in no record."""
    if stopped_ms is not None:
        return max(0, back_ms - stopped_ms - 1_000) / 1000, max(0, back_ms - stopped_ms) / 1000
    seconds = max(0, back_ms - left_ms) / 1000
    return seconds, seconds + CLOSING_S
