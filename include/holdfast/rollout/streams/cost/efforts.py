"""What an option asks of people: restarts, manual steps, copies, files. Headline figures, so that a roll never looks small."""

from collections.abc import Iterable

from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.contract.times import EffortCounts
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.shorthands import written_out
from holdfast.rollout.streams.events.batches import Present, come_and_go
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import CopyStateDirectory, Step


def counts(snapshot: Snapshot, change: Change, steps: Iterable[Step]) -> EffortCounts:
    """`steps`: those of the change. A roll is one step of a plan and a restart of every client."""
    steps = tuple(steps)
    return EffortCounts(
        restarts=_restarts(snapshot, change),
        manual_steps=sum(step.who is Who.OPERATOR for step in steps),
        copies=sum(isinstance(step.action, CopyStateDirectory) for step in steps),
        files=sum(isinstance(step.action, WriteProcessMetadata) for step in steps),
    )


def _restarts(snapshot: Snapshot, change: Change) -> int:
    """Roll-outs stay shorthands while the group has a client with a new random process ID: that one restarts too."""
    present = Present(client.process_id for client in snapshot.clients)
    found = 0
    for event in written_out(snapshot, change).events:
        if not isinstance(event, Then):
            found += event.restarts(present.total())
        if isinstance(event, Event):
            come_and_go(event, present)
    return found
