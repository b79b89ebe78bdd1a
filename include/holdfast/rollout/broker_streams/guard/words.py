"""What the next target moves, as a person reads it."""

from collections.abc import Callable, Iterator

from holdfast.rollout.broker_streams.guard.guard import BrokerGuard, NextMove
from holdfast.rollout.broker_streams.snapshot.names import named
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import capital, host_or, listed, many, printable

MOST_MOVES = 30
MOVE_COLUMNS = ("task", "from", "to", "state on its disk")
CLIENT_COLUMNS = ("process ID", "host", "threads", "stateful tasks now", "with the next target")


def blocks(snapshot: StreamsGroupSnapshot, guard: BrokerGuard) -> Iterator[Block]:
    yield Heading(1, _headline(guard))
    if others := _others(guard):
        yield Paragraph(" ".join(others))
    name = named(snapshot)
    if guard.moved:
        rows = [_row(one, name) for one in guard.moved[:MOST_MOVES]]
        if len(guard.moved) > MOST_MOVES:
            rows.append(("…", f"{len(guard.moved) - MOST_MOVES:,} more, see --json", "", ""))
        yield Table(MOVE_COLUMNS, tuple(rows))
    yield _clients(guard)
    if guard.next_target.undetermined_tasks:
        tasks = listed([str(task) for task in guard.next_target.undetermined_tasks])
        yield Paragraph(f"Undetermined: {tasks}: their owner depends on what no request shows.")
    for finding in guard.findings:
        clients = listed([printable(one) for one in finding.process_ids])
        yield Paragraph(f"{capital(str(finding.trap))}: {finding.found} {finding.remedy} ({clients})")
    for one in guard.unknown:
        yield Paragraph(f"Unknown: {printable(one, 500)}")


def _headline(guard: BrokerGuard) -> str:
    if not guard.stateful_moved:
        return "The next target moves no stateful task."
    tasks = f"{many(guard.stateful_moved, 'stateful task')} of {guard.stateful_tasks:,}"
    return f"The group is stable, but its next target moves {tasks}, whatever triggers it."


def _others(guard: BrokerGuard) -> list[str]:
    """What moves besides, a sentence each."""
    found = []
    if guard.stateful_moved:
        found.append(f"To a client whose disk has never had the task: {guard.cold_moves:,}.")
    if stateless := len(guard.moved) - guard.stateful_moved:
        found.append(f"{many(stateless, 'stateless task')} {_verb(stateless, 'moves', 'move')}.")
    if within := len(guard.between_threads):
        found.append(f"{many(within, 'task')} {_verb(within, 'changes', 'change')} the thread inside the same client.")
    if standbys := len(guard.standbys_moved):
        found.append(f"Standbys of {many(standbys, 'task')} move.")
    return found


def _verb(count: int, one: str, several: str) -> str:
    return one if count == 1 else several


def _row(move: NextMove, name: Callable[[str], str]) -> tuple[str, ...]:
    state = "stateless" if not move.stateful else "never had it" if move.cold else "has had it"
    return str(move.task), "none" if move.before is None else name(move.before), name(move.after), state


def _clients(guard: BrokerGuard) -> Table:
    rows = (
        (one.process_id, host_or(one.host, "?"), f"{one.threads:,}", f"{one.stateful_now:,}", f"{one.stateful_next:,}")
        for one in guard.clients
    )
    return Table(CLIENT_COLUMNS, tuple(rows))
