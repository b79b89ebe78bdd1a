"""`move_to_streams_protocol`: all clients stop, the group becomes empty, and all start with `group.protocol=streams` (KIP-1071).

What follows is decided by another kind of group: `kinds.moving` makes the streams group of this one, and the forecast is that of
its coordinator. Here is only what is asked for.
"""

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.facts.moves import IGNORED, Prevents
from holdfast.rollout.json.codec import BOOLEAN, NAMES, choice, items, nullable, table
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG, PROCESS_ID, PROCESS_IDS, RELEASE
from holdfast.rollout.json.record import member, record
from holdfast.rollout.streams.events.event import Before, Event, Name, StepContext
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.steps.drafts import Draft

_MEMBER_IDS = table(PROCESS_ID, NAMES).described(
    "By process ID of a client: one a thread, in the order in which they join. Left out: random ones, as every start makes them."
)
_NEW_IDS = table(PROCESS_ID, PROCESS_ID).described("By process ID of a client: the one that it starts with.")


def _fits_together(event: "MoveToStreamsProtocol") -> None:
    new = [one for _, one in event.new_process_ids]
    if len(dict.fromkeys(new)) < len(new):
        raise InvalidInput("a process ID is given to two clients", "new_process_ids")
    if new and event.keeps_process_ids:
        raise InvalidInput("clients that get new process IDs do not keep theirs: leave one of the two out", "keeps_process_ids")


@record(check=_fits_together, defaults=True)
class MoveToStreamsProtocol(Event):
    """`broker_release`: of the group's coordinator. `kafka_release`: of the clients' build then; None: the Snapshot's. `config`:
    configs of the streams group, set before its clients start. `gives_up`: features that are ignored then, and may be.

    `source_patterns`: whether the topology subscribes by pattern; None: unknown. `keeps_process_ids` None: with a store on disk.
    """

    broker_release: str = member(RELEASE)
    kafka_release: str | None = member(nullable(RELEASE), default=None, omit=True)
    config: tuple[tuple[str, ConfigValue], ...] = member(CONFIG, default=(), omit=True)
    gives_up: tuple[Prevents, ...] = member(items(choice(Prevents, among=IGNORED)), default=(), omit=True)
    source_patterns: bool | None = member(nullable(BOOLEAN), default=None, omit=True)
    keeps_process_ids: bool | None = member(nullable(BOOLEAN), default=None, omit=True)
    new_process_ids: tuple[tuple[ProcessId, ProcessId], ...] = member(_NEW_IDS, default=(), omit=True)
    late: tuple[ProcessId, ...] = member(
        PROCESS_IDS.described("Clients that join only after the first target, one after the other."), default=(), omit=True
    )
    member_ids: tuple[tuple[ProcessId, tuple[str, ...]], ...] = member(_MEMBER_IDS, default=(), omit=True)

    VERB = "move_to_streams_protocol"
    ALL_DOWN = True

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no client
        clients = "" if self.kafka_release is None else f" and clients of Kafka Streams {self.kafka_release}"
        return f"move to group.protocol=streams, with brokers of Kafka {self.broker_release}{clients}"

    def title(self, host: Name) -> tuple[str, str]:  # noqa: ARG002
        return "move", "to group.protocol=streams"

    def restarts(self, clients: int) -> int:
        return clients

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:  # noqa: ARG002 - as every event
        """Raise Unsupported: the group is no classic one after it."""
        raise Unsupported(_ALONE)

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:  # noqa: ARG002
        raise Unsupported(_ALONE)


_ALONE = (
    "move_to_streams_protocol makes a group of another kind, whose coordinator assigns: it is the only event of its change, and"
    " what follows is a change of its own"
)
