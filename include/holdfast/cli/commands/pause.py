"""`holdfast pause`: stop the run of a plan before its next act."""

from datetime import UTC, datetime

import click

from holdfast.cli import documents
from holdfast.workflows.running import pausing


@click.command
@click.argument("plan_id")
@click.option("--off", is_flag=True, help="Remove the pause. A run that has halted is started again with holdfast apply --run.")
@click.option("--reason", default="", metavar="TEXT", help="The reason, for the run's journal.")
@click.option("--json", "as_json", is_flag=True, help="Print only JSON.")
@click.option("--lake", metavar="URL", envvar="HOLDFAST_LAKE", default=".holdfast/lake", show_default=True, help="The plan's lake.")
def command(plan_id: str, off: bool, reason: str, as_json: bool, lake: str) -> int:
    """Pause the run of the plan PLAN_ID: it halts before its next act (a stop, a start, a restart or a write), on whatever
    machine it runs."""
    from holdfast.adapters import this_process
    from holdfast.adapters.lake.lake import FsspecLake

    store = FsspecLake(lake)
    if off:
        pausing.resume(store, plan_id)
    else:
        pausing.pause(store, plan_id, this_process.owner().name, reason, datetime.now(UTC))
    if as_json:
        documents.print_document({"plan_id": plan_id, "paused": not off})
    else:
        click.echo(f"Plan {plan_id} is {'not paused' if off else 'paused: a run of it stops before its next act'}.")
    return 0
