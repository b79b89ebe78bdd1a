"""Where views are printed: coloured and as wide as the window on a terminal, plain text of a fixed width elsewhere."""

import sys
from io import TextIOWrapper

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table

PLAIN_WIDTH = 132
"""Columns where there is no terminal."""


def show(*parts: RenderableType) -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that knows no arrows shows question marks
    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console = Console(markup=False, highlight=False, emoji=False, width=PLAIN_WIDTH, color_system=None)
    console.print(Group(*parts))


def table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    """An empty table with these columns; those in `right` hold numbers."""
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold", justify="right" if column in right else "left")
    return made
