"""What a kind of group says of itself: all that commands, jobs, pages and tables ask of a group without knowing its kind.

A kind is one folder of `rollout/` whose `kind/kind.py` fulfils this, and one line in `kinds/registry.py`. Inside a kind all is
typed by its own values; the registry's edge forgets them.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from holdfast.errors import Unsupported
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.client_figures import CopiesReported, Held
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.requests import Request, What
from holdfast.rollout.execution.acts import Acts, GroupSetting
from holdfast.rollout.execution.drift import Staleness
from holdfast.rollout.execution.next_actions import AnyStep, Next
from holdfast.rollout.execution.rolling_settings import Roll
from holdfast.rollout.execution.rounds import RoundCompared
from holdfast.rollout.execution.undo import Nature, Rollback
from holdfast.rollout.group.deciding import Decider, Row
from holdfast.rollout.group.difference import Line
from holdfast.rollout.group.guard import Guarded
from holdfast.rollout.group.values import AnyChange, AnyPlan, AnySnapshot, AnyVerdict
from holdfast.rollout.journal.back import ClientSeen
from holdfast.rollout.journal.journal import Journal, Sighting
from holdfast.rollout.options.option import EvaluatedOption, Option
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.review.parts import PlanReview
from holdfast.rollout.settings.case import Case
from holdfast.rollout.text.document_blocks import Block

S = TypeVar("S", bound=AnySnapshot)
C = TypeVar("C", bound=AnyChange)
O = TypeVar("O", bound=Option)  # noqa: E741
E = TypeVar("E", bound=EvaluatedOption[Option])
F = TypeVar("F")
"""A Forecast."""
P = TypeVar("P", bound=AnyPlan)
V = TypeVar("V", bound=AnyVerdict)


@dataclass(frozen=True, slots=True)
class Words:
    """`group`: "a consumer group"; `member`: one of it; `counted`: what is assigned; `title`: "Consumer group"."""

    group: str
    member: str
    counted: str
    title: str


@dataclass(frozen=True, slots=True)
class Host:
    """`members`: short names of those that run on it."""

    name: str
    members: tuple[str, ...]
    detail: str


@dataclass(frozen=True, slots=True)
class Setting:
    """`now` is empty where the snapshot does not say."""

    key: str
    now: str
    default: str
    about: str


class GroupKind(Decider[S], Generic[S, C, O, E, F, P, V]):
    """One kind of group, with what decides for it. What reads a document raises InvalidInput, or Unsupported for
    what is not modelled."""

    name: ClassVar[str]
    """Unique in the registry."""
    stateful: ClassVar[bool]
    """Whether its members keep state: its figures count stateful tasks then, else partitions."""
    words: ClassVar[Words]
    values: ClassVar[tuple[type, ...]]
    """The classes of its Snapshot, Change, Plan and Verdict: by them the registry knows whose a value is."""
    asks: ClassVar[tuple[What, ...]]
    """What can be requested of it in a few fields."""
    unused_fields: ClassVar[frozenset[str]] = frozenset()
    """Those fields of a `Request` that mean nothing for it."""
    verbs: ClassVar[frozenset[str]]
    """The verbs of its events, by its table of events."""
    docs: ClassVar[str]
    """The page of docs/ that lists its events."""
    request_note: ClassVar[str] = ""
    """What the form adds to a request in a few fields: what is assumed that the fields do not say."""

    lasting_names: ClassVar[bool] = True
    """Whether clients keep their names (`clients`) over restarts."""

    settings_note: ClassVar[str] = "Standbys, warm-ups, intervals; applied by restarts."
    """What the form says of changed settings: which there are, and how they take effect."""

    # Documents.

    @abstractmethod
    def owns_change(self, document: object) -> bool:
        """Whether a Change's JSON has an event that only this kind knows."""

    @abstractmethod
    def owns_plan(self, document: object) -> bool:
        """Whether a Plan's JSON is of this kind."""

    @abstractmethod
    def change_from_json(self, document: object) -> C: ...

    @abstractmethod
    def change_to_json(self, change: C) -> Row: ...

    @abstractmethod
    def plan_from_json(self, document: object) -> P: ...

    @abstractmethod
    def plan_to_json(self, plan: P) -> Row: ...

    @abstractmethod
    def verdict_to_json(self, verdict: V) -> Row: ...

    # The group.

    @abstractmethod
    def members(self, snapshot: S) -> int:
        """How many members (clients) it has."""

    @abstractmethod
    def snapshot_lines(self, before: S, after: S) -> Iterable[Line]:
        """What differs between two snapshots of one group."""

    @abstractmethod
    def guarded(self, snapshot: S) -> Guarded:
        """What its next rebalance, or next target, moves, whatever causes it. Raise CannotPredict for a group that is not at
        rest."""

    def settings_case(self, snapshot: S, properties: Mapping[str, str] | None, policy: Policy) -> Case:  # noqa: ARG002 - as `acts`
        """The group as the doctor of settings sees it. `properties`: those of its application; None: not given."""
        raise Unsupported(f"The settings of {self.words.group} are not judged.")

    @abstractmethod
    def facts(self, snapshot: S) -> tuple[tuple[str, str], ...]:
        """What the group is, in labels and texts."""

    @abstractmethod
    def hosts(self, snapshot: S) -> tuple[Host, ...]:
        """By name, with all members on each."""

    @abstractmethod
    def addresses(self, snapshot: S) -> tuple[str | None, ...]:
        """The host of each member, as the broker sees it; None: unknown."""

    @abstractmethod
    def settings(self, snapshot: S) -> tuple[Setting, ...]:
        """Those that people change."""

    @abstractmethod
    def example(self, snapshot: S) -> Row | None:
        """An event that fits the group: one member goes, and its place is taken. None: it has no member."""

    # The change.

    @abstractmethod
    def change_for(self, document: object, snapshot: S) -> C:
        """A Change's JSON for this group, with names of hosts resolved."""

    @abstractmethod
    def check_change(self, document: object) -> None:
        """Raise InvalidInput for what is wrong in a Change's JSON whatever the group."""

    @abstractmethod
    def change_of(self, request: Request, snapshot: S) -> C:
        """The Change that a few fields mean for this group."""

    @abstractmethod
    def refuse_misfit(self, snapshot: S, change: C) -> None:
        """Raise InvalidInput for a change that does not fit the group, with the path of the event."""

    @abstractmethod
    def records_per_second(self, change: C) -> float | None:
        """The speed of restoring that the change assumes. None: none."""

    @abstractmethod
    def sentence(self, change: C, snapshot: S) -> str:
        """What is asked for, without its full stop."""

    # The forecast.

    def leaves(self, change: C) -> bool:  # noqa: ARG002 - most groups stay what they are
        """Whether the group becomes one of another kind with it (`kinds.moving`)."""
        return False

    @abstractmethod
    def refuse_settings(self, snapshot: S) -> None:
        """Raise InvalidInput for settings of the group that Kafka itself would refuse."""

    @abstractmethod
    def forecast(self, snapshot: S, change: C, times: int) -> F:
        """`times`: the factor by which more than the usual work is allowed."""

    @abstractmethod
    def forecast_to_json(self, forecast: F, detail: Detail) -> Row: ...

    @abstractmethod
    def forecast_blocks(self, snapshot: S, forecast: F, detail: Detail) -> Iterable[Block]:
        """The forecast as a person reads it, its result as the title."""

    # The options.

    @abstractmethod
    def search_work(self, snapshot: S, change: C) -> int:
        """How much work a search is, in units of a task, or of a partition, that is looked at once."""

    @abstractmethod
    def propose(self, snapshot: S, change: C) -> tuple[O, ...]:
        """Every option, the baseline first."""

    @abstractmethod
    def evaluate_all(self, snapshot: S, options: Iterable[O], tell: Callable[[str], None], times: int) -> tuple[E, ...]:
        """Each option with its forecast. `tell` hears the name of the one that is forecast; `times` as in `forecast`."""

    @abstractmethod
    def evaluator(self, snapshot: S) -> Callable[[O], E]: ...

    @abstractmethod
    def option_to_json(self, option: O) -> Row: ...

    @abstractmethod
    def option_from_json(self, document: object) -> O: ...

    @abstractmethod
    def evaluated_to_json(self, evaluated: E) -> Row: ...

    @abstractmethod
    def evaluated_from_json(self, document: object) -> E: ...

    @abstractmethod
    def assemble(
        self, snapshot: S, change: C, evaluated: tuple[E, ...], policy: Policy, now: datetime, requested_by: str | None
    ) -> P:
        """The plan, with its ID. `evaluated`: those of `propose`, in its order."""

    # The plan.

    @abstractmethod
    def reviewed(self, plan: P) -> PlanReview:
        """What a person reads, part by part."""

    @abstractmethod
    def title(self, plan: P) -> str:
        """What is asked for, in few words: `replace app-2 by app-3`."""

    @abstractmethod
    def request(self, plan: P) -> str:
        """All that is asked for, in a sentence without its full stop."""

    @abstractmethod
    def figures(self, plan: P) -> Mapping[str, Any]:
        """The fields of a PlanSummary that only this kind has."""

    @abstractmethod
    def plan_lines(self, before: P, after: P) -> Iterable[Line]:
        """What differs between two plans for one group."""

    @abstractmethod
    def option_rows(self, plan: P) -> list[Row]:
        """For each option, in order, the columns of the table of options that only this kind fills."""

    @abstractmethod
    def too_early(self, plan: P, waiting: AnyStep, given: Collection[ProcessId]) -> str | None:
        """Why nothing may be written into the state directories that were `given`, while `waiting` is waited for. None: nothing is
        to be written into them."""

    @abstractmethod
    def writes(self, plan: P) -> Mapping[str, ProcessId]:
        """The process ID that a step writes into a state directory, by the step's ID."""

    def places(self, plan: P) -> tuple[str | None, ...]:  # noqa: ARG002 - only some groups have directories that are written to
        """Hosts on which Holdfast may write process IDs for the plan: of its group's clients, and those that its steps name."""
        return ()

    @abstractmethod
    def step_text(self, step: AnyStep) -> str: ...

    # What follows from it.

    @abstractmethod
    def staleness(self, plan: P, fresh: S) -> Staleness: ...

    @abstractmethod
    def next_action(self, plan: P, journal: Journal, fresh: S, now: datetime) -> Next:
        """Raise StalePlan where the group is not what the plan, and what was done of it, would have it be."""

    def acts(self, plan: P, step: AnyStep) -> Acts | None:  # noqa: ARG002 - a kind of group may leave all to people
        """What Holdfast can do of a step by itself. None: nothing."""
        return None

    def roll(self, plan: P, step: AnyStep) -> Roll | None:  # noqa: ARG002 - as `acts`
        """The settings of clients that Holdfast can write for a step, and their restarts. None: the step is none, or a person's."""
        return None

    def rollback(self, plan: P, step: AnyStep) -> Rollback:  # noqa: ARG002 - as `acts`
        """What going back means for a step."""
        return Rollback(Nature.NOTHING if self.waits(step) else Nature.PERSON)

    def clients(self, snapshot: S) -> tuple[ClientSeen, ...]:  # noqa: ARG002 - as `acts`
        """Who is in the group."""
        return ()

    def planned_for(self, plan: P) -> tuple[str, ...]:  # noqa: ARG002 - as `acts`
        """The names of the clients, as those of `clients`, that the plan was made for."""
        return ()

    def sets(self, plan: P, step: AnyStep) -> tuple[GroupSetting, ...]:  # noqa: ARG002 - only some groups have configs at the brokers
        """The configs of the group that a step sets at the brokers. None of them: it does something else."""
        return ()

    def listed(self, plan: P, step: AnyStep, fresh: S) -> Sighting | None:  # noqa: ARG002 - some groups' members keep their IDs
        """The members whose process a step ends, as the group lists them now. None: it ends none, or the plan names them."""
        return None

    @abstractmethod
    def waits(self, step: AnyStep) -> bool:
        """Whether a step only waits."""

    def pending_s(self, step: AnyStep, fresh: S) -> int | None:  # noqa: ARG002 - most groups show no more than their state
        """Of a wait until nothing is pending, while a stable group has something pending: how many seconds it may take. None:
        nothing is pending."""
        return None

    def basis(self, plan: P) -> S | None:  # noqa: ARG002 - a plan may have only a part of it
        """The group that the plan was made for. None: the plan does not have all of it."""
        return None

    def comes_from_another(self, plan: P) -> bool:  # noqa: ARG002 - as `leaves`
        """Whether the group was of another kind when the plan was made, or becomes one by it: a new snapshot may be of that."""
        return False

    def at_rest(self, snapshot: S) -> bool:
        """Whether a group is stable, and nothing is known to be pending."""
        return snapshot.group_state == STABLE

    @abstractmethod
    def compared(self, plan: P, journal: Journal, basis: S, after: str, until: AnyStep, fresh: S) -> RoundCompared | None:
        """The group with the forecast after the events between two waits (`after` empty: the beginning); `basis`: the group before
        them. None: not all of them show yet. Raise CannotPredict, Unsupported or InvalidInput where it cannot be known."""

    def held(self, snapshot: S) -> tuple[Held, ...]:  # noqa: ARG002 - a picture that a kind of group may do without
        """What each client has now, in the order of the group."""
        return ()

    def copies_reported(self, snapshot: S) -> CopiesReported | None:  # noqa: ARG002 - most kinds of group do not show it
        """How far copies were when members last joined. None: no member says it."""
        return None

    @abstractmethod
    def verify(self, plan: P, fresh: S) -> V: ...

    def verify_run(self, plan: P, journal: Journal, fresh: S) -> V:  # noqa: ARG002 - most kinds need no more than the group
        """The same, where what runs noted in the journal may help to compare: it narrows down what is tried, and fits nothing that
        would not fit without it."""
        return self.verify(plan, fresh)

    @abstractmethod
    def verdict_figures(self, verdict: V) -> Iterable[tuple[str, str]]:
        """Labels and texts: how much is as forecast."""

    @abstractmethod
    def verdict_rows(self, verdict: V) -> tuple[tuple[str, str, str, str], ...]:
        """What is not as forecast: what, its role, as forecast, as found."""

    # The tables.

    @abstractmethod
    def decoded(self, snapshot: S) -> Row:
        """A Snapshot as `group`, `clients`, `members`, `tasks`, `partitions` and `state_directories`."""

    @abstractmethod
    def targets(self, snapshot: S) -> list[Row]:
        """Where each stateful task (each partition) is going, and whose it is now."""

    @abstractmethod
    def order_change(self, before: S, after: S) -> Row | None:
        """What happened to the order of the members. None: no member joined or left."""

    @abstractmethod
    def losses(self, snapshot: S, first: int, last: int | None, budget_ms: int | None) -> Row:
        """`losses` and `places` of the members number `first` to `last` (not itself)."""

    @abstractmethod
    def forecast_losses(self, snapshot: S, rows: Iterable[Row]) -> list[Row]:
        """Those of `losses` that have `work_us`, by their `process_id` and `scenario`, forecast."""
