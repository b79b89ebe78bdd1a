"""How long the tasks that a target gives to a client wait until it has restored them.

A client restores the copies that it is to run before its standby copies, and those side by side (`StoreChangelogReader`). So a
standby copy that it is to run before it is restored lacks a share of what was begun with it: at best it was the first, at worst
the last of the client's standby copies.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.rollout.broker_streams.forecast.restores import Promoted, Restores
from holdfast.rollout.contract.rebalances import restore_seconds


class Pace(NamedTuple):
    """`place`: of the figures, whether the least, the usual or the most. `speed`: in records per second; `pause`: between the
    batches of a change, in seconds. `caught_up`: people wait until what the first target gives is restored."""

    place: int
    speed: int
    pause: int
    caught_up: bool = False


class RestoreWait(NamedTuple):
    """`tasks` wait for `seconds`, each until its client has restored all of them."""

    seconds: int
    tasks: int


def waits(restores: Restores, pace: Pace) -> Iterator[RestoreWait]:
    """Of each client after each target; those that do not wait are left out."""
    clients: dict[str, _Backlog] = {}
    for one in restores:
        at = one.at.usual + one.batch * pace.pause
        for client in one.clients:
            backlog = clients.setdefault(client.process_id, _Backlog())
            backlog.work_until(at, pace.speed)
            rest = [(each.copies, backlog.promoted(each, pace)) for each in client.promoted]
            behind = sum(records for _, records in rest)
            backlog.active += client.active_records
            if standby := client.records - client.active_records:
                backlog.begun[one.target] = backlog.rest[one.target] = standby
            if seconds := restore_seconds(client.active_records + behind, pace.speed):
                yield RestoreWait(seconds, client.active + sum(copies for copies, records in rest if records))


@dataclass(slots=True)
class _Backlog:
    """What one client has not restored yet. `rest`: of the standby copies that it began after each target; `begun`: then."""

    at: float = 0
    active: float = 0
    begun: dict[int, float] = field(default_factory=dict)
    rest: dict[int, float] = field(default_factory=dict)

    def work_until(self, at: float, speed: int) -> None:
        done = max(0.0, at - self.at) * speed
        self.at = max(at, self.at)
        first = min(done, self.active)
        self.active -= first
        left = sum(self.rest.values())
        share = 1 - min(done - first, left) / left if left else 0
        self.rest = {target: records * share for target, records in self.rest.items()}

    def promoted(self, copies: Promoted, pace: Pace) -> int:
        """What these copies lack; from now on it is restored first."""
        if pace.caught_up and not copies.since:
            return 0
        begun, rest = self.begun.get(copies.since, 0), self.rest.get(copies.since, 0)
        usual = copies.records * rest / begun if begun else 0
        found = (max(0.0, copies.records - begun + rest), usual, min(copies.records, sum(self.rest.values())))[pace.place]
        self.active += usual
        if begun:
            self.rest[copies.since] = rest - usual
            self.begun[copies.since] = begun - copies.records
        return round(found)
