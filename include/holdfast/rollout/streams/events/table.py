"""Every event that a Change may have. A new one is a module of this folder, a line here, and its verb in `kinds/verbs.py`."""

from collections.abc import Mapping

from holdfast.rollout.streams.events.add_client import AddClient
from holdfast.rollout.streams.events.add_partitions import AddPartitions
from holdfast.rollout.streams.events.event import Statement
from holdfast.rollout.streams.events.move_to_streams_protocol import MoveToStreamsProtocol
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.replace_client import ReplaceClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.events.set_config import SetConfig
from holdfast.rollout.streams.events.set_release import SetRelease
from holdfast.rollout.streams.events.set_threads import SetThreads
from holdfast.rollout.streams.events.set_topology import SetTopology
from holdfast.rollout.streams.events.stop_application import StopApplication

EVENTS: tuple[type[Statement], ...] = (
    AddClient,
    AddPartitions,
    MoveToStreamsProtocol,
    RemoveClient,
    ReplaceClient,
    RestartClient,
    RollingRestart,
    SetConfig,
    SetRelease,
    SetThreads,
    SetTopology,
    StopApplication,
)


def by_verb() -> Mapping[str, type[Statement]]:
    return {event.VERB: event for event in EVENTS}
