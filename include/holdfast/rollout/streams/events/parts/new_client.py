"""A client that joins, added or in the place of another one: its value, its JSON, its words, and what it is in a scene."""

from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import INHERITED, FromOld
from holdfast.rollout.json.codec import TEXT, nullable
from holdfast.rollout.json.kafka_codecs import STRING_MAP, THREADS
from holdfast.rollout.json.record import member, record, variant
from holdfast.rollout.streams.events.parts import members
from holdfast.rollout.streams.events.parts.fields import MEMBER_IDS, NEW_ID, one_member_a_thread
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.scene.static_members import all_static
from holdfast.rollout.text.format import many
from holdfast.rollout.text.request_words import short

T = TypeVar("T")


def _one_member_a_thread(client: "NewClient") -> None:
    one_member_a_thread(client.member_ids, client.threads)


@record(check=_one_member_a_thread, defaults=True)
class NewClient:
    """A client that joins. `process_id` None: a fresh random one. `threads` None: one a member ID, or as the replaced client."""

    process_id: ProcessId | None = member(NEW_ID)
    threads: int | None = member(nullable(THREADS), default=None, omit=True)
    host: str | FromOld | None = member(nullable(TEXT), default=INHERITED, omit=True, unsaid=True)
    rack: str | FromOld | None = member(nullable(TEXT), default=INHERITED, omit=True, unsaid=True)
    client_tags: tuple[tuple[str, str], ...] | FromOld = member(STRING_MAP, default=INHERITED, omit=True, unsaid=True)
    user_endpoint: str | FromOld | None = member(nullable(TEXT), default=None, omit=True)
    member_ids: tuple[str, ...] | None = member(MEMBER_IDS, default=None, omit=True)


def _has_threads(client: NewClient) -> None:
    if client.threads is None and client.member_ids is None:
        raise InvalidInput("a number is needed where no member IDs are given, null was found", "threads")
    _one_member_a_thread(client)


ADDED = variant(
    NewClient, check=_has_threads, either=("threads", "member_ids"), defaults=True, host=None, rack=None, client_tags=()
)
"""One that is added inherits nothing."""

# In words.


def given(client: NewClient) -> str:
    """What is required of a new client, without its host and without what it takes over."""
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
