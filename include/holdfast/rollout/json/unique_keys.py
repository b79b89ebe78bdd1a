"""JSON that is beyond doubt is parsed at the speed of the C parser: no hook looks for duplicate keys, object by object.

What is in doubt is parsed again by `strict.loads`, which says what is wrong, if anything is. Halves of surrogate pairs are looked
for here too, because they are one of the doubts.
"""

import json
import re
from collections.abc import Callable

from holdfast.errors import InvalidInput

IN_DOUBT = object()
"""In place of a document."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""Perhaps half of a surrogate pair: an escaped one, or a raw one."""


def refuse_halves(text: str, document: object) -> None:
    """JSON can escape half of a surrogate pair; no UTF-8 can hold it, so that it could be written nowhere: raise InvalidInput."""
    if not _may_have_halves(text):
        return
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidInput(
            "a text in the document is not Unicode: it has one half of a surrogate pair (\\ud800 to \\udfff)"
        ) from None


def _may_have_halves(text: str) -> bool:
    """Whether there is half of a surrogate pair, perhaps. Most documents are ASCII and escape nothing."""
    return (not text.isascii() or ("\\" in text and "\\u" in text)) and _HALF.search(text) is not None


def parsed(text: str, deepest: int, parse_constant: Callable[[str], object], parse_float: Callable[[str], float]) -> object:
    """The document. IN_DOUBT: it may have a key twice or half of a surrogate pair, is nested deeper than `deepest`, or is wrong.

    Where nothing is between a key's quote and its colon, there is a `":` for each key of the text, and texts can only add some. So
    no key was given twice if there are as many as the objects have keys.
    """
    if any(blank in text and blank + ":" in text for blank in " \t\n\r") or _may_have_halves(text):
        return IN_DOUBT
    try:
        document: object = json.loads(text, parse_constant=parse_constant, parse_float=parse_float)
    except (ValueError, RecursionError, InvalidInput):
        return IN_DOUBT
    return document if count(document, deepest) == text.count('":') else IN_DOUBT


def count(document: object, deepest: int) -> int:
    """How many keys the objects of a document have together. -1: it is nested too deeply."""
    keys = 0
    level: list[object] = [document]
    for _ in range(deepest + 1):
        objects = [one for one in level if type(one) is dict]
        lists = [one for one in level if type(one) is list]
        if not objects and not lists:
            return keys
        keys += sum(map(len, objects))
        level = [child for one in objects for child in one.values() if type(child) is dict or type(child) is list]
        level += [child for one in lists for child in one if type(child) is dict or type(child) is list]
    return -1
