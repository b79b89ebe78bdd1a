"""A plan as its page shows it: from the document to texts, shares and figures. No Airflow, no clock: the time is an argument."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout import step_words
from holdfast.rollout.asked import asked
from holdfast.rollout.burden import burden
from holdfast.rollout.consumer.plan import ConsumerPlan
from holdfast.rollout.consumer.review import review as plain_review
from holdfast.rollout.evaluation import Cost, Round
from holdfast.rollout.plan_summary import Figures, figures
from holdfast.rollout.plan_value import Considered, Plan, PlanVerdict
from holdfast.rollout.rendering import Block
from holdfast.rollout.review import GLOSSARY
from holdfast.rollout.rules import Rule, Status
from holdfast.rollout.steps import StartClient, Who, WriteProcessMetadata
from holdfast.rollout.wording import amount_of_bytes, duration, many, span
from holdfast.web.ownership import Picture
from holdfast.web.task_owners import task_picture

MOST_ROUNDS = 60
_OVER_LIMITS = re.compile(r"(?<=keeps) \(.*\)\.")
"""The limits that a way breaks: the page lists them one by one."""
VERDICTS = {
    PlanVerdict.NOTHING_TO_DO: ("Nothing to do", "The group is already as the change would make it."),
    PlanVerdict.SAFE: ("Safe", "Everything is known, and within every limit of your policy."),
    PlanVerdict.REVIEW: (
        "Look closely",
        "A limit is passed, something is not known, or your policy has a person look at every plan.",
    ),
    PlanVerdict.BLOCKED: ("Blocked", "It breaks a limit that must not be broken. Do not do this."),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One of the four. `share` and `plain_share` in thousandths of the larger one; `against`: `better`, `same` or `worse` than
    doing it plainly, empty where there is nothing to compare with."""

    label: str
    value: str
    detail: str
    plain: str
    against: str
    share: int
    plain_share: int


@dataclass(frozen=True, slots=True)
class Way:
    """An alternative, one row of the comparison. `fate`: chosen, possible, unasked or impossible."""

    name: str
    title: str
    fate: str
    why_not: str
    effort: str
    cells: tuple[tuple[str, int], ...]
    """Moved, without copy, to stable, restored: text, and thousandths of the worst way."""
    failed: tuple[str, ...]
    outcomes: int


@dataclass(frozen=True, slots=True)
class StepView:
    """`by_hand`: a shell command; empty where there is none."""

    id: str
    title: str
    who: str
    before: str
    by_hand: str
    expect: str
    after: str
    undo: str


@dataclass(frozen=True, slots=True)
class RoundView:
    """Rebalances at one moment that do the same."""

    number: str
    after: str
    trigger: str
    handed_over: int
    withheld: int
    warm_ups: int
    cold: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """The rebalances of one way. `points`: (seconds, tasks handed over so far, handed over, warm-ups, without a caught-up copy)."""

    name: str
    title: str
    rounds: tuple[RoundView, ...]
    points: tuple[tuple[int, int, int, int, int], ...]
    end: int


@dataclass(frozen=True, slots=True)
class PlanView:
    """All that the page says about the plan itself; what became of it is not in here."""

    plan: Plan
    verdict: str
    verdict_says: str
    request: str
    title: str
    effect: str
    figures: tuple[Figure, ...]
    wrong_if: str
    pictures: tuple[Picture, ...]
    timelines: tuple[Timeline, ...]
    ways: tuple[Way, ...]
    steps: tuple[StepView, ...]
    burden: tuple[Block, ...]
    rules: tuple[Rule, ...]
    rules_passed: int
    age: str
    valid: str
    expired: bool
    speed: str
    glossary: tuple[tuple[str, str], ...] = GLOSSARY

    @property
    def settings(self) -> tuple[tuple[str, str, str, str], ...]:
        return tuple(
            (one.key, step_words.setting(one.value), step_words.setting(one.revert_to), one.note) for one in self.plan.settings
        )


@dataclass(frozen=True, slots=True)
class PlainPlanView:
    """The plan of a plain consumer group: what a person reads of it, under the same names as a PlanView has."""

    plan: ConsumerPlan
    verdict: str
    verdict_says: str
    title: str
    effect: str
    wrong_if: str
    blocks: tuple[Block, ...]
    age: str
    valid: str
    expired: bool


