"""What the page "Plan a rollout" has to choose from: what can be done to a group, its hosts, and its settings as they are. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from holdfast.rollout.contract.requests import FIELDS, What
from holdfast.rollout.group.group_kind import GroupKind, Host, Setting
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.json.strict import FORMAT_VERSION, dumps
from holdfast.rollout.kinds.registry import kind_of
from holdfast.web import group_view
from holdfast.web.parts.plan_view import ago

DOCUMENT = "change"
"""Selected instead of a change type: a Change document."""
MOST_CHOICES = 1_000


@dataclass(frozen=True, slots=True)
class ChangeType:
    """One thing to do. `value` is sent as `what`."""

    value: str
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class Known:
    """What the newest snapshot says of a group. `one`: what a member of it is called; `asks`: what can be requested of it;
    `without`: the fields that mean nothing for it; `docs`: the page on its events."""

    snapshot_id: str
    age: str
    one: str
    asks: tuple[What, ...]
    kind: str
    without: frozenset[str]
    docs: str
    request_note: str
    settings_note: str
    members: int
    release: str
    facts: tuple[tuple[str, str], ...]
    hosts: tuple[Host, ...]
    settings: tuple[Setting, ...]
    history: tuple[tuple[str, str], ...]
    example: str


def known(snapshot: AnySnapshot, snapshot_id: str, history: Sequence[str], now: datetime) -> Known:
    taken = snapshot.captured_at or ""
    kind = kind_of(snapshot)
    return Known(
        snapshot_id=snapshot_id,
        age=ago(now, datetime.fromisoformat(taken)) if taken else "at an unknown time",
        one=kind.words.member,
        asks=kind.asks,
        kind=kind.words.title,
        without=kind.unused_fields,
        docs=kind.docs,
        request_note=kind.request_note,
        settings_note=kind.settings_note,
        members=kind.members(snapshot),
        release=snapshot.kafka_release or "",
        facts=group_view.facts(snapshot),
        hosts=kind.hosts(snapshot)[:MOST_CHOICES],
        settings=kind.settings(snapshot),
        history=tuple((one, group_view.moment(one)) for one in history),
        example=example(snapshot),
    )


def choices(found: Known | None) -> tuple[ChangeType, ...]:
    """The changes that can be requested. Without a snapshot of the group, all."""
    titles = {
        What.RESTART: "Rolling restart",
        What.SETTINGS: "Change settings",
        What.STOP: "Stop and start all",
        What.SCALE: "Scale",
    }
    titles |= {What.REPLACE: "Replace a host", What.UPGRADE: "Upgrade Kafka Streams", What.MOVE: "Move to the streams protocol"}
    titles |= {What.CONVERT: "Move to the consumer protocol"}
    one = "client" if found is None else found.one
    about = {
        What.REPLACE: "One machine or pod replaces another.",
        What.SCALE: f"More {one}s, or fewer.",
        What.RESTART: f"A deployment: all {one}s restart, one after the other.",
        What.SETTINGS: GroupKind.settings_note if found is None else found.settings_note,
        What.UPGRADE: "To another release, client by client.",
        What.STOP: f"All {one}s stop, and start together after some minutes.",
        What.MOVE: "All clients stop, and start again. Then the broker assigns (KIP-1071).",
        What.CONVERT: "Each consumer restarts, one after the other. Then the broker assigns (KIP-848).",
    }
    change_types = [ChangeType(what.value, titles[what], about[what]) for what in What if found is None or what in found.asks]
    return (*change_types, ChangeType(DOCUMENT, "Custom (JSON)", "Any events, as a Change document."))


_LABELS = {
    "cluster": "Cluster",
    "group": "Group",
    "what": "Change type",
    "hosts": "Hosts",
    "new_host": "New host",
    "disk": "Disk of the new host",
    "threads": "Stream threads",
    "clients": "Target number",
    "minutes": "Minutes stopped",
    "settings": "Settings",
    "kafka_release": "Target release",
    "broker_release": "Release of the brokers",
    "at_once": "Restarts at a time",
    "change": "Change document",
    "policy": "Policy",
    "snapshot": "Snapshot",
}
_HOSTS = {What.REPLACE.value: "Host to replace", What.SCALE.value: "Hosts to remove"}
_THREADS = {What.REPLACE.value: "Stream threads", What.SCALE.value: "Stream threads of each new client"}


def label_of(name: str, what: str = "") -> str:
    """The label of a field on the form for this change type; empty for what is no field."""
    if name == "hosts" and what:
        return _HOSTS.get(what, "Hosts")
    if name == "kafka_release" and what == What.MOVE:
        return "Release of the clients"
    if name == "threads" and what in _THREADS:
        return _THREADS[what]
    return _LABELS.get(name, name.replace("_", " ").capitalize() if name else "")


def known_choice(found: Known | None, what: str) -> str:
    """`what` where it is one of the choices; else none is selected yet."""
    return what if any(one.value == what for one in choices(found)) else ""


def example(snapshot: AnySnapshot) -> str:
    """A Change document that fits the group: one of its clients leaves, and another replaces it. Empty: the group has no client."""
    event = kind_of(snapshot).example(snapshot)
    if event is None:
        return ""
    return dumps({"format_version": FORMAT_VERSION, "events": [event]}, indent=2)


def fields_of(what: str) -> tuple[str, ...]:
    """The parameters that the page asks for, in addition to cluster, group, policy and snapshot."""
    if what == DOCUMENT:
        return (DOCUMENT,)
    return FIELDS[What(what)] if what in [*What] else ()
