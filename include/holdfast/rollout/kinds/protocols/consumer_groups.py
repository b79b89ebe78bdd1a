"""A consumer group to be compared. The first member of the new protocol that joins takes it over (KIP-848): the move is online."""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from holdfast.kafka.coordinator import release as streams_coordinators
from holdfast.kafka.coordinator.consumer.release import FIRST_FOR_PRODUCTION, LINES, behaviour
from holdfast.kafka.release_lines import is_older
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract import group_state
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.moves import Prevention, Prevents
from holdfast.rollout.kinds.protocols import past_seen
from holdfast.rollout.kinds.protocols.classic_consumers import ClassicConsumers
from holdfast.rollout.kinds.protocols.comparable import UNKNOWN, About, Comparable, removed
from holdfast.rollout.kinds.protocols.comparison import Applied, Move, MoveStep, StepKind, Survives
from holdfast.rollout.kinds.protocols.consumers_by_broker import ConsumersByBroker
from holdfast.rollout.kinds.protocols.deploys import Seen
from holdfast.rollout.kinds.protocols.side import Side
from holdfast.rollout.policy.policy import Policy

RELEASES = tuple(line.releases[-1] for line in LINES if not is_older(line.releases[-1], streams_coordinators.FIRST_FOR_PRODUCTION))
"""The newest release of each line of coordinators that has streams groups too."""
_REFUSED_SETTINGS = ("partition.assignment.strategy", "heartbeat.interval.ms", "session.timeout.ms")
_OF_RELEASES = (Prevents.CONSUMER_BROKER_TOO_OLD, Prevents.CONSUMER_CLIENT_TOO_OLD)
"""Upgrades are steps of their own."""
_TOPIC_IDS = Unknown("topic IDs", "the snapshot does not have all, and uniform goes by their order: they are drawn, too")
_UNKNOWN = (Unknown("migration policy", "brokers have to allow it: group.consumer.migration.policy is bidirectional or upgrade"),)


class ConsumerGroups(Comparable[ConsumerSnapshot]):
    protocol: ClassVar[str] = "consumer-classic"

    def refuse_unsettled(self, snapshot: ConsumerSnapshot) -> None:
        group_state.refuse_unsettled(snapshot.group_id, snapshot.group_state, members=len(snapshot.members), not_said=True)

    def about(self, snapshot: ConsumerSnapshot) -> About:
        partitions = sum(len(one.partitions) for one in snapshot.topics)
        drawn = (_TOPIC_IDS,) if any(one.id is None for one in snapshot.topics) else ()
        return About(len(snapshot.members), partitions, (*snapshot.unknown, *UNKNOWN, *drawn, *_UNKNOWN))

    def sides(self, snapshot: ConsumerSnapshot, policy: Policy, seed: int) -> Iterator[Side]:
        dynamic = any(one.group_instance_id is None for one in snapshot.members)
        prevents = tuple(_prevented(snapshot))
        yield ClassicConsumers(snapshot, policy, seed)
        if dynamic:
            yield ClassicConsumers(snapshot, policy, seed, static=True)
        static = ((Applied.STATIC,),) if dynamic else ()
        for release in RELEASES:
            has_interval = behaviour(release).has_interval and len(snapshot.members) > 1 and dynamic
            for assignor in (Applied.UNIFORM, Applied.RANGE):
                interval = ((Applied.LONG_INTERVAL,),) if has_interval and assignor is Applied.UNIFORM else ()
                for applied in ((), *interval, *static):
                    side = ConsumersByBroker(snapshot, release, policy, seed, assignor, *applied)
                    side.prevents = prevents
                    yield side

    def move(self, snapshot: ConsumerSnapshot, prevents: Sequence[Prevention]) -> Move:
        return Move("consumer", online=True, steps=tuple(_steps(snapshot, prevents)), survives=tuple(_survives(snapshot)))

    def seen(self, snapshot: ConsumerSnapshot, generations: Iterable[Generation] | None) -> tuple[Seen, ...]:  # noqa: ARG002 - it has none
        return past_seen.of_consumers(generations or ())


def _prevented(snapshot: ConsumerSnapshot) -> Iterator[Prevention]:
    for kind, release in zip(_OF_RELEASES, (snapshot.broker_release, snapshot.kafka_release), strict=True):
        if release is not None and is_older(release, FIRST_FOR_PRODUCTION):
            yield Prevention(kind, release)
    found = [key for key, _ in snapshot.config if key in _REFUSED_SETTINGS]
    if found:
        yield Prevention(Prevents.CONSUMER_SETTINGS, ", ".join(found))


def _steps(snapshot: ConsumerSnapshot, prevents: Sequence[Prevention]) -> Iterator[MoveStep]:
    yield from removed(one for one in prevents if one.kind not in _OF_RELEASES)
    upgrades = ((StepKind.UPGRADE_BROKERS, snapshot.broker_release), (StepKind.UPGRADE_CLIENTS, snapshot.kafka_release))
    for kind, release in upgrades:
        if release is None or is_older(release, FIRST_FOR_PRODUCTION):
            yield MoveStep(kind, f"{FIRST_FOR_PRODUCTION} or later")
    yield MoveStep(StepKind.SET_PROTOCOL, "group.protocol=consumer")
    yield from (MoveStep(one) for one in (StepKind.RESTART_EACH, StepKind.CHECK, StepKind.GO_BACK))


def _survives(snapshot: ConsumerSnapshot) -> Iterator[Survives]:
    yield from (Survives.OFFSETS, Survives.ASSIGNMENT)
    if any(one.group_instance_id is not None for one in snapshot.members):
        yield Survives.INSTANCE_IDS
    yield from (Survives.LOST_MEMBER_IDS, Survives.LOST_CLIENT_SETTINGS)
