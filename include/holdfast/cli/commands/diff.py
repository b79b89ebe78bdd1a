"""`holdfast diff`: the differences of two snapshots of a group, or of two plans for it."""

from collections.abc import Callable
from typing import TypeVar

import click

from holdfast.cli import documents
from holdfast.errors import InvalidInput
from holdfast.rollout.group import difference
from holdfast.rollout.group.difference import GroupDifference
from holdfast.rollout.json import contracts
from holdfast.rollout.kinds import any_difference, any_document

T = TypeVar("T")
SAME, DIFFERENT = 0, 2
_PLANS = ("Plan", "Plan for a consumer group")
"""What `contracts.kind_of` calls plans."""


@click.command
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.option("--json", "as_json", is_flag=True, help="Print only JSON.")
def command(before: str, after: str, as_json: bool) -> int:
    """Print the differences of A and B: two Snapshots of one group, or two Plans for it (files; one may be - for standard input).

    Exit status: 0 the same, 2 different, 1 an error.
    """
    if before == after == documents.STANDARD_INPUT:
        raise click.UsageError("A and B cannot both be standard input; put one into a file.")
    found = _compared((before, documents.read_document(before)), (after, documents.read_document(after)))
    if as_json:
        documents.print_document(difference.DIFFERENCE.write(found))
    else:
        _show(found)
    return DIFFERENT if found.lines else SAME


def _compared(before: tuple[str, object], after: tuple[str, object]) -> GroupDifference:
    kind_of = [contracts.kind_of(document) for _, document in (before, after)]
    for (path, _), kind in zip((before, after), kind_of, strict=True):
        if kind not in ("Snapshot", *_PLANS):
            found = f"a {kind}" if kind else "nothing that Holdfast compares"
            raise InvalidInput(f"{documents.label(path)}: this is {found}; two Snapshots or two Plans are needed")
    if kind_of[0] != kind_of[1]:
        names = [f"{documents.label(path)} is a {kind}" for (path, _), kind in zip((before, after), kind_of, strict=True)]
        raise InvalidInput(f"{' and '.join(names)}: two Snapshots or two Plans are needed")
    if kind_of[0] in _PLANS:
        plans = [_read(path, document, any_document.plan_from_json) for path, document in (before, after)]
        return any_difference.of_plans(plans[0], plans[1])
    snapshots = [_read(path, document, any_document.snapshot_from_json) for path, document in (before, after)]
    return any_difference.of_snapshots(snapshots[0], snapshots[1])


def _read(path: str, document: object, read: Callable[[object], T]) -> T:
    with documents.naming(path):
        return read(document)


def _show(found: GroupDifference) -> None:
    from rich.text import Text  # only needed here

    from holdfast.cli.views import terminal

    if not found.lines:
        terminal.show(Text(f"The two {found.kind}s do not differ."))
        return
    table = terminal.table("part", "what", f"A: {difference.shown(found.before)}", f"B: {difference.shown(found.after)}")
    for one in found.lines:
        table.add_row(
            one.part, Text(difference.shown(one.what)), Text(difference.shown(one.before)), Text(difference.shown(one.after))
        )
    terminal.show(table)
