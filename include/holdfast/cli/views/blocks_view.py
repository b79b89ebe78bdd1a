"""Blocks of text in a terminal: coloured and as wide as the window there, plain text elsewhere."""

import sys
from io import TextIOWrapper
from typing import assert_never

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from holdfast.rollout.text import document_blocks
from holdfast.rollout.text.document_blocks import LONGEST_LINE, Block, Code, Heading, Lines, Paragraph, Table
from holdfast.rollout.text.format import printable


def show(blocks: tuple[Block, ...], *, markdown: bool = False) -> None:
    """Print them on standard output."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that knows no ellipsis shows a question mark
    if markdown:
        print(document_blocks.to_markdown(blocks, folded=True), end="")
        return
    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        print(document_blocks.to_text(blocks), end="")
        return
    for block in blocks:
        console.print(_rich(block))
        if not (isinstance(block, Heading) and block.level > 1):
            console.print()


def _rich(block: Block) -> RenderableType:
    match block:
        case Heading(level, text):
            return Text(_shown(text), style="bold underline" if level == 1 else "bold cyan" if level == 2 else "bold")
        case Code(command):
            return Text(f"  {_shown(command)}", style="cyan", no_wrap=True, overflow="ignore")
        case Paragraph(text, strong):
            return Text(_shown(text), style="bold green" if strong else "")
        case Lines(lines):
            grid = RichTable.grid(padding=(0, 2))
            grid.add_column(style="bold", no_wrap=True)
            grid.add_column(overflow="fold")
            for label, text in lines:
                grid.add_row(Text(_shown(label)), Text(_shown(text)))
            return grid
        case Table(columns, rows):
            table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
            for column in columns:
                table.add_column(column, overflow="fold")
            for row in rows:
                table.add_row(*(Text(_shown(cell)) for cell in row))
            return table
        case _:
            assert_never(block)


def _shown(text: str) -> str:
    return printable(text, LONGEST_LINE)
