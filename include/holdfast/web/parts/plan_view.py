"""What the page of a plan consists of, for every kind of group: texts, shares and figures. No Airflow, no clock."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from holdfast.rollout.contract.assessment import Assessment, Rule, RuleStatus
from holdfast.rollout.facts.reasons import EXCEEDING, EXCEEDS
from holdfast.rollout.group.values import AnyConsidered, AnyPlan
from holdfast.rollout.kinds import plan_title
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.review import sections
from holdfast.rollout.review.parts import PlanReview
from holdfast.rollout.text.document_blocks import Block
from holdfast.rollout.text.format import duration, inside
from holdfast.web.parts.ownership import Picture

MOST_ROUNDS = 60
ASSESSED = {
    Assessment.NOTHING_TO_DO: "The group already has the requested state.",
    Assessment.SAFE: "All policy checks passed.",
    Assessment.REVIEW: "A policy check failed or is unknown, or your policy requires a review of every plan.",
    Assessment.BLOCKED: "A blocking policy check failed. Do not apply this plan.",
}


@dataclass(frozen=True, slots=True)
class Labels:
    """The words in which kinds of group differ. `unit`: what the picture over time goes by, `time` or the `round`:
    what a rebalance is called."""

    owners: str
    time: str
    total: str
    risk: str
    unit: str
    rounds: tuple[str, ...]
    options: tuple[str, ...]
    round: str = "rebalance"


@dataclass(frozen=True, slots=True)
class Figure:
    """One of the four. `share` and `baseline_share` in thousandths of the larger one; `against`: `better`, `same` or `worse` than
    the baseline, empty where there is nothing to compare with."""

    label: str
    value: str
    detail: str
    baseline: str
    against: str
    share: int
    baseline_share: int


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One row of the comparison. `fate`: recommended, possible, reference or impossible. `cells`: its figures, as text and
    thousandths of the worst option; none where nothing can be predicted."""

    name: str
    title: str
    fate: str
    why_not: str
    effort: str
    cells: tuple[tuple[str, int], ...]
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoundView:
    """Rebalances at one moment that do the same, a row of a table. `risk`: the last cell is one to look at."""

    number: str
    cells: tuple[str, ...]
    risk: bool


@dataclass(frozen=True, slots=True)
class Point:
    """A rebalance in the picture over time. `risk`: what is dangerous about it; mostly empty."""

    at: int
    so_far: int
    handed_over: int
    note: str
    risk: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """The rebalances of one option."""

    name: str
    title: str
    rounds: tuple[RoundView, ...]
    points: tuple[Point, ...]
    end: int
    rounds_cut: int = 0
    """Rows of the table that are not shown."""


@dataclass(frozen=True, slots=True)
class PlanView:
    """All that the page says about the plan itself; what became of it is not in here.

    `title` is what was asked for, `option` what is recommended, `about` says what a task is. `review`: what the plan says in every
    other medium too, in the same words.
    """

    plan: AnyPlan
    kind: str
    counted: str
    labels: Labels
    review: PlanReview
    title: str
    option: str
    effect: str
    warnings: tuple[tuple[str, str], ...]
    figures: tuple[Figure, ...]
    pictures: tuple[Picture, ...]
    about: Callable[[str], str]
    timelines: tuple[Timeline, ...]
    options: tuple[OptionRow, ...]
    cost_tables: tuple[Block, ...]
    facts: tuple[tuple[str, str], ...]
    age: str
    taken: str
    valid: str
    expired: bool

    @property
    def assessment_text(self) -> str:
        return ASSESSED[self.plan.assessment]

    @property
    def rules_passed(self) -> int:
        return sum(rule.status is RuleStatus.PASS for rule in self.review.rules)

    @property
    def setting_rows(self) -> tuple[tuple[str, ...], ...]:
        return sections.setting_rows(self.review)


NO_LABELS = Labels(owners="", time="", total="", risk="", unit="time", rounds=(), options=())


def plan_view(
    plan: AnyPlan,
    now: datetime,
    *,
    labels: Labels = NO_LABELS,
    effect: str = "",
    warnings: tuple[tuple[str, str], ...] = (),
    figures: tuple[Figure, ...] = (),
    pictures: tuple[Picture, ...] = (),
    about: Callable[[str], str] = lambda _: "",
    timelines: tuple[Timeline, ...] = (),
    options: tuple[OptionRow, ...] | None = None,
    cost_tables: tuple[Block, ...] = (),
    facts: tuple[tuple[str, str], ...] = (),
) -> PlanView:
    """With what only a kind of group can add to what every plan has. `options` None: the options without figures."""
    kind = kind_of(plan)
    age, taken, valid, expired = ages(plan, now)
    return PlanView(
        plan=plan,
        kind=kind.words.title,
        counted=kind.words.counted,
        labels=labels,
        review=kind.reviewed(plan),
        title=plan_title.title_of(plan),
        option=option_of(plan),
        effect=effect,
        warnings=warnings,
        figures=figures,
        pictures=pictures,
        about=about,
        timelines=timelines,
        options=_without_figures(plan) if options is None else options,
        cost_tables=cost_tables,
        facts=facts,
        age=age,
        taken=taken,
        valid=valid,
        expired=expired,
    )


