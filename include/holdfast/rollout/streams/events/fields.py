"""Fields that several events have: how each is read, and its JSON Schema."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.batches_json import MOST_THREADS
from holdfast.rollout.json import kafka, shapes, strict
from holdfast.rollout.json.shapes import PROCESS_ID, Shape, closed, items, nullable
from holdfast.rollout.streams.snapshot.named_clients import Known

E = TypeVar("E", bound=StrEnum)

# Readers.


def threads(value: object) -> int:
    return strict.integer(value, 1, MOST_THREADS)


def member_ids(value: object) -> tuple[str, ...]:
    found = strict.each(value, strict.name)
    if not found:
        raise InvalidInput("one member ID a thread is needed, none was found")
    if len(dict.fromkeys(found)) < len(found):
        raise InvalidInput("a member ID is given twice")
    return found


def one_member_a_thread(named: tuple[str, ...] | None, count: int | None) -> None:
    if named is not None and count is not None and len(named) != count:
        raise InvalidInput(f"one member ID a thread is needed ({count}), {len(named)} were found", "member_ids")


def not_late_in_time(*, late: bool, within_session: bool | None) -> None:
    if late and within_session:
        raise InvalidInput("a client returns within its session or late, not both: leave one of them out", "late")


def one_of(kind: type[E], value: object) -> E:
    try:
        return kind(strict.text(value))
    except ValueError:
        raise strict.mismatch(" or ".join(f'"{one}"' for one in kind), value) from None


# Before it is checked: for names.


def unchecked_id(value: object) -> ProcessId | None:
    try:
        return kafka.process_id(value)
    except InvalidInput:
        return None


def unchecked_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def without(there: list[Known], content: Mapping[str, object]) -> list[Known]:
    """Who is left once the client `process_id` is gone."""
    old = unchecked_id(content.get("process_id"))
    return [one for one in there if one.process_id != old]


# Shapes.

MEMBER_IDS = nullable(items(shapes.name(), at_least=1), "One a thread.")
NEW_ID = nullable(PROCESS_ID, "Null: a fresh random one.")
WAIT = shapes.one_of(Wait, "What follows waits for this.")
SETTINGS = shapes.table(shapes.name(), shapes.CONFIG_VALUE, at_least=1)
NAMED = shapes.name(
    "A client by its host or pod, its client ID, its group.instance.id, or 4 or more digits that one process ID begins with."
)
WITHIN_SESSION = nullable(
    shapes.boolean(),
    "True: static members return before their sessions time out, without a rebalance. Null: a Forecast counts the rebalance, a Plan"
    " takes static members to return in time.",
)
LATE = shapes.boolean("True: it is away for longer than its session lasts: the group rebalances without it, and when it is back.")
BACK: Mapping[str, object] = {"keeps_process_id": True, "keeps_state": True, "within_session": None, "late": False}
"""The defaults of a restart."""


def of_a_client(required: dict[str, Shape], optional: dict[str, Shape]) -> Shape:
    """An event with a client: by its process ID, or by name in the place of that."""
    return closed(required, {"process_id": PROCESS_ID, "client": NAMED} | optional) | {
        "oneOf": [{"required": ["process_id"]}, {"required": ["client"]}]
    }
