"""A recorded target as a question with a known answer: all that the coordinator's decision depended on, complete in itself."""

from holdfast.kafka.coordinator.streams.group import Subtopology, Tasks
from holdfast.rollout.broker_streams.snapshot.snapshot import PROTOCOL
from holdfast.rollout.broker_streams.snapshot.tasks import TASKS
from holdfast.rollout.json.codec import BOOLEAN, INSTANT, NAME, TEXT, TEXTS, integer, items
from holdfast.rollout.json.record import codec_of, key, keyed, member, record

MOST_TASKS = 1_000_000
"""Of one subtopology."""
_EPOCH = integer(0, 2**31 - 1)


@record
class Holding:
    """Tasks of one member."""

    active: Tasks = member(TASKS, default=())
    standby: Tasks = member(TASKS, default=())


@record
class PastMember:
    """A member when the target was computed. `target`: its target before; `has`: what it had been given of it; `given`: the
    recorded decision. `order_known`: its metadata was written once, when it joined."""

    member_id: str = key(NAME)
    process_id: str = member(TEXT)
    given: Holding = member(codec_of(Holding))
    target: Holding = member(codec_of(Holding), default=Holding(), omit=True)
    has: Holding = member(codec_of(Holding), default=Holding(), omit=True)
    order_known: bool = member(BOOLEAN, default=True, omit=True)


@record
class PastSubtopology:
    """`tasks`: how many, as the recorded target shows them."""

    id: str = key(NAME)
    tasks: int = member(integer(0, MOST_TASKS))
    stateful: bool = member(BOOLEAN)

    @property
    def as_assigned(self) -> Subtopology:
        return Subtopology(self.id, self.tasks, self.stateful)


@record(version="1.0", about="One recorded target of a streams group, and what its coordinator's decision depended on.")
class TargetQuestion:
    """`releases`: one of each line of releases that the coordinator may have run. `standbys`: each number that is tried; one where
    it is recorded. `ready`: whether the topology was. `members`: in the order in which they joined; `newcomer`: the last of them,
    if its own first heartbeat computed the target. `most_members`: how many there were at once, by the records."""

    releases: tuple[str, ...] = member(TEXTS)
    epoch: int = member(_EPOCH)
    computed_at: str = member(INSTANT)
    standbys: tuple[int, ...] = member(items(integer(0, 100)))
    ready: bool = member(BOOLEAN)
    subtopologies: tuple[PastSubtopology, ...] = member(keyed(codec_of(PastSubtopology)))
    members: tuple[PastMember, ...] = member(keyed(codec_of(PastMember)))
    newcomer: bool = member(BOOLEAN, default=False)
    most_members: int = member(_EPOCH, default=0)
    protocol: str = member(NAME, default=PROTOCOL)
