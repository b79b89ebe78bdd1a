"""Who is in the group, event by event."""

from collections import Counter
from typing import assert_never

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.change.change import (
    AddClient,
    AddPartitions,
    Event,
    RemoveClient,
    ReplaceClient,
    RestartClient,
    SetConfig,
    SetRelease,
    SetThreads,
    SetTopology,
    StopApplication,
)

Present = Counter[ProcessId | None]
"""The process IDs in the group; None: those left to chance. (Twice: in the middle of events that take effect together, one client
may take over what another has yet to leave.)"""


def come_and_go(event: Event, there: Present) -> None:
    """Let the clients of an event leave `there`, and enter it."""
    gone, came = gone_and_came(event)
    there.update(came)
    for one in gone:
        there[one] -= 1
        if there[one] <= 0:
            del there[one]


def gone_and_came(event: Event) -> tuple[tuple[ProcessId, ...], tuple[ProcessId | None, ...]]:
    """The process IDs that leave the group with an event, and those that come."""
    match event:
        case AddClient(client):
            return (), (client.process_id,)
        case RemoveClient(process_id=process_id):
            return (process_id,), ()
        case ReplaceClient():
            return (event.process_id,), (event.by.process_id,)
        case RestartClient():
            return ((), ()) if event.keeps_process_id else ((event.process_id,), (event.new_process_id,))
        case SetThreads() | SetConfig() | SetRelease() | AddPartitions() | StopApplication() | SetTopology():
            return (), ()
        case _:
            assert_never(event)
