"""The Change's JSON. Closed: a field or an event that is not known is refused, for it would be an order that nobody carries out."""

from collections.abc import Callable, Mapping
from typing import TypeVar, assert_never

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.change import (
    INHERITED,
    AddClient,
    Assume,
    CatchUp,
    Change,
    ClosedCopies,
    Disk,
    DormantCopies,
    FromOld,
    Item,
    NewClient,
    RemoveClient,
    ReplaceClient,
    RestartClient,
    RollingRestart,
    SetConfig,
    SetRelease,
    Then,
    Wait,
)
from holdfast.rollout.codec import document, kafka, kinds
from holdfast.rollout.codec.document import Fields, nullable

E = TypeVar("E", Wait, ClosedCopies, DormantCopies)

MOST_EVENTS = 10_000
MOST_THREADS = 10_000
FASTEST_RESTORE = 1e12

_INHERITED: str | FromOld | None = INHERITED
_INHERITED_TAGS: tuple[tuple[str, str], ...] | FromOld = INHERITED
_EMPTY_DISK: tuple[Disk, ProcessId | None] = (Disk.EMPTY, None)
_BY_DEFAULT: tuple[CatchUp, float | None] = (CatchUp.PROBING_REBALANCE, None)


def change_from_json(value: object) -> Change:
    """Raise InvalidInput with every problem, or Unsupported for another major version. Whether it fits a group shows only there."""
    kinds.refuse_another(value, "Change")
    fields = Fields(value)
    fields.need("format_version", document.format_version)
    change = Change(
        events=fields.need("events", _events),
        assume=fields.optional("assume", assume_from_json, Assume()),
    )
    fields.finish(closed=True)
    return change


def _events(value: object) -> tuple[Item, ...]:
    events = document.each(value, _event)
    if len(events) > MOST_EVENTS:
        raise InvalidInput(f"{len(events):,} events were found; {MOST_EVENTS:,} are allowed")
    return events


def _event(value: object) -> Item:
    verbs = document.mapping(value)
    known = ", ".join(_READERS)
    if len(verbs) != 1:
        found = ", ".join(document.shown(verb) for verb in verbs) or "none"
        raise InvalidInput(f"an event has one verb ({known}); found: {found}")
    (verb, content), *_ = verbs.items()
    if verb not in _READERS:
        raise InvalidInput(f"the event {document.shown(verb)} is unknown; known are: {known}")
    try:
        return _READERS[verb](content)
    except InvalidInput as problem:
        document.refuse(document.under(verb, problem))
        raise


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
        user_endpoint=fields.optional("user_endpoint", nullable(document.text), None),
        member_ids=fields.optional("member_ids", nullable(_member_ids), None),
    )
    fields.finish(closed=True)
    if client.threads is None and client.member_ids is None and not replaces:
        raise InvalidInput("the field 'threads' is missing")
    _one_member_a_thread(client.member_ids, client.threads)
    return client


def _text_or_null(value: object) -> str | FromOld | None:
    return None if value is None else document.text(value)


def _threads(value: object) -> int:
    return document.integer(value, 1, MOST_THREADS)


def _member_ids(value: object) -> tuple[str, ...]:
    found = document.each(value, document.name)
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
    event = RemoveClient(fields.need("process_id", kafka.process_id))
    fields.finish(closed=True)
    return event


def _replace_client(value: object) -> ReplaceClient:
    fields = Fields(value)
    disk, copied_from = fields.optional("state", _disk, _EMPTY_DISK)
    event = ReplaceClient(
        process_id=fields.need("process_id", kafka.process_id),
        by=fields.need("by", lambda client: _new_client(client, replaces=True)),
        disk=disk,
        copied_from=copied_from,
    )
    fields.finish(closed=True)
    return event


def _disk(value: object) -> tuple[Disk, ProcessId | None]:
    if value in (Disk.EMPTY.value, Disk.KEPT.value):
        return Disk(document.text(value)), None
    if not isinstance(value, dict):
        raise document.mismatch('"empty", "kept" or {"copied_from": "<process id>"}', value)
    fields = Fields(value)
    source = fields.need("copied_from", kafka.process_id)
    fields.finish(closed=True)
    return Disk.COPIED, source


def _restart_client(value: object) -> RestartClient:
    fields = Fields(value)
    event = RestartClient(
        process_id=fields.need("process_id", kafka.process_id),
        keeps_process_id=fields.optional("keeps_process_id", document.boolean, default=True),
        new_process_id=fields.optional("new_process_id", nullable(kafka.process_id), None),
        keeps_state=fields.optional("keeps_state", document.boolean, default=True),
        threads=fields.optional("threads", nullable(_threads), None),
        member_ids=fields.optional("member_ids", nullable(_member_ids), None),
    )
    fields.finish(closed=True)
    if event.keeps_process_id and event.new_process_id not in (None, event.process_id):
        raise InvalidInput("a client that keeps its process ID takes no new one: set keeps_process_id to false", "new_process_id")
    _one_member_a_thread(event.member_ids, event.threads)
    return event


def _rolling_restart(value: object) -> RollingRestart:
    fields = Fields(value)
    plain = RollingRestart()
    event = RollingRestart(
        process_ids=fields.optional("process_ids", nullable(_process_ids), None),
        at_once=fields.optional("at_once", lambda count: document.integer(count, 1, MOST_EVENTS), plain.at_once),
        wait=fields.optional("wait", lambda wait: _one_of(Wait, wait), plain.wait),
        keeps_process_id=fields.optional("keeps_process_id", document.boolean, plain.keeps_process_id),
        keeps_state=fields.optional("keeps_state", document.boolean, plain.keeps_state),
    )
    fields.finish(closed=True)
    return event


