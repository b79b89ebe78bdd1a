"""The Forecast of a streams group whose broker assigns as a person reads it: what each target moves."""

from collections.abc import Callable, Iterator, Mapping

from holdfast.kafka.coordinator.streams.group import Task
from holdfast.rollout.backtest import forecast_past
from holdfast.rollout.broker_streams.forecast import summary as figures
from holdfast.rollout.broker_streams.forecast.forecast import ground_of
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerForecast, BrokerOutcome, ComputedTarget, Draws
from holdfast.rollout.broker_streams.plan import effect_words
from holdfast.rollout.broker_streams.snapshot.names import named
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.coordinated import span_words
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import amount_of_bytes, listed, many, printable

FIRST_TARGETS = 30
TARGET_COLUMNS = ("#", "group epoch", "trigger", "moves (stateful)", "standbys", "undetermined")


def blocks(snapshot: StreamsGroupSnapshot, forecast: BrokerForecast, *, targets: bool) -> Iterator[Block]:
    outcome = forecast.outcome
    yield Heading(1, _headline(outcome))
    yield Paragraph(_moves(outcome))
    if outcome.targets and outcome.summary.restored_records is not None:
        yield Paragraph(_restored(outcome.summary.restored_records, outcome.summary.restored_bytes))
    if outcome.targets and outcome.summary.seconds_to_stable is not None:
        yield Paragraph(span_words.stable_after(outcome.summary.seconds_to_stable, outcome.summary.start_ups, "clients"))
    if outcome.draws is not None:
        yield Paragraph(_draws(outcome.draws))
    if targets and outcome.targets:
        yield _targets(snapshot, forecast)
    yield from forecast_past.blocks(forecast.past)
    for unknown in forecast.unknown:
        yield Paragraph(f"Unknown: {printable(unknown.what)}: {printable(unknown.reason, 500)}")


def _headline(outcome: BrokerOutcome) -> str:
    found = outcome.summary
    if not outcome.targets:
        return "The coordinator computes no target: nothing moves."
    moved = f"{found.active_moved:,} of {many(found.stateful_tasks, 'stateful task')} end on another client"
    return f"{moved}, in {many(found.targets, 'target')}."


def _moves(outcome: BrokerOutcome) -> str:
    found = outcome.summary
    if not found.moves:
        return "No stateful task is handed over."
    none = f"{found.cold_moves:,} of them" if found.cold_moves else "none of them"
    return f"{many(found.moves, 'hand-over')} of stateful tasks in all, {none} to a client whose disk has never had the task."


def _restored(records: int, size: int | None) -> str:
    if not records:
        return "Nothing is restored."
    sizes = "size unknown" if size is None else amount_of_bytes(size)
    return f"Clients restore {many(records, 'record')} at most ({sizes}), standby copies included."


def _draws(found: Draws) -> str:
    moved, moves = span_words.counts(found.active_moved), span_words.counts(found.moves)
    return (
        f"New random IDs: those shown are one of {found.count:,} simulated draws; {moved} tasks moved and {moves} hand-overs over"
        f" all of them. {effect_words.missed(found)}"
    )


def _targets(snapshot: StreamsGroupSnapshot, forecast: BrokerForecast) -> Table:
    outcome, classic = forecast.outcome, figures.were_classic(forecast.carried_out)
    ground = ground_of(snapshot)
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    before = figures.owners_now(ground, stateful)
    name = named(snapshot)
    rows: list[tuple[str, ...]] = []
    for number, one in enumerate(outcome.targets, start=1):
        after = {task: classic.get(process, process) for task, process in figures.owners(one, stateful).items()}
        if number <= FIRST_TARGETS or number == len(outcome.targets):
            rows.append(_row(number, one, before, after, name))
        elif number == FIRST_TARGETS + 1:
            rows.append(("…", "", f"{len(outcome.targets) - 1 - FIRST_TARGETS} more, see --json", "", "", ""))
        before = after
    return Table(TARGET_COLUMNS, tuple(rows))


def _row(
    number: int, one: ComputedTarget, before: Mapping[Task, str], after: Mapping[Task, str], name: Callable[[str], str]
) -> tuple[str, ...]:
    epoch = "unknown" if one.group_epoch is None else str(one.group_epoch)
    moves = [
        f"{task} {name(before[task])}→{name(process)}"
        for task, process in sorted(after.items(), key=lambda each: each[0].rank)
        if before.get(task, process) != process
    ]
    standbys = sum(len(partitions) for given in one.assignment.members for _, partitions in given.standby)
    open_ = listed([str(task) for task in one.assignment.undetermined_tasks])
    return str(number), epoch, str(one.trigger), listed(moves), f"{standbys:,}", open_
