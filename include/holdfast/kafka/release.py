"""The differences between Kafka Streams releases: one `Behaviour` per line of releases that behave alike.

A field is a fact that some release changed, with the Kafka issue that changed it. `LINES` begins with the oldest release and
each further line says only what is new in it, so that a new release is one entry. A line is in the table because its own jar
gives what Holdfast gives (tests/conformance); everything else is refused by name.

A new release: put it where it belongs below, let `python -m tests.conformance.streams.record_config_keys` add its keys, run
`HOLDFAST_CONFORMANCE_RELEASES=<it> pytest tests/conformance`; if it differs, it begins a line of its own.
"""

from dataclasses import dataclass, replace

from holdfast.errors import Unsupported
from holdfast.kafka import java
from holdfast.kafka.release_lines import ReleaseLines, patches
from holdfast.kafka.vocabulary import TaskId


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The facts about one line of releases; the values here are those of the oldest line."""

    releases: tuple[str, ...]
    """Every release of this line, oldest first."""

    metadata_version: int
    """The newest user data that its members write and its leader reads: 8 with KAFKA-10455, 9 with KIP-671, 10 with KAFKA-12648,
    11 with KIP-708 (`StreamsAssignmentProtocolVersions.LATEST_SUPPORTED_VERSION`)."""

    running_counts_without_end_offsets: bool = False
    """Where end offsets could not be had, a task that was running is still known as such from 2.7 (pull request 8892); in 2.6 it
    counts as unknown too."""

    idle_close_keeps_progress: bool = False
    """From 2.8 a copy closed under exactly-once says on the disk how far it is. Before, one that had nothing to commit when it was
    closed keeps the offsets that it was started with, or none (`StreamTask.maybeWriteCheckpoint`; docs/state-directory.md)."""

    task_id_hash_of_fields: bool = False
    """From 3.0 a task's hash is made of its fields (KAFKA-12648); before, of both numbers in one long. It decides which thread
    gets what is left over."""

    reports_of_unknown_tasks_fail: bool = True
    """The leader throws where a member reports a task that the topology has not, or not as stateful. From 3.1 such reports are
    passed over (KAFKA-12648)."""

    topic_groups_in_hash_map: bool = False
    """From 3.1 the leader walks the subtopologies in the order of a HashMap (KAFKA-12648), before in that of their numbers. It
    decides where the fallback assignor puts standbys."""

    threads_balance_all_kinds: bool = False
    """From 3.2 stateful active, standby and stateless tasks are spread over a client's threads with one common count
    (KAFKA-12959); before, standbys apart from active tasks."""

    moves_to_most_caught_up: bool = False
    """From 3.2 a task whose target has not caught up, and no other client has, runs on the client with the least lag (KAFKA-13600);
    before, it restored on its target."""

    movements_in_priority_order: bool = False
    """From 3.3 warm-ups are given to the tasks with the fewest caught-up clients first (pull request 12585); before, in the order
    of a heap's array."""

    temporary_standby_needs_copy: bool = False
    """From 3.5.2 and 3.6 a withheld task becomes a temporary standby only where it was a standby before (pull request 14149)."""

    session_timeout_ms: int = 10_000
    """`session.timeout.ms` unless it is set: 45 s from 3.0 (KIP-735)."""

    threads_can_change: bool = False
    """From 2.8 a running client can be given threads, or lose some (KIP-663)."""

    client_tags: bool = False
    """From 3.2 standbys can be spread by `client.tag.*` (KIP-708)."""

    rack_aware: bool = False
    """From 3.6 tasks can be placed by rack (KIP-925)."""

    cycles_sought_from_all_nodes: bool = False
    """From 3.7 the search for a placement of least cost looks for negative cycles from all nodes at once; in 3.6 from one node
    after the other, so that another placement of the same cost can come out."""

    public_task_assignor: bool = False
    """From 3.8 `task.assignor.class` names a public assignor and, if set, replaces the built-in one (KIP-924)."""

    closed_copy_counts_last_record: bool = False
    """From 4.3 a cleanly closed copy on disk reports the offset after its last record for each changelog (KIP-1035); before, the
    offset of the last record, one too few."""

    closed_memory_stores_are_reported: bool = False
    """From 4.3 on a client goes on reporting stores in memory that it has closed, until it ends (KAFKA-20893)."""

    versions_fail_with_code: bool = False
    """Where some members have metadata version 1 or 2 and others are newer than the leader, it answers every member with an error
    code from 2.7; in 2.6 it throws."""

    versions_compared_last: bool = False
    """From 3.8 the leader looks for a request to shut down and for missing topics before it compares metadata versions; earlier
    ones compare first."""

    def task_hash(self, task: TaskId) -> int:
        """`TaskId.hashCode`."""
        of = java.task_id_hash_since_3_0 if self.task_id_hash_of_fields else java.task_id_hash_until_2_8
        return of(task.subtopology, task.partition)

    def subtopology_hash(self, number: int) -> int:
        """`hashCode` of what maps of subtopologies are keyed by: an Integer, from 3.0 a `Subtopology` without a named topology."""
        return java.signed_int(31 * (31 + number)) if self.task_id_hash_of_fields else number


