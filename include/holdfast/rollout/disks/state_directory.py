"""What the state directory of one client held when it was read. Every kind of Streams group has the same."""

from holdfast.kafka import java
from holdfast.kafka.streams.first_report import FirstReport
from holdfast.kafka.vocabulary import OFFSET_UNKNOWN, ProcessId, TaskId, TopicPartition
from holdfast.rollout.json.codec import BOOLEAN, COUNT, INSTANT, NAME, TEXT, TEXTS, Codec, integer, items, nullable, row, table
from holdfast.rollout.json.kafka_codecs import ANY_OFFSET_SUMS, PARTITION, PROCESS_ID, TASK_ID
from holdfast.rollout.json.record import codec_of, key, keyed, member, record, record_of

CHECKPOINT: Codec[tuple[tuple[TopicPartition, int], ...]] = items(
    row(
        'a checkpoint entry like ["topic", 0, 17] (topic, partition, offset)',
        lambda topic, partition, offset: (TopicPartition(topic, partition), offset),
        lambda entry: [*entry[0], entry[1]],
        *(NAME, PARTITION, integer(OFFSET_UNKNOWN)),
    )
)
FIRST_REPORT = record_of(
    FirstReport,
    closed=False,
    task_offset_sums=member(ANY_OFFSET_SUMS, "What a client started on it reports."),
    doubts=member(TEXTS, default=()),
)
_MAYBE_COUNT = nullable(COUNT)


@record(closed=False)
class StateFile:
    """A file that was read in a state directory: path below it, size in bytes, modification time (ISO 8601, UTC)."""

    path: str = member(NAME)
    size: int = member(COUNT)
    modified_at: str | None = member(nullable(INSTANT), absent=None)


@record(closed=False)
class Lock:
    """Whether a running client held the directory's `.lock` when it was read. None: it cannot be known, for `reason`.

    `pid`: the holder's process ID on the machine that read; None where it has none there (another container, another machine).
    """

    held: bool | None = member(nullable(BOOLEAN), "Whether a running client held .lock; null: it cannot be known.")
    pid: int | None = member(nullable(integer(1, java.INT_MAX)), default=None, omit=True)
    reason: str | None = member(nullable(TEXT), default=None, omit=True)


@record(closed=False)
class TaskDirectory:
    """A task directory. `checkpoint` holds (partition, offset of the last record applied or -4); None: no file, or unreadable.

    `offsets_in_stores`: they were read from the stores themselves, where 4.3 keeps them. `stores`: what its folders of stores are
    called (those in memory have none), sorted. `open_stores`: those among them that say that they were not closed (4.3).
    `lock`: of its own `.lock`, which releases up to 2.8 have; None: there is none. `unreadable`: something in it that says how far
    its stores are could not be read, as the Snapshot's `unknown` says.
    """

    task_id: TaskId = key(TASK_ID)
    checkpoint: tuple[tuple[TopicPartition, int], ...] | None = member(nullable(CHECKPOINT), absent=None)
    non_empty: bool = member(BOOLEAN)
    stores: tuple[str, ...] = member(TEXTS, default=(), omit=True)
    offsets_in_stores: bool = member(BOOLEAN, "The checkpoint was read in the stores themselves.", default=False, omit=True)
    open_stores: tuple[str, ...] = member(TEXTS, "Stores that say that they were not closed (4.3).", default=(), omit=True)
    unreadable: bool = member(BOOLEAN, "Not all that says how far its stores are could be read.", default=False, omit=True)
    lock: Lock | None = member(nullable(codec_of(Lock)), default=None, omit=True)


@record(closed=False)
class StateDirectory:
    """What `<state.dir>/<application.id>` of one client held. `url` never carries a user or password.

    `lock`: who held it when it was read; None: it was not asked for. `global_checkpoint`: the offsets of the global stores.
    `named_topologies`: what is in the directories `__name__`, by name. `others`: entries that Kafka Streams does not know.
    `first_report`: what a client that is started on it reports when it first joins; None: not inferred. `free_bytes`: what may
    still be written on its file system; None: it cannot be seen.
    """

    url: str = member(NAME)
    process_id: ProcessId | None = member(nullable(PROCESS_ID), absent=None)
    lock: Lock | None = member(nullable(codec_of(Lock)), default=None, omit=True)
    files: tuple[StateFile, ...] = member(items(codec_of(StateFile)), default=())
    global_checkpoint: tuple[tuple[TopicPartition, int], ...] | None = member(
        nullable(CHECKPOINT), name="global", default=None, omit=True
    )
    tasks: tuple[TaskDirectory, ...] = member(keyed(codec_of(TaskDirectory)), default=())
    named_topologies: tuple[tuple[str, tuple[TaskDirectory, ...]], ...] = member(
        table(TEXT, keyed(codec_of(TaskDirectory))), "By name: Kafka Streams 3.x, `__name__/0_1`.", default=(), omit=True
    )
    others: tuple[str, ...] = member(TEXTS, "Entries that Kafka Streams does not know.", default=(), omit=True)
    first_report: FirstReport | None = member(nullable(FIRST_REPORT), default=None, omit=True)
    free_bytes: int | None = member(_MAYBE_COUNT, "What may still be written on its file system.", default=None, omit=True)
