"""`holdfast show`: a plan for a reader, its progress, and whether it is still valid."""

from itertools import takewhile
from pathlib import Path

import click

from holdfast.cli import documents, reading, signing
from holdfast.cli.views import blocks_view
from holdfast.rollout.execution.drift import STALENESS, Staleness
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal import seal
from holdfast.rollout.journal.seal import SigningKeys
from holdfast.rollout.kinds import any_document, ci
from holdfast.rollout.kinds.plan_history import history
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text import document_blocks
from holdfast.rollout.text.document_blocks import Block, Heading
from holdfast.rollout.text.format import printable
from holdfast.workflows import plan as workflow


@click.command
@click.argument("plan")
@click.option("--markdown", is_flag=True, help="As Markdown: the content of plan.md.")
@click.option("--comment", is_flag=True, help="As Markdown, within the limit of a GitHub comment.")
@click.option(
    "--snapshot",
    "fresh",
    metavar="FRESH",
    help="A new snapshot: list the drift since the plan, and whether it invalidates the plan.",
)
@click.option(
    "--lake",
    metavar="URL",
    envvar="HOLDFAST_LAKE",
    help="A lake: PLAN may then be an ID; also prints the decision and the progress.",
)
@signing.key_option
@click.option("--json", "as_json", is_flag=True, help="Print only the Plan's JSON; with --snapshot, only the drift.")
def command(
    plan: str, markdown: bool, comment: bool, fresh: str | None, lake: str | None, as_json: bool, key_file: str | None
) -> int:
    """Print PLAN (a file, - for standard input, or an ID in the lake) for a reader.

    From a lake, also print which documents are signed, and with which key. With --snapshot, first print whether the plan is still
    valid; the exit status is then 0 if it is, 3 if it is not.
    """
    if [markdown, comment, bool(as_json or fresh)].count(True) > 1:
        raise click.UsageError("--markdown, --comment, and --json or --snapshot exclude each other; give one of them.")
    if plan == fresh == documents.STANDARD_INPUT:
        raise click.UsageError("PLAN and --snapshot cannot both be standard input; put one into a file.")
    from holdfast.adapters import key_file as key_files

    keys = key_files.read(key_file)
    if lake and workflow.is_id(plan) and not Path(plan).exists():
        made, became = _kept(plan, lake, keys)
    else:
        made, became = _from_file(plan, keys), ()
    found = None if fresh is None else _drifts(made, fresh)
    if as_json:
        documents.print_document(any_document.plan_to_json(made) if found is None else STALENESS.write(found))
    else:
        if found is not None:
            _show_staleness(found)
        blocks = workflow.blocks(made)
        if comment:
            click.echo(document_blocks.for_comment(blocks, ci.LONGEST_COMMENT).encode(), nl=False)
            return 0
        blocks_view.show(blocks if markdown else _with(became, blocks), markdown=markdown)
    return 3 if found is not None and found.stale else 0


def _from_file(plan: str, keys: SigningKeys) -> AnyPlan:
    """The plan in a file. What its signature says goes to standard error, where there is one, or a key."""
    document = documents.read_document(plan)
    with documents.naming(plan):
        made = any_document.plan_from_json(document)
    stands = seal.seal_of(document, seal.Sealed.PLAN, keys)
    if keys or stands is not seal.Seal.UNSIGNED:
        click.echo(f"Plan {made.plan_id}: {stands.value}.", err=True)
    return made


def _kept(plan_id: str, lake: str, keys: SigningKeys) -> tuple[AnyPlan, tuple[Block, ...]]:
    """The plan in the lake, and what became of it."""
    from holdfast.adapters.lake.lake import FsspecLake

    store = FsspecLake(lake)
    made = workflow.load(store, plan_id)
    steps = tuple(step.id for step in made.steps)
    decided, journal = workflow.approval_of(store, plan_id), workflow.journal_of(store, plan_id)
    signed = workflow.standing(store, plan_id, keys).says
    return made, history(steps, decided, journal, workflow.score_of(store, plan_id), signed)


def _with(became: tuple[Block, ...], blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Before the first section."""
    before = tuple(takewhile(lambda block: not (isinstance(block, Heading) and block.level > 1), blocks))
    return (*before, *became, *blocks[len(before) :])


def _drifts(made: AnyPlan, fresh: str) -> Staleness:
    kind = kind_of(made)
    return kind.staleness(made, reading.value(fresh, kind.snapshot_from_json))


def _show_staleness(found: Staleness) -> None:
    if found.stale:
        click.echo("This plan is no longer valid. Create a new one.")
    else:
        click.echo("This plan is still valid." if found.drifts else "This plan is still valid: no drift.")
    for one in found.drifts:
        click.echo(f"  {'!' if one.matters else '-'} {printable(one.found, 600)} {one.why}")
    click.echo()