def _lines() -> tuple[Behaviour, ...]:
    line_2_6 = Behaviour(releases=patches("2.6", 1, 3), metadata_version=8)
    line_2_7 = replace(
        line_2_6, releases=patches("2.7", 0, 2), running_counts_without_end_offsets=True, versions_fail_with_code=True
    )
    line_2_8 = replace(
        line_2_7, releases=patches("2.8", 0, 2), metadata_version=9, threads_can_change=True, idle_close_keeps_progress=True
    )
    line_3_0 = replace(
        line_2_8,
        releases=patches("3.0", 0, 2),
        metadata_version=10,
        task_id_hash_of_fields=True,
        session_timeout_ms=45_000,
    )
    line_3_1 = replace(line_3_0, releases=patches("3.1", 0, 2), reports_of_unknown_tasks_fail=False, topic_groups_in_hash_map=True)
    line_3_2 = replace(
        line_3_1,
        releases=patches("3.2", 0, 3),
        metadata_version=11,
        threads_balance_all_kinds=True,
        moves_to_most_caught_up=True,
        client_tags=True,
    )
    line_3_3 = replace(
        line_3_2,
        releases=patches("3.3", 0, 2) + patches("3.4", 0, 1) + patches("3.5", 0, 1),
        movements_in_priority_order=True,
    )
    line_3_5_2 = replace(line_3_3, releases=("3.5.2",), temporary_standby_needs_copy=True)
    line_3_6 = replace(line_3_5_2, releases=patches("3.6", 0, 2), rack_aware=True)
    line_3_7 = replace(line_3_6, releases=patches("3.7", 0, 2), cycles_sought_from_all_nodes=True)
    line_3_8 = replace(
        line_3_7,
        releases=patches("3.8", 0, 1) + patches("3.9", 0, 2) + patches("4.0", 0, 2) + patches("4.1", 0, 2) + patches("4.2", 0, 1),
        public_task_assignor=True,
        versions_compared_last=True,
    )
    line_4_3 = replace(
        line_3_8,
        releases=patches("4.3", 0, 1),
        closed_copy_counts_last_record=True,
        closed_memory_stores_are_reported=True,
    )
    return (
        line_2_6,
        line_2_7,
        line_2_8,
        line_3_0,
        line_3_1,
        line_3_2,
        line_3_3,
        line_3_5_2,
        line_3_6,
        line_3_7,
        line_3_8,
        line_4_3,
    )


LINES = _lines()
"""Oldest first."""

_TABLE = ReleaseLines(LINES)
RELEASES = _TABLE.releases
"""Every release that is covered, oldest first."""
WITHOUT_PROCESS_METADATA = ("2.6.0", "2.6.1", "2.7.0")
"""These releases generate a process ID at each start: 2.6.2, 2.7.1 and 2.8.0 were the first to keep it in a file (KAFKA-10716)."""


def behaviour(release: str) -> Behaviour:
    """What this release does. `release` is like `3.9.1`; `3.9` will do where all of 3.9 behave alike. Else raise Unsupported."""
    found = _TABLE.find(release)
    if isinstance(found, Behaviour):
        return found
    if found:
        raise Unsupported(f"The releases of Kafka {release} differ; give one of them: {', '.join(found)}.")
    raise Unsupported(f"Kafka release {release!r} is not covered. Covered are {covered()}.")


def covered() -> str:
    """The covered releases in one phrase, minor by minor."""
    minors: dict[str, list[str]] = {}
    for release in RELEASES:
        minor, _, patch = release.rpartition(".")
        minors.setdefault(minor, []).append(patch)
    return ", ".join(
        f"{minor}.{patches[0]}" if len(patches) == 1 else f"{minor}.{patches[0]} to {minor}.{patches[-1]}"
        for minor, patches in minors.items()
    )
