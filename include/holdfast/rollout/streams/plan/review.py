"""A plan as a person reads it: the first ten lines are enough to decide, the rest is there to check them.

Written for somebody who has never heard of an assignor. One model of blocks, which `rendering` turns into `plan.md` and plain text
and the command line into a coloured terminal: they cannot say different things.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import assert_never

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.plan_age import holds_until, taken
from holdfast.rollout.contract.rebalances import Round
from holdfast.rollout.contract.verdicts import PlanVerdict, Status
from holdfast.rollout.streams.cost import times_of_costs
from holdfast.rollout.streams.cost.cost import end_owners
from holdfast.rollout.streams.cost.evaluation import Cost, worst_of
from holdfast.rollout.streams.cost.times_of_costs import times_of
from holdfast.rollout.streams.options import otherwise_words
from holdfast.rollout.streams.plan.burden import burden
from holdfast.rollout.streams.plan.figures import figures
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.streams.plan.titles import request_of
from holdfast.rollout.streams.steps import step_words
from holdfast.rollout.streams.steps.steps import StartClient, Step
from holdfast.rollout.text.rendering import Block, Heading, Lines, Paragraph, Table
from holdfast.rollout.text.wording import amount_of_bytes, duration, listed, many, span
from holdfast.rollout.timing import time_words

MOST_ROWS = 40
CROWDED_PERCENT = 200
"""Of an even share of all copies: a client that holds more, if only for a while, is named."""
GLOSSARY = (
    ("Client", "one running copy of the application; it runs stream threads, and they run tasks."),
    ("Stateful task", "a share of the work that keeps a store on its client's disk, and a copy of it in Kafka, the changelog."),
    ("Process ID", "a random name that a client keeps in the file kafka-streams-process-metadata of its state directory."),
    ("Order", "Kafka deals the stateful tasks out in the order of process IDs: an ID in another place moves the tasks of all."),
    ("Restore", "read a changelog from Kafka until the store is there again. A task that nobody has a store for waits for that."),
    ("Warm-up", "a copy restored beside the running task, so that it can change hands without waiting."),
    ("Rebalance", "the group deals its tasks out again. A moving task pauses for as long as that takes."),
)

RESTORED = (
    "Records to restore are counted by offset, at most: compaction leaves fewer. Their bytes are what the changelogs weigh on a"
    " broker, in proportion, or else your policy's bytes a record."
)


def review(plan: Plan) -> tuple[Block, ...]:
    """Everything, in order of importance."""
    return tuple(_blocks(plan))


def _blocks(plan: Plan) -> Iterator[Block]:
    yield Heading(1, f"Plan {plan.plan_id} for {plan.basis.group_id} on {plan.basis.cluster}: {_verdict(plan)}")
    request = f"You asked to {request_of(plan)}. " if plan.change.events else ""
    yield Paragraph(f"{request}{plan.headline}", strong=True)
    yield Lines(tuple(_summary(plan)))
    if plan.steps:
        yield Heading(2, "Steps")
        for step in plan.steps:
            yield Heading(3, f"{step.id}. {step_words.describe(step.action)} ({step.who})")
            yield Lines(_step_lines(step))
    if plan.preconditions:
        yield Heading(2, "It takes for granted")
        yield Lines(tuple((str(number), text) for number, text in enumerate(plan.preconditions, start=1)))
    if plan.settings:
        yield Heading(2, "Settings for the window")
        yield Table(
            ("setting", "meanwhile", "afterwards", "note"),
            tuple((one.key, step_words.setting(one.value), step_words.setting(one.revert_to), one.note) for one in plan.settings),
        )
    yield from _comparison(plan)
    yield from _chosen_in_detail(plan)
    yield from _limits_and_evidence(plan)
    yield Heading(2, "Words", aside=True)
    yield Lines(GLOSSARY)
    yield Heading(2, "Made from", aside=True)
    yield Lines(_fingerprints(plan))


def _verdict(plan: Plan) -> str:
    match plan.verdict:
        case PlanVerdict.NOTHING_TO_DO:
            return "nothing to do"
        case PlanVerdict.SAFE:
            return "safe, within every limit of your policy"
        case PlanVerdict.BLOCKED:
            return "blocked, do not do this"
        case PlanVerdict.REVIEW:
            failed = [rule.name for rule in plan.rules if rule.status is Status.FAIL]
            unknown = [rule.name for rule in plan.rules if rule.status is Status.UNKNOWN]
            parts = [f"{what}: {', '.join(names)}" for what, names in (("over the limit", failed), ("not known", unknown)) if names]
            return f"look closely ({'; '.join(parts) or 'your policy has a person look at every plan'})"
        case _:
            assert_never(plan.verdict)


# The first ten lines.


def _summary(plan: Plan) -> Iterator[tuple[str, str]]:
    way = plan.chosen_way
    if way is not None and way.costs:
        plain = plan.plain_way if plan.chosen != "plainly" else None
        other = plain.costs if plain is not None else ()
        worst, plain_worst = _worst(way), _worst(plain) if plain is not None and other else None
        yield "Stands still meanwhile", _cold(plan, worst) + _or_longer(plan, worst)
        yield "Costs", _restoring(plan, worst, plain_worst)
        yield "Time", _time(plan, worst)
        yield "Effort", _effort(way, plain)
        yield "Why this way", plan.why
    for reason in plan.blocked_by:
        if reason not in plan.headline:
            yield "Blocked", reason
    if plan.steps:
        hosts = [client.host for client in plan.basis.clients]
        shared = frozenset(host for host in hosts if hosts.count(host) > 1)
        briefs = "; ".join(f"({step.id}) {step_words.brief(step.action, shared)}" for step in plan.steps)
        yield "Do", f"{briefs}. Checks and undo are below."
    if plan.wrong_if:
        yield "Wrong if", plan.wrong_if.removeprefix("Wrong if ")
    basis = f"snapshot {_short(plan.created_from.snapshot)} of {many(len(plan.basis.clients), 'client')}"
    yield "Made from", f"{basis}, {taken(plan.created_from)}.{f' {holds_until(plan)}' if plan.steps else ''}"
    for one in plan.otherwise:
        yield "Otherwise", otherwise_words.sentence(one)


def _or_longer(plan: Plan, cost: Cost) -> str:
    """What it is where the condition of the figures is not met."""
    times = times_of(cost, plan.policy)
    if times.condition is None or times.certain:
        return ""
    late = duration(times.condition.otherwise_downtime_s)
    return f" All that only if {time_words.condition(times.condition)}; else a task is unavailable for up to {late}."


def _time(plan: Plan, cost: Cost) -> str:
    """The two figures, and what they are made of."""
    policy, times = plan.policy, times_of(cost, plan.policy)
    speed = f"restoring at {policy.restore_records_per_second:,} records/s ({policy.restore_rate_says})"
    if policy.fastest_restore != policy.slowest_restore:
        speed += f", from {policy.slowest_restore:,} to {policy.fastest_restore:,}"
    start = policy.start_up
    up = f"a client's start-up of {start.low} to {start.high} s ({policy.start_up_says})"
    return (
        f"from the first act, {time_words.both(times)}. Reckoned with {speed if cost.restores else 'nothing to restore'}, and {up}."
    )


def _effort(way: Considered, plain: Considered | None) -> str:
    mine = time_words.effort(way.effort_counts)
    return f"{mine}." if plain is None else f"{mine}. Done plainly: {time_words.effort(plain.effort_counts)}."


def _worst(way: Considered) -> Cost:
    return worst_of(way.costs)


def _cold(plan: Plan, cost: Cost) -> str:
    unseen = [one for one in cost.stops if one.seconds]
    gone = f"{many(len(unseen), 'task')} for up to {duration(max(one.seconds for one in unseen))} until" if unseen else ""
    noticed = f"{gone} the group notices that their client was gone" if unseen else ""
    if not cost.cold_tasks:
        handed = "every task has a caught-up copy whenever it changes hands."
        return f"{noticed}; {handed}" if noticed else f"nothing; {handed}"
    speed = plan.policy.restore_records_per_second
    tasks = [task for one in cost.cold for task in one.tasks]
    records = sum(one.records for one in cost.cold)
    longest = cost.cold_seconds_longest(speed)
    time = f"{duration(longest)} at most, {many(cost.cold_task_seconds(speed), 'task-second')}" if longest else "under a second"
    in_all = f"a task for up to {duration(cost.stands_still_longest(speed))}: " if noticed and longest else ""
    return (
        f"{in_all}{f'{noticed}; ' if noticed else ''}{many(len(tasks), 'task')} ({listed(tasks)}), until {many(records, 'record')}"
        f" are restored: {time}"
        f" if a client restores {speed:,} records/s ({plan.policy.restore_rate_says}{_if_off(plan, cost)})."
    )


def _if_off(plan: Plan, cost: Cost) -> str:
    """How long it is if the speed is as far off as it may be."""
    factor, longest = plan.policy.restore_rate_source.off_by, cost.cold_seconds_longest(plan.policy.slowest_restore)
    return f"; {duration(longest)} at most if it is {factor} times slower" if factor > 1 and longest else ""


def _restoring(plan: Plan, worst: Cost, plain: Cost | None) -> str:
    clients = "; ".join(
        f"{_client(plan, one.process_id)} {many(one.records, 'record')}{_weight(one.size)} ({listed(one.tasks, 4)})"
        for one in worst.restores[:4]
    )
    more = f" and {len(worst.restores) - 4} clients more" if len(worst.restores) > 4 else ""
    mine = f"{_amount(plan, worst)} restored" if worst.restores else "nothing is restored"
    by = f": {clients}{more}" if worst.restores else ""
    without = f" Done plainly: {_amount(plan, plain)}." if plain is not None else ""
    most = f" No client runs more than {many(worst.busiest_tasks, 'task')} on the way." if worst.busiest_tasks else ""
    if (full := worst.fullest) is not None and full.percent > CROWDED_PERCENT:
        most += (
            f" {_client(plan, full.process_id)} holds {many(full.copies, 'copy', 'copies')} of tasks for a while, not {full.even}."
        )
    passed = f" {many(worst.handovers, 'hand-over')} of stateful tasks on the way." if worst.handovers else ""
    return f"{mine}{by}.{without}{passed}{most}"


def _amount(plan: Plan, cost: Cost) -> str:
    """`8 records, 1.2 KiB`. Which sizes are not known stands under "Not known"."""
    if not cost.restored_records:
        return "nothing"
    size = cost.restored_bytes(plan.policy.bytes_per_record)
    return f"{many(cost.restored_records, 'record')}{' (bytes not known)' if size is None else _weight(size)}"


def _weight(size: int | None) -> str:
    return "" if size is None else f", {amount_of_bytes(size)}"


def _client(plan: Plan, process_id: ProcessId) -> str:
    """The host where it is known, with the beginning of the process ID."""
    starts = (step.action for step in plan.steps if isinstance(step.action, StartClient))
    known = plan.basis.client(process_id)
    host = next((start.host for start in starts if start.process_id == process_id), known.host if known else None)
    return f"{host} ({str(process_id)[:8]}…)" if host else f"{str(process_id)[:8]}…"


def _short(fingerprint: str) -> str:
    return fingerprint.removeprefix("sha256:")[:12]


# Steps.


def _step_lines(step: Step) -> tuple[tuple[str, str], ...]:
    lines = [("Before", step.check_before)]
    if isinstance(step.action, WriteProcessMetadata):
        lines.append(("By hand", step_words.by_hand(step.action)))
    lines += [("Expect", step.expect), ("Check", step.check_after), ("Undo", step.undo)]
    return tuple((label, text) for label, text in lines if text)


# The rest.


def _comparison(plan: Plan) -> Iterator[Block]:
    if not any(one.costs for one in plan.candidates):
        return
    yield Heading(2, "The ways compared")
    yield Table(
        (
            "way",
            "tasks moved",
            "rebalances",
            "rebalancing ends after",
            "all state restored after",
            "longest a task stands still",
            "restored",
            "effort",
            "why not",
        ),
        tuple(_comparison_row(plan, one) for one in plan.candidates),
    )
    yield Paragraph(RESTORED)
    plain = plan.plain_way
    if plain is not None and len(plain.costs) > 1:
        yield Paragraph("Done plainly, the new process ID is drawn at random, and its place in the order decides:")
        yield Table(
            ("chance", "tasks moved", "rebalances", "rebalancing ends after"),
            tuple(
                (f"{cost.probability:.1%}", _moved(cost), span(cost.rebalances.low, cost.rebalances.high), _stable(plan, cost))
                for cost in plain.costs[:MOST_ROWS]
            ),
        )


def _comparison_row(plan: Plan, one: Considered) -> tuple[str, ...]:
    why = "chosen" if one.name == plan.chosen else one.why_not
    if not one.costs:
        return (one.name, *("not known",) * 7, why)
    worst = _worst(one)
    restoring = f" ({many(worst.cold_tasks, 'task')} to restore)" if worst.cold_tasks else ""
    still = figures(worst, plan.policy).still_says + restoring
    moved = _moved(worst) if len(one.costs) == 1 else f"at worst {_moved(worst)}"
    rebalances = span(worst.rebalances.low, worst.rebalances.high)
    effort = time_words.effort(one.effort_counts)
    return (one.name, moved, rebalances, _stable(plan, worst), _restored(plan, worst), still, _amount(plan, worst), effort, why)


def _moved(cost: Cost) -> str:
    return f"{cost.moved} of {cost.stateful_tasks}"


def _stable(plan: Plan, cost: Cost) -> str:
    times = times_of(cost, plan.policy)
    return time_words.estimate(times.rebalancing_ends) + time_words.only_if(times)


def _restored(plan: Plan, cost: Cost) -> str:
    return time_words.restored(times_of(cost, plan.policy))


def _chosen_in_detail(plan: Plan) -> Iterator[Block]:
    way = plan.chosen_way
    if way is None or not way.costs:
        return
    worst = _worst(way)
    if worst.rounds:
        yield Heading(2, "Rebalance by rebalance", aside=True)
        yield Table(
            ("#", "after", "because of", "stateful tasks handed over", "held back", "standbys and warm-ups"),
            tuple(_round_rows(worst.rounds, times_of_costs.when(worst, plan.policy)))[:MOST_ROWS],
        )
    yield from burden(worst, plan.policy, lambda one: _client(plan, one))
    if worst.end:
        yield Heading(2, "Who runs what, now and then", aside=True)
        yield Table(("client, in process-ID order", "now", "when it is stable"), tuple(_ownership_rows(plan, worst))[:MOST_ROWS])


def _round_rows(rounds: Sequence[Round], when: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Rebalances at one moment that do the same are one row."""
    number = 0
    told = (
        (duration(at), one.trigger, str(one.handed_over), str(one.withheld), str(one.warm_ups))
        for at, one in zip(when, rounds, strict=True)
    )
    for row, same in groupby(told):
        first, number = number + 1, number + len(list(same))
        yield span(first, number), *row


