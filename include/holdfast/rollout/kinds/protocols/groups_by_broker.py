"""A Kafka Streams group whose coordinator assigns, as a classic one becomes it: from the target on that follows its move.

The move stops all clients and starts them (`moving`). What each client runs then, or has a standby of, is what its disk has: older
directories are left out, since Kafka Streams deletes them after `state.cleanup.delay.ms` (10 minutes).
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.config_keys import ASSIGNMENT_INTERVAL, LONGEST_INTERVAL_MS, STANDBYS
from holdfast.kafka.coordinator.release import behaviour
from holdfast.rollout.broker_streams.change.assumptions import BrokerAssume, Offsets
from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.change.request import broker_change_of
from holdfast.rollout.broker_streams.events.restart_client import RestartClient
from holdfast.rollout.broker_streams.forecast import course, draws
from holdfast.rollout.broker_streams.forecast.forecast import ground_of
from holdfast.rollout.broker_streams.options import impact, restarts, usual_assumptions
from holdfast.rollout.broker_streams.options.evaluation import EvaluatedBrokerOption, evaluate
from holdfast.rollout.broker_streams.options.option import BrokerOption
from holdfast.rollout.broker_streams.snapshot.snapshot import Owned, StreamsGroupSnapshot, StreamThread
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.facts import refusals
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.moving.prevented import standbys_of
from holdfast.rollout.kinds.protocols.comparison import Applied, DeployKind, Limit
from holdfast.rollout.kinds.protocols.side import Drawn, Side, in_turn, requests
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.move_to_streams_protocol import MoveToStreamsProtocol
from holdfast.rollout.streams.scene.static_members import all_static
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Settled:
    """The group at rest after its move. `clients`: their process IDs, in the order of those of the classic group."""

    group: StreamsGroupSnapshot
    clients: tuple[str, ...]


class GroupByBroker(Side):
    protocol = "streams"

    def __init__(self, snapshot: Snapshot, release: str, policy: Policy, seed: int, *applied: Applied) -> None:
        self._snapshot, self._policy, self._seed = snapshot, policy, seed
        self.release, self.applied = release, applied
        standbys = standbys_of(snapshot) + (Applied.MORE_STANDBYS in applied)
        interval = ((ASSIGNMENT_INTERVAL, LONGEST_INTERVAL_MS),) if Applied.LONG_INTERVAL in applied else ()
        config = (*interval, *(((STANDBYS, standbys),) if standbys else ()))
        event = MoveToStreamsProtocol(release, kafka_release=release, config=config)
        found: tuple[Any, Any] = move.followed(snapshot, Change((event,)))
        group: StreamsGroupSnapshot = found[0]
        self._change: BrokerChange = found[1]
        assert group.classic is not None, "it is still classic"
        self.prevents = group.classic.prevents
        self._keeps_ids = group.classic.keeps_process_ids
        self._group = replace(group, classic=replace(group.classic, prevents=()))
        self.limits = tuple(_limits(release))
        self.settled = cache(self._settled)

    def members(self) -> int:
        return len(self._snapshot.clients)

    def is_random(self, deploy: DeployKind) -> bool:  # noqa: ARG002 - every deploy starts from another settled group
        return True

    def work(self) -> int:
        return len(self._snapshot.tasks) + len(self._group.members)

    def moved(self, draw: int) -> BrokerChange:
        """The move, with the IDs of that draw."""
        return draws.drawn(self._group, self._change, self._number(draw))

    def _settled(self, draw: int) -> Settled:
        """Raise CannotPredict where its topology is not ready."""
        change = self.moved(draw)
        ground = ground_of(self._group)
        targets = course.carried_out(ground, change)
        if not targets:
            raise CannotPredict("clients: the group has none, and is assigned nothing")
        last, known = targets[-1], {str(one.process_id): one for one in self._snapshot.clients}
        starts = [(event.was_classic(), comes[0]) for event in change.statements() if (comes := event.comes()) is not None]
        new = {str(old): str(client.process_id) for old, client in starts}
        clients = tuple(new[str(one.process_id)] for one in self._snapshot.clients)
        before = {process: known[old] for old, process in new.items()}
        processes = dict(last.processes)
        static = self._static()
        members = []
        for given in last.assignment.members:
            process = processes[given.member_id]
            owned = Owned(given.active, given.standby)
            members.append(
                StreamThread(
                    given.member_id,
                    process_id=process,
                    host=before[process].host,
                    instance_id=f"instance-{given.member_id}" if static else None,
                    assignment=owned,
                    target=owned,
                )
            )
        config = dict(self._group.config) | dict(pair for event in change.statements() for pair in event.configures())
        group = replace(
            self._group,
            members=tuple(members),
            classic=None,
            config=tuple(sorted(config.items())),
            group_state=STABLE,
            group_epoch=last.group_epoch,
            assignment_epoch=last.group_epoch,
            state_directories=(),
            unknown=(),
        )
        return Settled(group, clients)

    def _static(self) -> bool:
        """Its members are static where they were, if its coordinator has such."""
        were = all_static(self._snapshot.clients) and behaviour(str(self.release)).static_members
        return were or Applied.STATIC in self.applied

    def _number(self, draw: int, *, deployed: bool = False) -> int:
        """Of the draw: no member of a deploy has the ID of one that is there."""
        return 2 * (self._seed * 1_000_000 + draw) + deployed

    def deployed(self, deploy: DeployKind, draw: int) -> tuple[StreamsGroupSnapshot, BrokerChange]:
        """The settled group and the change, with the IDs of that draw."""
        settled = self.settled(draw)
        name = settled.clients[draw % len(settled.clients)]
        asked = requests(deploy, len(settled.clients), name)
        change = BrokerChange(in_turn(broker_change_of(one, settled.group).events for one in asked))
        if not self._keeps_ids:
            change = replace(change, events=tuple(map(_without_disk, change.events)))
        if deploy is DeployKind.RESTART and Applied.LONG_INTERVAL in self.applied:
            change = BrokerChange(tuple(restarts.within(restarts.restarts_of(change), 1)))
        if behaviour(str(self.release)).offsets_count:
            change = replace(change, assume=BrokerAssume(Offsets.DISKS))
        usual = usual_assumptions.as_usual(settled.group, change)
        return settled.group, draws.drawn(settled.group, usual, self._number(draw, deployed=True))

    def drawn(self, deploy: DeployKind, draw: int) -> tuple[Drawn, ...]:
        group, change = self.deployed(deploy, draw)
        found = evaluate(group, BrokerOption(BASELINE_NAME, str(deploy), change))
        return (self._figures(found),)

    def _figures(self, found: EvaluatedBrokerOption) -> Drawn:
        if found.refused is not None or found.summary is None:
            raise CannotPredict("" if found.refused is None else refusals.sentence(found.refused))
        cost = impact.impact_of(found, self._policy)
        return Drawn(
            moves=found.summary.moves,
            rebalances=found.summary.targets,
            downtime_s=None if cost is None else cost.downtime_s,
            cold_moves=found.summary.cold_moves,
            restored_bytes=found.summary.restored_bytes,
            restored_records=found.summary.restored_records,
        )


def _without_disk(item: BrokerItem) -> BrokerItem:
    """An application without a store on disk keeps no process ID."""
    return replace(item, keeps_process_id=False, keeps_state=False) if isinstance(item, RestartClient) else item


def _limits(release: str) -> tuple[Limit, ...]:
    facts = behaviour(release)
    return (
        Limit.TOPOLOGY_CHANGES,
        Limit.NO_WARM_UPS,
        Limit.NO_PATTERNS,
        *(() if facts.static_members else (Limit.NO_STATIC_MEMBERS,)),
        Limit.CLIENT_STANDBYS_IGNORED,
        Limit.NO_RACKS,
        *((Limit.OFFSETS_FROM_DISKS,) if facts.offsets_count else ()),
    )
