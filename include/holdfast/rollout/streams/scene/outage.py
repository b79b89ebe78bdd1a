"""Clients that are down before the group notices: which tasks are unavailable, and for how many seconds."""

from collections.abc import Mapping
from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka import java
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams.group import Client, Task
from holdfast.kafka.vocabulary import ProcessId, TopicPartition
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.text.format import printable

COMMITS_KEPT_MINUTES = 7 * 24 * 60
"""`offsets.retention.minutes` of a broker that says nothing else."""


def down(scene: Scene, minutes: float) -> Scene:
    """No client runs. End offsets do not change: no client writes to changelogs, and a source topic that serves as one is measured
    by the group's committed offset (`ClientUtils.fetchCommittedOffsets`, every release covered), however much is written to it."""
    sources = dict.fromkeys(one for task in scene.tasks for one in task.partitions)
    own = [
        one.topic for task in scene.tasks for one in task.changelogs or () if TopicPartition(one.topic, one.partition) in sources
    ]
    notes = scene.notes
    if own:
        topics = ", ".join(sorted(dict.fromkeys(own)))
        if minutes >= COMMITS_KEPT_MINUTES:
            raise CannotPredict(
                f"The group is empty for {minutes:g} minutes. After {COMMITS_KEPT_MINUTES:,} minutes (offsets.retention.minutes of"
                f" the brokers, unless it is set) its committed offsets are gone, against which the tasks of {topics} are measured."
            )
        note = (
            f"{topics}: source topics that serve as changelogs keep growing, but no task migrates for it, however long it takes:"
            " the leader compares their copies with the group's committed offsets, which do not advance."
            f" (The brokers delete them after offsets.retention.minutes: {COMMITS_KEPT_MINUTES:,} unless it is set.)"
        )
        notes = (*notes, Note(NoteKind.COMMITS, note))
    all_clients = tuple(client.process_id for client in scene.clients)
    return replace(stopped(scene, scene.clients, minutes * 60), down=all_clients, notes=notes)


def missed(scene: Scene, gone: Client, back: ProcessId) -> Scene:
    """A client was closed, and another, or it itself, is there in its place. A close sends no LeaveGroup (seen up to
    4.3.1), so the rebalance that lets the other run those tasks ends once the session of the old members is over."""
    if gone in scene.away:
        return scene  # its tasks went to others long ago
    after = stopped(scene, (gone,), session_timeout_s(scene))
    return replace(after, delay_s=scene.delay_s, down=(*scene.down, back))


def stopped(scene: Scene, gone: tuple[Client, ...], seconds: float) -> Scene:
    """The tasks of these clients are unavailable for so long, at most. What happens at the same time waits for the longest."""
    number_of = _TASKS.number_of(scene.tasks)
    owned = {number_of.get(one) for client in gone for consumer in client.consumers for one in consumer.owned}
    tasks = tuple([(scene.tasks[number].id, seconds) for number in sorted(number for number in owned if number is not None)])
    return replace(scene, delay_s=max(scene.delay_s, seconds), stopped=(*scene.stopped, *tasks))


class _Tasks:
    """Where the task of each partition is, of the tasks last asked about: a rolling restart asks about the same for each client."""

    def __init__(self) -> None:
        self._known: tuple[tuple[Task, ...], Mapping[TopicPartition, int]] = ((), {})

    def number_of(self, tasks: tuple[Task, ...]) -> Mapping[TopicPartition, int]:
        known, numbers = self._known
        if known is not tasks:
            numbers = {partition: number for number, task in enumerate(tasks) for partition in task.partitions}
            self._known = tasks, numbers
        return numbers


_TASKS = _Tasks()

HEARTBEAT = "heartbeat.interval.ms"
HEARTBEAT_MS = 3_000
"""Kafka's default, in every release covered."""


def session_timeout_s(scene: Scene) -> float:
    """How long the group waits for a member that is gone: 10 s up to 2.8, 45 s from 3.0 (KIP-735), unless it is set."""
    given = _milliseconds(scene, "session.timeout.ms")
    if given is not None:
        return given / 1000
    assert scene.kafka_release is not None, "a forecast is for one release"
    return behaviour(scene.kafka_release).session_timeout_ms / 1000


def in_time_s(scene: Scene) -> float:
    """How long a client may be away: its session began with its last heartbeat, which may be `heartbeat.interval.ms` ago when it is
    stopped, and it sends none while it closes. Raise CannotPredict where neither the timeout nor the release is known."""
    if scene.kafka_release is None and _milliseconds(scene, "session.timeout.ms") is None:
        raise CannotPredict("How long a client may be away is unknown: give the release, or session.timeout.ms.")
    heartbeat = _milliseconds(scene, HEARTBEAT)
    seconds = max(0, session_timeout_s(scene) - (HEARTBEAT_MS if heartbeat is None else heartbeat) / 1000)
    return int(seconds) if seconds == int(seconds) else seconds


def refuse_times(scene: Scene) -> None:
    """Raise InvalidInput for timeouts with which no consumer starts (the Heartbeat of AbstractCoordinator, every release)."""
    session, heartbeat = _milliseconds(scene, "session.timeout.ms"), _milliseconds(scene, HEARTBEAT)
    if session is not None and heartbeat is not None and heartbeat >= session:
        raise InvalidInput(f"session.timeout.ms is {session:,} and {HEARTBEAT} {heartbeat:,}; the second must be lower")


def _milliseconds(scene: Scene, key: str) -> int | None:
    given = dict(scene.config).get(key)
    if given is None:
        return None
    text = str(given).strip()
    if isinstance(given, bool) or len(text) > 10 or not text.isdecimal() or not 0 < int(text) <= java.INT_MAX:
        raise InvalidInput(f"{key} is {printable(text, 40)}; milliseconds from 1 to {java.INT_MAX:,} are needed", "process_id")
    return int(text)
