"""What every kind of Verdict has in common."""

from typing import ClassVar

from holdfast.kafka import java
from holdfast.rollout.facts.differences import Difference
from holdfast.rollout.facts.said_json import said
from holdfast.rollout.facts.sourced_text import Said, facts_of, texts_of
from holdfast.rollout.json.codec import COUNT, Codec, integer, nullable, row
from holdfast.rollout.json.former_names import Renamed
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.record_codec import Record

VERDICT_VERSION = "1.5"
"""1.1: the result may be `not yet`; `steps` and `standbys`. 1.2: `facts`, the differences as values. 1.3:
`seen`, the evidence of a step as values. 1.4: `unknown`, and the result may be `not compared`.
1.5: the result `in progress` has this name."""


class Result(Renamed):
    """The result of a verification. `NOT_YET`: a step is not visible yet. `IN_PROGRESS`: every step is visible, nothing contradicts
    the forecast, and the group is not stable yet. `NOT_COMPARED`: every step is visible, and the end differs from each course
    of the forecast that was compared; there are more than can be."""

    AS_FORECAST = "as forecast"
    NOT_YET = "not yet"
    IN_PROGRESS = "in progress"
    DIFFERENT = "different"
    NOT_COMPARED = "not compared"

    @property
    def final(self) -> bool:
        """Whether another look finds nothing else."""
        return self in (Result.AS_FORECAST, Result.DIFFERENT, Result.NOT_COMPARED)


def range_of(count: Codec[int]) -> Codec[tuple[int, int]]:
    problem = "two numbers are needed: the least and the most"
    return row(problem, lambda low, high: (low, high), list, count, count, about="[low, high]")


RANGE = range_of(COUNT)
SCORED = integer(0, java.INT_MAX)
"""A figure of a score: how many tasks or partitions."""
DIFFERENCES: Record[tuple[Said[Difference], ...]] = said("differences", "facts", codec_of(Difference), always=True)


class Compared:
    """What the forecast has of one thing at the end, and what was found."""

    __slots__ = ()

    expected: object
    found: object

    @property
    def agrees(self) -> bool:
        return self.expected == self.found


class WithDifferences:
    """The differences of a verdict, worst first."""

    __slots__ = ()

    said: tuple[Said[Difference], ...]

    @property
    def differences(self) -> tuple[str, ...]:
        """A sentence each."""
        return texts_of(self.said)

    @property
    def facts(self) -> tuple[Difference, ...]:
        return facts_of(self.said)


@record(closed=False)
class Rebalances:
    """`expected`: the least and the most; `found` None: unknown."""

    expected: tuple[int, int] = member(RANGE)
    found: int | None = member(nullable(COUNT))


@record(closed=False)
class TaskScore:
    THING: ClassVar[str] = "task"

    as_forecast: int = member(SCORED, name="tasks_as_forecast")
    compared: int = member(SCORED, name="tasks")


@record(closed=False)
class PartitionScore:
    THING: ClassVar[str] = "partition"

    as_forecast: int = member(SCORED, name="partitions_as_forecast")
    compared: int = member(SCORED, name="partitions")
