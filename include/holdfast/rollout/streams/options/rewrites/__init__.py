"""The Change that an option makes of the operator's. Each function returns None where the option does not apply."""

from collections.abc import Callable
from dataclasses import replace

from holdfast.rollout.contract.batches import Then
from holdfast.rollout.streams.change.change import Change, Item
from holdfast.rollout.streams.events.event import Statement
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

Rewrite = Callable[[Snapshot, Change], Change | None]


def as_it_is(snapshot: Snapshot, change: Change) -> Change | None:  # noqa: ARG001 - every rewrite takes both
    return change


def each_statement(change: Change, rewrite: Callable[[Statement], Statement]) -> Change | None:
    """As `each_event`; markers stay."""
    return each_event(change, lambda item: item if isinstance(item, Then) else rewrite(item))


def each_event(change: Change, rewrite: Callable[[Item], Item]) -> Change | None:
    """None where nothing would be different."""
    rewritten = replace(change, events=tuple(rewrite(item) for item in change.events))
    return None if rewritten == change else rewritten
