"""What an application prints of its own topology: which stores each subtopology has, and what it reads.

Java: `TopologyDescription.toString` (`Topology.describe`), 2.6 to 4.3. Its numbers are those of task IDs. It names stores, but not
their changelogs: whether a store has a changelog topic, or a table's source topic for one, shows in the topics that exist.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from holdfast.errors import InvalidInput

LONGEST = 4 * 1024**2
"""Characters: a topology of ten thousand nodes has one million."""
_HEAD = re.compile(r"\s*Sub-topology: (\d{1,9})(?: (for global store).*)?\s*")
_NODE = re.compile(r"\s*(Source|Processor|Sink): (\S+) \((topics?|stores|extractor class)(?: name extractor)?: (.*)\)\s*")
_BEFORE = re.compile(r"\s*<-- (.*)")
_TABLE = "KTABLE-SOURCE-"
_NEEDED = "the text that Topology.describe() prints is needed: lines such as `Sub-topology: 0`, and its nodes below"


@dataclass(frozen=True, slots=True)
class Described:
    """One subtopology with tasks. `sources`: the topics that it reads, internal ones without the application ID; None: it reads by
    a pattern. `stores`: each with the topic of which it is the table, if it is one: that may be its changelog."""

    number: int
    sources: tuple[str, ...] | None
    stores: tuple[tuple[str, str | None], ...]


@dataclass(slots=True)
class _Reading:
    """A printed subtopology. `whole`: it keeps global stores, whole in each client, and has no tasks."""

    number: int
    whole: bool
    topics: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    stores: dict[str, tuple[str, ...]] = field(default_factory=dict)
    before: dict[str, tuple[str, ...]] = field(default_factory=dict)


def read(text: str) -> tuple[Described, ...]:
    """In their order, without those of global stores, which have no tasks. Raise InvalidInput for what is no such text."""
    if len(text) > LONGEST:
        raise InvalidInput(f"it has {len(text):,} characters; {LONGEST:,} are read", "--topology")
    found = list(_read(text))
    if not found:
        raise InvalidInput(f"no subtopology was found: {_NEEDED}", "--topology")
    numbers = [one.number for one in found]
    if len(set(numbers)) < len(numbers):
        raise InvalidInput("a subtopology is there twice: give the description of one topology", "--topology")
    return tuple(_described(one) for one in found if not one.whole)


def _read(text: str) -> Iterator[_Reading]:
    now: _Reading | None = None
    node = ""
    for number, line in enumerate(text.splitlines(), 1):
        if head := _HEAD.fullmatch(line):
            if now is not None:
                yield now
            now = _Reading(int(head[1]), whole=head[2] is not None)
        elif found := _NODE.fullmatch(line):
            if now is None:
                raise InvalidInput(f"line {number}: a node before the first subtopology: {_NEEDED}", "--topology")
            node = found[2]
            _keep(now, *found.groups())
        elif (before := _BEFORE.fullmatch(line)) and now is not None:
            now.before[node] = _names(before[1])
    if now is not None:
        yield now


def _keep(into: _Reading, kind: str, node: str, what: str, names: str) -> None:
    if kind == "Source":
        into.topics[node] = _names(names[1:-1]) if names.startswith("[") and names.endswith("]") else None
    elif kind == "Processor" and what == "stores":
        into.stores[node] = _names(names.strip("[]"))


def _names(text: str) -> tuple[str, ...]:
    return tuple(one for one in (each.strip() for each in text.split(",")) if one and one != "none")


def _described(one: _Reading) -> Described:
    by_pattern = None in one.topics.values()
    sources = None if by_pattern else tuple(sorted({topic for topics in one.topics.values() for topic in topics or ()}))
    stores: dict[str, str | None] = {}
    for node, names in one.stores.items():
        table = _table_of(one, node)
        stores |= {name: stores.get(name) or table for name in names}
    return Described(one.number, sources, tuple(sorted(stores.items())))


def _table_of(one: _Reading, node: str) -> str | None:
    """Java: `InternalStreamsBuilder.table` names the node that keeps a table, and the source before it."""
    for source in one.before.get(node, ()):
        topics = one.topics.get(source)
        if topics and len(topics) == 1 and (node.startswith(_TABLE) or source == f"{node}-source"):
            return topics[0]
    return None
