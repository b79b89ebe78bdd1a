"""`holdfast guard`: whether the next rebalance would reshuffle the group, and how to avoid it."""

import sys

import click

from holdfast.cli import documents, reading
from holdfast.rollout.streams.guard import guard
from holdfast.rollout.streams.guard.json import guard_to_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json


@click.command
@click.argument("snapshot")
@click.option("--json", "as_json", is_flag=True, help="Print only JSON.")
def command(snapshot: str, as_json: bool) -> int:
    """Check the process-ID order of the group in SNAPSHOT (a file, or - for standard input).

    Above all: would the next rebalance, whatever triggers it, move stateful tasks although the group looks stable?
    """
    group = reading.value(snapshot, snapshot_from_json)
    found = guard.look(group)
    if as_json:
        documents.print_document(guard_to_json(found), indent=2 if sys.stdout.isatty() else None)
    else:
        from holdfast.cli.views import guard_view

        guard_view.show(group, found)
    return 0