def _ownership_rows(plan: Plan, cost: Cost) -> Iterator[tuple[str, str, str]]:
    """Stateful tasks only: stateless ones cost nothing to move."""
    owners = end_owners(cost.end)
    stateful = plan.basis.stateful_among((*(task.id for task in plan.basis.tasks), *owners))
    now = {client.process_id: client.active for client in plan.basis.clients}
    for process_id in sorted({**now, **dict.fromkeys(cost.process_ids)}):
        before = [task for task in now.get(process_id, ()) if task in stateful]
        after = sorted(task for task, owner in owners.items() if owner == process_id and task in stateful)
        then = "the same" if after == before and after else listed(after, 12) or "nothing"
        yield (
            _client(plan, process_id),
            listed(before, 12) or "nothing" if process_id in now else "not in the group",
            then if process_id in cost.process_ids else "gone",
        )


def _limits_and_evidence(plan: Plan) -> Iterator[Block]:
    if plan.rules:
        yield Heading(2, "Your limits")
        yield Table(
            ("rule", "result", "found", "limit"),
            tuple((rule.name, rule.status.value, rule.found, rule.limit) for rule in plan.rules),
        )
    if plan.unknown:
        yield Heading(2, "Not known")
        yield Lines(tuple((str(number), text) for number, text in enumerate(plan.unknown[:MOST_ROWS], start=1)))


def _fingerprints(plan: Plan) -> tuple[tuple[str, str], ...]:
    return (
        ("Snapshot", plan.created_from.snapshot),
        ("Change", plan.created_from.change),
        ("Policy", plan.created_from.policy),
        ("Snapshot taken at", plan.created_from.captured_at or "not known"),
        ("Made at", plan.created_at),
        ("May be applied until", plan.expires_at),
    )
