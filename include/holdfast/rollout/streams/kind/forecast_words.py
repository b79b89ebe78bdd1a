"""A Forecast as a person reads it: which tasks move when, and which are unavailable meanwhile."""

from collections.abc import Iterator, Mapping, Sequence

from holdfast.kafka.streams.group import Assignment, LeaderFailure
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.backtest import forecast_past
from holdfast.rollout.contract.times import Times
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost import cost
from holdfast.rollout.streams.cost.times_of_costs import worked_out
from holdfast.rollout.streams.forecast.outcomes import Forecast, Outcome, Round, Summary
from holdfast.rollout.streams.options import contingencies, contingency_words
from holdfast.rollout.streams.scene.assumptions import Assume, CatchUp
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import amount_of_bytes, duration, listed, many, printable, span
from holdfast.rollout.timing import time_words
from holdfast.rollout.timing.learnt_speeds import with_learnt

FIRST_ROUNDS = 30
MOST_BROKERS = 8
OUTCOME_COLUMNS = (
    "probability",
    "new random process IDs such as",
    "rank",
    "moved",
    "rebalances",
    "rebalancing ends after",
    "records to restore",
)
ROUND_COLUMNS = ("#", "at", "trigger", "moves (stateful)", "standbys and warm-ups", "deferred", "restores first")


def blocks(snapshot: Snapshot, forecast: Forecast, *, rounds: bool) -> Iterator[Block]:
    times = _times(snapshot, forecast)
    if len(forecast.outcomes) == 1:
        yield from _outcome(snapshot, forecast.outcomes[0], times[0], rounds=rounds)
    else:
        yield from _outcomes(forecast.outcomes, times)
    yield from forecast_past.blocks(forecast.past)
    for unknown in forecast.unknown:
        yield Paragraph(f"Unknown: {printable(unknown.what)}: {printable(unknown.reason, 500)}")
    for other in contingencies.contingencies_of(snapshot, forecast.change):
        yield Paragraph(f"Otherwise: {printable(contingency_words.sentence(other), 500)}")
    assume = forecast.change.assume
    copies = f"closed copies {assume.closed_copies}; dormant copies {assume.dormant_copies}"
    yield Paragraph(f"Assumptions: copies catch up by {_catch_up(assume)}; {copies}.")
    policy = _policy(forecast)
    start, speed = policy.start_up, policy.restore_records_per_second
    yield Paragraph(
        f"Times count from the first action, with a client start-up of {start.low} to {start.high} s ({policy.start_up_says})"
        f" and {speed:,} records/s."
    )


def _catch_up(assume: Assume) -> str:
    return f"{assume.records_per_second:g} records per second" if assume.catch_up is CatchUp.RATE else f"the {assume.catch_up}"


def _outcomes(outcomes: Sequence[Outcome], times: Sequence[Times]) -> Iterator[Block]:
    """One line for each rank that the new random IDs can have."""
    expected = sum(outcome.probability * outcome.summary.active_moved for outcome in outcomes)
    tasks = many(outcomes[0].summary.stateful_tasks, "stateful task")
    yield Heading(1, f"{expected:.1f} of {tasks} end on another client, on average over the new random process IDs.")
    lasting = set(outcomes[0].process_ids).intersection(*(outcome.process_ids for outcome in outcomes))
    rows = []
    for outcome, time in zip(outcomes, times, strict=True):
        new = [(number, one) for number, one in enumerate(outcome.process_ids, start=1) if one not in lasting]
        summary = outcome.summary
        rows.append(
            (
                f"{outcome.probability:.1%}",
                listed([one for _, one in new], 3),
                listed([f"{number} of {len(outcome.process_ids)}" for number, _ in new], 3),
                f"{summary.active_moved:,}",
                span(summary.rebalances_at_least, summary.rebalances_at_most),
                time_words.estimate(time.rebalancing_ends),
                f"{summary.restore_records:,}",
            )
        )
    yield Table(OUTCOME_COLUMNS, tuple(rows))


def _times(snapshot: Snapshot, forecast: Forecast) -> tuple[Times, ...]:
    """Of each outcome, at Holdfast's own speeds, or those that the group's past shows."""
    policy = _policy(forecast)
    return tuple(worked_out(one, policy) for one in cost.costs_of(snapshot, forecast.change, forecast))


def _policy(forecast: Forecast) -> Policy:
    learnt = None if forecast.past is None else forecast.past.score.learnt
    return Policy() if learnt is None else with_learnt(Policy(), learnt)


