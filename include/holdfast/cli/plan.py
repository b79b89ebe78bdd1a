"""`holdfast plan`: the best way to make a change, and why not the others."""

from datetime import UTC, datetime

import click

from holdfast.cli import documents, plan_view, progress, reading
from holdfast.rollout import codec
from holdfast.rollout.codec import plan as codec_plan
from holdfast.rollout.codec.any_kind import AnyPlan
from holdfast.rollout.codec.consumer_plan import consumer_plan_to_json
from holdfast.rollout.codec.consumer_snapshot import is_consumer_classic
from holdfast.rollout.consumer import review
from holdfast.rollout.plan_value import PlanVerdict
from holdfast.rollout.policy import Policy
from holdfast.workflows import consumer_groups
from holdfast.workflows import plan as workflow
from holdfast.workflows.naming import Named

STATUS = {PlanVerdict.NOTHING_TO_DO: 0, PlanVerdict.SAFE: 2, PlanVerdict.REVIEW: 2, PlanVerdict.BLOCKED: 3}


@click.command
@click.argument("snapshot")
@click.argument("change")
@click.option("--policy", metavar="FILE", help="The limits of your team, as YAML or JSON. [default: Holdfast's own]")
@click.option(
    "--lake", metavar="URL", envvar="HOLDFAST_LAKE", help="Keep the plan there, under plans/<plan id>/ (a folder or an fsspec URL)."
)
@click.option("--json", "as_json", is_flag=True, help="Print the Plan's JSON and nothing else.")
def command(snapshot: str, change: str, policy: str | None, lake: str | None, as_json: bool) -> int:
    """The best way to make CHANGE to the group in SNAPSHOT (files, or - for standard input).

    Exit status: 0 nothing to do, 2 a plan, 3 blocked, 1 an error.
    """
    if [snapshot, change, policy].count(documents.STANDARD_INPUT) > 1:
        raise click.UsageError("Only one of SNAPSHOT, CHANGE and --policy can be standard input; put the others into files.")
    document = documents.read_document(snapshot)
    limits = reading.limits(policy) if policy else Policy()
    if is_consumer_classic(document):
        return _plain((documents.label(snapshot), document), change, limits, lake, as_json=as_json)
    with documents.naming(snapshot):
        group = codec.snapshot_from_json(document)
    meant = reading.value(change, codec.change_from_json)
    with documents.naming(snapshot):
        workflow.refuse_settings(group)
    with documents.naming(change), progress.telling("Looking for ways to make the change") as tell:
        made = workflow.make(group, meant, limits, datetime.now(UTC), lambda way: tell(f"Weighing {way}"))
    _keep(made, lake)
    if as_json:
        documents.print_document(codec_plan.plan_to_json(made))
    else:
        plan_view.show(made)
    return STATUS[made.verdict]


def _keep(made: AnyPlan, lake: str | None) -> None:
    if lake:
        from holdfast.adapters.lake import FsspecLake

        workflow.keep(FsspecLake(lake), made)
        click.echo(f"Plan {made.plan_id} is kept in {lake}.", err=True)


def _plain(snapshot: Named, change: str, limits: Policy, lake: str | None, *, as_json: bool) -> int:
    """The same for a plain consumer group."""
    meant = (documents.label(change), documents.read_document(change))
    with progress.telling("Looking for ways to make the change") as tell:
        made = consumer_groups.make_plan(snapshot, meant, limits, datetime.now(UTC), lambda way: tell(f"Weighing {way}"))
    _keep(made, lake)
    if as_json:
        documents.print_document(consumer_plan_to_json(made))
    else:
        plan_view.show_blocks(review.review(made))
    return STATUS[made.verdict]
