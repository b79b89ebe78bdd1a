"""Whether the forecast of a plan for a streams group whose broker assigns came true: the value, and its JSON."""

from holdfast.kafka.coordinator.streams.group import Task
from holdfast.rollout.broker_streams.snapshot.snapshot import PROTOCOL
from holdfast.rollout.broker_streams.snapshot.tasks import TASK
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.execution.step_evidence import STEPS_SHOWN, StepEvidence
from holdfast.rollout.execution.verdict import (
    DIFFERENCES,
    SCORED,
    VERDICT_VERSION,
    Compared,
    Rebalances,
    Result,
    TaskScore,
    WithDifferences,
)
from holdfast.rollout.facts.differences import Difference
from holdfast.rollout.facts.sourced_text import Said
from holdfast.rollout.json import shapes
from holdfast.rollout.json.codec import COUNT, INSTANT, NAME, NAMES, TEXT, choice, items, nullable
from holdfast.rollout.json.record import codec_of, derived, key, keyed, member, record, spread


@record(closed=False)
class OwnerVerdict(Compared):
    """One task at the end: the client that the forecast has, and the one found (None: no client), by process ID."""

    task: Task = key(TASK)
    expected: str = member(NAME)
    found: str | None = member(nullable(NAME))


@record(closed=False)
class CopiesVerdict(Compared):
    """The clients with standby copies of a task in the end: those of the forecast, and those found, both sorted."""

    task: Task = key(TASK)
    expected: tuple[str, ...] = member(NAMES)
    found: tuple[str, ...] = member(NAMES)


@record(closed=False)
class TargetVerdict:
    """One target of the forecast. `found`: the epoch of the recorded target with the same members (None: none has them).
    `tasks`: those that are compared; `as_forecast`: of them those with the same members, active and standby."""

    group_epoch: int | None = member(nullable(COUNT), "As forecast.")
    found: int | None = member(nullable(COUNT), name="found_epoch")
    tasks: int = member(SCORED)
    as_forecast: int = member(SCORED, name="tasks_as_forecast")

    @property
    def agrees(self) -> bool:
        return self.found is not None and self.tasks == self.as_forecast


@record(version=VERDICT_VERSION, closed=False, about="The forecast against what happened, and what shows that each step did.")
class BrokerVerdict(WithDifferences):
    """`rebalances`: targets; `found` is None where none are recorded. `targets`: each of the forecast; none where none are
    recorded. Tasks that the forecast leaves open are not compared."""

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
    @derived(codec_of(TaskScore))
    def score(self) -> TaskScore:
        return TaskScore(sum(one.agrees for one in self.tasks), len(self.tasks))

    steps: tuple[StepEvidence, ...] = member(STEPS_SHOWN, absent=())
    rebalances: Rebalances = member(codec_of(Rebalances))
    said: tuple[Said[Difference], ...] = spread(DIFFERENCES)
    tasks: tuple[OwnerVerdict, ...] = member(keyed(codec_of(OwnerVerdict)))
    standbys: tuple[CopiesVerdict, ...] = member(keyed(codec_of(CopiesVerdict)), default=())
    targets: tuple[TargetVerdict, ...] = member(items(codec_of(TargetVerdict)), default=())

    unknown: tuple[Unknown, ...] = member(UNKNOWNS, "What could not be compared, each with its reason.", default=(), omit=True)


VERDICT = codec_of(BrokerVerdict)
