"""The JSON of what a leader sees of a group: tasks, clients, consumers. They must equal Kafka's and so know no JSON themselves."""

from operator import attrgetter

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.streams.group import Changelog, Client, Consumer, Task
from holdfast.kafka.vocabulary import UNKNOWN_OFFSET_SUM
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import COUNT, NAME, TEXT, Codec, integer, items, nullable, row
from holdfast.rollout.json.kafka_codecs import (
    OFFSET_SUMS,
    PARTITION,
    PROCESS_ID,
    STRING_MAP,
    TASK_ID,
    TOPIC_PARTITIONS,
)
from holdfast.rollout.json.record import key, keyed, member, record_of

FIRST_VERSION_WITH_OFFSET_SUMS = 7
"""Java: `SubscriptionInfo`, 2.6."""

CHANGELOG: Codec[Changelog] = row(
    'a changelog like ["topic", 0, 17] (topic, partition, end offset)',
    Changelog,
    lambda one: [one.topic, one.partition, one.end_offset],
    *(NAME, PARTITION, nullable(COUNT)),
)
TASK = record_of(
    Task,
    closed=False,
    id=key(TASK_ID),
    partitions=member(TOPIC_PARTITIONS),
    changelogs=member(
        nullable(items(CHANGELOG)),
        "[topic, partition, end offset]; none: the task is stateless; null: unknown.",
    ),
)


def _sorted(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    return tuple(sorted(tasks, key=attrgetter("id")))


TASKS = keyed(TASK).to(_sorted, _sorted)
METADATA_VERSION = nullable(integer(1, java.INT_MAX))


def _can_be_sent(consumer: Consumer) -> None:
    """-3 is what a leader makes of the standbys of an older member; no newer one sends it."""
    if not consumer.task_offset_sums:
        return
    version = consumer.metadata_version
    if version is None or version >= FIRST_VERSION_WITH_OFFSET_SUMS:
        if UNKNOWN_OFFSET_SUM not in dict(consumer.task_offset_sums).values():
            return
        problem = f"-3 is a standby of a member of metadata version 6 or less; this one has {version or 'none given'}"
        strict.refuse(
            InvalidInput(problem, f"task_offset_sums.{task}")
            for task, total in consumer.task_offset_sums
            if total == UNKNOWN_OFFSET_SUM
        )


CONSUMER = record_of(
    Consumer,
    closed=False,
    check=_can_be_sent,
    member_id=key(NAME),
    client_id=member(TEXT, default=""),
    group_instance_id=member(nullable(TEXT), default=None),
    owned=member(TOPIC_PARTITIONS, "What it would report to own if the group rebalanced now.", default=()),
    task_offset_sums=member(OFFSET_SUMS, "What it would report if the group rebalanced now.", default=()),
    metadata_version=member(METADATA_VERSION, default=None, omit=True),
    error_code=member(integer(0, java.INT_MAX), default=0, omit=True),
)


def _has_consumers(client: Client) -> None:
    if not client.consumers:
        raise InvalidInput("a client has one consumer or more, none was found", "consumers")


def client_codec(consumers: Codec[tuple[Consumer, ...]]) -> Codec[tuple[Client, ...]]:
    """Clients by process ID."""
    return keyed(
        record_of(
            Client,
            closed=False,
            check=_has_consumers,
            process_id=key(PROCESS_ID),
            host=member(nullable(TEXT), default=None),
            rack=member(nullable(TEXT), default=None),
            client_tags=member(STRING_MAP, default=()),
            user_endpoint=member(nullable(TEXT), default=None),
            consumers=member(consumers, "By member ID, in the order of the group's member list."),
        )
    )
