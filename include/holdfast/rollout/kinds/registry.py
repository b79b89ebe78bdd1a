"""The kinds of group, a line each, and whose a value or a document is. Nothing else asks a value for its class.

A kind is imported when something is asked of it, and for an assignment only what decides it
(docs/decisions/0037-kinds-are-imported-when-they-are-met.md).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.errors import InvalidInput
from holdfast.rollout.group.deciding import Decider
from holdfast.rollout.json import strict
from holdfast.rollout.json.fast_reader import IN_DOUBT

if TYPE_CHECKING:
    from holdfast.rollout.backtest.coordinated import PastEntry
    from holdfast.rollout.group.group_kind import GroupKind
    from holdfast.rollout.group.past import PastJudge
    from holdfast.rollout.group.redacting import Redacting

AnyKind: TypeAlias = "GroupKind[Any, Any, Any, Any, Any, Any, Any]"
"""A kind whose own values are forgotten: it is only ever handed values that it says are its own."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A kind of group. `protocol`: the field of its Snapshots. `package`: where the classes of its values are. `kind`, `decider`,
    `past` and `redacting` import what they return."""

    protocol: str
    package: str
    kind: Callable[[], AnyKind]
    decider: Callable[[], Decider[Any]]
    past: "Callable[[], PastJudge[Any]]"
    redacting: "Callable[[], Redacting[Any]]"


def _line(protocol: str, package: str) -> Registered:
    return Registered(
        protocol,
        package,
        cache(lambda: import_module(f"{package}.kind.kind").KIND),
        cache(lambda: import_module(f"{package}.kind.deciding").DECIDER),
        cache(lambda: import_module(f"{package}.backtest.past").PAST),
        cache(lambda: import_module(f"{package}.kind.redaction").REDACTING),
    )


REGISTRY: tuple[Registered, ...] = (
    _line("streams-classic", "holdfast.rollout.streams"),
    _line("consumer-classic", "holdfast.rollout.consumer"),
    _line("streams", "holdfast.rollout.broker_streams"),
    _line("consumer", "holdfast.rollout.broker_consumer"),
)
"""The first is asked for what no kind says is its own: it refuses that by name."""


def kinds() -> Iterator[AnyKind]:
    """All of them, each imported when it is its turn."""
    return (line.kind() for line in REGISTRY)


def kind_of(value: object) -> AnyKind:
    """Of a Snapshot, a Change, a Plan or a Verdict."""
    module = type(value).__module__
    found = next((line.kind() for line in REGISTRY if module.startswith(f"{line.package}.")), None)
    if found is None or not isinstance(value, found.values):
        raise AssertionError(f"{type(value).__name__} is of no kind of group")
    return found


def kind_named(name: str) -> AnyKind:
    return next(kind for kind in kinds() if kind.name == name)


def called(name: str) -> str:
    """What a group of the kind of that name is called."""
    return kind_named(name).words.group


def keeps_state(name: str) -> bool:
    """Whether the members of a group of the kind of that name keep state."""
    return kind_named(name).stateful


def without_state() -> list[str]:
    """The protocols of the kinds whose members keep no state."""
    return [kind.protocol for kind in kinds() if not kind.stateful]


def of_snapshot(document: object) -> AnyKind:
    return _line_of(document).kind()


def decider_of(document: object) -> Decider[Any]:
    """What decides the assignment of a Snapshot's JSON."""
    return _line_of(document).decider()


def snapshot_in(text: str | bytes, most_memory: int = strict.MOST_MEMORY) -> tuple[Decider[Any], Any]:
    """What decides a Snapshot's assignment, and the Snapshot, of the JSON in `text`. `most_memory`: see `strict.loads`."""
    for line in REGISTRY:
        name = f'"{line.protocol}"'
        if (name in text) if isinstance(text, str) else (name.encode() in text):
            found = line.decider().snapshot_at_once(text, most_memory)
            if found is not IN_DOUBT:
                return line.decider(), found
    document = strict.loads(text, most_memory)
    decider = decider_of(document)
    return decider, decider.snapshot_from_json(document)


def _line_of(document: object) -> Registered:
    protocol = document.get("protocol") if isinstance(document, dict) else None
    return next((line for line in REGISTRY if line.protocol == protocol), REGISTRY[0])


def redacting_of(snapshot: object) -> "Redacting[Any]":
    """What takes the names out of a Snapshot."""
    module = type(snapshot).__module__
    return next(line.redacting() for line in REGISTRY if module.startswith(f"{line.package}."))


def past_in(entry: "PastEntry") -> "PastJudge[Any]":
    """What judges the past of a group whose first entry this is."""
    return next(past for line in REGISTRY if (past := line.past()).owns(entry))


def past_of(question: object) -> "PastJudge[Any]":
    """What judges a question."""
    module = type(question).__module__
    return next(line.past() for line in REGISTRY if module.startswith(f"{line.package}."))


def past_with(protocol: object) -> "PastJudge[Any] | None":
    """What judges questions with this protocol."""
    return next((line.past() for line in REGISTRY if line.protocol == protocol), None)


def check_change(document: object) -> None:
    """Raise InvalidInput for what is wrong in a Change's JSON whatever the group. Its events say of which kinds it may be; one
    without events fits every kind."""
    owners = [kind for kind in kinds() if kind.owns_change(document)] or [REGISTRY[0].kind()]
    refused: list[InvalidInput] = []
    for kind in owners:
        try:
            return kind.check_change(document)
        except InvalidInput as problem:
            refused.append(problem)
    raise refused[0]


def of_plan(document: object) -> AnyKind:
    return next((kind for kind in kinds() if kind.owns_plan(document)), REGISTRY[0].kind())


def kind_of_both(one: object, other: object, what: str) -> AnyKind:
    """Raise InvalidInput, which begins with `what`, for two values of different kinds of group."""
    both = kind_of(one), kind_of(other)
    if both[0] is not both[1]:
        raise InvalidInput(what.format(*(kind.words.group for kind in both)))
    return both[0]
