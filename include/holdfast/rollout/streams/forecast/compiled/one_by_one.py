"""Restarts that are worked out one by one, because they cannot be walked or not yet: those that are known of a group at rest.

What happens after one depends on the group, on what clients run, and on what is assumed of copies; if nothing has changed by it, a
course that reaches the same group may pass it over.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import LATEST_OFFSET
from holdfast.rollout.streams.forecast.compiled.restarts import Rest, Restarted, Restarting, Restarts, Running, running_sets
from holdfast.rollout.streams.scene.reports import Reports


def known(rest: Rest, rules: Reports, batches: Sequence[Restarting], most: int, *, records: bool) -> Restarts:
    """As many of these batches of restarts as are known, with about `most` rebalances.

    The clients are those of `rest`: the same objects in all courses.
    """
    found: list[Restarted] = []
    for batch in batches[: max(0, most)]:
        one = rest.find(batch, as_seen=rules.as_seen, records=records)
        if one is None:
            break
        found.append(one)
    return Restarts(tuple(found), rest.group.clients, None, frozenset(), 0)


@dataclass(frozen=True, slots=True)
class ToKeep:
    """Clients of a group at rest that are about to restart, one batch of them. `rebalances`: how many there were before."""

    rest: Rest
    restarting: Restarting
    clients: tuple[Client, ...]
    rebalances: int

    def keep(self, rules: Reports, clients: tuple[Client, ...], running: Running | None, found: Restarted) -> None:
        """Of a restart that took one rebalance, which asked for nothing: if members report and run what they did before."""
        if rules.may_lose_progress or clients != self.clients:
            return
        if running is not None and self.rest.running != running_sets(running):
            return
        if self.rest.hangs_on_as_seen is None:
            self.rest.hangs_on_as_seen = _matters_how_standbys_close(rules, clients)
        seen = rules.as_seen if self.rest.hangs_on_as_seen else None
        self.rest.keep(self.restarting, found, as_seen=seen, records=running is not None)


def _matters_how_standbys_close(rules: Reports, clients: Iterable[Client]) -> bool:
    """Whether any copy would be closed otherwise than `as_seen` (`Reports.closed`)."""
    return any(
        total != LATEST_OFFSET and total == rules.end(task) != rules.copy_of(task).closed
        for client in clients
        for consumer in client.consumers
        for task, total in consumer.task_offset_sums
    )