def _without_figures(plan: AnyPlan) -> tuple[OptionRow, ...]:
    return in_order(
        OptionRow(
            name=one.name,
            title=one.title,
            fate="recommended" if one.name == plan.chosen else "possible" if one.refused is None else "impossible",
            why_not=why_not(one),
            effort="",
            cells=(),
            failed=broken(one.rules),
        )
        for one in plan.candidates
    )


def ages(plan: AnyPlan, now: datetime) -> tuple[str, str, str, bool]:
    """How old it is, and its snapshot; how long it holds, and whether that is over."""
    expires = datetime.fromisoformat(plan.expires_at)
    captured = plan.created_from.captured_at
    taken = ago(now, datetime.fromisoformat(captured)) if captured is not None else "at an unknown time"
    return ago(now, datetime.fromisoformat(plan.created_at)), taken, ago(now, expires), expires < now


def ago(now: datetime, then: datetime) -> str:
    """`3 min ago`, `in 57 min`, `just now`."""
    seconds = round((now - then).total_seconds())
    if abs(seconds) < 10:
        return "just now"
    rough = abs(seconds) if abs(seconds) < 60 else abs(seconds) // 60 * 60
    return f"{duration(rough)} ago" if seconds > 0 else f"in {duration(rough)}"


def compact(count: int) -> str:
    """`8`, `12,400`, `1.24 million`, `1.24 billion`."""
    for size, name in ((10**9, "billion"), (10**6, "million")):
        if count >= size:
            return f"{count / size:.3g} {name}"
    return f"{count:,}"


def title_of(name: str, plan: AnyPlan) -> str:
    """The title of one of the two options that are shown side by side. Nothing is recommended that must not be done."""
    if name != plan.chosen:
        return "Baseline (no mitigation)"
    return "Least impact" if plan.assessment is Assessment.BLOCKED else "Recommended"


def option_of(plan: AnyPlan) -> str:
    """The recommended option, below the title."""
    option = plan.recommended_option
    if option is None:
        return plan.headline
    return f"Blocked: {inside(option.title)}" if plan.assessment is Assessment.BLOCKED else option.title


# Figures that are compared.

Amount = tuple[int, str]
"""An amount to compare, and what it is called."""
NEVER = 2**62
UNKNOWN: Amount = (NEVER, "unknown")


def figures_of(
    labels: Sequence[str], details: Sequence[str], mine: Sequence[Amount], other: Sequence[Amount] | None, *, certain: bool = True
) -> tuple[Figure, ...]:
    """`other`: the same of the baseline; None: there is nothing to compare with. What is not `certain` is never called better."""
    return tuple(
        _figure(label, detail, mine[number], other[number] if other else None, certain=certain)
        for number, (label, detail) in enumerate(zip(labels, details, strict=True))
    )


def _figure(label: str, detail: str, mine: Amount, other: Amount | None, *, certain: bool) -> Figure:
    if other is None:
        return Figure(label, mine[1], detail, "", "", 0, 0)
    most = max(mine[0], other[0], 1)
    against = "same" if mine[0] == other[0] else ("better" if certain else "unsure") if mine[0] < other[0] else "worse"
    return Figure(label, mine[1], detail, other[1], against, mine[0] * 1000 // most, other[0] * 1000 // most)


def bars(amounts: Mapping[str, Sequence[Amount]]) -> Mapping[str, tuple[tuple[str, int], ...]]:
    """The figures of each option as text and thousandths of the worst option."""
    worst = [max((one for one, _ in column if one != NEVER), default=0) or 1 for column in zip(*amounts.values(), strict=True)]
    return {
        name: tuple((text, min(1000, amount * 1000 // most)) for (amount, text), most in zip(row, worst, strict=True))
        for name, row in amounts.items()
    }


def in_order(options: Iterable[OptionRow]) -> tuple[OptionRow, ...]:
    """The recommended one first, what was not requested and what cannot be predicted last."""
    rank = {"recommended": 0, "possible": 1, "reference": 2, "impossible": 3}
    return tuple(sorted(options, key=lambda option: rank[option.fate]))


def broken(rules: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(f"{rule.name}: {rule.found}, limit {rule.limit}" for rule in rules if rule.status is RuleStatus.FAIL)


def why_not(one: AnyConsidered) -> str:
    """Why an option is not recommended. Of one that exceeds limits the page lists them, one by one."""
    if one.reason is not None and one.reason.criterion in EXCEEDING:
        return f"{EXCEEDS}."
    return one.why_not or one.refused or ""
