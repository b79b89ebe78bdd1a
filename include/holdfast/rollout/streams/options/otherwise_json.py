"""The JSON of what happens where a condition of a forecast does not hold."""

from collections.abc import Iterable

from holdfast.kafka import java
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.strict import Fields, nullable, one_of
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.cost.json import costs_from_json, costs_to_json
from holdfast.rollout.streams.options.otherwise import Branch, If, Otherwise


def otherwise_from_json(value: object) -> tuple[Otherwise, ...]:
    return strict.each(value, _one)


def _one(value: object) -> Otherwise:
    fields = Fields(value)
    found = Otherwise(
        Branch(
            condition=fields.need("if", one_of(If)),
            seconds=fields.need("seconds", nullable(_seconds)),
            process_ids=fields.need("process_ids", lambda ids: strict.each(ids, kafka.process_id)),
            change=fields.need("change", change_from_json),
        ),
        costs=fields.need("summary", costs_from_json),
        refused=fields.need("refused", nullable(strict.text)),
    )
    fields.finish(closed=True)
    return found


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= java.LONG_MAX:
        raise strict.mismatch("a number of seconds, 0 or more", value)
    return value


def otherwise_to_json(found: Iterable[Otherwise]) -> list[object]:
    return [
        {
            "if": one.branch.condition.value,
            "seconds": one.branch.seconds,
            "process_ids": [str(process_id) for process_id in one.branch.process_ids],
            "change": change_to_json(one.branch.change),
            "summary": costs_to_json(one.costs),
            "refused": one.refused,
        }
        for one in found
    ]
