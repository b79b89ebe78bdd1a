"""A plan's review as blocks: the first ten lines are enough to decide, the rest is there to check them.

Written for an engineer on call who has never heard of an assignor. One model of blocks, which `text.document_blocks` turns into
`plan.md` and plain text, `text.html` into the parts of a page, and the command line into a coloured terminal: they cannot say
different things.
"""

from collections.abc import Iterator

from holdfast.rollout.backtest import learnt_words
from holdfast.rollout.contract.assessment import Assessment, RuleStatus
from holdfast.rollout.contract.plan_age import holds_until, taken
from holdfast.rollout.contract.plan_words import ASSESSMENTS, CHECKED, WHO, needs_review, setting
from holdfast.rollout.policy.rules import MEANINGS
from holdfast.rollout.review.parts import MOST_STEPS, PlanReview, StepReview
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.document_blocks import Block, Code, Heading, Lines, Paragraph, Table

MOST_ROWS = 40
MOST_BRIEFS = 12
SETTING_COLUMNS = ("setting", "during the rollout", "afterwards", "note")
CHECK_COLUMNS = ("rule", "result", "found", "limit", "what it checks")


def blocks(plan: PlanReview) -> tuple[Block, ...]:
    """Everything, in order of importance."""
    return tuple(_blocks(plan))


def _blocks(plan: PlanReview) -> Iterator[Block]:
    where = f"{plan.group_id} on {plan.cluster}" if plan.cluster else plan.group_id
    yield Heading(1, f"Plan {plan.plan_id} for {where}: {', '.join((*plan.flags, verdict_of(plan)))}")
    if plan.past:
        yield Paragraph(plan.past)
    yield Paragraph(lead(plan), strong=True)
    yield Lines(tuple(_summary(plan)))
    if plan.steps:
        yield Heading(2, "Steps")
        for step in plan.steps[:MOST_STEPS]:
            yield from step_blocks(step)
        if len(plan.steps) > MOST_STEPS:
            yield Paragraph(f"and {len(plan.steps) - MOST_STEPS:,} more steps: see plan.json.")
    if plan.assumptions:
        yield Heading(2, "Assumptions")
        yield Lines(_numbered(plan.assumptions))
    if plan.settings:
        yield Heading(2, "Temporary settings")
        yield Table(SETTING_COLUMNS, setting_rows(plan))
    if plan.comparison:
        yield Heading(2, "Options compared")
        yield from plan.comparison
    yield from plan.details
    if plan.rules:
        yield Heading(2, "Policy checks")
        yield Table(CHECK_COLUMNS, check_rows(plan))
    if plan.learnt:
        yield Heading(2, learnt_words.TITLE)
        yield Lines(plan.learnt)
    if plan.unknown:
        yield Heading(2, "Unknown")
        yield Lines(_numbered(plan.unknown[:MOST_ROWS]))
    yield Heading(2, "Terms", aside=True)
    yield Lines(plan.glossary)
    yield Heading(2, "Planned against", aside=True)
    yield Lines(planned_against(plan))


def verdict_of(plan: PlanReview) -> str:
    """`within policy`; `needs review (failed: rebalances)`."""
    if plan.assessment is Assessment.REVIEW:
        return needs_review(plan.rules)
    return f"{ASSESSMENTS[plan.assessment]}{', do not apply' if plan.assessment is Assessment.BLOCKED else ''}"


def lead(plan: PlanReview) -> str:
    """What was requested, and what comes of it."""
    request = f"Requested: {plan.request}. " if plan.request else ""
    return f"{request}{'Recommended: ' if plan.recommended else ''}{plan.headline}"


def _summary(plan: PlanReview) -> Iterator[tuple[str, str]]:
    yield from plan.costs
    if plan.why:
        yield "Why no other option" if plan.assessment is Assessment.BLOCKED else "Why this option", plan.why
    for reason in plan.blocked_by:
        yield "Blocked", reason
    if plan.assessment is Assessment.REVIEW:
        for rule in plan.rules:
            if rule.status in (RuleStatus.FAIL, RuleStatus.UNKNOWN):
                yield "To review", f"{rule.name} ({CHECKED[rule.status]}): {rule.found}; limit {rule.limit}."
    if plan.steps:
        briefs = "; ".join(f"({step.id}) {step.brief}" for step in plan.steps[:MOST_BRIEFS])
        more = len(plan.steps) - MOST_BRIEFS
        yield "Steps", f"{briefs}{f'; and {more} more' if more > 0 else ''}. Checks and rollback: see below."
    if plan.steps and plan.acts:
        yield "Holdfast may", f"{', '.join(plan.acts)}: in a run (holdfast apply --run, apply_rollout), by itself."
    if plan.condition[1]:
        yield plan.condition
    valid = f" {holds_until(plan)}" if plan.steps else ""
    yield (
        "Planned against",
        f"snapshot {_short(plan.created_from.snapshot)} of {plan.of_snapshot}, {taken(plan.created_from)}.{valid}",
    )
    for one in plan.contingencies:
        yield "Contingency", one


def step_blocks(step: StepReview) -> Iterator[Block]:
    yield Heading(3, f"{step.id}. {step.title} ({WHO[step.who]})")
    yield Lines(step.lines)
    if step.command:
        yield Paragraph(step.about_command)
        yield Code(step.command)
    if step.check_command:
        yield Paragraph(kafka_commands.ABOUT_CHECK)
        yield Code(step.check_command)


def setting_rows(plan: PlanReview) -> tuple[tuple[str, ...], ...]:
    """Of `SETTING_COLUMNS`."""
    return tuple((one.key, setting(one.value), setting(one.revert_to), one.note) for one in plan.settings)


def check_rows(plan: PlanReview) -> tuple[tuple[str, ...], ...]:
    """Of `CHECK_COLUMNS`."""
    return tuple((rule.name, CHECKED[rule.status], rule.found, rule.limit, MEANINGS.get(rule.name, "")) for rule in plan.rules)


def planned_against(plan: PlanReview) -> tuple[tuple[str, str], ...]:
    return (
        ("Snapshot", plan.created_from.snapshot),
        ("Change", plan.created_from.change),
        ("Policy", plan.created_from.policy),
        ("Snapshot taken at", plan.created_from.captured_at or "unknown"),
        ("Created at", plan.created_at),
        ("Expires at", plan.expires_at),
    )


def _numbered(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((str(number), text) for number, text in enumerate(texts, start=1))


def _short(fingerprint: str) -> str:
    return fingerprint.removeprefix("sha256:")[:12]
