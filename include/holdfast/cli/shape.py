"""Output formats: text on a terminal, JSON in a pipe, or as requested."""

import sys
from collections.abc import Callable
from typing import TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., object])


def options(command: _Command) -> _Command:
    """`--format` and `--json`."""
    shape = click.option(
        "--format",
        "shape",
        type=click.Choice(["text", "json"]),
        help="text for a reader, json for a program. Default: text on a terminal, JSON elsewhere.",
    )
    return shape(click.option("--json", "as_json", is_flag=True, help="Print only JSON; the same as --format json.")(command))


def is_text(shape: str | None, *, as_json: bool) -> bool:
    if as_json and shape == "text":
        raise click.UsageError("--json contradicts --format text; give one of them.")
    return False if as_json else shape == "text" if shape else sys.stdout.isatty()
