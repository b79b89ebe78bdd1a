"""Whether the forecast of a plan for a consumer group whose broker assigns came true: the value, and its JSON."""

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.snapshot.snapshot import PROTOCOL
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.execution.step_evidence import STEPS_SHOWN, StepEvidence
from holdfast.rollout.execution.verdict import (
    DIFFERENCES,
    VERDICT_VERSION,
    Compared,
    PartitionScore,
    Rebalances,
    Result,
    WithDifferences,
)
from holdfast.rollout.facts.differences import Difference
from holdfast.rollout.facts.sourced_text import Said
from holdfast.rollout.json import shapes
from holdfast.rollout.json.codec import INSTANT, NAME, TEXT, choice, nullable
from holdfast.rollout.json.kafka_codecs import PARTITION_NAME
from holdfast.rollout.json.record import codec_of, derived, key, keyed, member, record, spread


@record(closed=False)
class ReaderVerdict(Compared):
    """One partition at the end: the member that the forecast has reading it, and the one found (None: no member)."""

    partition: TopicPartition = key(PARTITION_NAME)
    expected: str = member(NAME)
    found: str | None = member(nullable(NAME))


@record(version=VERDICT_VERSION, closed=False, about="The forecast against what happened, and what shows that each step did.")
class GroupVerdict(WithDifferences):
    """`rebalances`: targets; none are recorded, so that `found` is None. Partitions that the forecast leaves open are not
    compared."""

    plan_id: str = member(NAME)

    @property
    @derived(TEXT.shaped(shapes.one_of((PROTOCOL,))))
    def protocol(self) -> str:
        return PROTOCOL

    cluster: str = member(TEXT)
    group_id: str = member(TEXT)
    observed_at: str | None = member(nullable(INSTANT))
    result: Result = member(choice(Result))

    @property
    @derived(codec_of(PartitionScore))
    def score(self) -> PartitionScore:
        return PartitionScore(sum(one.agrees for one in self.partitions), len(self.partitions))

    steps: tuple[StepEvidence, ...] = member(STEPS_SHOWN, absent=())
    rebalances: Rebalances = member(codec_of(Rebalances))
    said: tuple[Said[Difference], ...] = spread(DIFFERENCES)
    partitions: tuple[ReaderVerdict, ...] = member(keyed(codec_of(ReaderVerdict)))

    unknown: tuple[Unknown, ...] = member(UNKNOWNS, "What could not be compared, each with its reason.", default=(), omit=True)


VERDICT = codec_of(GroupVerdict)
