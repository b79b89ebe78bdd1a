"""`holdfast show`: the text that a reviewer reads, and whether the plan still holds."""

import click

from holdfast.cli import documents, plan_view, reading
from holdfast.rollout import codec
from holdfast.rollout.codec import plan as codec_plan
from holdfast.rollout.codec.consumer_plan import consumer_plan_from_json, consumer_plan_to_json, is_consumer_plan
from holdfast.rollout.codec.consumer_snapshot import consumer_snapshot_from_json
from holdfast.rollout.consumer import review
from holdfast.rollout.staleness import Staleness, is_stale, staleness_to_json
from holdfast.rollout.wording import printable
from holdfast.workflows import consumer_groups
from holdfast.workflows.naming import Named


@click.command
@click.argument("plan")
@click.option("--markdown", is_flag=True, help="As Markdown: what plan.md holds.")
@click.option("--snapshot", "fresh", metavar="FRESH", help="A snapshot just taken: say what drifted since, and whether it matters.")
@click.option("--json", "as_json", is_flag=True, help="The Plan's JSON; with --snapshot what drifted. Nothing else.")
def command(plan: str, markdown: bool, fresh: str | None, as_json: bool) -> int:
    """Print the plan in PLAN (a file, or - for standard input) for a reader; with --snapshot, first whether it still holds.

    Exit status with --snapshot: 0 it holds, 3 it does not.
    """
    if markdown and (as_json or fresh):
        raise click.UsageError("--markdown is what plan.md holds: give it alone.")
    if plan == fresh == documents.STANDARD_INPUT:
        raise click.UsageError("PLAN and --snapshot cannot both be standard input; put one into a file.")
    document = documents.read_document(plan)
    if is_consumer_plan(document):
        return _show_plain((plan, document), fresh, markdown=markdown, as_json=as_json)
    with documents.naming(plan):
        made = codec_plan.plan_from_json(document)
    found = None if fresh is None else is_stale(made, reading.value(fresh, codec.snapshot_from_json))
    if as_json:
        documents.print_document(codec_plan.plan_to_json(made) if found is None else staleness_to_json(found))
    else:
        if found is not None:
            _show_staleness(found)
        plan_view.show(made, markdown=markdown)
    return 3 if found is not None and found.stale else 0


def _show_plain(plan: Named, fresh: str | None, *, markdown: bool, as_json: bool) -> int:
    """The same for a plain consumer group."""
    with documents.naming(plan[0]):
        made = consumer_plan_from_json(plan[1])
    found = None if fresh is None else consumer_groups.drifts(made, reading.value(fresh, consumer_snapshot_from_json))
    if as_json:
        documents.print_document(consumer_plan_to_json(made) if found is None else staleness_to_json(found))
    else:
        if found is not None:
            _show_staleness(found)
        plan_view.show_blocks(review.review(made), markdown=markdown)
    return 3 if found is not None and found.stale else 0


def _show_staleness(found: Staleness) -> None:
    if found.stale:
        click.echo("This plan no longer holds. Make a new one.")
    else:
        click.echo("This plan still holds." if found.drifts else "This plan still holds: nothing that it relies on has changed.")
    for one in found.drifts:
        click.echo(f"  {'!' if one.matters else '-'} {printable(one.found, 600)} {one.why}")
    click.echo()
