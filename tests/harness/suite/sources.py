"""Python files as syntax trees, each parsed once a process: the tests of the house rules read the same 1,400 files many times.

No caller changes a tree. `ast.walk` and `tokenize` are exact and take several times as long.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_TEXTS_AND_COMMENTS = re.compile(
    r'("""|\'\'\')(?:\\.|[^\\])*?\1|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?P<comment>#[^\n]*)', re.DOTALL
)
"""The literals are matched so that a `#` inside of one begins no comment."""


@cache
def tree(path: Path) -> ast.Module:
    """Of the file as it was when it was first asked for."""
    return ast.parse(path.read_text(encoding="utf-8"))


def nodes(root: ast.AST) -> Iterator[ast.AST]:
    """The node and every one below it, in no particular order; `Load` and `Store` are left out."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        for value in node.__dict__.values():
            if isinstance(value, ast.AST):
                if not isinstance(value, ast.expr_context):
                    waiting.append(value)
            elif value.__class__ is list:
                waiting.extend(one for one in value if isinstance(one, ast.AST))


def statements(root: ast.Module) -> Iterator[ast.AST]:
    """Every statement of a module, as they are written; `except` and `case` too, expressions not."""
    waiting: list[ast.AST] = [*reversed(root.body)]
    while waiting:
        node = waiting.pop()
        yield node
        for name in reversed(_BLOCKS):
            waiting.extend(reversed(getattr(node, name, ())))


def comments(text: str) -> Iterator[tuple[int, str]]:
    """The line and the text of each comment."""
    line = 1
    seen = 0
    for found in _TEXTS_AND_COMMENTS.finditer(text):
        if found["comment"] is not None:
            line += text.count("\n", seen, found.start())
            seen = found.start()
            yield line, found["comment"]
