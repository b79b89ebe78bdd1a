"""What each broker serves while clients restore, in records and bytes: the leader of each changelog partition.

(Unless brokers let clients read from the nearest replica: `replica.selector.class` and `client.rack`, KIP-392.) A task's records
and bytes are shared out over its changelogs in proportion: the brokers' sums are those of the forecast to the last record.
"""

from collections.abc import Iterable, Iterator, Mapping

from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.rollout.disks.logs import TaskLogs, total_or_none
from holdfast.rollout.streams.forecast.amounts import Amount, BrokerReads
from holdfast.rollout.streams.forecast.outcomes import Round
from holdfast.rollout.streams.snapshot import changelog_sizes
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

_Parts = tuple[tuple[int | None, int, int], ...]
"""A task's changelogs: the broker that leads each (None: unknown), its end offset, and its size in bytes (0: unknown)."""


def reads(snapshot: Snapshot, rounds: Iterable[Round]) -> tuple[BrokerReads, ...]:
    """By broker; partitions with an unknown leader come last."""
    parts, logs = _parts(snapshot), changelog_sizes.task_logs(snapshot)
    by_round = [_of_round(one, parts, logs) for one in rounds if one.restoring_tasks]
    brokers = dict.fromkeys(broker for found in by_round for broker in found)
    return tuple(
        BrokerReads(broker, _together(found[broker] for found in by_round if broker in found), _most(broker, by_round))
        for broker in sorted(brokers, key=lambda one: (one is None, one or 0))
    )


def _of_round(one: Round, parts: Mapping[TaskId, _Parts], logs: Mapping[TaskId, TaskLogs]) -> Mapping[int | None, Amount]:
    found: dict[int | None, list[Amount]] = {}
    for _, tasks in one.restoring_tasks:
        for task, records in tasks:
            size = logs[task].to_restore(records) if task in logs else None
            for broker, amount in _shared_out(records, size, parts.get(task, ())):
                found.setdefault(broker, []).append(amount)
    return {broker: _together(amounts) for broker, amounts in found.items()}


def _shared_out(records: int, size: int | None, parts: _Parts) -> Iterator[tuple[int | None, Amount]]:
    """No changelog gives more records than it has offsets, nor more bytes than its size."""
    brokers = [broker for broker, _, _ in parts] or [None]
    of_records = _in_proportion(records, [end for _, end, _ in parts])
    of_bytes = [None] * len(brokers) if size is None else _in_proportion(size, [weight for _, _, weight in parts])
    for broker, some_records, some_bytes in zip(brokers, of_records, of_bytes, strict=True):
        yield broker, Amount(some_records, some_bytes)


def _in_proportion(amount: int, weights: list[int]) -> list[int]:
    """Whole numbers that add up to `amount`, each within one of its share. Nothing to go by: all of it first."""
    total = sum(weights)
    if not total:
        return [amount, *[0] * (len(weights) - 1)]
    shares, so_far, given = [], 0, 0
    for weight in weights:
        so_far += weight
        shares.append(amount * so_far // total - given)
        given += shares[-1]
    return shares


def _together(amounts: Iterable[Amount]) -> Amount:
    found = list(amounts)
    return Amount(sum(one.records for one in found), total_or_none(one.size for one in found))


def _most(broker: int | None, by_round: Iterable[Mapping[int | None, Amount]]) -> Amount:
    found = [one[broker] for one in by_round if broker in one]
    sizes = [one.size for one in found if one.size is not None]
    return Amount(max(one.records for one in found), max(sizes) if len(sizes) == len(found) else None)


def _parts(snapshot: Snapshot) -> Mapping[TaskId, _Parts]:
    infos = {TopicPartition(topic.name, one.id): one for topic in snapshot.topics for one in topic.partitions}
    found: dict[TaskId, _Parts] = {}
    for task in snapshot.tasks:
        logs = [(infos.get(TopicPartition(one.topic, one.partition)), one.end_offset or 0) for one in task.changelogs or ()]
        found[task.id] = tuple(
            (None, end, 0) if info is None else (info.leader, end, (info.log_bytes or 0) if end > (info.begin_offset or 0) else 0)
            for info, end in logs
        )
    return found
