"""Whether the forecast of a plan for a Kafka Streams group came true: the value, and its JSON."""

from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.execution.step_evidence import STEPS_SHOWN, StepEvidence
from holdfast.rollout.execution.verdict import (
    DIFFERENCES,
    VERDICT_VERSION,
    Compared,
    Rebalances,
    Result,
    TaskScore,
    WithDifferences,
)
from holdfast.rollout.facts.differences import Difference
from holdfast.rollout.facts.sourced_text import Said
from holdfast.rollout.json.codec import INSTANT, NAME, TEXT, choice, nullable
from holdfast.rollout.json.kafka_codecs import PROCESS_ID, PROCESS_IDS, TASK_ID
from holdfast.rollout.json.record import codec_of, derived, key, keyed, member, record, spread


@record(closed=False)
class TaskVerdict(Compared):
    """One task at the end: the owner that the forecast has, and the owner found (None: no owner)."""

    task: TaskId = key(TASK_ID)
    expected: ProcessId = member(PROCESS_ID)
    found: ProcessId | None = member(nullable(PROCESS_ID))


@record(closed=False)
class StandbyVerdict(Compared):
    """The clients that hold standby copies of a task in the end: those of the forecast, and those found, both sorted."""

    task: TaskId = key(TASK_ID)
    expected: tuple[ProcessId, ...] = member(PROCESS_IDS)
    found: tuple[ProcessId, ...] = member(PROCESS_IDS)


@record(version=VERDICT_VERSION, closed=False, about="The forecast against what happened, and what shows that each step did.")
class Verdict(WithDifferences):
    """`rebalances`: `found` is None where none are recorded. `said`: what differs, worst first. `standbys`: of tasks that have
    any, or should; none where the snapshot does not say who has."""

    plan_id: str = member(NAME)
    cluster: str = member(TEXT)
    group_id: str = member(TEXT)
    observed_at: str | None = member(nullable(INSTANT))
    result: Result = member(choice(Result))

    @property
    @derived(codec_of(TaskScore))
    def score(self) -> TaskScore:
        return TaskScore(sum(one.agrees for one in self.tasks), len(self.tasks))

    steps: tuple[StepEvidence, ...] = member(STEPS_SHOWN, absent=())
    rebalances: Rebalances = member(codec_of(Rebalances))
    said: tuple[Said[Difference], ...] = spread(DIFFERENCES)
    tasks: tuple[TaskVerdict, ...] = member(keyed(codec_of(TaskVerdict)))
    standbys: tuple[StandbyVerdict, ...] = member(keyed(codec_of(StandbyVerdict)), default=())

    unknown: tuple[Unknown, ...] = member(UNKNOWNS, "What could not be compared, each with its reason.", default=(), omit=True)


VERDICT = codec_of(Verdict)
