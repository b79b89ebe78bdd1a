"""Fields that several events have: their codecs, and what no field shows alone."""

from collections.abc import Mapping
from typing import Any, TypeVar

from holdfast.errors import InvalidInput
from holdfast.kafka.streams import config_check
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches_json import WAIT as WAITS
from holdfast.rollout.json import kafka, shapes
from holdfast.rollout.json.codec import BOOLEAN, NAMES, Codec, nullable
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG, PROCESS_ID
from holdfast.rollout.json.record_codec import Record
from holdfast.rollout.json.shapes import Shape
from holdfast.rollout.streams.snapshot.named_clients import Known

T = TypeVar("T")
Settings = tuple[tuple[str, ConfigValue], ...]


def _one_a_thread(named: tuple[str, ...]) -> None:
    if not named:
        raise InvalidInput("one member ID a thread is needed, none was found")
    if len(dict.fromkeys(named)) < len(named):
        raise InvalidInput("a member ID is given twice")


def _set_openly(settings: Settings) -> None:
    if not settings:
        raise InvalidInput("one setting or more is needed, none was found")
    config_check.refuse_secrets(dict(settings))


MEMBER_IDS = nullable(NAMES.checked(_one_a_thread).shaped(shapes.items(shapes.name(), at_least=1))).described("One a thread.")
NEW_ID = nullable(PROCESS_ID).described("Null: a fresh random one.")
WAIT = WAITS.described("What follows waits for this.")
SETTINGS: Codec[Settings] = CONFIG.checked(_set_openly).shaped(shapes.table(shapes.name(), shapes.CONFIG_VALUE, at_least=1))
WITHIN_SESSION = nullable(BOOLEAN).described(
    "True: static members return before their sessions time out, without a rebalance. Null: a Forecast counts the rebalance, a Plan"
    " takes static members to return in time."
)
LATE = BOOLEAN.described(
    "True: it is away for longer than its session lasts: the group rebalances without it, and when it is back."
)


def one_member_a_thread(named: tuple[str, ...] | None, count: int | None) -> None:
    if named is not None and count is not None and len(named) != count:
        raise InvalidInput(f"one member ID a thread is needed ({count}), {len(named)} were found", "member_ids")


def not_late_in_time(*, late: bool, within_session: bool | None) -> None:
    if late and within_session:
        raise InvalidInput("a client returns within its session or late, not both: leave one of them out", "late")


# Before it is checked: for names.


def unchecked_id(value: object) -> ProcessId | None:
    try:
        return kafka.process_id(value)
    except InvalidInput:
        return None


def unchecked_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def without(present: list[Known], content: Mapping[str, object]) -> list[Known]:
    """Who is left once the client `process_id` is gone."""
    old = unchecked_id(content.get("process_id"))
    return [one for one in present if one.process_id != old]


# Clients by name: in the schema only, for names are resolved before an event is read (`named_json`).

NAMED = shapes.name(
    "A client by its host or pod, its client ID, its group.instance.id, or 4 or more digits that one process ID begins with."
)


def named(codec: Codec[T]) -> Codec[T]:
    """An event with a client: by its process ID, or by name in the place of that."""
    assert isinstance(codec, Record), "only an object has fields"

    def shape() -> Shape:
        need, may = codec.need(), codec.may()
        by_id = {"process_id": need.pop("process_id"), "client": NAMED}
        either = {"oneOf": [{"required": ["process_id"]}, {"required": ["client"]}]}
        return codec.shape() | {"required": list(need), "properties": need | by_id | may} | either

    return Codec(codec.read, codec.write, shape)


def all_named(codec: Codec[T]) -> Codec[T]:
    """An event with clients: by `process_ids`, its first field, or by name in the place of those."""
    assert isinstance(codec, Record), "only an object has fields"

    def shape() -> Shape:
        whole: dict[str, Any] = codec.shape()
        by_id = {"process_ids": whole["properties"].pop("process_ids")}
        by_name = {"clients": shapes.items(NAMED, "In the place of `process_ids`.", at_least=1)}
        return whole | {"properties": by_id | by_name | whole["properties"]}

    return Codec(codec.read, codec.write, shape)
