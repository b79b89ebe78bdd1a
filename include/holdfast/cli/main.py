"""`holdfast`: the same functions as the DAGs, on a laptop or in CI.

Exit status: 0 done, 1 an error or wrong usage (never 2: `holdfast plan` says 2 for "a plan" and 3 for "blocked").
"""

import importlib
import sys
from collections.abc import Sequence

import click

from holdfast.errors import HoldfastError

COMMANDS = {
    "snapshot": "holdfast.cli.snapshot",
    "assign": "holdfast.cli.assign",
    "forecast": "holdfast.cli.forecast",
    "guard": "holdfast.cli.guard",
    "plan": "holdfast.cli.plan",
    "show": "holdfast.cli.show",
    "diff": "holdfast.cli.diff",
    "policy": "holdfast.cli.policy",
    "schema": "holdfast.cli.schema",
    "apply": "holdfast.cli.apply",
    "verify": "holdfast.cli.verify",
    "doctor": "holdfast.cli.doctor",
}
"""Each module has one click command named `command`. It is imported only when it is asked for."""


class Commands(click.Group):
    """The commands, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="holdfast")
def holdfast() -> None:
    """Where every Kafka Streams task will go, what that costs, and the safest way to roll: before you deploy."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its status."""
    try:
        status = holdfast.main(arguments, standalone_mode=False)
    except click.ClickException as usage:
        usage.show()
        sys.exit(1)
    except click.Abort:
        sys.exit(130)
    except HoldfastError as refusal:
        click.echo(f"holdfast: {refusal}", err=True)
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


if __name__ == "__main__":
    main()
