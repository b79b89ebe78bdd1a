"""Sizes of partitions on the brokers' disks, in bytes. Needs DESCRIBE on the cluster; all brokers are queried in parallel."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from kafka import errors as kafka_errors
from kafka.protocol.admin import DescribeLogDirsRequest

from holdfast.adapters.broker.session import refusal
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.ports import PartitionFigures
from holdfast.rollout.contract.unknown_inputs import Unknown

_LIMIT_S = 10.0
"""Sizes are no reason to wait for a slow broker until the time is up."""
_NAMED = 5
_NOT_AUTHORIZED = "not authorized: this user needs DESCRIBE on the cluster"
_SILENT = "no broker reported its size; old brokers omit it without DESCRIBE on the cluster"


class AsksAll(Protocol):
    """What is needed of `brokers.Brokers`."""

    def ask_all(self, what: str, requests: Mapping[int, Any], limit_s: float) -> tuple[dict[int, Any], dict[int, str]]: ...


def log_bytes(
    brokers: AsksAll, partitions: Iterable[TopicPartition], places: Mapping[TopicPartition, tuple[int, tuple[int, ...]]]
) -> PartitionFigures:
    """The size of the leader's replica, or else of the largest. `places`: each partition's leader, and the brokers that have it."""
    wanted = dict.fromkeys(partitions)
    leaders = {partition: leader for partition, (leader, _) in places.items() if partition in wanted}
    by_node: dict[int, list[TopicPartition]] = {}
    for partition in leaders:
        for node in places[partition][1]:
            by_node.setdefault(node, []).append(partition)
    requests = {node: _request(requested) for node, requested in sorted(by_node.items())}
    answers, problems = brokers.ask_all("reading log sizes", requests, _LIMIT_S)
    found: dict[TopicPartition, dict[int, int]] = {}
    for node, answer in answers.items():
        problem = _read(node, answer, by_node[node], found)
        if problem:
            problems[node] = problem
    sizes = {partition: _size(leaders[partition], found[partition]) for partition in sorted(found)}
    reasons: dict[TopicPartition, str] = {}
    for node, requested in sorted(by_node.items()):
        reasons |= {
            partition: problems.get(node, _SILENT) for partition in requested if partition not in reasons or node in problems
        }
    return tuple(sizes.items()), _unknown([each for each in sorted(wanted) if each not in sizes], reasons)


def _request(partitions: Iterable[TopicPartition]) -> DescribeLogDirsRequest:
    topics: dict[str, list[int]] = {}
    for topic, partition in partitions:
        topics.setdefault(topic, []).append(partition)
    one_topic = DescribeLogDirsRequest.DescribableLogDirTopic
    return DescribeLogDirsRequest(topics=[one_topic(topic=topic, partitions=numbers) for topic, numbers in topics.items()])


def _read(node: int, answer: Any, requested: list[TopicPartition], found: dict[TopicPartition, dict[int, int]]) -> str | None:
    """Put the sizes of one broker into `found`. The answer: what it refused, if anything."""
    codes = [answer.error_code, *(folder.error_code for folder in answer.results)]
    expected = dict.fromkeys(requested)
    for folder in answer.results:
        for topic in folder.topics:
            for each in topic.partitions:
                partition = TopicPartition(topic.name, each.partition_index)
                if partition in expected and not each.is_future_key and each.partition_size >= 0:
                    found.setdefault(partition, {})[node] = each.partition_size
    code = next((code for code in codes if code), 0)
    if code == kafka_errors.ClusterAuthorizationFailedError.errno:
        return _NOT_AUTHORIZED
    return refusal(kafka_errors.for_code(code)()) if code else None


def _size(leader: int, by_node: Mapping[int, int]) -> int:
    return by_node[leader] if leader in by_node else max(by_node.values())


def _unknown(lacking: Iterable[TopicPartition], reasons: Mapping[TopicPartition, str]) -> tuple[Unknown, ...]:
    """One entry a topic and reason: a right that is missing concerns them all."""
    numbers: dict[tuple[str, str], list[int]] = {}
    for partition in lacking:
        numbers.setdefault((partition.topic, reasons.get(partition, "there is no such partition")), []).append(partition.partition)
    return tuple(Unknown(f"log_bytes.{topic}", f"{_listed(found)}: {reason}") for (topic, reason), found in numbers.items())


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:_NAMED])
    more = f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    return f"{'partition' if len(numbers) == 1 else 'partitions'} {shown}{more}"
