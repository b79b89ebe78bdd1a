"""An estimate of the work of a search for a Kafka Streams group, the same on every machine."""

from holdfast.rollout.contract.batches import Then
from holdfast.rollout.options.search_size import SMALL
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

OPTIONS = 8
"""This many options are forecast for most changes."""
OUTCOMES = 4
"""This many are forecast where a process ID is a new random one."""


def work_of(snapshot: Snapshot, change: Change) -> int:
    """In units of a task that is looked at once. A group converges in about as many rebalances as it has tasks to hand over."""
    tasks, clients = len(snapshot.tasks), len(snapshot.clients)
    copies = 1 + _standbys(dict(snapshot.config).get("num.standby.replicas"))
    outcomes = 1 if not change.new_random_ids() else OUTCOMES * min(change.new_random_ids(), clients)
    batches = sum(1 if isinstance(item, Event | Then) else clients for item in change.events)
    return OPTIONS * outcomes * (tasks * tasks * copies + batches * (tasks + clients))


def one_is_small(snapshot: Snapshot, change: Change) -> bool:
    """Whether a single option more is little work."""
    return work_of(snapshot, change) <= SMALL * OPTIONS


def _standbys(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value <= 100 else 0
