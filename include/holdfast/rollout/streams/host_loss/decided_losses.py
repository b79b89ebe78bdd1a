"""The tasks that move when a client is lost, where rank alone does not decide it: rack-aware groups (KIP-925).

There the leader decides every case: where it ends (`order.target`), and what is unavailable meanwhile (its next decision). What
happens meanwhile is not counted. A property test compares both with the forecast.
"""

from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka import java
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.config import TaskAssignor
from holdfast.kafka.streams.group import Group, LeaderFailure
from holdfast.kafka.streams.leader_state import Readings
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events import batches
from holdfast.rollout.streams.host_loss.movements import Fate
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import groups, ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

_STRATEGY = "rack.aware.assignment.strategy"
_REASON = f"tasks are placed by rack ({_STRATEGY}): intermediate moves are not counted"
MOST_WORK = 4_000
"""Clients times tasks times positions of a new random ID that are looked at for each host: about a tenth of a second, mostly."""


def by_rack(snapshot: Snapshot) -> bool:
    """Whether the tasks of a group are placed by rack: by the default assignor, of a release that knows it."""
    if dict(snapshot.config).get(_STRATEGY, "none") == "none":
        return False
    config = groups.group_of(snapshot).config
    return config.task_assignor is TaskAssignor.HIGH_AVAILABILITY and config.rack_aware_assignment_strategy != "none"


class DecidedLosses:
    """The state of one group now. Raise CannotPredict where the leader would fail, or targets are unknown."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._group = groups.group_of(snapshot)
        self.order = tuple(sorted(client.process_id for client in self._group.clients))
        if not self.order:
            raise CannotPredict("The group has no client: there is none to lose.")
        self._reports = Reports.of(snapshot, self._group, Change(()).assume)
        self._owners = dict(ownership.owners(snapshot))
        self._stateful = tuple(task.id for task in self._group.tasks if task.stateful)

    def places(self) -> int:
        """How many positions of a new random ID are looked at, of each host's."""
        return max(1, MOST_WORK // max(1, len(self.order) * len(self._group.tasks)))

    def fate(self, change: Change) -> Fate:
        """What happens by losing a client so."""
        scene = Scene.of(self._snapshot)
        for batch in change.numbered_batches():
            scene = batches.apply(scene, batch, self._reports)
        after = replace(self._group, clients=scene.clients, tasks=scene.tasks, leader_process_id=scene.leader_process_id)
        goes_to = order.target(after)
        if len(goes_to) < len(self._stateful):
            raise CannotPredict("The leader itself would fail, or leave tasks unassigned, if a client is lost.")
        moved = sum(self._owners.get(task) != owner for task, owner in goes_to)
        return Fate(moved, self._without_copy(after), None, _REASON)

    def owned_by(self, process_id: ProcessId) -> int:
        """How many stateful tasks it runs."""
        return sum(self._owners.get(task) == process_id for task in self._stateful)

    def _without_copy(self, after: Group) -> int:
        """How many stateful tasks the next decision gives to clients that have no caught-up copy of them."""
        decision = leader.assign(after)
        if isinstance(decision, LeaderFailure):
            raise CannotPredict(f"The leader itself would fail: {decision.error}")
        readings = Readings(after, behaviour(after.release))
        topology = readings.topology
        stateful = {topology.ids[number]: number for number in topology.stateful}
        place_of = {process_id: at for at, process_id in enumerate(sorted(client.process_id for client in after.clients))}
        lags = (
            readings.lags_of[stateful[task]].get(place_of[client.process_id], topology.ends[stateful[task]])
            for client in decision.clients
            for task in client.active
            if task in stateful
        )
        return sum(not self._caught_up(lag) for lag in lags)

    def _caught_up(self, lag: int) -> bool:
        most = self._group.config.acceptable_recovery_lag
        return lag == LATEST_OFFSET or most == java.LONG_MAX or 0 <= lag <= most
