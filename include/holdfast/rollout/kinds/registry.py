"""The kinds of group, a line each, and whose a value or a document is. Nothing else asks a value for its class."""

from typing import Any

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.kind.kind import BrokerStreamsKind
from holdfast.rollout.consumer.kind.kind import ConsumerKind
from holdfast.rollout.group.group_kind import GroupKind
from holdfast.rollout.streams.kind.kind import StreamsKind

AnyKind = GroupKind[Any, Any, Any, Any, Any, Any, Any]
"""A kind whose own values are forgotten: it is only ever handed values that it says are its own."""

REGISTRY: tuple[AnyKind, ...] = (
    StreamsKind(),
    ConsumerKind(),
    BrokerStreamsKind(),
)
"""The first is asked for what no kind says is its own: it refuses that by name."""


def kind_of(value: object) -> AnyKind:
    """Of a Snapshot, a Change, a Plan or a Verdict."""
    found = next((kind for kind in REGISTRY if isinstance(value, kind.values)), None)
    if found is None:
        raise AssertionError(f"{type(value).__name__} is of no kind of group")
    return found


def kind_named(name: str) -> AnyKind:
    return next(kind for kind in REGISTRY if kind.name == name)


def without_state() -> list[str]:
    """The protocols of the kinds whose members keep no state."""
    return [kind.protocol for kind in REGISTRY if not kind.stateful]


def of_snapshot(document: object) -> AnyKind:
    return next((kind for kind in REGISTRY if kind.owns_snapshot(document)), REGISTRY[0])


def of_change(document: object) -> AnyKind:
    """By its events. One without events fits every kind."""
    return next((kind for kind in REGISTRY if kind.owns_change(document)), REGISTRY[0])


def of_plan(document: object) -> AnyKind:
    return next((kind for kind in REGISTRY if kind.owns_plan(document)), REGISTRY[0])


def kind_of_both(one: object, other: object, what: str) -> AnyKind:
    """Raise InvalidInput, which begins with `what`, for two values of different kinds of group."""
    kinds = kind_of(one), kind_of(other)
    if kinds[0] is not kinds[1]:
        raise InvalidInput(what.format(*(kind.words.group for kind in kinds)))
    return kinds[0]
