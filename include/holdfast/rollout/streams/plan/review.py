"""A plan for a reader: the first ten lines are enough to decide, the rest supports them.

What is the same for every kind of group, and the order of it all, is `rollout.review`'s.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.backtest import past
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.plan_words import TIMES, WHOSE_STEPS
from holdfast.rollout.contract.rebalances import Round
from holdfast.rollout.facts import condition_words
from holdfast.rollout.facts.sourced_text import texts_of
from holdfast.rollout.review import sections
from holdfast.rollout.review.parts import PlanReview, StepReview, option_table, standing
from holdfast.rollout.streams.cost import times_of_costs
from holdfast.rollout.streams.cost.cost import end_owners
from holdfast.rollout.streams.cost.evaluation import Cost, worst_of
from holdfast.rollout.streams.cost.times_of_costs import rebalances_held, stated, times_of
from holdfast.rollout.streams.options import contingency_words
from holdfast.rollout.streams.plan.cost_tables import cost_tables
from holdfast.rollout.streams.plan.figures import figures
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.streams.plan.titles import request_of
from holdfast.rollout.streams.steps import step_words
from holdfast.rollout.streams.steps.steps import StartClient
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import amount_of_bytes, duration, listed, many, span
from holdfast.rollout.timing import time_words

MOST_ROWS = 40
CROWDED_PERCENT = 200
"""Of an even share of all copies: a client that holds more, if only for a while, is named."""
GLOSSARY = (
    ("Client", "one running instance of the application. It runs stream threads, which run tasks."),
    ("Stateful task", "a share of the work with a state store on its client's disk and a changelog of that store in Kafka."),
    ("Process ID", "a random ID that a client keeps in the file kafka-streams-process-metadata of its state directory."),
    ("Process-ID order", "Kafka assigns stateful tasks in process-ID order: an ID of another rank moves tasks of all clients."),
    ("Migrate", "a task runs on another client (process ID) at the end than before."),
    ("Restore", "read a changelog from Kafka until the store is complete. A task without a caught-up copy waits for it."),
    ("Warm-up", "a copy that is restored while the task runs elsewhere, so that it can be handed over without downtime."),
    ("Rebalance", "the group assigns its tasks anew. A task that migrates is paused meanwhile."),
    TIMES,
    WHOSE_STEPS,
)

RESTORED = (
    "Records to restore are offset ranges: an upper bound, since compaction leaves fewer. Bytes are that share of the changelog's"
    " size on a broker; where it is unknown, your policy's bytes per record."
)


def review(plan: Plan) -> tuple[Block, ...]:
    """Everything, in order of importance."""
    return sections.blocks(reviewed(plan))


def reviewed(plan: Plan) -> PlanReview:
    """The parts of the review, in words."""
    return PlanReview(
        plan_id=plan.plan_id,
        cluster=plan.basis.cluster,
        group_id=plan.basis.group_id,
        assessment=plan.assessment,
        flags=(),
        request=request_of(plan) if plan.change.events else "",
        recommended=bool(plan.steps) and plan.chosen != BASELINE_NAME,
        headline=plan.headline,
        costs=tuple(_costs(plan)),
        why=plan.why,
        blocked_by=plan.blocked_by[_reasons_in_the_headline(plan) :],
        condition=condition_words.labelled(plan),
        of_snapshot=many(len(plan.basis.clients), "client"),
        contingencies=tuple(map(contingency_words.sentence, plan.otherwise)),
        steps=tuple(_steps(plan)),
        assumptions=plan.preconditions,
        settings=plan.settings,
        comparison=tuple(_comparison(plan)),
        details=tuple(_details(plan)),
        rules=plan.rules,
        unknown=texts_of(plan.unknown),
        glossary=GLOSSARY,
        created_from=plan.created_from,
        created_at=plan.created_at,
        expires_at=plan.expires_at,
        acts=plan.policy.acts,
        past="" if plan.past is None else past.sentence(plan.past),
        learnt=past.learnt(plan.past),
    )


# The first ten lines.


def _costs(plan: Plan) -> Iterator[tuple[str, str]]:
    option = plan.recommended_option
    if option is None or not option.costs:
        return
    baseline = plan.baseline_option if plan.chosen != BASELINE_NAME else None
    other = baseline.costs if baseline is not None else ()
    worst, baseline_worst = _worst(option), _worst(baseline) if baseline is not None and other else None
    yield "Downtime", _downtime(plan, worst) + _or_longer(plan, worst) + _without_start_up(plan, worst)
    yield "Restore", _restoring(plan, worst, baseline_worst)
    every = stated(option.costs, plan.policy)
    yield "Time", _time(plan, every)
    if (wider := _rebalances(plan, every)) is not None:
        yield "Rebalances", wider
    yield "Effort", _effort(option, baseline)


def _reasons_in_the_headline(plan: Plan) -> int:
    """How many reasons for blocking the headline states already: the first, where no option can be taken or none becomes stable."""
    option = plan.recommended_option
    return int(option is None or any(cost.unsettled for cost in option.costs))


def _or_longer(plan: Plan, cost: Cost) -> str:
    """What it is where the condition of the figures is not met."""
    times = times_of(cost, plan.policy)
    if times.condition is None or times.certain:
        return ""
    late = duration(times.condition.otherwise_downtime_s)
    return f" Only if {time_words.condition(times.condition)}; otherwise a task is unavailable for up to {late}."


def _without_start_up(plan: Plan, cost: Cost) -> str:
    """Tasks that wait for a client that is started wait for its start-up too."""
    start = plan.policy.start_up
    if not cost.stops or not any(one.starts for one in cost.acts):
        return ""
    return f" Client start-up ({span(start.low, start.high)} s) is not included."


def _time(plan: Plan, cost: Cost) -> str:
    """The two figures, and what they are made of."""
    policy, times = plan.policy, times_of(cost, plan.policy)
    speed = f"restore speed {policy.restore_records_per_second:,} records/s"
    if policy.fastest_restore != policy.slowest_restore:
        speed += f", range {span(policy.slowest_restore, policy.fastest_restore)}"
    speed += f" ({policy.restore_rate_says})"
    start = policy.start_up
    up = f"client start-up {span(start.low, start.high)} s ({policy.start_up_says})"
    return (
        f"from the first step, {time_words.both(times)}. Calculated with: {speed if cost.restores else 'nothing to restore'}; {up}."
    )


def _rebalances(plan: Plan, cost: Cost) -> str | None:
    """The range of their number that holds, where it is wider than what is forecast, and why."""
    past = None if plan.past is None or plan.past.learnt is None else plan.past.learnt.rebalances
    held = rebalances_held(cost, plan.policy, past)
    if held == cost.rebalances:
        return None
    own = f", {past.more:,} more on either side by this group's past" if past is not None and past.more else ""
    restoring = time_words.while_restoring(times_of(cost, plan.policy))
    return f"{span(held.low, held.high)} at the most: {span(cost.rebalances.low, cost.rebalances.high)} forecast{restoring}{own}."


def _effort(option: Considered, baseline: Considered | None) -> str:
    mine = time_words.effort(option.effort_counts)
    return f"{mine}." if baseline is None else f"{mine}. Baseline: {time_words.effort(baseline.effort_counts)}."


def _worst(option: Considered) -> Cost:
    return worst_of(option.costs)


def _downtime(plan: Plan, cost: Cost) -> str:
    """`4 tasks, up to 10 s (until sessions time out); …`"""
    unseen = [one for one in cost.stops if one.seconds]
    longest_unseen = duration(max(one.seconds for one in unseen)) if unseen else ""
    noticed = f"{many(len(unseen), 'task')}, up to {longest_unseen} (until sessions time out)" if unseen else ""
    if not cost.cold_tasks:
        handed = "tasks are handed over to caught-up copies only."
        return f"{noticed}; {handed}" if noticed else f"none; {handed}"
    speed = plan.policy.restore_records_per_second
    tasks = [task for one in cost.cold for task in one.tasks]
    records = sum(one.records for one in cost.cold)
    longest = cost.cold_seconds_longest(speed)
    time = f"up to {duration(longest)}, {many(cost.cold_task_seconds(speed), 'task-second')}" if longest else "under 1 s"
    in_all = f"up to {duration(cost.stands_still_longest(speed))} per task: " if noticed and longest else ""
    return (
        f"{in_all}{f'{noticed}; ' if noticed else ''}{many(len(tasks), 'task')} ({listed(tasks)}), {time},"
        f" to restore {many(records, 'record')} at {speed:,} records/s ({plan.policy.restore_rate_says}{_if_off(plan, cost)})."
    )


def _if_off(plan: Plan, cost: Cost) -> str:
    """How long it is if the speed is as far off as it may be."""
    factor, longest = plan.policy.restore_rate_source.off_by, cost.cold_seconds_longest(plan.policy.slowest_restore)
    return f"; up to {duration(longest)} at a {factor} times lower speed" if factor > 1 and longest else ""


def _restoring(plan: Plan, worst: Cost, baseline: Cost | None) -> str:
    without = f" Baseline: {_amount(plan, baseline)}." if baseline is not None else ""
    most = f" At most {many(worst.busiest_tasks, 'task')} on one client." if worst.busiest_tasks else ""
    if (full := worst.fullest) is not None and full.percent > CROWDED_PERCENT:
        copies = many(full.copies, "copy", "copies")
        most += f" {_client(plan, full.process_id)} temporarily holds {copies} of tasks; an even share is {full.even}."
    passed = f" {many(worst.handovers, 'hand-over')} of stateful tasks in total." if worst.handovers else ""
    return f"{_amount(plan, worst)}{_by_client(plan, worst)}.{without}{passed}{most}"


def _by_client(plan: Plan, worst: Cost) -> str:
    """`, all on app-3 (0_1 0_2)`, or the share of each client."""
    if len(worst.restores) == 1:
        (one,) = worst.restores
        return f", all on {_client(plan, one.process_id)}: tasks {listed(one.tasks, 4)}"
    clients = "; ".join(
        f"{_client(plan, one.process_id)} {many(one.records, 'record')}{_size(one.size)}, tasks {listed(one.tasks, 4)}"
        for one in worst.restores[:4]
    )
    more = f"; and {len(worst.restores) - 4} more clients" if len(worst.restores) > 4 else ""
    return f": {clients}{more}" if worst.restores else ""


def _amount(plan: Plan, cost: Cost) -> str:
    """`8 records (1.2 KiB)`. "Unknown" lists the unknown sizes."""
    if not cost.restored_records:
        return "nothing"
    size = cost.restored_bytes(plan.policy.bytes_per_record)
    return f"{many(cost.restored_records, 'record')}{' (size unknown)' if size is None else _size(size)}"


def _size(size: int | None) -> str:
    return "" if size is None else f" ({amount_of_bytes(size)})"


def _client(plan: Plan, process_id: ProcessId) -> str:
    """The host where it is known, with the beginning of the process ID."""
    starts = (step.action for step in plan.steps if isinstance(step.action, StartClient))
    known = plan.basis.client(process_id)
    host = next((start.host for start in starts if start.process_id == process_id), known.host if known else None)
    return f"{host} ({str(process_id)[:8]}…)" if host else f"{str(process_id)[:8]}…"


# Steps.


def _steps(plan: Plan) -> Iterator[StepReview]:
    hosts = [client.host for client in plan.basis.clients]
    shared = frozenset(host for host in hosts if hosts.count(host) > 1)
    for step in plan.steps:
        command = step_words.command(step.action, plan.basis.group_id)
        yield StepReview(
            id=step.id,
            title=step_words.describe(step.action),
            brief=step_words.brief(step.action, shared),
            who=step.who,
            before=step.check_before,
            expect=step.expect,
            check=step.check_after,
            rollback=step.undo,
            about_command=step_words.about_the_command(step.action) if command else "",
            command=command or "",
        )


# The rest.


def _comparison(plan: Plan) -> Iterator[Block]:
    if not any(one.costs for one in plan.candidates):
        return
    yield option_table(
        (
            "stateful tasks moved",
            "rebalances",
            "rebalancing ends after",
            "all state restored after",
            "longest task downtime",
            "restore",
        ),
        tuple(_comparison_row(plan, one) for one in plan.candidates),
    )
    yield Paragraph(RESTORED)
    baseline = plan.baseline_option
    if baseline is not None and len(baseline.costs) > 1:
        yield Paragraph("Baseline: the new process ID is random, and its rank in process-ID order decides:")
        yield Table(
            ("probability", "stateful tasks moved", "rebalances", "rebalancing ends after"),
            tuple(
                (f"{cost.probability:.1%}", _moved(cost), span(cost.rebalances.low, cost.rebalances.high), _stable(plan, cost))
                for cost in baseline.costs[:MOST_ROWS]
            ),
        )


def _comparison_row(plan: Plan, one: Considered) -> tuple[str, ...]:
    why, name = standing(plan.assessment) if one.name == plan.chosen else one.why_not, one.name
    if not one.costs:
        return (name, *("unknown",) * 7, why)
    worst = stated(one.costs, plan.policy)
    restoring = f" ({many(worst.cold_tasks, 'task')} to restore)" if worst.cold_tasks else ""
    still = figures(worst, plan.policy).downtime_text + restoring
    moved = _moved(worst) if len(one.costs) == 1 else f"at worst {_moved(worst)}"
    rebalances = span(worst.rebalances.low, worst.rebalances.high)
    effort = time_words.effort(one.effort_counts)
    return (name, moved, rebalances, _stable(plan, worst), _restored(plan, worst), still, _amount(plan, worst), effort, why)


def _moved(cost: Cost) -> str:
    return f"{cost.moved:,} of {cost.stateful_tasks:,}"


def _stable(plan: Plan, cost: Cost) -> str:
    times = times_of(cost, plan.policy)
    return time_words.estimate(times.rebalancing_ends) + time_words.only_if(times)


def _restored(plan: Plan, cost: Cost) -> str:
    return time_words.restored(times_of(cost, plan.policy))


def _details(plan: Plan) -> Iterator[Block]:
    option = plan.recommended_option
    if option is None or not option.costs:
        return
    worst = _worst(option)
    if worst.rounds:
        yield Heading(2, "Rebalance by rebalance", aside=True)
        yield Table(
            ("#", "after", "trigger", "stateful tasks handed over", "deferred", "standbys and warm-ups"),
            tuple(_round_rows(worst.rounds, times_of_costs.when(worst, plan.policy)))[:MOST_ROWS],
        )
    yield from cost_tables(worst, plan.policy, lambda one: _client(plan, one))
    if worst.end:
        yield Heading(2, "Task placement, before and after", aside=True)
        yield Table(("client, in process-ID order", "before", "after"), tuple(_ownership_rows(plan, worst))[:MOST_ROWS])


def _round_rows(rounds: Sequence[Round], when: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Rebalances at one moment that do the same are one row."""
    number = 0
    lines = (
        (duration(at), one.trigger, str(one.handed_over), str(one.withheld), str(one.warm_ups))
        for at, one in zip(when, rounds, strict=True)
    )
    for row, same in groupby(lines):
        first, number = number + 1, number + len(list(same))
        yield span(first, number), *row


def _ownership_rows(plan: Plan, cost: Cost) -> Iterator[tuple[str, str, str]]:
    """Stateful tasks, and all that are new: other stateless ones cost nothing to move."""
    owners = end_owners(cost.end)
    known = dict.fromkeys(task.id for task in plan.basis.tasks)
    shown = plan.basis.stateful_among((*known, *owners)).keys() | (owners.keys() - known.keys())
    now = {client.process_id: client.active for client in plan.basis.clients}
    for process_id in sorted({**now, **dict.fromkeys(cost.process_ids)}):
        before = [task for task in now.get(process_id, ()) if task in shown]
        after = sorted(task for task, owner in owners.items() if owner == process_id and task in shown)
        then = "unchanged" if after == before and after else listed(after, 12) or "none"
        yield (
            _client(plan, process_id),
            listed(before, 12) or "none" if process_id in now else "not in the group",
            then if process_id in cost.process_ids else "left",
        )
