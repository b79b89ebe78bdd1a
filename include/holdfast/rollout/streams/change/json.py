"""The Change's JSON. Closed: a field or an event that is not known is refused, for it would be an order that nobody carries out."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.kafka.streams import config_check
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import INHERITED, FromOld, Then, Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS, MOST_PARTITIONS, event_from_json
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.json import contracts, kafka, strict
from holdfast.rollout.json.strict import Fields, nullable
from holdfast.rollout.streams.change.change import (
    AddClient,
    AddPartitions,
    Assume,
    CatchUp,
    Change,
    ClosedCopies,
    DormantCopies,
    Item,
    NewClient,
    RemoveClient,
    ReplaceClient,
    RestartClient,
    RollingRestart,
    SetConfig,
    SetRelease,
    SetThreads,
    SetTopology,
    StopApplication,
)
from holdfast.rollout.streams.snapshot.json import task_from_json

E = TypeVar("E", Wait, ClosedCopies, DormantCopies)


MOST_THREADS = 10_000


MOST_THREADS_AT_ALL = 200_000
"""A hundred clients of the largest kind, or all of a group of a thousand clients, twice."""
MOST_PARTITIONS_AT_ALL = 1_000_000
LONGEST_STOP = 1_000_000
FASTEST_RESTORE = 1e12

_INHERITED: str | FromOld | None = INHERITED
_INHERITED_TAGS: tuple[tuple[str, str], ...] | FromOld = INHERITED
_EMPTY_DISK: tuple[Disk, ProcessId | None] = (Disk.EMPTY, None)
_BY_DEFAULT: tuple[CatchUp, float | None, float] = (CatchUp.PROBING_REBALANCE, None, 0)


def change_from_json(value: object) -> Change:
    """Raise InvalidInput with every problem, or Unsupported for another major version. Whether it fits a group shows only there."""
    contracts.refuse_another(value, "Change")
    strict.refuse_secrets(value)
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    change = Change(
        events=fields.need("events", _events),
        assume=fields.optional("assume", assume_from_json, Assume()),
    )
    fields.finish(closed=True)
    return change


def _events(value: object) -> tuple[Item, ...]:
    found = len(strict.sequence(value))
    if found > MOST_EVENTS:
        raise InvalidInput(f"{found:,} events were found; {MOST_EVENTS:,} are allowed")
    events = strict.each(value, _event)
    threads, partitions = sum(map(_threads_of, events)), sum(map(_partitions_of, events))
    if threads > MOST_THREADS_AT_ALL:
        raise InvalidInput(f"the events start {threads:,} threads; {MOST_THREADS_AT_ALL:,} are allowed in one change")
    if partitions > MOST_PARTITIONS_AT_ALL:
        raise InvalidInput(f"the events come to {partitions:,} partitions; {MOST_PARTITIONS_AT_ALL:,} are allowed in one change")
    return events


def _threads_of(event: Item) -> int:
    match event:
        case AddClient(client) | ReplaceClient(by=client):
            return client.threads or 1
        case RestartClient(threads=threads) | SetThreads(threads=threads):
            return threads or 1
        case _:
            return 0


def _partitions_of(event: Item) -> int:
    return event.partitions if isinstance(event, AddPartitions) else len(event.tasks) if isinstance(event, SetTopology) else 0


def _event(value: object) -> Item:
    return event_from_json(value, READERS, lambda verb, known: f"the event {strict.shown(verb)} is unknown; known are: {known}")


def _add_client(value: object) -> AddClient:
    return AddClient(_new_client(value, replaces=False))


def _new_client(value: object, *, replaces: bool) -> NewClient:
    fields = Fields(value)
    absent = _INHERITED if replaces else None
    no_tags = _INHERITED_TAGS if replaces else ()
    may_leave_threads_out = replaces or fields.has("member_ids")
    threads = fields.optional("threads", nullable(_threads), None) if may_leave_threads_out else fields.need("threads", _threads)
    client = NewClient(
        process_id=fields.need("process_id", nullable(kafka.process_id)),
        threads=threads,
        host=fields.optional("host", _text_or_null, absent),
        rack=fields.optional("rack", _text_or_null, absent),
        client_tags=fields.optional("client_tags", kafka.string_map, no_tags),
        user_endpoint=fields.optional("user_endpoint", nullable(strict.text), None),
        member_ids=fields.optional("member_ids", nullable(_member_ids), None),
    )
    fields.finish(closed=True)
    if client.threads is None and client.member_ids is None and not replaces:
        raise InvalidInput("the field 'threads' is missing")
    _one_member_a_thread(client.member_ids, client.threads)
    return client


def _text_or_null(value: object) -> str | FromOld | None:
    return None if value is None else strict.text(value)


def _threads(value: object) -> int:
    return strict.integer(value, 1, MOST_THREADS)


def _member_ids(value: object) -> tuple[str, ...]:
    found = strict.each(value, strict.name)
    if not found:
        raise InvalidInput("one member ID a thread is needed, none was found")
    if len(dict.fromkeys(found)) < len(found):
        raise InvalidInput("a member ID stands twice")
    return found


def _one_member_a_thread(member_ids: tuple[str, ...] | None, threads: int | None) -> None:
    if member_ids is not None and threads is not None and len(member_ids) != threads:
        raise InvalidInput(f"one member ID a thread is needed ({threads}), {len(member_ids)} were found", "member_ids")


def _remove_client(value: object) -> RemoveClient:
    fields = Fields(value)
    event = RemoveClient(
        process_id=fields.need("process_id", kafka.process_id),
        leaves=fields.optional("leaves", nullable(strict.boolean), None),
    )
    fields.finish(closed=True)
    return event


def _set_threads(value: object) -> SetThreads:
    fields = Fields(value)
    event = SetThreads(
        process_id=fields.need("process_id", kafka.process_id),
        threads=fields.need("threads", _threads),
        member_ids=fields.optional("member_ids", nullable(_member_ids), None),
    )
    fields.finish(closed=True)
    return event


def _add_partitions(value: object) -> AddPartitions:
    fields = Fields(value)
    event = AddPartitions(
        topic=fields.need("topic", strict.name),
        partitions=fields.need("partitions", lambda count: strict.integer(count, 1, MOST_PARTITIONS)),
        changelogs_grown=fields.optional("changelogs_grown", strict.boolean, default=False),
    )
    fields.finish(closed=True)
    return event


def _set_topology(value: object) -> SetTopology:
    fields = Fields(value)
    tasks = fields.need("tasks", lambda found: strict.each_entry(found, task_from_json))
    keeps_state = fields.optional("keeps_state", strict.boolean, default=True)
    fields.finish(closed=True)
    event = SetTopology(tuple(sorted(tasks, key=lambda task: task.id)), keeps_state)
    if not tasks or any(task.changelogs is None for task in tasks):
        raise InvalidInput("one task or more is needed, each with a list of changelogs; it is empty for a stateless task", "tasks")
    return event


def _stop_application(value: object) -> StopApplication:
    fields = Fields(value)
    event = StopApplication(fields.need("minutes", _minutes))
    fields.finish(closed=True)
    return event


def _minutes(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LONGEST_STOP:
        raise strict.mismatch(f"a number of minutes above 0, at most {LONGEST_STOP:,}", value)
    return value


def _replace_client(value: object) -> ReplaceClient:
    fields = Fields(value)
    disk, copied_from = fields.optional("state", _disk, _EMPTY_DISK)
    event = ReplaceClient(
        process_id=fields.need("process_id", kafka.process_id),
        by=fields.need("by", lambda client: _new_client(client, replaces=True)),
        disk=disk,
        copied_from=copied_from,
        late=fields.optional("late", strict.boolean, default=False),
    )
    fields.finish(closed=True)
    return event


def _disk(value: object) -> tuple[Disk, ProcessId | None]:
    if value in (Disk.EMPTY.value, Disk.KEPT.value):
        return Disk(strict.text(value)), None
    if not isinstance(value, dict):
        raise strict.mismatch('"empty", "kept" or {"copied_from": "<process id>"}', value)
    fields = Fields(value)
    source = fields.need("copied_from", kafka.process_id)
    fields.finish(closed=True)
    return Disk.COPIED, source


def _restart_client(value: object) -> RestartClient:
    fields = Fields(value)
    event = RestartClient(
        process_id=fields.need("process_id", kafka.process_id),
        keeps_process_id=fields.optional("keeps_process_id", strict.boolean, default=True),
        new_process_id=fields.optional("new_process_id", nullable(kafka.process_id), None),
        keeps_state=fields.optional("keeps_state", strict.boolean, default=True),
        threads=fields.optional("threads", nullable(_threads), None),
        member_ids=fields.optional("member_ids", nullable(_member_ids), None),
        within_session=fields.optional("within_session", nullable(strict.boolean), None),
        late=fields.optional("late", strict.boolean, default=False),
    )
    fields.finish(closed=True)
    if event.keeps_process_id and event.new_process_id not in (None, event.process_id):
        raise InvalidInput("a client that keeps its process ID takes no new one: set keeps_process_id to false", "new_process_id")
    _one_member_a_thread(event.member_ids, event.threads)
    _refuse_late_in_time(event)
    return event


def _refuse_late_in_time(event: RestartClient | RollingRestart) -> None:
    if event.late and event.within_session:
        raise InvalidInput("a client returns within its session or late, not both: leave one of them out", "late")


def _rolling_restart(value: object) -> RollingRestart:
    fields = Fields(value)
    plain = RollingRestart()
    event = RollingRestart(
        process_ids=fields.optional("process_ids", nullable(_process_ids), None),
        at_once=fields.optional("at_once", lambda count: strict.integer(count, 1, MOST_EVENTS), plain.at_once),
        wait=fields.optional("wait", lambda wait: _one_of(Wait, wait), plain.wait),
        keeps_process_id=fields.optional("keeps_process_id", strict.boolean, plain.keeps_process_id),
        keeps_state=fields.optional("keeps_state", strict.boolean, plain.keeps_state),
        settings=fields.optional("set_config", lambda settings: _set_config(settings).settings, ()),
        kafka_release=fields.optional("kafka_release", nullable(strict.name), None),
        within_session=fields.optional("within_session", nullable(strict.boolean), None),
        late=fields.optional("late", strict.boolean, default=False),
    )
    fields.finish(closed=True)
    _refuse_late_in_time(event)
    return event


def _process_ids(value: object) -> tuple[ProcessId, ...]:
    found = strict.each(value, kafka.process_id)
    if not found:
        raise InvalidInput("one process ID or more is needed, none was found; leave the field out for all clients")
    if len(dict.fromkeys(found)) < len(found):
        raise InvalidInput("a process ID stands twice")
    return found


def _set_config(value: object) -> SetConfig:
    settings = kafka.config(value)
    if not settings:
        raise InvalidInput("one setting or more is needed, none was found")
    config_check.refuse_secrets(dict(settings))
    return SetConfig(settings)


def _set_release(value: object) -> SetRelease:
    fields = Fields(value)
    event = SetRelease(fields.need("kafka_release", strict.name))
    fields.finish(closed=True)
    return event


def _then(value: object) -> Then:
    return Then(_one_of(Wait, value))


def _one_of(kind: type[E], value: object) -> E:
    try:
        return kind(strict.text(value))
    except ValueError:
        raise strict.mismatch(" or ".join(f'"{one}"' for one in kind), value) from None


READERS: Mapping[str, Callable[[object], Item]] = {
    "add_client": _add_client,
    "add_partitions": _add_partitions,
    "remove_client": _remove_client,
    "replace_client": _replace_client,
    "restart_client": _restart_client,
    "rolling_restart": _rolling_restart,
    "set_config": _set_config,
    "set_release": _set_release,
    "set_threads": _set_threads,
    "set_topology": _set_topology,
    "stop_application": _stop_application,
    "then": _then,
}


def assume_from_json(value: object) -> Assume:
    fields = Fields(value)
    catch_up, rate, growth = fields.optional("catch_up", _catch_up, _BY_DEFAULT)
    assume = Assume(
        catch_up=catch_up,
        records_per_second=rate,
        grows_per_second=growth,
        closed_copies=fields.optional("closed_copies", lambda found: _one_of(ClosedCopies, found), ClosedCopies.AS_RELEASED),
        dormant_copies=fields.optional("dormant_copies", lambda found: _one_of(DormantCopies, found), DormantCopies.KEPT),
    )
    fields.finish(closed=True)
    return assume


def _catch_up(value: object) -> tuple[CatchUp, float | None, float]:
    if value in (CatchUp.PROBING_REBALANCE.value, CatchUp.NEXT_REBALANCE.value):
        return CatchUp(strict.text(value)), None, 0
    if not isinstance(value, dict):
        raise strict.mismatch('"probing rebalance", "next rebalance" or {"records_per_second": N}', value)
    fields = Fields(value)
    rate = fields.need("records_per_second", _rate)
    growth = fields.optional("grows_per_second", _growth, 0.0)
    fields.finish(closed=True)
    return CatchUp.RATE, rate, growth


def _growth(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= FASTEST_RESTORE:
        raise strict.mismatch("a number of records, 0 or more", value)
    return value


def _rate(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= FASTEST_RESTORE:
        raise strict.mismatch("a number of records above 0", value)
    return value
