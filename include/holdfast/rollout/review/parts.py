"""What a plan says to a person, part by part, the same for every kind of group. `sections` lays the parts out; pages take them one
by one."""

from dataclasses import dataclass
from typing import Protocol

from holdfast.rollout.contract.assessment import Assessment, Rule
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.settings import SettingChange, Who
from holdfast.rollout.text.document_blocks import Block, Table
from holdfast.rollout.text.format import inside

MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class StepReview:
    """`brief`: what it does, in a few words; `command`: the same as a shell command, after the line `about_command`;
    `check_command`: one that shows what `check` says. Empty where there is none."""

    id: str
    title: str
    brief: str
    who: Who
    before: str
    expect: str
    check: str
    rollback: str
    about_command: str = ""
    command: str = ""
    check_command: str = ""

    @property
    def manual(self) -> bool:
        return self.who is not Who.HOLDFAST

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        found = (("Before", self.before), ("Expect", self.expect), ("Check", self.check), ("Rollback", self.rollback))
        return tuple((label, text) for label, text in found if text)


@dataclass(frozen=True, slots=True)
class PlanReview:
    """`flags`: what is shown before the assessment, such as skipped data. `costs`: the labelled lines of what the option costs.

    `recommended`: an option other than the baseline is. `blocked_by`: reasons that the headline does not say. `condition`: its
    label, and what makes the forecast invalid. `of_snapshot`: what of the group the plan was made from. `comparison`: all options;
    `details`: the recommended one, for who wants to check.
    """

    plan_id: str
    cluster: str
    group_id: str
    assessment: Assessment
    flags: tuple[str, ...]
    request: str
    recommended: bool
    headline: str
    costs: tuple[tuple[str, str], ...]
    why: str
    blocked_by: tuple[str, ...]
    condition: tuple[str, str]
    of_snapshot: str
    contingencies: tuple[str, ...]
    steps: tuple[StepReview, ...]
    assumptions: tuple[str, ...]
    settings: tuple[SettingChange, ...]
    comparison: tuple[Block, ...]
    details: tuple[Block, ...]
    rules: tuple[Rule, ...]
    unknown: tuple[str, ...]
    glossary: tuple[tuple[str, str], ...]
    created_from: CreatedFrom
    created_at: str
    expires_at: str
    acts: tuple[str, ...] = ()
    """The actions that the policy lets Holdfast carry out by itself."""
    past: str = ""
    """How Holdfast decided past rebalances; empty: no backtest was given."""
    learnt: tuple[tuple[str, str], ...] = ()
    """What times are learnt from the group's past, each with its range."""


def standing(assessment: Assessment) -> str:
    """What the best option of a plan is, in the place of why it is not recommended."""
    return "best, but blocked" if assessment is Assessment.BLOCKED else "recommended"


def option_table(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Table:
    """The options side by side: the name first, why it is not recommended last."""
    return Table(("option", *columns, "effort", "why not"), rows)


class ComparedOption(Protocol):
    """An option of a plan. `why_not`: a sentence, empty for the recommended one."""

    @property
    def why_not(self) -> str: ...


def against_baseline(recommended: ComparedOption | None, baseline: ComparedOption | None, options: int) -> str:
    """Why that one of this number of options is recommended, compared with the baseline."""
    if recommended is None or baseline is None:
        return ""
    if options == 1:
        return "There is no other option."
    return "No other option costs less." if recommended is baseline else f"Baseline: {inside(baseline.why_not)}"
