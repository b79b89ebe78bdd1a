"""The JSON of what brokers serve, what disks hold and how long tasks stand still."""

from holdfast.kafka import java
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.amounts import Amount, BrokerReads
from holdfast.rollout.codec import document, kafka
from holdfast.rollout.codec.document import Fields, nullable
from holdfast.rollout.evaluation import ClientDisk, TaskStop

NOBODY_KNOWS = "unknown"
"""Stands for the broker of changelogs whose leader is not known."""
_count = document.offset


def reads_from_json(value: object) -> tuple[BrokerReads, ...]:
    def read(key: str, item: object) -> BrokerReads:
        fields = Fields(item)
        found = BrokerReads(_broker(key), fields.need("total", _amount), fields.need("at_once", _amount))
        fields.finish(closed=True)
        return found

    return document.each_entry(value, read)


def reads_to_json(reads: tuple[BrokerReads, ...]) -> dict[str, object]:
    return {
        NOBODY_KNOWS if one.broker is None else str(one.broker): {
            "total": _amount_to_json(one.total),
            "at_once": _amount_to_json(one.at_once),
        }
        for one in reads
    }


def disks_from_json(value: object) -> tuple[ClientDisk, ...]:
    def read(key: str, item: object) -> ClientDisk:
        fields = Fields(item)
        found = ClientDisk(
            kafka.process_id(key),
            fields.need("now", _amount),
            fields.need("most", _amount),
            fields.need("end", _amount),
            fields.optional("free", nullable(_count), None),
        )
        fields.finish(closed=True)
        return found

    return document.each_entry(value, read)


def disks_to_json(disks: tuple[ClientDisk, ...]) -> dict[str, object]:
    return {
        str(one.process_id): {
            "now": _amount_to_json(one.now),
            "most": _amount_to_json(one.most),
            "end": _amount_to_json(one.end),
            "free": one.free,
        }
        for one in disks
    }


def restored_tasks_from_json(value: object) -> tuple[tuple[TaskId, Amount], ...]:
    return document.each_entry(value, lambda key, item: (kafka.task_id(key), _amount(item)))


def restored_tasks_to_json(tasks: tuple[tuple[TaskId, Amount], ...]) -> dict[str, object]:
    return {str(task): _amount_to_json(amount) for task, amount in tasks}


def stops_from_json(value: object) -> tuple[TaskStop, ...]:
    def read(key: str, item: object) -> TaskStop:
        fields = Fields(item)
        found = TaskStop(
            kafka.task_id(key),
            fields.need("seconds", _count),
            fields.need("seconds_without_copy", _count),
            fields.need("records", _count),
        )
        fields.finish(closed=True)
        return found

    return document.each_entry(value, read)


def stops_to_json(stops: tuple[TaskStop, ...]) -> dict[str, object]:
    return {
        str(one.task): {"seconds": one.seconds, "seconds_without_copy": one.seconds_without_copy, "records": one.records}
        for one in stops
    }


def _broker(key: str) -> int | None:
    if key == NOBODY_KNOWS:
        return None
    if not (key.isascii() and key.isdecimal() and len(key) <= 10 and str(int(key)) == key):
        raise document.mismatch(f"a broker's ID, or {NOBODY_KNOWS!r}", key)
    return document.integer(int(key), 0, java.INT_MAX)


def _amount(value: object) -> Amount:
    fields = Fields(value)
    found = Amount(fields.need("records", _count), fields.need("bytes", nullable(_count)))
    fields.finish(closed=True)
    return found


def _amount_to_json(amount: Amount) -> dict[str, object]:
    return {"records": amount.records, "bytes": amount.size}
