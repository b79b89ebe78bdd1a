"""Which of several brokers' answers counts, and the message where none does. The answers are kafka-python's own values."""

from collections.abc import Mapping
from typing import Any

import pytest
from kafka.protocol.admin import DescribeLogDirsResponse
from kafka.protocol.metadata import MetadataResponse

from holdfast.adapters.broker import log_sizes
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.contract.unknown_inputs import Unknown

_Folder = DescribeLogDirsResponse.DescribeLogDirsResult
_FolderTopic = _Folder.DescribeLogDirsTopic
_FolderPartition = _FolderTopic.DescribeLogDirsPartition
_Topic = MetadataResponse.MetadataResponseTopic
_Partition = _Topic.MetadataResponsePartition

LOG = tuple(TopicPartition("log", number) for number in range(2))
NOT_AUTHORIZED, STORAGE_ERROR = 31, 56


class Brokers:
    """A session whose brokers have answered; those without an answer were too slow."""

    def __init__(self, answers: Mapping[int, DescribeLogDirsResponse]) -> None:
        self._answers = answers
        self.asked: dict[int, list[tuple[str, list[int]]]] = {}

    def ask_all(self, _what: str, requests: Mapping[int, Any], limit_s: float) -> tuple[dict[int, Any], dict[int, str]]:
        self.asked = {node: [(topic.topic, list(topic.partitions)) for topic in each.topics] for node, each in requests.items()}
        slow = {node: f"broker {node} did not answer within {limit_s:g} s" for node in requests if node not in self._answers}
        return {node: self._answers[node] for node in requests if node in self._answers}, slow


def described(leader: int = 1, replicas: tuple[int, ...] = (1, 2, 3)) -> dict[TopicPartition, tuple[int, tuple[int, ...]]]:
    return dict.fromkeys(LOG, (leader, replicas))


def sized(*sizes: int, error: int = 0, refused: int = 0, future: bool = False, topic: str = "log") -> DescribeLogDirsResponse:
    partitions = [
        _FolderPartition(partition_index=number, partition_size=size, offset_lag=0, is_future_key=future)
        for number, size in enumerate(sizes)
    ]
    topics = [_FolderTopic(name=topic, partitions=partitions)] if sizes else []
    return DescribeLogDirsResponse(error_code=refused, results=[_Folder(error_code=error, log_dir="/logs", topics=topics)])


def measured(
    answers: Mapping[int, DescribeLogDirsResponse], leader: int = 1
) -> tuple[dict[int, int], tuple[Unknown, ...], dict[int, list[tuple[str, list[int]]]]]:
    brokers = Brokers(answers)
    found, unknown = log_sizes.log_bytes(brokers, LOG, described(leader))  # type: ignore[arg-type]
    return {partition.partition: size for partition, size in found}, unknown, brokers.asked


def test_every_broker_with_a_replica_is_asked_once() -> None:
    *_, asked = measured({})

    assert asked == {node: [("log", [0, 1])] for node in (1, 2, 3)}


@pytest.mark.parametrize(
    ("answers", "leader", "expected"),
    [
        ({1: sized(10, 11), 2: sized(20, 21), 3: sized(15, 16)}, 1, {0: 10, 1: 11}),
        ({1: sized(10, 11), 2: sized(20, 21), 3: sized(15, 16)}, 3, {0: 15, 1: 16}),
        ({2: sized(20, 21), 3: sized(15, 16)}, 1, {0: 20, 1: 21}),  # the leader is slow: the largest
        ({1: sized(10), 2: sized(20, 21)}, 1, {0: 10, 1: 21}),
        ({1: sized(10, 11, refused=NOT_AUTHORIZED), 2: sized(20, 21)}, 2, {0: 20, 1: 21}),
        ({1: sized(0, 0)}, -1, {0: 0, 1: 0}),  # no leader now
    ],
)
def test_the_leaders_replica_counts_and_else_the_largest(answers, leader, expected) -> None:
    found, unknown, _ = measured(answers, leader)

    assert found == expected
    assert unknown == ()


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({node: sized(refused=NOT_AUTHORIZED) for node in (1, 2, 3)}, "DESCRIBE on the cluster"),
        ({node: sized(error=STORAGE_ERROR) for node in (1, 2, 3)}, "KafkaStorage"),
        ({node: sized() for node in (1, 2, 3)}, "old brokers omit it"),
        (
            {node: sized(10, 11, future=True) for node in (1, 2, 3)},
            "no broker reported",
        ),  # a replica that is only being moved there
        ({node: sized(-1, -1) for node in (1, 2, 3)}, "no broker reported"),
        ({node: sized(1, 1, topic="another") for node in (1, 2, 3)}, "no broker reported"),
        ({}, "did not answer within"),
    ],
)
def test_what_is_not_known_is_said_once_a_topic(answers, why) -> None:
    found, unknown, _ = measured(answers)

    assert found == {}
    assert [one.what for one in unknown] == ["log_bytes.log"]
    assert unknown[0].reason.startswith("partitions 0, 1: ")
    assert why in unknown[0].reason


def test_a_partition_that_there_is_none_of() -> None:
    gone = TopicPartition("gone", 0)
    found, unknown = log_sizes.log_bytes(Brokers({}), (gone,), described())  # type: ignore[arg-type]

    assert found == ()
    assert unknown == (Unknown("log_bytes.gone", "partition 0: there is no such partition"),)
