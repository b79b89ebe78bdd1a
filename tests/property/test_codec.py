"""Does every value survive its JSON? Is everything that is not a document refused correctly?"""

import json
from contextlib import suppress
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as some

from holdfast.errors import HoldfastError
from holdfast.kafka.streams.first_report import FirstReport
from holdfast.kafka.streams.group import Changelog, Client, Consumer, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import Lock, StateDirectory, StateFile, TaskDirectory
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.snapshot.evidence import Assigned, Evidence, LastJoin
from holdfast.rollout.streams.snapshot.json import snapshot_from_json, snapshot_to_json
from holdfast.rollout.streams.snapshot.relied_on import snapshot_fingerprint
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember, Snapshot, Topic, TopicPartitionInfo

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

words = some.text(max_size=8)
names = some.text(min_size=1, max_size=8)
offsets = some.integers(0, 2**63 - 1)
ints = some.integers(0, 2**31 - 1)
task_ids = some.builds(TaskId, ints, ints)
process_ids = some.builds(ProcessId.of, some.uuids())
partitions = some.builds(TopicPartition, names, ints)
moments = some.just("2026-11-20T13:48:02.5+00:00")


def several(one: some.SearchStrategy[T], most: int = 3) -> some.SearchStrategy[tuple[T, ...]]:
    return some.lists(one, max_size=most).map(tuple)


def by_key(keys: some.SearchStrategy[K], values: some.SearchStrategy[V]) -> some.SearchStrategy[tuple[tuple[K, V], ...]]:
    return some.dictionaries(keys, values, max_size=3).map(lambda found: tuple(found.items()))


sums = by_key(task_ids, offsets | some.just(-2))
older_sums = by_key(task_ids, some.sampled_from((-2, -3)))
settings = by_key(names, some.one_of(words, some.integers(-(2**63), 2**63 - 1), some.booleans(), some.none(), several(words)))


@some.composite
def snapshots(draw: some.DrawFn) -> Snapshot:
    free = draw(some.lists(partitions, max_size=8, unique=True))
    tasks = tuple(
        Task(task, tuple(free[index::4]), draw(some.none() | several(some.builds(Changelog, names, ints, some.none() | offsets))))
        for index, task in enumerate(sorted(draw(some.lists(task_ids, max_size=4, unique=True))))
    )
    members = draw(some.lists(names, min_size=1, max_size=6, unique=True))
    ids = draw(some.lists(process_ids, max_size=min(3, len(members)), unique=True))
    clients = tuple(
        Client(
            process_id,
            tuple(
                Consumer(
                    member,
                    draw(words),
                    draw(some.none() | words),
                    draw(several(partitions)),
                    *draw(some.tuples(sums, some.none() | some.just(8)) | some.tuples(older_sums, some.just(6))),
                )
                for member in members[index :: len(ids)]
            ),
            draw(some.none() | words),
            draw(some.none() | words),
            draw(by_key(names, words)),
            draw(some.none() | words),
        )
        for index, process_id in enumerate(ids)
    )
    evidence = tuple(
        Evidence(
            consumer.member_id,
            Assigned((), draw(some.none() | several(task_ids))),
            LastJoin(None, draw(some.none() | sums), draw(some.none() | some.just(11))),
        )
        for client in clients
        for consumer in client.consumers
        if draw(some.booleans())
    )
    return Snapshot(
        cluster=draw(words),
        group_id=draw(names),
        captured_at=draw(some.none() | moments),
        protocol="streams-classic",
        group_state=draw(some.none() | words),
        kafka_release=draw(some.none() | names),
        task_assignor=draw(some.none() | names),
        leader_process_id=draw(some.none() | some.sampled_from(ids)) if ids else None,
        config=tuple(sorted(draw(settings), key=lambda pair: pair[0])),
        tasks=tasks,
        clients=clients,
        missing_topics=draw(several(names)),
        topics=tuple(
            Topic(
                topic,
                tuple(
                    TopicPartitionInfo(
                        number,
                        draw(several(some.none() | words)),
                        draw(some.none() | offsets),
                        draw(some.none() | offsets),
                        draw(some.none() | ints),
                    )
                    for number in range(draw(some.integers(0, 2)))
                ),
            )
            for topic in draw(some.lists(names, max_size=2, unique=True))
        ),
        evidence=evidence,
        state_directories=draw(several(directories, 2)),
        generations=draw(several(generations, 2)),
        unknown=draw(several(some.builds(Unknown, words, words))),
    )


