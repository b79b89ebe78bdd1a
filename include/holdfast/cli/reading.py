"""A file → a value of ours, every problem with the name of the file before it."""

from collections.abc import Callable
from typing import TypeVar

from holdfast.cli import documents

T = TypeVar("T")


def value(path: str, read: Callable[[object], T]) -> T:
    """What `read` makes of the JSON document in `path` (`-`: standard input)."""
    document = documents.read_document(path)
    with documents.naming(path):
        return read(document)