def _outcome(snapshot: Snapshot, outcome: Outcome, times: Times, *, rounds: bool) -> Iterator[Block]:
    names = _names(snapshot, outcome)
    summary = outcome.summary
    headline = f"{summary.active_moved} of {many(summary.stateful_tasks, 'stateful task')} end on another client"
    if outcome.stable:
        rebalances = span(summary.rebalances_at_least, summary.rebalances_at_most)
        word = "rebalance" if rebalances == "1" else "rebalances"
        yield Heading(1, f"{headline}, in {rebalances} {word}; {time_words.both(times)}.")
    else:
        yield Heading(1, f"{headline}; the group does not become stable.")
    size = "" if summary.restore_bytes is None else f", {amount_of_bytes(summary.restore_bytes)}"
    yield Paragraph(f"{many(summary.restore_records, 'record')}{size} to restore. {_waiting(outcome)}")
    yield from _downtime_and_sources(summary)
    yield Paragraph("In process-ID order: " + ", ".join(f"{names[one]} ({str(one)[:8]}…)" for one in outcome.process_ids))
    if rounds:
        yield _rounds(snapshot, outcome, names)


def _downtime_and_sources(summary: Summary) -> Iterator[Block]:
    """Downtime before restores, and the brokers that serve them, where known."""
    if summary.stopped:
        longest = max(one.seconds for one in summary.stopped)
        are = "is" if len(summary.stopped) == 1 else "are"
        yield Paragraph(
            f"{many(len(summary.stopped), 'task')} {are} unavailable for up to {duration(int(longest))} before any restore begins."
        )
    if any(one.broker is not None for one in summary.reads):
        served = "; ".join(
            f"{'unknown broker' if one.broker is None else f'broker {one.broker}'} {many(one.total.records, 'record')}"
            f"{'' if one.total.size is None else f', {amount_of_bytes(one.total.size)}'}"
            for one in summary.reads[:MOST_BROKERS]
        )
        more = f" and {len(summary.reads) - MOST_BROKERS} more" if len(summary.reads) > MOST_BROKERS else ""
        yield Paragraph(f"Restored from: {served}{more}.")


def _waiting(outcome: Outcome) -> str:
    waiting = outcome.summary.without_caught_up_copy
    if not waiting.tasks:
        return "No task restores before it runs."
    verb = "restores" if waiting.tasks == 1 else "restore"
    return f"{many(waiting.tasks, 'task')} {verb} {many(waiting.records, 'record')} before running again."


def _names(snapshot: Snapshot, outcome: Outcome) -> Mapping[ProcessId, str]:
    """The host where it distinguishes clients, else the first digits of the process ID."""
    clients = {client.process_id: client.host for client in (*snapshot.clients, *outcome.clients)}
    hosts = list(clients.values())
    return {
        process_id: printable(host, 40) if host and hosts.count(host) == 1 else str(process_id)[:8]
        for process_id, host in clients.items()
    }


def _rounds(snapshot: Snapshot, outcome: Outcome, names: Mapping[ProcessId, str]) -> Table:
    rows: list[tuple[str, ...]] = []
    runs = dict(ownership.owners(snapshot))
    stateful = {task.id: None for task in snapshot.tasks if task.stateful}
    last = len(outcome.rounds)
    for number, one in enumerate(outcome.rounds, start=1):
        if number <= FIRST_ROUNDS or number == last:
            rows.append((str(number), duration(int(one.at_seconds)), str(one.trigger), *_row(one, runs, stateful, names)))
        elif number == FIRST_ROUNDS + 1:
            rows.append(("…", "", f"{last - 1 - FIRST_ROUNDS} more, see --json", "", "", "", ""))
        runs = _runs(one) or runs
    return Table(ROUND_COLUMNS, tuple(rows))


def _row(
    one: Round, before: Mapping[TaskId, ProcessId], stateful: Mapping[TaskId, None], names: Mapping[ProcessId, str]
) -> tuple[str, ...]:
    if isinstance(one.decision, LeaderFailure):
        return (f"the leader fails: {printable(one.decision.error, 500)}", "", "", "")
    moves = [
        f"{task} {names.get(before[task], '?') if task in before else '(none)'}→{names[after]}"
        for task, after in sorted(_runs(one).items())
        if task in stateful and before.get(task) != after
    ]
    standbys = [f"{names[client.process_id]}:{task}" for client in one.decision.clients for task in client.standby]
    withheld = sorted(task for consumer in one.decision.consumers for task in consumer.withheld)
    return listed(moves), listed(standbys), listed(withheld), listed(one.without_caught_up_copy)


def _runs(one: Round) -> dict[TaskId, ProcessId]:
    """Who has which task after this rebalance and what follows from it at once."""
    if not isinstance(one.decision, Assignment):
        return {}
    return {task: client.process_id for client in one.decision.clients for task in client.active}
