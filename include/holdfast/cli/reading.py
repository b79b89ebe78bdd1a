"""From a file to a value; every problem is preceded by the name of the file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import click

from holdfast.cli import documents
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.policy.policy import Policy

T = TypeVar("T")
MOST_TIMES = 10_000
work_option = click.option(
    "--work",
    type=click.IntRange(1, MOST_TIMES),
    default=1,
    metavar="N",
    show_default=True,
    help="Allow N times the default work for a group of this size. A larger forecast is refused, or says what it omits.",
)


def value(path: str, read: Callable[[object], T]) -> T:
    """What `read` makes of the JSON document in `path` (`-`: standard input)."""
    document = documents.read_document(path)
    with documents.naming(path):
        return read(document)


@dataclass(frozen=True, slots=True)
class Limits:
    """A policy, and the fields that its document states."""

    policy: Policy
    stated: frozenset[str]


def limits(path: str) -> Limits:
    """The policy in `path`, YAML or JSON."""
    from holdfast.adapters import yaml_text

    content = documents.read_bytes(path, yaml_text.LARGEST)
    with documents.naming(path):
        document = yaml_text.loads(content)
        return Limits(policy_from_json(document), frozenset(document) if isinstance(document, dict) else frozenset())
