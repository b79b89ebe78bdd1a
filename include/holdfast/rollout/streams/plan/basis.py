"""The snapshot data that a plan relies on: the drift of a group is measured against it (`execution/drift.py`).

In it: members as clients and threads, who runs what, tasks, settings, release. Not in it: lags, end offsets and times, which move
every second and are what forecasts and verify are for. Member IDs are no drift either: a thread that rejoined is the same capacity.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.kafka import java
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.json.codec import BOOLEAN, NAME, TEXT, TEXTS, Codec, integer, nullable, table
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG, PROCESS_ID, STRING_MAP, TASK_ID, TASK_IDS
from holdfast.rollout.json.record import codec_of, key, keyed, member, record
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


@record
class ClientBasis:
    """A client, its members (sorted), one a stream thread, and the tasks it runs (sorted), as the plan saw it."""

    process_id: ProcessId = key(PROCESS_ID)
    host: str | None = member(nullable(TEXT))
    members: tuple[str, ...] = member(TEXTS)
    active: tuple[TaskId, ...] = member(TASK_IDS)
    rack: str | None = member(nullable(TEXT), default=None)
    client_tags: tuple[tuple[str, str], ...] = member(STRING_MAP, default=())

    @property
    def threads(self) -> int:
        return len(self.members)


@dataclass(frozen=True, slots=True)
class TaskBasis:
    """A task and whether it keeps state (None: unknown)."""

    id: TaskId
    stateful: bool | None


TASKS: Codec[tuple[TaskBasis, ...]] = table(TASK_ID, nullable(BOOLEAN)).to(
    lambda pairs: tuple(TaskBasis(*pair) for pair in pairs), lambda tasks: tuple((one.id, one.stateful) for one in tasks)
)
NUMBER: Codec[int] = NAME.to(lambda text: TASK_ID.read(f"{text}_0").subtopology, str)


@record
class Subtopology:
    """What the tasks of one number do: the topics that they read, and the stores that they keep, where changelogs name them."""

    number: int = key(NUMBER)
    topics: tuple[str, ...] = member(TEXTS)
    stores: tuple[str, ...] = member(TEXTS)


@record(about="What the plan relies on: a fresh snapshot is compared with it before anything is done.")
class Basis:
    """Clients in process-ID order, tasks and settings sorted. `subtopologies`: empty in a plan from before they were kept."""

    cluster: str = member(TEXT)
    group_id: str = member(TEXT)
    protocol: str = member(TEXT)
    kafka_release: str | None = member(nullable(TEXT))
    task_assignor: str | None = member(nullable(TEXT))
    config: tuple[tuple[str, ConfigValue], ...] = member(CONFIG)
    tasks: tuple[TaskBasis, ...] = member(TASKS, "Whether it keeps state; null: unknown.")
    clients: tuple[ClientBasis, ...] = member(keyed(codec_of(ClientBasis)))
    generation: int | None = member(nullable(integer(0, java.INT_MAX)), default=None, omit=True)
    """The newest completed rebalance that the snapshot had; None: it had none."""
    subtopologies: tuple[Subtopology, ...] = member(
        keyed(codec_of(Subtopology)),
        "By number: the topics that its tasks read, the stores that they keep.",
        default=(),
        omit=True,
    )

    def stateful_among(self, tasks: Iterable[TaskId]) -> dict[TaskId, None]:
        """Those that keep state, in order; one that a change brings does as the others of its subtopology."""
        known = {one.id: one.stateful for one in self.tasks}
        alike = {one.id.subtopology for one in self.tasks if one.stateful}
        return {task: None for task in tasks if (task.subtopology in alike if known.get(task) is None else known[task])}

    def client(self, process_id: ProcessId) -> ClientBasis | None:
        return next((client for client in self.clients if client.process_id == process_id), None)


def basis_of(snapshot: Snapshot) -> Basis:
    runs: dict[ProcessId, list[TaskId]] = {client.process_id: [] for client in snapshot.clients}
    for task, owner in ownership.owners(snapshot):
        runs[owner].append(task)
    return Basis(
        cluster=snapshot.cluster,
        group_id=snapshot.group_id,
        protocol=snapshot.protocol,
        kafka_release=snapshot.kafka_release,
        task_assignor=snapshot.task_assignor,
        config=tuple(sorted(snapshot.config)),
        tasks=tuple(
            TaskBasis(task.id, None if task.changelogs is None else task.stateful)
            for task in sorted(snapshot.tasks, key=lambda task: task.id)
        ),
        clients=tuple(
            ClientBasis(
                client.process_id,
                client.host,
                tuple(sorted(consumer.member_id for consumer in client.consumers)),
                tuple(runs[client.process_id]),
                client.rack,
                tuple(sorted(client.client_tags)),
            )
            for client in sorted(snapshot.clients, key=lambda client: client.process_id)
        ),
        generation=snapshot.generations[-1].number if snapshot.generations else None,
        subtopologies=_subtopologies(snapshot),
    )


def _subtopologies(snapshot: Snapshot) -> tuple[Subtopology, ...]:
    topics: dict[int, dict[str, None]] = {}
    stores: dict[int, dict[str, None]] = {}
    for task in snapshot.tasks:
        number = task.id.subtopology
        topics.setdefault(number, {}).update({one.topic: None for one in task.partitions})
        stores.setdefault(number, {}).update({_store(one.topic, snapshot.group_id): None for one in task.changelogs or ()})
    return tuple(Subtopology(number, tuple(sorted(topics[number])), tuple(sorted(stores[number]))) for number in sorted(topics))


def _store(changelog: str, application: str) -> str:
    """`<application.id>-<store>-changelog`; a source topic that serves as changelog keeps its name."""
    own = changelog.startswith(f"{application}-") and changelog.endswith("-changelog")
    return changelog[len(application) + 1 : -len("-changelog")] if own else changelog
