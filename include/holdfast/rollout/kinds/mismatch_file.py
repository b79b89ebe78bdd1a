"""A mismatch as a file that can be sent: without names, and found to be the same mismatch still.

All that Kafka may have decided by stays in it: what a model that is wrong does not look at may be what it should.
"""

from dataclasses import dataclass
from typing import Any

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.rollout.backtest.judged import Judged, RebalanceResult
from holdfast.rollout.json import strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds import registry
from holdfast.rollout.kinds.backtests import AnyQuestion, judge
from holdfast.rollout.text.format import some_of


@dataclass(frozen=True, slots=True)
class Sendable:
    """The question, and what it is answered with now."""

    question: AnyQuestion
    result: RebalanceResult


def sendable(question: AnyQuestion) -> Sendable | None:
    """Without names. None: without its names the mismatch is another one, or none."""
    past = registry.past_of(question)
    try:
        wanted = judge(question)
        return next((found for one in past.without_names(question) if (found := _still(one, wanted)) is not None), None)
    except HoldfastError:
        return None


def _still(question: AnyQuestion, wanted: RebalanceResult) -> Sendable | None:
    """Compared is how many members have each task, as their names are others."""
    found = judge(question)
    same = found.judged is Judged.DIFFERENT and len(found.differences) == len(wanted.differences)
    counts = [[(one.role, len(one.holdfast), len(one.recorded)) for one in each.differences] for each in (found, wanted)]
    return Sendable(question, found) if same and sorted(counts[0]) == sorted(counts[1]) else None


def to_json(question: AnyQuestion) -> dict[str, Any]:
    document: dict[str, Any] = codec_of(type(question)).write(question)
    return document


def from_json(document: object) -> AnyQuestion:
    """Raise InvalidInput for anything else."""
    protocol = strict.mapping(document).get("protocol")
    past = registry.past_with(protocol)
    if past is None:
        known = some_of([repr(line.protocol) for line in registry.REGISTRY])
        raise InvalidInput(f"one of {known} is needed, {strict.shown(protocol)} was found", "protocol")
    return codec_of(past.question).read(document)
