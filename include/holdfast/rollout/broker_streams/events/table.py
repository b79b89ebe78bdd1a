"""Every event that a Change to such a group may have.

A new one is a module of this folder, a line here, and its verb in `kinds/verbs.py`.
"""

from holdfast.rollout.broker_streams.events.add_client import AddClient
from holdfast.rollout.broker_streams.events.add_partitions import AddPartitions
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.remove_client import RemoveClient
from holdfast.rollout.broker_streams.events.replace_client import ReplaceClient
from holdfast.rollout.broker_streams.events.restart_client import RestartClient
from holdfast.rollout.broker_streams.events.set_config import SetConfig
from holdfast.rollout.broker_streams.events.set_group_protocol import SetGroupProtocol
from holdfast.rollout.broker_streams.events.set_topology import SetTopology
from holdfast.rollout.broker_streams.events.start_moved_client import StartMovedClient
from holdfast.rollout.broker_streams.events.stop_classic_clients import StopClassicClients

EVENTS: tuple[type[BrokerEvent], ...] = (
    AddClient,
    AddPartitions,
    RemoveClient,
    ReplaceClient,
    RestartClient,
    SetConfig,
    SetGroupProtocol,
    SetTopology,
    StartMovedClient,
    StopClassicClients,
)

OF_MOVES: tuple[type[BrokerEvent], ...] = (SetGroupProtocol, StartMovedClient, StopClassicClients)
"""Those that only the plan of a move to this protocol has; no request has them."""
