"""A document of headings, paragraphs, labelled lines, tables and commands, as Markdown or as plain text. The same blocks, one look
each.

Blocks hold raw text, hostile names included; printed text passes `printable`, and in Markdown is escaped too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice, takewhile
from typing import assert_never

from holdfast.rollout.text.format import addressed_to_nobody, markdown, printable

LONGEST_LINE = 4_000
LONGEST_OF_TEN = 400
MOST_ROWS_IN_SIGHT = 12
END_OF_FOLD = "</details>"
WIDEST_COLUMN = 60
ROOM_FOR_TITLES = 1_000


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` 1 is the document's title. `aside`: its section is for who wants to check, and may be folded away."""

    level: int
    text: str
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Lines:
    """Labelled lines: (label, text), the label set off."""

    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """A shell command of one line: it works when it is pasted, from what is shown and from the raw Markdown."""

    command: str


Block = Heading | Paragraph | Lines | Table | Code


def to_markdown(blocks: Sequence[Block], *, folded: bool = False) -> str:
    """`folded`: for a pull request, secondary sections and long tables behind a line that opens them; and no name is
    treated as a person, a group of them, or an issue."""
    return "\n\n".join(_folded(blocks) if folded else (_markdown_block(block) for block in blocks)) + "\n"


def for_comment(blocks: Sequence[Block], longest: int) -> str:
    """`to_markdown`, folded, in no more than `longest` bytes. If that is too little, secondary sections are left out, then what
    comes last; and it says so."""
    whole = to_markdown(blocks, folded=True)
    if len(whole.encode()) <= longest:
        return whole
    room = longest - ROOM_FOR_TITLES
    while True:
        kept, left_out = _foremost(blocks, room)
        text = "\n\n".join(map(_comment_block, kept))
        found = f"{text}\n\n{addressed_to_nobody(f'The whole plan also has: {_semicolons(left_out)}.')}\n"
        if len(found.encode()) <= longest or room <= 0:
            return found
        room -= longest // 8


def _semicolons(titles: Sequence[str]) -> str:
    return "; ".join(titles)


def foremost(blocks: Sequence[Block], longest: int) -> tuple[str, tuple[str, ...]]:
    """As Markdown: all but the secondary sections, from the beginning, in whole blocks of no more than `longest` bytes together.
    And the titles of the sections that are not there, or not whole."""
    kept, left_out = _foremost(blocks, longest)
    return to_markdown(kept), left_out


def _foremost(blocks: Sequence[Block], longest: int) -> tuple[list[Block], tuple[str, ...]]:
    kept: list[Block] = []
    left_out: dict[str, None] = {}
    section, aside, room, full = "", False, longest, False
    for block in blocks:
        if isinstance(block, Heading) and block.level <= 2:
            section, aside = _markdown(block.text), block.aside
        if not aside:
            room -= len(_markdown_block(block).encode()) + 2
        if aside or room < 0:
            if not (aside or full or isinstance(block, Heading)):
                _drop_a_part_of_a_step(kept)
            full = full or room < 0
            left_out[section] = None
        else:
            kept.append(block)
    while kept and isinstance(kept[-1], Heading):
        kept.pop()
    return kept, tuple(left_out)


def _drop_a_part_of_a_step(kept: list[Block]) -> None:
    """A section of the third level, such as a step with its command, is there whole, or not at all."""
    last = next((at for at in range(len(kept) - 1, -1, -1) if isinstance(kept[at], Heading)), None)
    if last is not None and isinstance(heading := kept[last], Heading) and heading.level > 2:
        del kept[last:]


def _folded(blocks: Sequence[Block]) -> Iterator[str]:
    """GitHub and GitLab read Markdown inside of <details> where a blank line is before and after it."""
    aside = False
    for block in blocks:
        if isinstance(block, Heading) and block.level <= 2:
            if aside:
                yield END_OF_FOLD
            aside = block.aside
            yield addressed_to_nobody(_fold(block.text)) if aside else _comment_block(block)
        elif isinstance(block, Table) and len(block.rows) > MOST_ROWS_IN_SIGHT and not aside:
            yield from (_fold(f"{len(block.rows)} rows"), _comment_block(block), END_OF_FOLD)
        else:
            yield _comment_block(block)
    if aside:
        yield END_OF_FOLD


def _fold(title: str) -> str:
    return f"<details>\n<summary>{escape(printable(title, LONGEST_LINE))}</summary>"


def _comment_block(block: Block) -> str:
    """In a comment no name is treated as a person or an issue; in a command none is looked for, and nothing may be put into it."""
    return _markdown_block(block) if isinstance(block, Code) else addressed_to_nobody(_markdown_block(block))


def _markdown_block(block: Block) -> str:
    match block:
        case Code(command):
            shown = printable(command, LONGEST_LINE)
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", shown)), default=0))
            return f"{fence}sh\n{shown}\n{fence}"
        case Heading(level, text):
            return f"{'#' * level} {_markdown(text)}"
        case Paragraph(text, strong):
            return f"**{_markdown(text)}**" if strong else _markdown(text)
        case Lines(lines):
            return "\n".join(f"- **{_markdown(label)}:** {_markdown(text)}" for label, text in lines)
        case Table(columns, rows):
            rule = _markdown_row(("---",) * len(columns), raw=True)
            return "\n".join((_markdown_row(columns), rule, *map(_markdown_row, rows)))
        case _:
            assert_never(block)


def _markdown(text: str) -> str:
    return markdown(printable(text, LONGEST_LINE))


def _markdown_row(cells: Sequence[str], *, raw: bool = False) -> str:
    return f"| {' | '.join(cell if raw else _markdown(cell) for cell in cells)} |"


def to_text(blocks: Sequence[Block]) -> str:
    return "\n\n".join("\n".join(_text_block(block)) for block in blocks) + "\n"


def ten_lines(blocks: Sequence[Block]) -> str:
    """What precedes the first section, as plain text of at most ten lines: for a chat or a mail."""
    before = takewhile(lambda block: not (isinstance(block, Heading) and block.level > 1), blocks)
    lines = (line for line in to_text(tuple(before)).splitlines() if line.strip("= "))
    return "\n".join(printable(line, LONGEST_OF_TEN) for line in islice(lines, 10))


def _text_block(block: Block) -> Iterator[str]:
    match block:
        case Heading(level, text):
            shown = printable(text, LONGEST_LINE)
            yield shown.upper() if level == 2 else shown
            if level == 1:
                yield "=" * min(len(shown), 100)
        case Paragraph(text):
            yield printable(text, LONGEST_LINE)
        case Code(command):
            yield f"  {printable(command, LONGEST_LINE)}"
        case Lines(lines):
            for label, text in lines:
                yield f"  {printable(label)}: {printable(text, LONGEST_LINE)}"
        case Table(columns, rows):
            yield from _text_table(columns, rows)
        case _:
            assert_never(block)


def _text_table(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """Columns aligned; the last one runs on, for it holds the words."""
    table = [tuple(printable(cell, LONGEST_LINE) for cell in row) for row in (columns, *rows)]
    widths = [min(max(len(row[index]) for row in table), WIDEST_COLUMN) for index in range(len(columns))]
    for number, row in enumerate(table):
        yield "  " + "  ".join((*(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1])).rstrip()
        if number == 0:
            yield "  " + "  ".join("-" * width for width in widths)
