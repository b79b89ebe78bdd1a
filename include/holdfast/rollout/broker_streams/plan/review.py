"""A plan for a streams group whose broker assigns as a person reads it. The rest is `rollout.review`'s."""

from collections.abc import Callable, Iterator

from holdfast.kafka.coordinator.streams.group import Tasks, each_task
from holdfast.rollout.backtest import past
from holdfast.rollout.broker_streams.change.request_words import request_text
from holdfast.rollout.broker_streams.forecast.outcomes import Draws, cold_range, hand_over_range, moved_range
from holdfast.rollout.broker_streams.plan import effect_words
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan, Considered
from holdfast.rollout.broker_streams.snapshot.names import named
from holdfast.rollout.broker_streams.snapshot.processes import processes
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.plan_words import TIMES, WHOSE_STEPS
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.contract.times import Times
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.facts import condition_words
from holdfast.rollout.facts.refusals import applies
from holdfast.rollout.facts.sourced_text import texts_of
from holdfast.rollout.review import sections
from holdfast.rollout.review.parts import PlanReview, StepReview, against_baseline, option_table, standing
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import amount_of_bytes, inside, listed, many, span
from holdfast.rollout.timing import time_words

GLOSSARY = (
    ("Target", "the assignment that the group's coordinator computes; the members reach it heartbeat by heartbeat."),
    ("Hand-over", "a stateful task that a target gives to another client. A task may be handed over several times."),
    ("Restored in full", "a hand-over to a client whose disk has never had the task: it restores all of its state."),
    ("Without an owner", "the time between two owners, before the new one restores anything."),
    ("Assignment interval", "streams.assignment.interval.ms: the shortest time between two targets (from 4.3 on)."),
    ("Collateral", "tasks that move between clients that are there before and after."),
    TIMES,
    WHOSE_STEPS,
)
COUNTS = ("tasks moved", "collateral", "hand-overs", "restored in full", "targets", "task-seconds without an owner", "longest")


def review(plan: BrokerPlan) -> tuple[Block, ...]:
    """Everything, in order of importance."""
    return sections.blocks(reviewed(plan))


def reviewed(plan: BrokerPlan) -> PlanReview:
    """The parts of the review, in words."""
    option = plan.recommended_option
    clients = len(processes(plan.basis))
    return PlanReview(
        plan_id=plan.plan_id,
        cluster=plan.basis.cluster,
        group_id=plan.basis.group_id,
        assessment=plan.assessment,
        flags=(),
        request=request_text(plan.change, plan.basis) if plan.change.events else "",
        recommended=bool(plan.steps) and plan.chosen != BASELINE_NAME,
        headline=plan.headline,
        costs=tuple(_costs(plan)),
        why=against_baseline(plan.recommended_option, plan.baseline_option, len(plan.candidates)),
        blocked_by=plan.blocked_by[int(option is None) :],
        condition=condition_words.labelled(plan),
        of_snapshot=f"{many(clients, 'client')}, {many(len(plan.basis.members), 'thread')}",
        contingencies=(),
        steps=tuple(_steps(plan)),
        assumptions=plan.preconditions,
        settings=() if option is None else option.settings,
        comparison=(_comparison(plan),) if any(one.summary is not None for one in plan.candidates) else (),
        details=tuple(_details(plan)),
        rules=() if option is None else option.rules,
        unknown=texts_of(plan.unknown),
        glossary=GLOSSARY,
        created_from=plan.created_from,
        created_at=plan.created_at,
        expires_at=plan.expires_at,
        acts=plan.policy.acts,
        past="" if plan.past is None else past.sentence(plan.past),
        learnt=past.learnt(plan.past),
    )


# What it costs.


def _costs(plan: BrokerPlan) -> Iterator[tuple[str, str]]:
    option, baseline = plan.recommended_option, plan.baseline_option
    if option is None or option.summary is None:
        return
    other = baseline if baseline is not option else None
    yield "Hand-overs", _with_baseline(option, other, _hand_overs)
    yield "Downtime", f"{_with_baseline(option, other, _downtime)} {_restoring(plan, option)}"
    if option.restored is not None:
        yield "Restore", _with_baseline(option, other, _restore)
    if option.times is not None:
        yield "Time", _time(plan, option, option.times)
    yield "Effort", _with_baseline(option, other, lambda one: time_words.effort(one.effort_counts))
    if option.draws is not None:
        yield "New random IDs", _draws(option.draws)


def _restoring(plan: BrokerPlan, option: Considered) -> str:
    """What comes on top of the time without an owner."""
    if option.restored is None:
        return "Restoring comes on top."
    if not option.restored.longest.most:
        return "No task waits for its state for a second or longer."
    longest = effect_words.longest(option.restored.longest)
    speed = f"{plan.policy.restore_records_per_second:,} records/s ({plan.policy.restore_rate_says})"
    return f"Restoring comes on top: {longest}, at {speed}."


def _restore(one: Considered) -> str:
    return "unknown" if one.restored is None else effect_words.restored(one.restored)