def plain_view(plan: ConsumerPlan, now: datetime) -> PlainPlanView:
    verdict, says = VERDICTS[plan.verdict]
    expires = datetime.fromisoformat(plan.expires_at)
    title, _, effect = plan.headline.partition(": ") if plan.chosen_way is not None else (plan.headline, "", "")
    return PlainPlanView(
        plan=plan,
        verdict=verdict,
        verdict_says=says,
        title=title,
        effect=_capital(effect),
        wrong_if=_capital(plan.wrong_if.removeprefix("Wrong if ")),
        blocks=plain_review(plan)[2:],
        age=ago(now, datetime.fromisoformat(plan.created_at)),
        valid=ago(now, expires),
        expired=expires < now,
    )


def view(plan: Plan, now: datetime) -> PlanView:
    way, plain = plan.chosen_way, plan.plain_way
    ways = {one.name: one for one in (way, plain) if one is not None}.values()
    pairs = tuple((one, one.worst) for one in ways if one.worst is not None)
    verdict, says = VERDICTS[plan.verdict]
    expires = datetime.fromisoformat(plan.expires_at)
    title, _, effect = plan.headline.partition(": ") if way is not None else (plan.headline, "", "")
    return PlanView(
        plan=plan,
        verdict=verdict,
        verdict_says=says,
        request=asked(plan.change, lambda one: _named(plan, one)) if plan.change.events else "",
        title=title,
        effect=_capital(effect.partition(" Done plainly: ")[0]),
        figures=_figures(plan, way, plain),
        wrong_if=_capital(plan.wrong_if.removeprefix("Wrong if ")),
        pictures=tuple(found for one, cost in pairs if (found := task_picture(plan, one, _called(one, way), cost)) is not None),
        timelines=tuple(_timeline(one.name, _called(one, way), cost) for one, cost in pairs if cost.rounds),
        ways=_ways(plan),
        steps=tuple(_steps(plan)),
        burden=tuple(burden(pairs[0][1], plan.policy, lambda one: _named(plan, one))) if way is not None and pairs else (),
        rules=plan.rules,
        rules_passed=sum(rule.status is Status.PASS for rule in plan.rules),
        age=ago(now, datetime.fromisoformat(plan.created_at)),
        valid=ago(now, expires),
        expired=expires < now,
        speed=f"{plan.policy.restore_records_per_second:,} records/s ({plan.policy.restore_rate_source.says})",
    )


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


def _called(one: Considered, chosen: Considered | None) -> str:
    return "Recommended" if one is chosen else "Done plainly"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _named(plan: Plan, process_id: ProcessId) -> str:
    starts = (step.action for step in plan.steps if isinstance(step.action, StartClient))
    known = plan.basis.client(process_id)
    host = known.host if known is not None else next((one.host for one in starts if one.process_id == process_id), None)
    return f"{host} ({str(process_id)[:8]}…)" if host else f"{str(process_id)[:8]}…"


# The four figures.

Said = tuple[int, str]
"""An amount to compare, and what it is called."""
_NEVER = 2**62


def _figures(plan: Plan, way: Considered | None, plain: Considered | None) -> tuple[Figure, ...]:
    if way is None or way.worst is None:
        return ()
    mine = _said(plan, way.worst)
    other = _said(plan, plain.worst) if plain is not None and plain is not way and plain.worst is not None else None
    total = way.worst.stateful_tasks
    records = way.worst.restored_records
    details = (
        f"of {many(total, 'stateful task')}",
        _why_still(figures(way.worst, plan.policy)),
        "until nothing is pending",
        f"{records:,} records from changelogs" if records >= 10_000 else "read back from changelogs",
    )
    labels = ("Tasks that change hands", "Longest a task stands still", "Time to stable", "To restore")
    return tuple(
        _figure(label, detail, mine[number], other[number] if other else None)
        for number, (label, detail) in enumerate(zip(labels, details, strict=True))
    )


def _why_still(found: Figures) -> str:
    if not found.stands_still and not found.cold_tasks:
        return "but for the rebalances themselves"
    if not found.cold_tasks:
        return "until the group notices that its client is gone; then a caught-up copy takes over"
    if not found.noticed:
        return "while it restores its state: nobody has a caught-up copy"
    restoring = found.stands_still - found.noticed
    return f"{duration(found.noticed)} until the group notices, {duration(restoring) if restoring else 'under 1 s'} to restore"


