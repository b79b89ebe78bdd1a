"""`holdfast verify`: was the forecast what happened?"""

import click

from holdfast.cli import cluster, documents, reading
from holdfast.rollout.codec import any_kind
from holdfast.rollout.codec.any_kind import AnyPlan, AnySnapshot
from holdfast.rollout.verify import Result
from holdfast.workflows import verify
from holdfast.workflows.collect_kind import Given

STATUS = {Result.AS_FORECAST: 0, Result.ON_THE_WAY: 2, Result.DIFFERENT: 3}


@click.command
@click.argument("plan")
@cluster.cluster_options
@click.option("--state-dir", "state_dirs", metavar="URL", multiple=True, help="STATE_DIR/APPLICATION_ID of one client.")
@click.option("--snapshot", "fresh", metavar="FILE", help="A snapshot taken afterwards, instead of looking at the cluster.")
@click.option("--json", "as_json", is_flag=True, help="As it is anyway: what is printed is JSON.")
@click.option("--lake", metavar="URL", envvar="HOLDFAST_LAKE", help="Keep the verdict there, beside the plan.")
def command(
    plan: str,
    bootstrap_server: str,
    command_config: str | None,
    timeout_s: float,
    state_dirs: tuple[str, ...],
    fresh: str | None,
    lake: str | None,
    as_json: bool,  # noqa: ARG001 - every command that prints has --json
) -> int:
    """Compare the forecast of the plan in PLAN (a file) with the group as it is now, and print the Verdict.

    Exit status: 0 as forecast, 2 on the way, 3 different, 1 an error.
    """
    if fresh is not None and (bootstrap_server or command_config):
        raise click.UsageError("Give --snapshot, or a cluster to look at, not both.")
    made = reading.value(plan, any_kind.plan_from_json)
    if fresh is not None:
        group = reading.value(fresh, any_kind.snapshot_from_json)
    else:
        group = _look(made, bootstrap_server, command_config, timeout_s, state_dirs)
    place = None
    if lake:
        from holdfast.adapters.lake import FsspecLake

        place = FsspecLake(lake)
    verdict = verify.compare(place, made, group)
    documents.print_document(any_kind.verdict_to_json(verdict))
    return STATUS[verdict.result]


def _look(
    made: AnyPlan, bootstrap_server: str, command_config: str | None, timeout_s: float, state_dirs: tuple[str, ...]
) -> AnySnapshot:
    """The plan's group on the cluster, under the name that the plan knows the cluster by."""
    from holdfast import wiring

    where = cluster.connection(bootstrap_server, command_config, made.basis.cluster)
    about = Given(made.basis.kafka_release, {}, dict(made.basis.config))
    return wiring.collect_any(where, made.basis.group_id, state_dirs, about, timeout_s)
