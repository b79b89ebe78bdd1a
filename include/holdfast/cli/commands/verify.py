"""`holdfast verify`: the forecast compared with the outcome."""

import click
from click.core import ParameterSource

from holdfast.cli import cluster, documents, hosts, reading
from holdfast.cli import shape as shapes
from holdfast.cli.views import blocks_view
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.verdict_words import verdict_blocks
from holdfast.workflows import verify
from holdfast.workflows.collecting.collector import StatedByOperator
from holdfast.workflows.collecting.settling import Patience

STATUS = {Result.AS_FORECAST: 0, Result.NOT_YET: 2, Result.IN_PROGRESS: 2, Result.DIFFERENT: 3, Result.NOT_COMPARED: 4}
WATCH_S = 3600.0
"""How long --watch looks, unless --timeout says it."""


@click.command
@click.argument("plan")
@cluster.with_timeout(cluster.timeout_option(otherwise=f"; with --watch {WATCH_S:g}"))
@hosts.options
@click.option("--state-dir", "state_dirs", metavar="URL", multiple=True, help="STATE_DIR/APPLICATION_ID of one client.")
@click.option("--snapshot", "fresh", metavar="FILE", help="A snapshot taken after the rollout, instead of reading the cluster.")
@shapes.options
@click.option("--lake", metavar="URL", envvar="HOLDFAST_LAKE", help="Store the verdict there, next to the plan.")
@click.option(
    "--watch",
    is_flag=True,
    help="Repeat until the verdict is final, for at most --timeout. Progress goes to standard error.",
)
@click.pass_context
def command(
    context: click.Context,
    plan: str,
    bootstrap_server: str,
    command_config: str | None,
    timeout_s: float,
    state_dirs: tuple[str, ...],
    fresh: str | None,
    lake: str | None,
    watch: bool,
    shape: str | None,
    as_json: bool,
) -> int:
    """Compare the forecast of PLAN (a file) with the group's current state, and print the Verdict.

    Exit status: 0 as forecast, 2 not yet or in progress, 3 different, 4 not compared, 1 an error.
    """
    if fresh is not None and (bootstrap_server or command_config or watch):
        raise click.UsageError("Give either --snapshot or a cluster, not both.")
    text = shapes.is_text(shape, as_json=as_json)
    made = reading.value(plan, any_document.plan_from_json)
    place = None
    if lake:
        from holdfast.adapters.lake.lake import FsspecLake

        place = FsspecLake(lake)

    def look(limit_s: float) -> AnySnapshot:
        return _look(made, bootstrap_server, command_config, limit_s, state_dirs)

    if watch:
        is_given = context.get_parameter_source("timeout_s") is not ParameterSource.DEFAULT
        patience = Patience(timeout_s if is_given else WATCH_S)
        verdict = verify.watch(place, made, look, patience, lambda line: click.echo(line, err=True))
    else:
        group = look(timeout_s) if fresh is None else reading.value(fresh, any_document.snapshot_from_json)
        verdict = verify.compare(place, made, group)
    if text:
        blocks_view.show(verdict_blocks(verdict))
    else:
        documents.print_document(any_document.verdict_to_json(verdict))
    return STATUS[verdict.result]


def _look(
    made: AnyPlan, bootstrap_server: str, command_config: str | None, timeout_s: float, state_dirs: tuple[str, ...]
) -> AnySnapshot:
    """The plan's group on the cluster, under the name that the plan knows the cluster by."""
    from holdfast import wiring

    where = cluster.connection(bootstrap_server, command_config, made.basis.cluster)
    about = StatedByOperator(made.basis.kafka_release, {}, dict(made.basis.config))
    return wiring.collect_any(where, made.basis.group_id, state_dirs, about, timeout_s, hosts.access())
