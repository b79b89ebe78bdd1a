"""What the events of a batch do to a group before the rebalance that they cause together (rules 4 and 5 of `scene.reports`)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract import batches
from holdfast.rollout.streams.events.event import Before, Event
from holdfast.rollout.streams.events.parts import members
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene

Batch = batches.Batch[Event]
Present = Counter[ProcessId | None]
"""The process IDs in the group; None: new random ones. (Twice: in the middle of events that take effect together, one client
may take over what another has yet to leave.)"""


def come_and_go(event: Event, present: Present) -> None:
    """Let the clients of an event leave `present`, and enter it."""
    gone, came = event.gone_and_came()
    present.update(came)
    for one in gone:
        present[one] -= 1
        if present[one] <= 0:
            del present[one]


def apply(scene: Scene, batch: Batch, reports: Reports) -> Scene:
    """The scene after events that take effect together. Raise InvalidInput for one that does not fit the group."""
    for _, event in batch.events:
        release = event.reads_disks_as()
        if release is not None:
            reports = reports.read_by(release)  # a client that starts now reads its disk as the new release does
    first = scene = replace(scene, delay_s=0, stopped=(), down=(), clients=(*scene.clients, *scene.away))
    before = Before(first, {process_id for _, event in batch.events for process_id in event.gone_and_came()[0]})
    for index, event in batch.events:
        try:
            scene = event.applied(scene, before, reports)
        except InvalidInput as problem:
            raise InvalidInput(problem.problem, f"events[{index}].{event.VERB}.{problem.where}") from None
    if len({client.process_id for client in scene.clients}) < len(scene.clients):
        index = batch.events[-1][0]
        raise InvalidInput("two clients would have one process ID once these events have taken effect", f"events[{index}]")
    return _with_leader(replace(scene, away=()))


def missed(scene: Scene, batch: Batch) -> Scene | None:
    """The scene once the sessions of clients that return late are over, they away; None: no event's client does.

    Raise InvalidInput for one that is not in the group.
    """
    gone = []
    for index, event in batch.events:
        process_id = event.comes_back() if event.is_late() else None
        if process_id is not None:
            try:
                gone.append(members.client_of(scene, process_id))
            except InvalidInput as problem:
                raise InvalidInput(problem.problem, f"events[{index}].{event.VERB}.{problem.where}") from None
    if not gone:
        return None
    after = outage.stopped(replace(scene, delay_s=0, stopped=(), down=()), tuple(gone), outage.session_timeout_s(scene))
    for one in gone:
        after = members.without(after, one)
    return _with_leader(replace(after, away=tuple(gone)))


def started(batch: Batch, clients: tuple[Client, ...]) -> tuple[ProcessId, ...]:
    """The clients that begin anew with these events: whatever they ran before, they run nothing now."""
    return tuple(process_id for _, event in batch.events for process_id in event.begins_anew(clients))


def causes_no_rebalance(batch: Batch) -> bool:
    """Whether nothing happens in it but returns of static members, with whatever settings they come back."""
    events: Iterable[Event] = [event for _, event in batch.events if not event.CARRIED]
    return bool(events) and all(event.returns_unseen() for event in events)


def _with_leader(scene: Scene) -> Scene:
    """The leader stays; if its process is gone, the smallest process ID leads. An unknown leader stays unknown."""
    present = tuple(client.process_id for client in scene.clients)
    if scene.leader_process_id is None or scene.leader_process_id in present:
        return scene
    return replace(scene, leader_process_id=min(present, default=None))
