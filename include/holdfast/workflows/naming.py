"""A document with its name, so that errors say where they are."""

from collections.abc import Callable
from typing import TypeVar

from holdfast.errors import InvalidInput

T = TypeVar("T")

Named = tuple[str, object]
"""A document's name, and its JSON."""


def read_named(document: Named, read: Callable[[object], T]) -> T:
    """What `read` makes of the document. Raise InvalidInput with the document's name before the problem."""
    try:
        return read(document[1])
    except InvalidInput as problem:
        raise problem.within(document[0]) from None
