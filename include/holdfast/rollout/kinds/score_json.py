"""A kept verdict in brief: what a list of plans shows of it."""

from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.execution.verdict import VERDICT_VERSION, PartitionScore, Result, TaskScore
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import INSTANT, TEXTS, Codec, choice, nullable
from holdfast.rollout.json.record import codec_of, member, record


def _counted(value: object) -> TaskScore | PartitionScore:
    counted: type[TaskScore | PartitionScore] = PartitionScore if f"{PartitionScore.THING}s" in strict.mapping(value) else TaskScore
    return codec_of(counted).read(value)


COUNTED: Codec[TaskScore | PartitionScore] = Codec(_counted, lambda one: codec_of(type(one)).write(one), codec_of(TaskScore).shape)


@record(version=VERDICT_VERSION, closed=False)
class Score:
    """A verdict in brief: how many tasks (of a consumer group: partitions) ended where the forecast had them."""

    result: Result = member(choice(Result))
    score: TaskScore | PartitionScore = member(COUNTED)
    observed_at: str | None = member(nullable(INSTANT))
    differences: tuple[str, ...] = member(TEXTS)
    unknown: tuple[Unknown, ...] = member(UNKNOWNS, "What could not be compared, each with its reason.", default=(), omit=True)

    @property
    def tasks_as_forecast(self) -> int:
        return self.score.as_forecast

    @property
    def tasks(self) -> int:
        return self.score.compared


SCORE = codec_of(Score)
