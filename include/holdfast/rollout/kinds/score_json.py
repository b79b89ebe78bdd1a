"""A kept verdict in brief: what a list of plans shows of it."""

from dataclasses import dataclass

from holdfast.kafka import java
from holdfast.rollout.contract.verdicts import Result
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import Fields, nullable, one_of


@dataclass(frozen=True, slots=True)
class Score:
    """A verdict in brief: how many tasks (of a consumer group: partitions) ended where the forecast had them."""

    result: Result
    tasks_as_forecast: int
    tasks: int
    observed_at: str | None
    differences: tuple[str, ...]


def score_from_json(value: object) -> Score:
    """The part of a Verdict that a list shows."""
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    counted = fields.need("score", _score)
    result = fields.need("result", one_of(Result))
    observed_at = fields.need("observed_at", nullable(strict.instant))
    differences = fields.need("differences", lambda found: strict.each(found, strict.text))
    fields.finish()
    return Score(result, *counted, observed_at, differences)


def _score(value: object) -> tuple[int, int]:
    fields = Fields(value)
    things = "partitions" if fields.has("partitions") else "tasks"
    counted = fields.need(f"{things}_as_forecast", _many), fields.need(things, _many)
    fields.finish()
    return counted


def _many(value: object) -> int:
    return strict.integer(value, 0, java.INT_MAX)
