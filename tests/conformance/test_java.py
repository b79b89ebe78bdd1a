"""`holdfast.kafka.java` and `java_hash` against the JVM: hash codes, orders, and collections that show their insides."""

import random
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from tests.conformance.jvm import LeaderJvm

from holdfast.kafka import java, java_hash
from holdfast.kafka.release import Behaviour, behaviour
from holdfast.kafka.vocabulary import ProcessId, TaskId

pytestmark = pytest.mark.jvm


QUESTIONS = 150


@pytest.mark.parametrize("release", ["2.6.3", "2.8.2", "3.0.2", "3.1.2", "3.7.2", "3.9.1", "4.3.1"])
def test_java_is_emulated(release: str) -> None:
    seed = random.SystemRandom().randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    line = behaviour(release)
    with LeaderJvm(release) as jvm:
        questions = [_question(chance) for _ in range(QUESTIONS)]
        trees = 0
        for question, answer in zip(questions, jvm.ask(questions), strict=True):
            _check(question, answer, line)
            tasks = [tuple(task) for task in question["tasks"]]
            trees += _hash_set(tasks, _task_hash(line), tuple) != _without_trees(tasks, _task_hash(line))
    assert trees > 3, "hardly any table had a bucket of nine: trees were not tested"


def _question(chance: random.Random) -> dict[str, Any]:
    alphabet = "abz09-_.AZäß€\uffff😀𐀀"
    strings = list({"".join(chance.choices(alphabet, k=chance.randint(0, 12))) for _ in range(chance.randint(0, 60))})
    stride = chance.choice([1, 1, 2, 16, 64, 128, 256, 1024])
    tasks = list({(chance.randrange(12), stride * chance.randrange(200)) for _ in range(chance.choice([3, 12, 24, 30, 300]))})
    if chance.random() < 0.2:  # up to twelve with one hash, from 3.0 on
        tasks = [
            (number, sums - 31 * number) for sums in chance.sample(range(341, 999), 20) for number in range(chance.randint(1, 12))
        ]
    uuids = [uuid.UUID(int=chance.getrandbits(128)) for _ in range(chance.choice([1, 12, 13, 24, 48, 60]))]
    uuids += [uuid.UUID(int=bits) for bits in (0, 1, 2**63 - 1, 2**63, 2**64, 2**127 - 1, 2**127, 2**127 + 2**63, 2**128 - 1)]
    return {
        "ask": "java",
        "strings": strings,
        "uuids": [str(each) for each in uuids],
        "partitions": [[text, chance.randrange(2**31)] for text in strings],
        "tasks": tasks,
        "tasks removed": chance.sample(tasks, chance.randint(0, len(tasks))),
        "queue": {
            "first": [chance.randrange(30) for _ in range(chance.randrange(20))],
            "changes": [
                None if chance.random() < 0.3 else [chance.randrange(30)] if chance.random() < 0.3 else chance.randrange(30)
                for _ in range(30)
            ],
        },
    }


def _check(question: dict[str, Any], answer: dict[str, Any], line: Behaviour) -> None:
    strings, partitions, uuids = question["strings"], question["partitions"], question["uuids"]
    assert answer["string hashes"] == [java.string_hash(text) for text in strings]
    assert answer["strings sorted"] == sorted(strings, key=java.string_order)
    _check_tables(answer, "string", strings, java.string_hash, java.string_order)
    bits = {text: uuid.UUID(text).int for text in uuids}
    assert answer["uuid hashes"] == answer["process hashes"] == [java.uuid_hash(each) for each in bits.values()]
    _check_tables(answer, "uuid", uuids, lambda text: java.uuid_hash(bits[text]), ProcessId.parse)
    ascending = sorted(uuids, key=ProcessId.parse)  # the numbers rank as the keys do
    subset = java_hash.SubsetOrder([java.uuid_hash(bits[text]) for text in ascending])
    assert answer["uuid set"] == [ascending[number] for number in subset([ascending.index(text) for text in uuids])]
    assert answer["uuids sorted"] == ascending
    assert answer["partition hashes"] == [java.topic_partition_hash(topic, number) for topic, number in partitions]
    tasks = [TaskId(subtopology, partition) for subtopology, partition in question["tasks"]]
    names = {str(task): task for task in tasks}
    assert answer["task hashes"] == [line.task_hash(task) for task in tasks]
    assert answer["tasks sorted"] == [str(task) for task in sorted(tasks)]
    _check_tables(answer, "task", list(names), lambda name: line.task_hash(names[name]), names.__getitem__)
    removed = [TaskId(*task) for task in question["tasks removed"]]
    without = java_hash.hash_order_without(tasks, removed, line.task_hash, lambda task: task)
    assert answer["tasks left"] == list(map(str, without))
    assert answer["tasks collected"] == answer["task set"]
    assert answer["subtopology hashes"] == [line.subtopology_hash(number) for number in range(20)]
    assert answer["queue"] == list(_queue(question["queue"]))


def _check_tables(
    answer: dict[str, Any], what: str, keys: list[str], hash_code: Callable[[str], int], rank: Callable[[str], Any]
) -> None:
    """A set of these keys, and its copies: `new HashSet<>(set)`, `addAll`, `new HashMap<>(map)`, `putAll`. Java 8 to 18."""
    in_set = java_hash.hash_order(keys, hash_code, rank)
    assert answer[f"{what} set"] == in_set
    in_map = java_hash.hash_order(in_set, hash_code, rank)
    assert answer[f"{what} set added"] == in_map  # not always the same again: a tree remembers how it grew
    copied = java_hash.capacity_of_copy(len(keys))
    assert answer[f"{what} set copied"] == java_hash.hash_order(in_set, hash_code, rank, copied)
    put = java_hash.capacity_after_put_all(len(keys))
    assert answer[f"{what} map copied"] == answer[f"{what} map put"] == java_hash.hash_order(in_map, hash_code, rank, put)


def _task_hash(line: Behaviour) -> Callable[[tuple[int, ...]], int]:
    return lambda task: line.task_hash(TaskId(*task))


def _hash_set(keys: list[Any], hash_code: Callable[[Any], int], rank: Callable[[Any], Any]) -> list[Any]:
    return java_hash.hash_order(keys, hash_code, rank)


def _without_trees(keys: list[Any], hash_code: Callable[[Any], int]) -> list[Any]:
    """The order if every bucket were a list, in a table as large as these keys alone make it."""
    capacity = 16
    while len(keys) > capacity * 3 // 4:
        capacity *= 2
    codes = [hash_code(key) & 0xFFFFFFFF for key in keys]
    buckets = {key: (code ^ (code >> 16)) & (capacity - 1) for key, code in zip(keys, codes, strict=True)}
    return sorted(keys, key=buckets.__getitem__)


def _queue(question: dict):
    queue = java.PriorityQueue(lambda number: number, question["first"])
    for change in question["changes"]:
        if change is None:
            if queue:
                queue.poll()
        elif isinstance(change, list):
            queue.remove(change[0])
        else:
            queue.offer(change)
        yield list(queue)
