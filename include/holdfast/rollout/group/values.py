"""What the documents of every kind of group have in common. Each kind's own values have more."""

from collections.abc import Sequence
from typing import Protocol

from holdfast.rollout.backtest.past import PastScore
from holdfast.rollout.contract.assessment import Assessment, Rule
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.execution.step_evidence import StepEvidence
from holdfast.rollout.execution.verdict import Rebalances, Result
from holdfast.rollout.facts.conditions import Invalidation
from holdfast.rollout.facts.reasons import Reason
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.policy.policy import Policy


class AnyBasis(Protocol):
    """The group that a plan was made for."""

    @property
    def cluster(self) -> str: ...

    @property
    def group_id(self) -> str: ...

    @property
    def kafka_release(self) -> str | None: ...

    @property
    def config(self) -> tuple[tuple[str, ConfigValue], ...]: ...


class AnySnapshot(AnyBasis, Protocol):
    """One group at one moment. `captured_at`: ISO 8601, UTC; None: unknown, as for all others here."""

    @property
    def captured_at(self) -> str | None: ...

    @property
    def group_state(self) -> str | None: ...

    @property
    def unknown(self) -> tuple[Unknown, ...]: ...


class AnyChange(Protocol):
    """What is to be done to a group."""

    @property
    def events(self) -> Sequence[object]: ...


class AnyConsidered(Protocol):
    """One option of a plan. `why_not` is empty for the recommended one."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def change(self) -> AnyChange: ...

    @property
    def rules(self) -> tuple[Rule, ...]: ...

    @property
    def refused(self) -> str | None: ...

    @property
    def why_not(self) -> str: ...

    @property
    def reason(self) -> Reason | None: ...


class AnyPlan(Protocol):
    """What is recommended, and why. `chosen` None: nothing is."""

    @property
    def plan_id(self) -> str: ...

    @property
    def created_at(self) -> str: ...

    @property
    def expires_at(self) -> str: ...

    @property
    def created_from(self) -> CreatedFrom: ...

    @property
    def basis(self) -> AnyBasis: ...

    @property
    def policy(self) -> Policy: ...

    @property
    def change(self) -> AnyChange: ...

    @property
    def assessment(self) -> Assessment: ...

    @property
    def headline(self) -> str: ...

    @property
    def wrong_if(self) -> str: ...

    @property
    def invalidations(self) -> tuple[Invalidation, ...]: ...

    @property
    def blocked_by(self) -> tuple[str, ...]: ...

    @property
    def chosen(self) -> str | None: ...

    @property
    def candidates(self) -> Sequence[AnyConsidered]: ...

    @property
    def steps(self) -> Sequence[AnyStep]: ...

    @property
    def preconditions(self) -> tuple[str, ...]: ...

    @property
    def past(self) -> PastScore | None: ...

    @property
    def requested_by(self) -> str | None: ...

    @property
    def recommended_option(self) -> AnyConsidered | None: ...

    @property
    def baseline_option(self) -> AnyConsidered | None: ...


class AnyVerdict(Protocol):
    """Whether the forecast of a plan came true. `differences`: sentences, worst first. `unknown`: what could not be compared."""

    @property
    def plan_id(self) -> str: ...

    @property
    def cluster(self) -> str: ...

    @property
    def group_id(self) -> str: ...

    @property
    def observed_at(self) -> str | None: ...

    @property
    def result(self) -> Result: ...

    @property
    def steps(self) -> tuple[StepEvidence, ...]: ...

    @property
    def rebalances(self) -> Rebalances: ...

    @property
    def differences(self) -> tuple[str, ...]: ...

    @property
    def unknown(self) -> tuple[Unknown, ...]: ...
