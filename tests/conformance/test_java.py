"""`holdfast.kafka.java` and `java_hash` against the JVM: hash codes, orders, and collections that show their insides."""

import random
import uuid

import pytest
from tests.conformance.jvm import LeaderJvm

from holdfast.kafka import java, java_hash
from holdfast.kafka.vocabulary import ProcessId

pytestmark = pytest.mark.jvm


@pytest.mark.parametrize(("release", "task_hash"), [("2.7.2", java.task_id_hash_until_2_8), ("3.9.1", java.task_id_hash_since_3_0)])
def test_java_is_emulated(release: str, task_hash) -> None:
    seed = random.SystemRandom().randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with LeaderJvm(release) as jvm:
        for _ in range(150):
            question = _question(chance)
            _check(question, jvm.ask([question])[0], task_hash)


def _question(chance: random.Random) -> dict:
    alphabet = "abz09-_.AZäß€😀"
    strings = list({"".join(chance.choices(alphabet, k=chance.randint(0, 12))) for _ in range(chance.randint(0, 60))})
    stride = chance.choice([1, 1, 2, 16, 64, 128])
    tasks = list({(chance.randrange(12), stride * chance.randrange(200)) for _ in range(chance.choice([3, 30, 300]))})
    return {
        "ask": "java",
        "strings": strings,
        "uuids": list({str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(chance.randint(0, 60))}),
        "partitions": [[text, chance.randrange(2**31)] for text in strings],
        "tasks": tasks,
        "queue": {
            "first": [chance.randrange(30) for _ in range(chance.randrange(20))],
            "changes": [
                None if chance.random() < 0.3 else [chance.randrange(30)] if chance.random() < 0.3 else chance.randrange(30)
                for _ in range(30)
            ],
        },
    }


def _check(question: dict, answer: dict, task_hash) -> None:
    strings, partitions = question["strings"], question["partitions"]
    assert answer["string hashes"] == [java.string_hash(text) for text in strings]
    assert answer["string set"] == java_hash.hash_order(strings, java.string_hash, java.string_order)
    assert answer["strings sorted"] == sorted(strings, key=java.string_order)
    bits = {text: uuid.UUID(text).int for text in question["uuids"]}
    assert answer["uuid hashes"] == [java.uuid_hash(each) for each in bits.values()]
    subset = java_hash.SubsetOrder([java.uuid_hash(each) for each in bits.values()])
    assert answer["uuid set"] == [question["uuids"][number] for number in subset(list(range(len(bits))))]
    assert answer["uuids sorted"] == sorted(question["uuids"], key=ProcessId.parse)
    assert answer["partition hashes"] == [java.topic_partition_hash(topic, number) for topic, number in partitions]
    tasks = [(subtopology, partition) for subtopology, partition in question["tasks"]]
    assert answer["task hashes"] == [task_hash(*task) for task in tasks]
    in_set = java_hash.hash_order(tasks, lambda task: task_hash(*task), lambda task: task)
    assert answer["task set"] == [f"{subtopology}_{partition}" for subtopology, partition in in_set]
    assert answer["queue"] == list(_queue(question["queue"]))


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