locks = some.none() | some.builds(Lock, some.none() | some.booleans(), some.none() | some.integers(1, 2**22), some.none() | words)
checkpoints = some.none() | several(some.tuples(partitions, offsets | some.just(-4)))
flags = some.booleans()
task_directories = some.lists(
    some.builds(TaskDirectory, task_ids, checkpoints, flags, several(names), flags, several(words), flags, locks),
    max_size=2,
    unique_by=lambda directory: directory.task_id,
).map(tuple)
directories = some.builds(
    StateDirectory,
    url=names,
    process_id=some.none() | process_ids,
    tasks=task_directories,
    files=several(some.builds(StateFile, names, offsets, some.none() | moments)),
    lock=locks,
    global_checkpoint=checkpoints,
    named_topologies=some.lists(some.tuples(words, task_directories), max_size=2, unique_by=lambda one: one[0]).map(tuple),
    others=several(words),
    first_report=some.none() | some.builds(FirstReport, sums, several(words)),
    free_bytes=some.none() | offsets,
)
generations = some.builds(
    Generation,
    number=ints,
    completed_at=moments,
    leader_member_id=some.none() | words,
    protocol=some.none() | words,
    members=some.lists(
        some.builds(GenerationMember, names, words, words, some.none() | words, some.binary(max_size=9), some.binary(max_size=9)),
        max_size=2,
        unique_by=lambda member: member.member_id,
    ).map(tuple),
)


@pytest.mark.thorough
@given(snapshots())
def test_a_snapshot_survives_its_json(snapshot: Snapshot) -> None:
    text = dumps(snapshot_to_json(snapshot))

    again = snapshot_from_json(loads(text))

    assert again == snapshot
    assert dumps(snapshot_to_json(again)) == text
    assert snapshot_fingerprint(again) == snapshot_fingerprint(snapshot)


documents = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False, allow_infinity=False) | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(some.text(max_size=40) | some.binary(max_size=40))
def test_any_text_is_a_document_or_a_refusal(text: str | bytes) -> None:
    try:
        document = loads(text)
    except HoldfastError:
        return
    assert loads(dumps(document)) == document


@pytest.mark.thorough
def put_somewhere(anything: object, document: object, data: some.DataObject) -> None:
    """In place of a drawn part of the document."""
    place = document
    while isinstance(place, dict | list) and place:
        key = data.draw(some.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        inner = place[key]
        if not isinstance(inner, dict | list) or data.draw(some.booleans()):
            place[key] = anything
            break
        place = inner


@given(snapshots(), documents, some.data())
def test_a_snapshot_with_anything_put_into_it_is_read_or_refused(
    snapshot: Snapshot, anything: object, data: some.DataObject
) -> None:
    document: object = json.loads(dumps(snapshot_to_json(snapshot)))
    put_somewhere(anything, document, data)
    try:
        read = snapshot_from_json(document)
    except HoldfastError:
        return
    assert snapshot_from_json(snapshot_to_json(read)) == read


@pytest.mark.thorough
@given(documents)
def test_a_change_of_anything_is_read_or_refused(anything: object) -> None:
    for document in (
        anything,
        {"format_version": "1.0", "events": [anything]},
        {"format_version": "1.0", "events": [{"add_client": anything}]},
    ):
        with suppress(HoldfastError):
            requested = change_from_json(document)
            assert change_from_json(change_to_json(requested)) == requested