def _time(plan: BrokerPlan, option: Considered, times: Times) -> str:
    if option.restored is None or not option.restored.records:
        return f"from the first step, rebalancing ends after {time_words.estimate(times.rebalancing_ends)}."
    slowest, fastest = plan.policy.slowest_restore, plan.policy.fastest_restore
    return f"from the first step, {time_words.both(times)}. Calculated with a restore speed of {span(slowest, fastest)} records/s."


def _with_baseline(option: Considered, other: Considered | None, says: Callable[[Considered], str]) -> str:
    baseline = f" Baseline: {says(other)}." if other is not None and other.summary is not None else ""
    return f"{says(option)}.{baseline}"


def _hand_overs(one: Considered) -> str:
    return "" if one.summary is None else effect_words.hand_overs(one.summary, one.draws)


def _downtime(one: Considered) -> str:
    return effect_words.longest(one.longest or Seconds(0, 0, 0))


def _draws(found: Draws) -> str:
    ranges = (
        f"{span(one.least, one.most)} {what}" for one, what in ((found.moves, "hand-overs"), (found.cold_moves, "restored in full"))
    )
    return (
        f"the IDs below are one of {found.count:,} simulated draws; {', '.join(ranges)} over all of them. "
        f"{effect_words.missed(found)}"
    )


# Steps and options.


def _steps(plan: BrokerPlan) -> Iterator[StepReview]:
    for step in plan.steps:
        yield StepReview(
            id=step.id,
            title=step.says,
            brief=inside(step.says),
            who=Who.OPERATOR,
            before=step.check_before,
            expect=step.expect,
            check=step.check_after,
            rollback=step.undo,
            about_command=kafka_commands.ABOUT if step.command else "",
            command=step.command,
            check_command=step.check_command,
        )


def _comparison(plan: BrokerPlan) -> Table:
    restores = any(one.restored is not None for one in plan.candidates)
    columns = (*COUNTS, "rebalancing ends after", *(("restore", "all state restored after") if restores else ()))
    return option_table(columns, tuple(_comparison_row(plan, one, restores=restores) for one in plan.candidates))


def _comparison_row(plan: BrokerPlan, one: Considered, *, restores: bool) -> tuple[str, ...]:
    ends = restored = "unknown"
    if one.times is not None and one.summary is not None:
        ends = time_words.estimate(one.times.rebalancing_ends)
        restored = restored if one.restored is None else time_words.estimate(one.times.restored)
    why = standing(plan.assessment) if one.name == plan.chosen else one.why_not
    more = (_restore(one), restored) if restores else ()
    return (one.name, *_counts(one), ends, *more, time_words.effort(one.effort_counts), why)


def _counts(one: Considered) -> tuple[str, ...]:
    summary, found = one.summary, one.hand_over
    if summary is None or found is None or one.unowned is None:
        return ("unknown" if one.refusal is None or applies(one.refusal) else "–",) * len(COUNTS)
    moved, moves, cold = (of(summary, one.draws) for of in (moved_range, hand_over_range, cold_range))
    counts = (span(*moved), f"{found.collateral:,}", span(*moves), span(*cold), f"{summary.targets:,}")
    return (*counts, f"{round(one.unowned.usual):,}", _downtime(one))


def _details(plan: BrokerPlan) -> Iterator[Block]:
    yield from _by_client(plan)
    yield from _placement(plan)


def _by_client(plan: BrokerPlan) -> Iterator[Block]:
    """What each client restores, the most first."""
    restored = None if plan.recommended_option is None else plan.recommended_option.restored
    if restored is None or not restored.records:
        return
    name = named(plan.basis)
    most_first = sorted(restored.clients, key=lambda one: (-one.records, one.process_id))
    yield Heading(2, "Restore by client", aside=True)
    yield Table(
        ("client", "copies", "records", "bytes"),
        tuple(
            (
                name(one.process_id),
                f"{one.copies:,}",
                f"{one.records:,}",
                "unknown" if one.size is None else amount_of_bytes(one.size),
            )
            for one in most_first[: sections.MOST_ROWS]
        ),
    )
    yield Paragraph(
        "Records are offset ranges: an upper bound, since compaction leaves fewer. Bytes are their share of the changelogs."
    )


def _placement(plan: BrokerPlan) -> Iterator[Block]:
    """Who runs what, before and after."""
    course = None if plan.recommended_option is None else plan.recommended_option.course
    if course is None or not any(one.now for one in course.shares):
        return
    rows = []
    for one in course.shares:
        name = f"{one.process_id} on {one.host}" if one.host else one.process_id
        now = "not in the group" if one.now is None else _listed(one.now)
        then = "left" if one.then is None else "unchanged" if one.now == one.then and one.now else _listed(one.then)
        rows.append((name, now, then))
    yield Heading(2, "Task placement, before and after", aside=True)
    if any(target.undetermined for target in course.targets):
        yield Paragraph("An example: tasks whose place depends on new random IDs may end elsewhere.")
    yield Table(("client", "before", "after"), tuple(rows[: sections.MOST_ROWS]))


def _listed(tasks: Tasks) -> str:
    return listed([str(one) for one in each_task(tasks)], 12) or "none"
