"""The JSON of an Assignment: the leader's decision in one rebalance, or its failure. They must equal Kafka's and know none."""

from collections.abc import Iterable
from typing import NamedTuple, cast

from holdfast.kafka import java
from holdfast.kafka.streams.group import (
    About,
    Assignment,
    ClientAssignment,
    ConsumerAssignment,
    Doubt,
    LeaderFailure,
    NextRebalance,
    UndeterminedTask,
)
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.codec import BOOLEAN, NAME, NAMES, TEXT, Codec, either, integer, items
from holdfast.rollout.json.kafka_codecs import PROCESS_ID, PROCESS_IDS, TASK_ID, TASK_IDS
from holdfast.rollout.json.record import key, keyed, member, record_of
from holdfast.rollout.json.unions import where_there


def _sorted(tasks: Iterable[TaskId]) -> list[str]:
    return kafka.task_ids_to_json(sorted(tasks)) if tasks else []


_TASKS: Codec[tuple[TaskId, ...]] = Codec(TASK_IDS.read, _sorted, TASK_IDS.shape)
_CLIENT = record_of(ClientAssignment, closed=False, process_id=key(PROCESS_ID), active=member(_TASKS), standby=member(_TASKS))
_CONSUMER = record_of(
    ConsumerAssignment,
    closed=False,
    member_id=key(NAME),
    active=member(_TASKS),
    standby=member(_TASKS),
    withheld=member(_TASKS),
    next_rebalance=member(either(NextRebalance, "none, immediate, probing or unknown")),
)


class _Clients(NamedTuple):
    standby: tuple[ProcessId, ...] = ()


class _Consumers(NamedTuple):
    active: tuple[str, ...] = ()
    standby: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


class _Places(NamedTuple):
    """An undetermined task as its JSON has it: by level and role, only where there is any."""

    id: TaskId
    clients: _Clients
    consumers: _Consumers


_PLACES = record_of(
    _Places,
    closed=False,
    about="Other possible owners of a task: Kafka itself chooses at random.",
    id=key(TASK_ID),
    clients=member(
        record_of(_Clients, closed=False, standby=member(PROCESS_IDS, default=(), omit=True)), default=_Clients(), omit=True
    ),
    consumers=member(
        record_of(
            _Consumers,
            closed=False,
            active=member(NAMES, default=(), omit=True),
            standby=member(NAMES, default=(), omit=True),
            withheld=member(NAMES, default=(), omit=True),
        ),
        default=_Consumers(),
        omit=True,
    ),
)


def _undetermined(found: tuple[_Places, ...]) -> tuple[UndeterminedTask, ...]:
    return tuple(UndeterminedTask(task, clients.standby, *consumers) for task, clients, consumers in found)


def _places(tasks: tuple[UndeterminedTask, ...]) -> tuple[_Places, ...]:
    return tuple(
        _Places(
            one.id,
            _Clients(one.standby_clients),
            _Consumers(one.active_consumers, one.standby_consumers, one.withheld_consumers),
        )
        for one in tasks
    )


_DECIDED = record_of(
    Assignment,
    closed=False,
    version=strict.FORMAT_VERSION,
    probing_rebalance_needed=member(BOOLEAN),
    clients=member(keyed(_CLIENT)),
    consumers=member(keyed(_CONSUMER)),
    undetermined_tasks=member(keyed(_PLACES).to(_undetermined, _places), default=(), omit=True),
    undetermined=member(
        items(TEXT.to(lambda text: Doubt(About.NOT_SAID, text), lambda doubt: doubt.text)), name="unknown", default=(), omit=True
    ),
)
_FAILED = record_of(
    LeaderFailure,
    closed=False,
    version=strict.FORMAT_VERSION,
    either=("error", "error_code"),
    error=member(TEXT, absent="", omit=lambda failure: failure.error_code is not None),
    error_code=member(integer(0, java.INT_MAX), default=None, omit=True),
)
ASSIGNMENT = where_there(
    ("error", "error_code"),
    LeaderFailure,
    _FAILED,
    _DECIDED,
    "What the leader decides in one rebalance; `error` or `error_code` where it would fail.",
)


def assignment_to_json(decision: Assignment | LeaderFailure) -> dict[str, object]:
    """A failing leader is `error`, or `error_code` where it would answer every client with one. `unknown` only when there is
    any."""
    return cast("dict[str, object]", ASSIGNMENT.write(decision))


def assignment_from_json(value: object) -> Assignment | LeaderFailure:
    """The inverse. Raise InvalidInput, or Unsupported for another major version."""
    return ASSIGNMENT.read(value)
