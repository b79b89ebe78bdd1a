"""A client that joins, added or in the place of another one: its value, its JSON, its words, and what it is in a scene."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import INHERITED, FromOld
from holdfast.rollout.json import kafka, shapes, strict
from holdfast.rollout.json.shapes import closed, nullable, table
from holdfast.rollout.json.strict import Fields
from holdfast.rollout.streams.events import fields as shared
from holdfast.rollout.streams.events import members
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.scene.static_members import all_static
from holdfast.rollout.text.asking import short
from holdfast.rollout.text.wording import many

T = TypeVar("T")
_INHERITED: str | FromOld | None = INHERITED
_INHERITED_TAGS: tuple[tuple[str, str], ...] | FromOld = INHERITED


@dataclass(frozen=True, slots=True)
class NewClient:
    """A client that joins. `process_id` None: a fresh random one. `threads` None: one a member ID, or as the replaced client."""

    process_id: ProcessId | None
    threads: int | None
    host: str | FromOld | None = INHERITED
    rack: str | FromOld | None = INHERITED
    client_tags: tuple[tuple[str, str], ...] | FromOld = INHERITED
    user_endpoint: str | FromOld | None = None
    member_ids: tuple[str, ...] | None = None


# JSON.

SHAPE = closed(
    {"process_id": shared.NEW_ID},
    {
        "threads": nullable(shapes.THREADS),
        "host": nullable(shapes.text()),
        "rack": nullable(shapes.text()),
        "client_tags": table(shapes.name(), shapes.text()),
        "user_endpoint": nullable(shapes.text()),
        "member_ids": shared.MEMBER_IDS,
    },
)
DEFAULTS: Mapping[str, object] = {"threads": None, "user_endpoint": None, "member_ids": None}


def from_json(value: object, *, replaces: bool) -> NewClient:
    fields = Fields(value)
    absent = _INHERITED if replaces else None
    no_tags = _INHERITED_TAGS if replaces else ()
    may_leave_out = replaces or fields.has("member_ids")
    maybe_threads = strict.nullable(shared.threads)
    threads = fields.optional("threads", maybe_threads, None) if may_leave_out else fields.need("threads", shared.threads)
    client = NewClient(
        process_id=fields.need("process_id", strict.nullable(kafka.process_id)),
        threads=threads,
        host=fields.optional("host", _text_or_null, absent),
        rack=fields.optional("rack", _text_or_null, absent),
        client_tags=fields.optional("client_tags", kafka.string_map, no_tags),
        user_endpoint=fields.optional("user_endpoint", strict.nullable(strict.text), None),
        member_ids=fields.optional("member_ids", strict.nullable(shared.member_ids), None),
    )
    fields.finish(closed=True)
    if client.threads is None and client.member_ids is None and not replaces:
        raise InvalidInput("the field 'threads' is missing")
    shared.one_member_a_thread(client.member_ids, client.threads)
    return client


def _text_or_null(value: object) -> str | FromOld | None:
    return None if value is None else strict.text(value)


def to_json(client: NewClient) -> Mapping[str, object]:
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


# In words.


def given(client: NewClient) -> str:
    """What is to be so of a new client; its host is said elsewhere, and what it takes over is not said."""
    found = [] if client.process_id is None else [f"process ID {client.process_id}"]
    found += [] if client.threads is None else [many(client.threads, "thread")]
    found += [f"{what} {value}" for what, value in (("rack", client.rack), ("endpoint", client.user_endpoint)) if _said(value)]
    if not isinstance(client.client_tags, FromOld) and client.client_tags:
        found.append("tags " + ", ".join(f"{key}={value}" for key, value in client.client_tags))
    found += [f"member IDs {', '.join(client.member_ids)}"] if client.member_ids else []
    return f" ({', '.join(found)})" if found else ""


def at_host(client: NewClient) -> str:
    return f" on {client.host}" if _said(client.host) and client.host else ""


def short_host(client: NewClient) -> str:
    return short(client.host) if isinstance(client.host, str) and not isinstance(client.host, FromOld) else ""


def _said(value: str | FromOld | None) -> bool:
    return isinstance(value, str) and not isinstance(value, FromOld)


# In a scene.


def made(scene: Scene, new: NewClient, old: Client | None, disk: members.OffsetSums) -> Client:
    """The client that `new` describes, as it joins."""
    assert new.process_id is not None, "random IDs are drawn before"
    threads = new.threads
    if threads is None:
        like = new.member_ids or (old.consumers if old is not None else ())
        assert like, "only a replacement, or a client with member IDs, may leave its threads out"
        threads = len(like)
    member_ids = new.member_ids or members.member_ids_of(scene.group_id, new.process_id, threads)
    if len(member_ids) != threads:
        raise InvalidInput(f"one member ID a thread is needed ({threads}), {len(member_ids)} were found", "member_ids")
    members.refuse_members_present(scene, member_ids)
    instance = members.ITS_OWN if all_static(scene.clients) else None
    return Client(
        process_id=new.process_id,
        consumers=members.with_disk(members.new_members(member_ids, instance), disk),
        host=_inherited(new.host, old.host if old else None),
        rack=_inherited(new.rack, old.rack if old else None),
        client_tags=_inherited(new.client_tags, old.client_tags if old else ()),
        user_endpoint=_inherited(new.user_endpoint, old.user_endpoint if old else None),
    )


def _inherited(given: T | FromOld, inherited: T) -> T:
    return inherited if isinstance(given, FromOld) else given
