"""A mismatch as a file that can be sent: shrunk, without names, and found to be the same mismatch still."""

from dataclasses import dataclass
from typing import Any

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.rollout.backtest.judged import Judged, RebalanceResult
from holdfast.rollout.consumer.backtest import redacted as of_consumers
from holdfast.rollout.consumer.backtest.question import ConsumerQuestion
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL as CONSUMER
from holdfast.rollout.json import strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds.backtests import AnyQuestion, judge
from holdfast.rollout.streams.backtest import redacted as of_streams
from holdfast.rollout.streams.backtest import shrinking
from holdfast.rollout.streams.backtest.question import StreamsQuestion
from holdfast.rollout.streams.snapshot.snapshot import PROTOCOL as STREAMS

MOST_SEEDS = 20
"""Sets of names that are tried, where hash codes of names decide."""


@dataclass(frozen=True, slots=True)
class Sendable:
    """The question, and what it is answered with now."""

    question: AnyQuestion
    result: RebalanceResult


def sendable(question: AnyQuestion) -> Sendable | None:
    """Without names, and as small as it gets. None: without its names the mismatch is another one, or none."""
    try:
        if isinstance(question, StreamsQuestion):
            smaller = shrinking.shrunk(question)
            return _still(of_streams.redacted(smaller), judge(smaller))
        wanted = judge(question)
        for seed in range(MOST_SEEDS):
            found = _still(of_consumers.redacted(question, seed), wanted)
            if found is not None:
                return found
    except HoldfastError:
        return None
    return None


def _still(question: AnyQuestion, wanted: RebalanceResult) -> Sendable | None:
    """Compared is how many members have each task, as their names are others."""
    found = judge(question)
    same = found.judged is Judged.DIFFERENT and len(found.differences) == len(wanted.differences)
    counts = [[(one.role, len(one.holdfast), len(one.recorded)) for one in each.differences] for each in (found, wanted)]
    return Sendable(question, found) if same and sorted(counts[0]) == sorted(counts[1]) else None


def to_json(question: AnyQuestion) -> dict[str, Any]:
    codec: Any = codec_of(type(question))
    document: dict[str, Any] = codec.write(question)
    return document


def from_json(document: object) -> AnyQuestion:
    """Raise InvalidInput for anything else."""
    protocol = strict.mapping(document).get("protocol")
    if protocol == STREAMS:
        return codec_of(StreamsQuestion).read(document)
    if protocol == CONSUMER:
        return codec_of(ConsumerQuestion).read(document)
    raise InvalidInput(f"{STREAMS!r} or {CONSUMER!r} is needed, {strict.shown(protocol)} was found", "protocol")
