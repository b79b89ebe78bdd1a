"""The JSON of what brokers serve, what disks hold and how long tasks stand still."""

from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.strict import Fields, nullable
from holdfast.rollout.streams.cost.evaluation import ClientDisk, TaskStop
from holdfast.rollout.streams.forecast.amounts import Amount
from holdfast.rollout.streams.forecast.amounts_json import amount_from_json, amount_to_json, count


def disks_from_json(value: object) -> tuple[ClientDisk, ...]:
    def read(key: str, item: object) -> ClientDisk:
        fields = Fields(item)
        found = ClientDisk(
            kafka.process_id(key),
            fields.need("now", amount_from_json),
            fields.need("most", amount_from_json),
            fields.need("end", amount_from_json),
            fields.optional("free", nullable(count), None),
        )
        fields.finish(closed=True)
        return found

    return strict.each_entry(value, read)


def disks_to_json(disks: tuple[ClientDisk, ...]) -> dict[str, object]:
    return {
        str(one.process_id): {
            "now": amount_to_json(one.now),
            "most": amount_to_json(one.most),
            "end": amount_to_json(one.end),
            "free": one.free,
        }
        for one in disks
    }


def restored_tasks_from_json(value: object) -> tuple[tuple[TaskId, Amount], ...]:
    return strict.each_entry(value, lambda key, item: (kafka.task_id(key), amount_from_json(item)))


def restored_tasks_to_json(tasks: tuple[tuple[TaskId, Amount], ...]) -> dict[str, object]:
    return {str(task): amount_to_json(amount) for task, amount in tasks}


def stops_from_json(value: object) -> tuple[TaskStop, ...]:
    def read(key: str, item: object) -> TaskStop:
        fields = Fields(item)
        found = TaskStop(
            kafka.task_id(key),
            fields.need("seconds", count),
            fields.need("seconds_without_copy", count),
            fields.need("records", count),
        )
        fields.finish(closed=True)
        return found

    return strict.each_entry(value, read)


def stops_to_json(stops: tuple[TaskStop, ...]) -> dict[str, object]:
    return {
        str(one.task): {"seconds": one.seconds, "seconds_without_copy": one.seconds_without_copy, "records": one.records}
        for one in stops
    }
