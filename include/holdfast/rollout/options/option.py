"""An option, from its proposal to what the policy says of it: Option → EvaluatedOption → RankedOption, for every kind of group."""

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.contract.verdicts import Rule, Status
from holdfast.rollout.policy.policy import Policy


class Option(Protocol):
    """One way to make a change. Each kind's own options have its change, and more."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str:
        """What is done, as the imperative that a headline starts with."""

    @property
    def settings(self) -> tuple[SettingChange, ...]:
        """Those for the time of the rollout."""

    @property
    def preconditions(self) -> tuple[str, ...]: ...

    @property
    def wrong_if(self) -> str:
        """What would make its forecast wrong."""

    @property
    def drawback(self) -> str:
        """Why it is shown, and not recommended. Empty: it may be."""

    @property
    def if_allowed(self) -> bool:
        """Recommended only where the policy allows it by name."""


O_co = TypeVar("O_co", bound=Option, covariant=True)
E = TypeVar("E", bound="EvaluatedOption[Option]")


class EvaluatedOption(Protocol[O_co]):
    """An option with its forecast. `refused`: why nothing can be predicted; None: it can."""

    @property
    def option(self) -> O_co: ...

    @property
    def refused(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Impact:
    """What an option costs, as options are compared: each figure the smaller the better, infinity for what nobody knows."""

    collateral: float
    """Tasks (partitions) of members that the change does not touch, which move."""
    downtime_s: float
    """Task-seconds, partition-seconds: all that is unavailable, added up."""
    rebalances: int
    moved: float
    """Tasks, partitions."""
    effort: EffortCounts
    manual_work: int
    """How much manual work and risk: only compared."""
    manual_says: str
    times: tuple[Times, ...]
    """Of every outcome."""
    over_s: float = 0
    """When all is over, as it usually goes; infinity: never."""
    longest_restore_s: int = 0
    """The longest that a task waits for its state."""
    restored_records: int = 0
    restored_s: int = 0
    """How long the longest restore of them takes."""
    late: bool = False
    """`downtime_s` is that of a copy which is late."""
    unsettled: str | None = None
    """Why the group does not become stable. None: it does, or that is not known."""


@dataclass(frozen=True)
class RankedOption(Generic[E]):
    """An evaluated option with what the policy says of it. `place`: its place in the list; `impact` None: nothing can be predicted;
    `barred`: why it is not recommended whatever it costs, empty if nothing bars it."""

    place: int
    evaluated: E
    rules: tuple[Rule, ...]
    barred: str
    policy: Policy
    impact: Impact | None

    @property
    def name(self) -> str:
        return self.evaluated.option.name

    @property
    def possible(self) -> bool:
        return not self.barred and self.impact is not None

    @property
    def known(self) -> Impact:
        assert self.impact is not None, "only what can be predicted is compared"
        return self.impact

    @property
    def failed(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.status is Status.FAIL)

    @cached_property
    def exceeded(self) -> tuple[Rule, ...]:
        """The limits that it exceeds. How many rebalances and how much time are criteria of their own: a limit of them that nobody
        has stated asks for a person, and does not have every member restarted twice."""
        unstated = {"rebalances": self.policy.rebalances_most, "time-to-stable": self.policy.time_to_stable_s_most}
        return tuple(rule for rule in self.failed if rule.blocking or unstated.get(rule.name, 0) is not None)
