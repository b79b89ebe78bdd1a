"""The values of the made-up kind of group in `lamps`: from its snapshot to its verdict."""

from dataclasses import dataclass
from typing import Any

from holdfast.rollout.contract.assessment import BASELINE_NAME, Assessment, Rule
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution.drift import Drift, DriftKind
from holdfast.rollout.execution.step_evidence import StepEvidence
from holdfast.rollout.execution.verdict import Rebalances, Result
from holdfast.rollout.facts import difference_words
from holdfast.rollout.facts.differences import Difference
from holdfast.rollout.facts.refusals import Refusal
from holdfast.rollout.policy.policy import Policy


@dataclass(frozen=True)
class LampSnapshot:
    """`lit`: each lamp by name, and whether it burns."""

    cluster: str
    group_id: str
    captured_at: str | None
    lit: tuple[tuple[str, bool], ...]
    group_state: str | None = "Stable"
    kafka_release: str | None = None
    config: tuple[Any, ...] = ()
    unknown: tuple[Any, ...] = ()


@dataclass(frozen=True)
class LampChange:
    """The lamps that are to burn."""

    events: tuple[str, ...]


@dataclass(frozen=True)
class LampOption:
    name: str
    title: str
    change: LampChange
    settings: tuple[Any, ...] = ()
    preconditions: tuple[str, ...] = ()
    wrong_if: str = "a lamp is broken."
    drawback: str = ""
    if_allowed: bool = False


@dataclass(frozen=True)
class EvaluatedLampOption:
    option: LampOption
    dark_s: int
    refused: Refusal | None = None


@dataclass(frozen=True)
class LampStep:
    """`lamp` None: wait."""

    id: str
    lamp: str | None
    who: Who = Who.OPERATOR
    check_before: str = ""
    check_after: str = "It burns."
    undo: str = "Put it out."
    expect: str = ""


@dataclass(frozen=True)
class ConsideredLampOption:
    name: str
    title: str
    change: LampChange
    rules: tuple[Rule, ...]
    refused: str | None
    why_not: str
    reason: None = None


@dataclass(frozen=True)
class LampPlan:
    plan_id: str
    created_at: str
    expires_at: str
    created_from: CreatedFrom
    basis: LampSnapshot
    policy: Policy
    change: LampChange
    assessment: Assessment
    headline: str
    blocked_by: tuple[str, ...]
    chosen: str | None
    candidates: tuple[ConsideredLampOption, ...]
    steps: tuple[LampStep, ...]
    wrong_if: str = "a lamp is broken."
    preconditions: tuple[str, ...] = ()
    requested_by: str | None = None
    invalidations: tuple[Any, ...] = ()

    @property
    def recommended_option(self) -> ConsideredLampOption | None:
        return next((one for one in self.candidates if one.name == self.chosen), None)

    @property
    def baseline_option(self) -> ConsideredLampOption | None:
        return next((one for one in self.candidates if one.name == BASELINE_NAME), None)


NEVER = Rebalances((0, 0), 0)


@dataclass(frozen=True)
class LampVerdict:
    plan_id: str
    cluster: str
    group_id: str
    observed_at: str | None
    result: Result
    dark: tuple[str, ...]
    facts: tuple[Difference, ...]
    steps: tuple[StepEvidence, ...]
    rebalances: Rebalances = NEVER
    unknown: tuple[Unknown, ...] = ()

    @property
    def differences(self) -> tuple[str, ...]:
        return difference_words.sentences(self.facts)


def dark(plan: LampPlan, fresh: LampSnapshot) -> tuple[str, ...]:
    return tuple(lamp for lamp in plan.change.events if not dict(fresh.lit).get(lamp))


def drifts(plan: LampPlan, fresh: LampSnapshot) -> tuple[Drift, ...]:
    gone = [name for name, _ in plan.basis.lit if name not in dict(fresh.lit)]
    return tuple(Drift(DriftKind.MEMBERS, f"{name} is gone.", True, "It cannot be lit.") for name in gone)
