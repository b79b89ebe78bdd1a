"""Threads that come to a running client, or go from it (`KafkaStreams#addStreamThread`, `#removeStreamThread`; KIP-663)."""

import re
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.streams.group import Client, Consumer
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.streams.change.change import SetThreads
from holdfast.rollout.streams.events.evolution import Reports

_NUMBER = re.compile(r"-StreamThread-([0-9]{1,9})-consumer")


def changed(client: Client, event: SetThreads, new_ids: tuple[str, ...], reports: Reports) -> Client:
    """The client with so many threads. `new_ids` name those that come, where any do.

    Who stays owns and reports what it did. A thread that goes leaves the group and closes its copies: from then on the first
    member in member-ID order reports them.
    """
    if event.threads > len(client.consumers):
        came = tuple(Consumer(member_id, member_id[:-37]) for member_id in new_ids)
        return replace(client, consumers=(*client.consumers, *came))
    gone = _leaving(client, event)
    stay = tuple(one for one in client.consumers if one.member_id not in gone)
    known = {task for one in stay for task, _ in one.task_offset_sums}
    left: dict[TaskId, int] = {}
    for one in client.consumers:
        if one.member_id in gone:
            left |= {task: reports.closed(task, total) for task, total in one.task_offset_sums if task not in known}
    first = min(stay, key=lambda one: java.string_order(one.member_id))
    heir = replace(first, task_offset_sums=tuple(sorted((dict(first.task_offset_sums) | left).items())))
    return replace(client, consumers=tuple(heir if one is first else one for one in stay))


def free_numbers(client: Client, count: int) -> tuple[int, ...]:
    """The numbers that Kafka gives to `count` more threads: the lowest ones that no thread has."""
    taken = [_number(one) for one in client.consumers]
    return tuple(number for number in range(1, len(taken) + count + 1) if number not in taken)[:count]


def _leaving(client: Client, event: SetThreads) -> tuple[str, ...]:
    """Kafka takes the thread that it started first; numbers tell which, as far as no thread came later."""
    count = len(client.consumers) - event.threads
    if event.member_ids is None:
        oldest = sorted(client.consumers, key=lambda one: (_number(one), java.string_order(one.member_id)))
        return tuple(one.member_id for one in oldest[:count])
    there = [one.member_id for one in client.consumers]
    missing = [member_id for member_id in event.member_ids if member_id not in there]
    if missing or len(event.member_ids) != count:
        raise InvalidInput(
            f"{count} of the client's members must be named, those that go; found: {', '.join(event.member_ids)}", "member_ids"
        )
    return event.member_ids


def _number(consumer: Consumer) -> int:
    """A thread's number; one whose name does not say it counts as the last."""
    found = _NUMBER.search(consumer.client_id) or _NUMBER.search(consumer.member_id)
    return int(found[1]) if found else java.INT_MAX
