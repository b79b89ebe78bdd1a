"""`holdfast guard`: what the next rebalance, or the next target, would move, and how to avoid it."""

import sys

import click

from holdfast.cli import documents, reading
from holdfast.cli.views import blocks_view
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of


@click.command
@click.argument("snapshot")
@click.option("--json", "as_json", is_flag=True, help="Print only JSON.")
def command(snapshot: str, as_json: bool) -> int:
    """Check whether the next rebalance of the group in SNAPSHOT (a file, or - for standard input) would move stateful tasks.

    A group can look stable and still move tasks, whatever triggers its next rebalance (where its broker assigns: its next target).
    """
    group = reading.value(snapshot, any_document.snapshot_from_json)
    found = kind_of(group).guarded(group)
    if as_json:
        documents.print_document(found.document, indent=2 if sys.stdout.isatty() else None)
    else:
        blocks_view.show(found.blocks)
    return 0
