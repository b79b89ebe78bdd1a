"""Steps that people do, one for each event of a change, with waits between them, for every kind of group."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from holdfast.kafka import java
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.batches_json import Verbal
from holdfast.rollout.json.codec import Codec, integer
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.record_codec import Record
from holdfast.rollout.json.unions import tagged

WAIT_AT_LEAST_S = 600
E = TypeVar("E", bound=Verbal)


@dataclass(frozen=True, slots=True)
class StepWords:
    """What is done, what holds before, how it is undone; and what the operator sees after it. `command` does it, and
    `check_command` shows it: for a shell; empty where there is none."""

    says: str
    before: str
    undo: str
    after: str = "It is in the group's member list."
    command: str = ""
    check_command: str = ""


@record
class _Limit:
    limit_s: int = member(integer(1, java.INT_MAX))


def _wait(wait: Wait) -> Codec[Any]:
    """How long to wait is the same for all."""
    return codec_of(_Limit).to(lambda _: Then(wait), lambda _: _Limit(WAIT_AT_LEAST_S))


def action(events: Callable[[], tuple[type[E], ...]]) -> Record[E | Then]:
    """What a step does, to be `spread` in its record: an event by its verb, or a wait. `events`: the table of the kind of group."""

    def items() -> Mapping[str, Codec[Any]]:
        return {**{event.VERB: event.codec() for event in events()}, **{f"await_{wait}": _wait(wait) for wait in Wait}}

    def verb(item: E | Then) -> str:
        return f"await_{item.wait}" if isinstance(item, Then) else item.VERB

    return tagged("action", "inputs", items, verb)


def waiting_last(events: tuple[E | Then, ...]) -> tuple[E | Then, ...]:
    """With a wait for a stable group at the end, where there is none."""
    return events if not events or isinstance(events[-1], Then) else (*events, Then(Wait.STABLE))
