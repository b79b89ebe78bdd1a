"""A file → a value of ours, every problem with the name of the file before it."""

from collections.abc import Callable
from typing import TypeVar

from holdfast.cli import documents
from holdfast.rollout.codec.policy import policy_from_json
from holdfast.rollout.policy import Policy

T = TypeVar("T")


def value(path: str, read: Callable[[object], T]) -> T:
    """What `read` makes of the JSON document in `path` (`-`: standard input)."""
    document = documents.read_document(path)
    with documents.naming(path):
        return read(document)


def limits(path: str) -> Policy:
    """The policy in `path`, YAML or JSON."""
    from holdfast.adapters import yaml_text

    content = documents.read_bytes(path, yaml_text.LARGEST)
    with documents.naming(path):
        return policy_from_json(yaml_text.loads(content))