def _process_ids(value: object) -> tuple[ProcessId, ...]:
    found = document.each(value, kafka.process_id)
    if not found:
        raise InvalidInput("one process ID or more is needed, none was found; leave the field out for all clients")
    if len(dict.fromkeys(found)) < len(found):
        raise InvalidInput("a process ID stands twice")
    return found


def _set_config(value: object) -> SetConfig:
    settings = kafka.config(value)
    if not settings:
        raise InvalidInput("one setting or more is needed, none was found")
    return SetConfig(settings)


def _set_release(value: object) -> SetRelease:
    fields = Fields(value)
    event = SetRelease(fields.need("kafka_release", document.name))
    fields.finish(closed=True)
    return event


def _then(value: object) -> Then:
    return Then(_one_of(Wait, value))


def _one_of(kind: type[E], value: object) -> E:
    try:
        return kind(document.text(value))
    except ValueError:
        raise document.mismatch(" or ".join(f'"{one}"' for one in kind), value) from None


_READERS: Mapping[str, Callable[[object], Item]] = {
    "add_client": _add_client,
    "remove_client": _remove_client,
    "replace_client": _replace_client,
    "restart_client": _restart_client,
    "rolling_restart": _rolling_restart,
    "set_config": _set_config,
    "set_release": _set_release,
    "then": _then,
}


def assume_from_json(value: object) -> Assume:
    fields = Fields(value)
    catch_up, rate = fields.optional("catch_up", _catch_up, _BY_DEFAULT)
    assume = Assume(
        catch_up=catch_up,
        records_per_second=rate,
        closed_copies=fields.optional("closed_copies", lambda found: _one_of(ClosedCopies, found), ClosedCopies.AS_RELEASED),
        dormant_copies=fields.optional("dormant_copies", lambda found: _one_of(DormantCopies, found), DormantCopies.KEPT),
    )
    fields.finish(closed=True)
    return assume


def _catch_up(value: object) -> tuple[CatchUp, float | None]:
    if value in (CatchUp.PROBING_REBALANCE.value, CatchUp.NEXT_REBALANCE.value):
        return CatchUp(document.text(value)), None
    if not isinstance(value, dict):
        raise document.mismatch('"probing rebalance", "next rebalance" or {"records_per_second": N}', value)
    fields = Fields(value)
    rate = fields.need("records_per_second", _rate)
    fields.finish(closed=True)
    return CatchUp.RATE, rate


def _rate(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= FASTEST_RESTORE:
        raise document.mismatch("a number of records above 0", value)
    return value


# Writing.


def change_to_json(change: Change) -> dict[str, object]:
    """The canonical form: what is as by default is left out."""
    written: dict[str, object] = {
        "format_version": document.FORMAT_VERSION,
        "events": [_event_to_json(item) for item in change.events],
    }
    return written if change.assume == Assume() else written | {"assume": assume_to_json(change.assume)}


def assume_to_json(assume: Assume) -> dict[str, object]:
    rate = assume.records_per_second
    return {
        "catch_up": str(assume.catch_up) if assume.catch_up is not CatchUp.RATE else {str(CatchUp.RATE): rate},
        "closed_copies": str(assume.closed_copies),
        "dormant_copies": str(assume.dormant_copies),
    }


def _event_to_json(item: Item) -> dict[str, object]:
    match item:
        case AddClient(client):
            return {"add_client": _new_client_to_json(client)}
        case RemoveClient(process_id):
            return {"remove_client": {"process_id": str(process_id)}}
        case ReplaceClient():
            state: object = {"copied_from": str(item.copied_from)} if item.disk is Disk.COPIED else str(item.disk)
            return {"replace_client": {"process_id": str(item.process_id), "by": _new_client_to_json(item.by), "state": state}}
        case RestartClient():
            return {"restart_client": _restart_to_json(item)}
        case RollingRestart():
            return {"rolling_restart": _rolling_to_json(item)}
        case SetConfig(settings):
            return {"set_config": kafka.config_to_json(settings)}
        case SetRelease(kafka_release):
            return {"set_release": {"kafka_release": kafka_release}}
        case Then(wait):
            return {"then": str(wait)}
        case _:
            assert_never(item)


def _new_client_to_json(client: NewClient) -> Mapping[str, object]:
    written: dict[str, object] = {"process_id": None if client.process_id is None else str(client.process_id)}
    if client.threads is not None:
        written["threads"] = client.threads
    if not isinstance(client.host, FromOld):
        written["host"] = client.host
    if not isinstance(client.rack, FromOld):
        written["rack"] = client.rack
    if not isinstance(client.client_tags, FromOld):
        written["client_tags"] = dict(client.client_tags)
    if client.user_endpoint is not None:
        written["user_endpoint"] = client.user_endpoint
    if client.member_ids is not None:
        written["member_ids"] = list(client.member_ids)
    return written


def _restart_to_json(event: RestartClient) -> Mapping[str, object]:
    written: dict[str, object] = {
        "process_id": str(event.process_id),
        "keeps_process_id": event.keeps_process_id,
        "keeps_state": event.keeps_state,
    }
    if not event.keeps_process_id:
        written["new_process_id"] = None if event.new_process_id is None else str(event.new_process_id)
    if event.threads is not None:
        written["threads"] = event.threads
    if event.member_ids is not None:
        written["member_ids"] = list(event.member_ids)
    return written


def _rolling_to_json(event: RollingRestart) -> Mapping[str, object]:
    return {
        "process_ids": None if event.process_ids is None else [str(process_id) for process_id in event.process_ids],
        "at_once": event.at_once,
        "wait": str(event.wait),
        "keeps_process_id": event.keeps_process_id,
        "keeps_state": event.keeps_state,
    }