def _said(plan: Plan, cost: Cost) -> tuple[Said, Said, Said, Said]:
    """The four, of one way."""
    found = figures(cost, plan.policy)
    still = duration(found.stands_still) if found.stands_still else "under 1 s" if found.cold_tasks else "none"
    stable = "never" if found.to_stable is None else duration(found.to_stable) if found.to_stable else "at once"
    weight = f"{compact(found.records)} records" if found.bytes is None else amount_of_bytes(found.bytes)
    return (
        (found.moved, f"{found.moved:,}"),
        (found.stands_still * 1000 + bool(found.cold_tasks), still),
        (_NEVER if found.to_stable is None else found.to_stable, stable),
        (found.records, weight if found.records else "nothing"),
    )


def _figure(label: str, detail: str, mine: Said, other: Said | None) -> Figure:
    if other is None:
        return Figure(label, mine[1], detail, "", "", 0, 0)
    most = max(mine[0], other[0], 1)
    against = "same" if mine[0] == other[0] else "better" if mine[0] < other[0] else "worse"
    return Figure(label, mine[1], detail, other[1], against, mine[0] * 1000 // most, other[0] * 1000 // most)


# The rollout over time.


def _timeline(name: str, title: str, cost: Cost) -> Timeline:
    points, so_far = [], 0
    for one in cost.rounds:
        so_far += one.handed_over
        points.append((one.at_seconds, so_far, one.handed_over, one.warm_ups, one.without_caught_up_copy))
    return Timeline(name, title, tuple(_rounds(cost.rounds))[:MOST_ROUNDS], tuple(points), cost.rounds[-1].at_seconds)


def _rounds(rounds: tuple[Round, ...]) -> Iterator[RoundView]:
    number = 0
    told = (
        (one.at_seconds, one.trigger, one.handed_over, one.withheld, one.warm_ups, one.without_caught_up_copy) for one in rounds
    )
    for (at, trigger, handed_over, withheld, warm_ups, cold), same in groupby(told):
        first, number = number + 1, number + len(list(same))
        after = "at once" if not at else f"after {duration(at)}"
        yield RoundView(span(first, number), after, trigger, handed_over, withheld, warm_ups, cold)


# The ways, side by side.


def _ways(plan: Plan) -> tuple[Way, ...]:
    said = {one.name: _said(plan, one.worst) for one in plan.candidates if one.worst is not None}
    most = tuple(max((row[column][0] for row in said.values() if row[column][0] != _NEVER), default=0) for column in range(4))
    rank = {"chosen": 0, "possible": 1, "unasked": 2, "impossible": 3}
    ways = (_way(one, plan, said.get(one.name), most) for one in plan.candidates)
    return tuple(sorted(ways, key=lambda way: rank[way.fate]))


def _way(one: Considered, plan: Plan, said: tuple[Said, ...] | None, most: tuple[int, ...]) -> Way:
    chosen = one.name == plan.chosen
    fate = "chosen" if chosen else "impossible" if said is None else "possible" if one.as_asked else "unasked"
    cells = (
        []
        if said is None
        else [(text, min(1000, amount * 1000 // (top or 1))) for (amount, text), top in zip(said, most, strict=True)]
    )
    return Way(
        name=one.name,
        title=one.title,
        fate=fate,
        why_not=_OVER_LIMITS.sub(".", one.why_not or one.refused or ""),
        effort=one.effort.value,
        cells=tuple(cells),
        failed=tuple(f"{rule.name}: {rule.found}, the limit is {rule.limit}" for rule in one.rules if rule.status is Status.FAIL),
        outcomes=len(one.costs),
    )


def _steps(plan: Plan) -> Iterator[StepView]:
    for step in plan.steps:
        yield StepView(
            id=step.id,
            title=step_words.describe(step.action),
            who="Holdfast" if step.who is Who.HOLDFAST else "You",
            before=step.check_before,
            by_hand=step_words.by_hand(step.action) if isinstance(step.action, WriteProcessMetadata) else "",
            expect=step.expect,
            after=step.check_after,
            undo=step.undo,
        )
