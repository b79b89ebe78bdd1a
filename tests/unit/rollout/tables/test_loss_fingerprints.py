"""Rows of a blast radius are carried over where the fingerprint is the same: they are what would be worked out."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from benchmarks import synthetic_fleet

from holdfast.kafka.streams.group import Changelog, Task
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import any_document
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, TopicPartitionInfo
from holdfast.rollout.tables import loss_rows

CODE = "one digest"


def document(snapshot: Snapshot) -> str:
    return dumps(any_document.snapshot_to_json(snapshot))


def small_group() -> Snapshot:
    found = (synthetic_fleet.group(number, 7).after for number in range(100))
    return next(
        one
        for one in found
        if len(one.clients) == 3 and dict(one.config)["num.standby.replicas"] and one.kafka_release == "3.9.1" and one.topics
    )


def with_first(values: tuple, changed: object) -> tuple:
    return (changed, *values[1:])


def another_end(task: Task) -> Task:
    return replace(
        task, changelogs=tuple(Changelog(one.topic, one.partition, 1 + (one.end_offset or 0)) for one in task.changelogs)
    )


def another_report(snapshot: Snapshot) -> Snapshot:
    client = next(one for one in snapshot.clients if one.consumers[0].task_offset_sums)
    consumer = client.consumers[0]
    (task, total), *rest = consumer.task_offset_sums
    changed = replace(consumer, task_offset_sums=((task, 5 if total != 5 else 6), *rest))
    renewed = replace(client, consumers=with_first(client.consumers, changed))
    return replace(snapshot, clients=tuple(renewed if one is client else one for one in snapshot.clients))


def more_bytes(snapshot: Snapshot) -> Snapshot:
    topic = snapshot.topics[0]
    info: TopicPartitionInfo = topic.partitions[0]
    grown = replace(info, log_bytes=(info.log_bytes or 0) + 1)
    return replace(snapshot, topics=with_first(snapshot.topics, replace(topic, partitions=with_first(topic.partitions, grown))))


CHANGES: dict[str, Callable[[Snapshot], Snapshot]] = {
    "an end offset": lambda one: replace(one, tasks=tuple(another_end(task) if task.stateful else task for task in one.tasks)),
    "a report": another_report,
    "bytes of a changelog": more_bytes,
    "a setting": lambda one: replace(one, config=tuple(sorted([*one.config, ("max.warmup.replicas", 3)]))),
    "a release": lambda one: replace(one, kafka_release="4.1.0"),
    "a host": lambda one: replace(one, clients=with_first(one.clients, replace(one.clients[0], host="elsewhere"))),
    "a client": lambda one: replace(one, clients=one.clients[:-1]),
    "who leads": lambda one: replace(one, leader_process_id=None),
}


def test_the_same_group_at_another_time_has_the_same_fingerprint_and_the_same_rows() -> None:
    now, later = small_group(), replace(small_group(), captured_at="2031-01-01T00:00:00Z")
    assert document(now) != document(later)
    assert loss_rows.fingerprint(document(now), CODE) == loss_rows.fingerprint(document(later), CODE)
    assert loss_rows.whole(document(now), 10**6) == loss_rows.whole(document(later), 10**6)
    assert {row["basis"] for row in loss_rows.whole(document(now), 10**6)["losses"]} == {"forecast"}


@pytest.mark.parametrize("change", CHANGES)
def test_what_losses_may_depend_on_changes_the_fingerprint(change: str) -> None:
    before = small_group()
    after = CHANGES[change](before)
    assert loss_rows.fingerprint(document(before), CODE) != loss_rows.fingerprint(document(after), CODE)


def test_other_code_changes_it_too() -> None:
    assert loss_rows.fingerprint(document(small_group()), CODE) != loss_rows.fingerprint(document(small_group()), "another")


def test_each_row_has_it_where_an_equal_group_has_equal_rows() -> None:
    counted = document(small_group())
    assert {row["fingerprint"] for row in loss_rows.losses(counted, code=CODE)["losses"]} == {loss_rows.fingerprint(counted, CODE)}

    sticky = "org.apache.kafka.streams.processor.internals.assignment.StickyTaskAssignor"
    by_budget = document(replace(small_group(), kafka_release="3.7.2", task_assignor=sticky))
    rows = loss_rows.losses(by_budget, code=CODE)["losses"]
    assert rows, "it is forecast within a budget"
    assert all("fingerprint" not in row for row in rows), "with another budget other losses are forecast"
