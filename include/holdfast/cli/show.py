"""`holdfast show`: the text that a reviewer reads."""

import click

from holdfast.cli import plan_view, reading
from holdfast.rollout.codec import plan as codec_plan


@click.command
@click.argument("plan")
@click.option("--markdown", is_flag=True, help="As Markdown: what plan.md holds.")
def command(plan: str, markdown: bool) -> int:
    """Print the plan in PLAN (a file, or - for standard input) for a reader."""
    made = reading.value(plan, codec_plan.plan_from_json)
    plan_view.show(made, markdown=markdown)
    return 0
