"""`holdfast guard`: what the next rebalance, or the next target, would move, and how to avoid it."""

import sys

import click

from holdfast.cli import documents, reading
from holdfast.cli.views import blocks_view
from holdfast.rollout.kinds import any_kind
from holdfast.rollout.kinds.registry import kind_of


@click.command
@click.argument("snapshot")
@click.option("--json", "as_json", is_flag=True, help="Print only JSON.")
def command(snapshot: str, as_json: bool) -> int:
    """Check whether the group in SNAPSHOT (a file, or - for standard input) is at rest.

    Above all: would the next rebalance, or the next target of a group whose broker assigns, move stateful tasks whatever triggers
    it, although the group looks stable?
    """
    group = reading.value(snapshot, any_kind.snapshot_from_json)
    found = kind_of(group).guarded(group)
    if as_json:
        documents.print_document(found.document, indent=2 if sys.stdout.isatty() else None)
    else:
        blocks_view.show(found.blocks)
    return 0
