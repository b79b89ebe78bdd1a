"""Problems of process-ID order in a snapshot, as a person reads them."""

from collections.abc import Iterator

from holdfast.rollout.streams.guard.guard import Defusal, Guard, Reshuffle, TrapKind
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import host_or, listed, many

COLUMNS = ("rank", "process ID", "host", "threads", "stateful tasks now", "in the end")


def blocks(snapshot: Snapshot, guard: Guard) -> Iterator[Block]:
    if guard.reshuffle is not None:
        yield from _reshuffle(guard.reshuffle)
    else:
        yield Heading(1, "Whether the next rebalance moves tasks is unknown." if guard.unknown else _NONE)
    yield _clients(snapshot, guard)
    for finding in guard.findings:
        yield Paragraph(f"{str(finding.trap).capitalize()}: {finding.found} {finding.remedy} ({listed(finding.process_ids)})")
    for one in guard.unknown:
        yield Paragraph(f"Unknown: {one}")


_NONE = "The next rebalance moves no stateful task."


def _reshuffle(reshuffle: Reshuffle) -> Iterator[Block]:
    tasks = f"{many(len(reshuffle.moved), 'stateful task')} of {reshuffle.summary.stateful_tasks}"
    if reshuffle.kind is TrapKind.LATENT:
        yield Heading(1, f"The group looks stable, but its next rebalance moves {tasks}, whatever triggers it.")
    else:
        yield Heading(1, f"A migration is in progress: {tasks} have yet to migrate.")
    records = many(reshuffle.summary.restore_records, "record")
    yield Paragraph(f"Tasks: {listed([move.task for move in reshuffle.moved])}; {records} to restore.")
    if reshuffle.defusal is not None:
        yield from _defusal(reshuffle.defusal)


def _defusal(defusal: Defusal) -> Iterator[Block]:
    left = "none moves" if not defusal.moved else f"{many(defusal.moved, 'task')} still move"
    yield Paragraph(f"To avoid this, restart {many(len(defusal.labels), 'client')} under another process ID ({left}):")
    for now, new in defusal.labels:
        yield Paragraph(f"  stop {now}, write {new} into its kafka-streams-process-metadata, start it again")


def _clients(snapshot: Snapshot, guard: Guard) -> Table:
    stateful = {task.id: None for task in snapshot.tasks if task.stateful}
    now = {task: owner for task, owner in ownership.owners(snapshot) if task in stateful}
    moved = {move.task: move.after for move in guard.reshuffle.moved} if guard.reshuffle is not None else {}
    rows: list[tuple[str, ...]] = []
    for place, process_id in enumerate(guard.order, start=1):
        client = snapshot.client(process_id)
        assert client is not None, "the order has the snapshot's clients"
        has = sum(owner == process_id for owner in now.values())
        will = "?" if guard.unknown else str(sum(moved.get(task, owner) == process_id for task, owner in now.items()))
        rows.append((str(place), str(process_id), host_or(client.host, "?"), str(len(client.consumers)), str(has), will))
    return Table(COLUMNS, tuple(rows))
