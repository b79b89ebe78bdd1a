"""`holdfast`: the same functions as the DAGs, on a laptop or in CI.

Exit status: 0 done, 1 an error or wrong usage (never 2: `holdfast plan` says 2 for "a plan" and 3 for "blocked").
"""

import atexit
import errno
import gc
import importlib
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

import click

from holdfast.errors import HoldfastError
from holdfast.rollout.text.format import printable

LONGEST_REFUSAL = 4_000
"""Characters of one line of it."""

COMMANDS = {
    "snapshot": "The group as it is now, as JSON",
    "assign": "The decision of the group's leader now, as JSON",
    "forecast": "Every rebalance that a change causes",
    "guard": "Would the next rebalance move stateful tasks?",
    "plan": "Compare the options for a change, and recommend one",
    "compare-protocols": "What deploys cost under each group protocol",
    "show": "A plan as text or Markdown",
    "redact": "A snapshot without names, to share",
    "diff": "The differences of two snapshots, or of two plans",
    "policy": "The default policy as YAML",
    "schema": "The JSON Schema of a contract",
    "apply": "Apply a plan, step by step or as a whole; go back",
    "pause": "Halt the run of a plan before its next act",
    "verify": "Compare a plan's forecast with the group",
    "backtest": "Decide past rebalances again, and compare",
    "disk": "What a state directory holds, wherever it is",
    "seed": "Write a process ID into a state directory",
    "doctor": "Check permissions, Java, Spark and folders",
    "migrate": "What of a lake this version reads, after an upgrade",
}
"""What each command does, in a line of the help. Its module in `commands/` has the name of the command (`module_of`), and a
click command named `command`; it is imported only when the command is used, because the model takes a second to import."""


def module_of(command: str) -> str:
    return command.replace("-", "_")


class Commands(click.Group):
    """The commands, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"holdfast.cli.commands.{module_of(cmd_name)}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="holdfast")
def holdfast() -> None:
    """Where every Kafka Streams task will go, what that costs, and the safest option: before you deploy."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its status."""
    atexit.register(gc.freeze)  # else Python searches all that is left for cycles when it ends
    try:
        status = holdfast.main(arguments, standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as usage:
        output = io.StringIO()
        usage.show(output)
        click.echo(_shown(output.getvalue()), nl=False, err=True)
        sys.exit(1)
    except click.Abort:
        sys.exit(130)
    except HoldfastError as refusal:
        click.echo(f"holdfast: {_shown(str(refusal))}", err=True)
        sys.exit(1)
    except OSError as trouble:
        _output_failed(trouble)
    sys.exit(status if isinstance(status, int) else 0)


def _shown(text: str) -> str:
    """Lines stay lines; names of files and groups in them steer no terminal."""
    return "\n".join(printable(line, LONGEST_REFUSAL) for line in text.split("\n"))


def _output_failed(trouble: OSError) -> NoReturn:
    """What an answer is written to is full, or gone: nothing that is left in a buffer is tried again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    if trouble.errno != errno.EPIPE:  # who reads no further has seen enough
        with suppress(OSError):
            click.echo(f"holdfast: the answer cannot be written: {trouble.strerror or trouble}", err=True)
    sys.exit(1)


if __name__ == "__main__":
    main()
