"""Blocks as an HTML fragment for the pages. All output is escaped."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import assert_never

from holdfast.rollout.text.document_blocks import LONGEST_LINE, Block, Code, Heading, Lines, Paragraph, Table
from holdfast.rollout.text.format import printable

BELOW = 1
"""A page has a heading of its own above the fragment: each of its headings is this much deeper."""


def to_html(blocks: Sequence[Block]) -> str:
    return "".join(f"{line}\n" for block in blocks for line in _block(block))


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading(level, text):
            yield _element(f"h{min(6, level + BELOW)}", text)
        case Paragraph(text, strong):
            yield f'<p class="{"strong" if strong else "quiet"}">{_shown(text)}</p>'
        case Code(command):
            yield f'<p><code class="command">{_shown(command)}</code></p>'
        case Lines(lines):
            yield '<dl class="lines">'
            yield from (f"<div>{_element('dt', label)}{_element('dd', text)}</div>" for label, text in lines)
            yield "</dl>"
        case Table(columns, rows):
            yield f'<div class="scroll" tabindex="0" role="region" aria-label="{_shown(columns[0])}"><table>'
            heads = "".join(f'<th scope="col">{_shown(one)}</th>' for one in columns)
            yield f"<thead><tr>{heads}</tr></thead>"
            yield "<tbody>"
            yield from (f"<tr>{''.join(_element('td', cell) for cell in row)}</tr>" for row in rows)
            yield "</tbody></table></div>"
        case _:
            assert_never(block)


def _element(name: str, text: str) -> str:
    return f"<{name}>{_shown(text)}</{name}>"


def _shown(text: str) -> str:
    return escape(printable(text, LONGEST_LINE))
