"""The effect of losing any client of a group whose broker assigns: it ends without leaving, and is not
replaced (`replacements`: it is).

Each case is a Change (`change_of`), and every figure is that of its forecast: the coordinator keeps the client's members, and their
tasks, until their sessions are over, and then gives the tasks to the others.
"""

from dataclasses import dataclass

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.streams.group import each_task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.events.remove_client import RemoveClient
from holdfast.rollout.broker_streams.forecast.forecast import forecast, ground_of
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome
from holdfast.rollout.broker_streams.snapshot.processes import Process, processes
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.scenarios import NO_CLIENT_LEFT, TOO_LARGE

MOST_FORECAST = 50_000_000
"""Clients, times tasks and members: up to that (some minutes' work) every loss is forecast, in a larger group none."""


@dataclass(frozen=True, slots=True)
class ClientLoss:
    """`stateful`: the stateful tasks that the client runs. `outcome` None: `reason` says why it is not forecast."""

    client: Process
    stateful: int
    outcome: BrokerOutcome | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class HostLosses:
    """`stateful_tasks`: of the group."""

    stateful_tasks: int
    losses: tuple[ClientLoss, ...]


def change_of(client: Process) -> BrokerChange:
    """The Change whose forecast this is."""
    return BrokerChange((RemoveClient(client.name, leaves=False),))


def losses(snapshot: StreamsGroupSnapshot, only: slice = slice(None)) -> HostLosses:
    """Of every client, in the order of the Snapshot, or of `only` these.

    Raise CannotPredict or Unsupported for a group of which no forecast can be made at all.
    """
    ground = ground_of(snapshot)
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    tasks = sum(one.tasks for one in ground.group.subtopologies)
    clients = processes(snapshot)
    too_large = len(clients) * (tasks + len(snapshot.members)) > MOST_FORECAST
    reason = NO_CLIENT_LEFT if len(clients) == 1 else TOO_LARGE if too_large else None
    found = []
    for client in clients[only]:
        runs = running(client, stateful)
        found.append(_loss(snapshot, client, runs) if reason is None else ClientLoss(client, runs, None, reason))
    every = sum(one.tasks for one in ground.group.subtopologies if one.stateful)
    return HostLosses(every, tuple(found))


def running(client: Process, stateful: frozenset[str]) -> int:
    """How many tasks of these subtopologies it runs."""
    owned = (one.assignment or one.target for one in client.members)
    return sum(task.subtopology in stateful for each in owned if each is not None for task in each_task(each.active))


def _loss(snapshot: StreamsGroupSnapshot, client: Process, stateful: int) -> ClientLoss:
    try:
        return ClientLoss(client, stateful, forecast(snapshot, change_of(client)).outcome)
    except CannotPredict as refusal:
        return ClientLoss(client, stateful, None, str(refusal))
