"""The output of `holdfast guard` for a reader."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from holdfast.cli.views import terminal
from holdfast.rollout.streams.guard.guard import Defusal, Guard, Kind, Reshuffle
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.wording import host_or, listed, many


def show(snapshot: Snapshot, guard: Guard) -> None:
    terminal.show(*_parts(snapshot, guard))


def _parts(snapshot: Snapshot, guard: Guard) -> Iterator[RenderableType]:
    if guard.reshuffle is not None:
        yield from _reshuffle(guard.reshuffle)
    elif not guard.unknown:
        yield Text("The next rebalance moves no stateful task.", style="bold")
    yield _clients(snapshot, guard)
    for finding in guard.findings:
        yield Text(f"{str(finding.trap).capitalize()}: {finding.found} {finding.remedy} ({listed(finding.process_ids)})")
    for one in guard.unknown:
        yield Text(f"Unknown: {one}")


def _reshuffle(reshuffle: Reshuffle) -> Iterator[Text]:
    tasks = f"{many(len(reshuffle.moved), 'stateful task')} of {reshuffle.summary.stateful_tasks}"
    if reshuffle.kind is Kind.LATENT:
        yield Text(f"The group looks stable, but its next rebalance moves {tasks}, whatever triggers it.", style="bold")
    else:
        yield Text(f"A migration is in progress: {tasks} have yet to migrate.", style="bold")
    records = many(reshuffle.summary.restore_records, "record")
    yield Text(f"Tasks: {listed([move.task for move in reshuffle.moved])}; {records} to restore.")
    if reshuffle.defusal is not None:
        yield from _defusal(reshuffle.defusal)


def _defusal(defusal: Defusal) -> Iterator[Text]:
    left = "none moves" if not defusal.moved else f"{many(defusal.moved, 'task')} still move"
    yield Text(f"To avoid this, restart {many(len(defusal.labels), 'client')} under another process ID ({left}):")
    for now, new in defusal.labels:
        yield Text(f"  stop {now}, write {new} into its kafka-streams-process-metadata, start it again")


def _clients(snapshot: Snapshot, guard: Guard) -> Table:
    numbers = ("rank", "threads", "stateful tasks now", "in the end")
    table = terminal.table(numbers[0], "process ID", "host", *numbers[1:], right=numbers)
    stateful = {task.id: None for task in snapshot.tasks if task.stateful}
    now = {task: owner for task, owner in ownership.owners(snapshot) if task in stateful}
    moved = {move.task: move.after for move in guard.reshuffle.moved} if guard.reshuffle is not None else {}
    for place, process_id in enumerate(guard.order, start=1):
        client = snapshot.client(process_id)
        assert client is not None, "the order has the snapshot's clients"
        has = sum(owner == process_id for owner in now.values())
        will = sum(moved.get(task, owner) == process_id for task, owner in now.items())
        table.add_row(
            str(place),
            str(process_id),
            host_or(client.host, "?"),
            str(len(client.consumers)),
            str(has),
            "?" if guard.unknown else str(will),
        )
    return table
