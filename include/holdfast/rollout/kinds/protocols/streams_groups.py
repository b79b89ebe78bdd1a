"""A Kafka Streams group to be compared. A streams group begins from nothing: the coordinator lets no streams member in while
classic ones are there, so that the move is offline."""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from holdfast.errors import CannotPredict, HoldfastError, Unsupported
from holdfast.kafka.coordinator.config_keys import MOST_STANDBYS, STANDBYS
from holdfast.kafka.coordinator.release import FIRST_FOR_PRODUCTION, LINES, behaviour
from holdfast.kafka.release_lines import is_older
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.moves import Prevention
from holdfast.rollout.kinds.moving.prevented import standbys_of
from holdfast.rollout.kinds.protocols import past_seen
from holdfast.rollout.kinds.protocols.classic_streams import ClassicStreams
from holdfast.rollout.kinds.protocols.comparable import UNKNOWN, About, Comparable, removed
from holdfast.rollout.kinds.protocols.comparison import Applied, DeployKind, Move, MoveStep, StepKind, Survives
from holdfast.rollout.kinds.protocols.deploys import Seen
from holdfast.rollout.kinds.protocols.groups_by_broker import GroupByBroker
from holdfast.rollout.kinds.protocols.side import Drawn, Side
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.scene.static_members import all_static
from holdfast.rollout.streams.snapshot import churn
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.snapshot.stores import keeps_ids

RELEASES = tuple(line.releases[-1] for line in LINES)
"""The newest release of each line of coordinators."""
_UNKNOWN = (
    Unknown("topology changes", "no snapshot shows whether deploys change the topology: each of those needs a new group then"),
    Unknown("source patterns", "no snapshot shows whether the topology subscribes by a pattern; KafkaStreams refuses that then"),
    Unknown("disks", "after the move a disk is taken to have what its client runs, or has a standby of, when a deploy begins"),
    Unknown("task offsets", "members of 4.4 are taken to report what their disks have"),
)


class StreamsGroups(Comparable[Snapshot]):
    protocol: ClassVar[str] = "streams-classic"

    def refuse_unsettled(self, snapshot: Snapshot) -> None:
        churn.refuse_unsettled(snapshot, not_said=True)

    def about(self, snapshot: Snapshot) -> About:
        stateful = sum(one.stateful for one in snapshot.tasks)
        return About(len(snapshot.clients), stateful, (*snapshot.unknown, *UNKNOWN, *_UNKNOWN))

    def sides(self, snapshot: Snapshot, policy: Policy, seed: int) -> Iterator[Side]:
        dynamic = not all_static(snapshot.clients)
        yield ClassicStreams(snapshot, policy)
        if dynamic:
            yield ClassicStreams(snapshot, policy, static=True)
        standbys = standbys_of(snapshot) + 1
        more = ((Applied.MORE_STANDBYS,),) if standbys <= MOST_STANDBYS and standbys < len(snapshot.clients) else ()
        for release in RELEASES:
            facts = behaviour(release)
            interval = ((Applied.LONG_INTERVAL,),) if facts.has_interval and len(snapshot.clients) > 1 else ()
            static = ((Applied.STATIC,),) if facts.static_members and dynamic else ()
            for applied in ((), *more, *interval, *static):
                try:
                    yield GroupByBroker(snapshot, release, policy, seed, *applied)
                except (CannotPredict, Unsupported) as refusal:
                    yield _Refused(release, applied, refusal)

    def move(self, snapshot: Snapshot, prevents: Sequence[Prevention]) -> Move:
        return Move("streams", online=False, steps=tuple(_steps(snapshot, prevents)), survives=tuple(_survives(snapshot)))

    def seen(self, snapshot: Snapshot, generations: Iterable[Generation] | None) -> tuple[Seen, ...]:
        return past_seen.of_streams(snapshot.generations if generations is None else generations)


def _steps(snapshot: Snapshot, prevents: Sequence[Prevention]) -> Iterator[MoveStep]:
    yield from removed(prevents)
    yield MoveStep(StepKind.UPGRADE_BROKERS, "4.2.1 or later: 4.2.0 cannot load a moved group again (KAFKA-20254)")
    if snapshot.kafka_release is None or is_older(snapshot.kafka_release, FIRST_FOR_PRODUCTION):
        yield MoveStep(StepKind.UPGRADE_CLIENTS, f"{FIRST_FOR_PRODUCTION} or later")
    if standbys_of(snapshot):
        yield MoveStep(StepKind.SET_GROUP_CONFIGS, f"{STANDBYS}={standbys_of(snapshot)}")
    yield MoveStep(StepKind.SET_PROTOCOL, "group.protocol=streams")
    yield from (
        MoveStep(one) for one in (StepKind.STOP_ALL, StepKind.WAIT_EMPTY, StepKind.START_ALL, StepKind.CHECK, StepKind.GO_BACK)
    )


def _survives(snapshot: Snapshot) -> Iterator[Survives]:
    yield Survives.OFFSETS
    if keeps_ids(snapshot):
        yield from (Survives.STATE, Survives.PROCESS_IDS)
    if all_static(snapshot.clients):
        yield Survives.INSTANCE_IDS
    yield from (Survives.LOST_ASSIGNMENT, Survives.LOST_MEMBER_IDS)


class _Refused(Side):
    """A protocol of which nothing can be predicted."""

    protocol = "streams"

    def __init__(self, release: str, applied: tuple[Applied, ...], refusal: HoldfastError) -> None:
        self.release, self.applied, self._refusal = release, applied, refusal

    def members(self) -> int:
        return 1

    def is_random(self, deploy: DeployKind) -> bool:  # noqa: ARG002 - of every deploy
        return False

    def work(self) -> int:
        return 1

    def drawn(self, deploy: DeployKind, draw: int) -> tuple[Drawn, ...]:  # noqa: ARG002 - of every deploy
        raise self._refusal
