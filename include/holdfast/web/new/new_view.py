"""What the page "Plan a rollout" has to choose from: what can be done to a group, its hosts, and its settings as they are. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from holdfast.errors import Unsupported
from holdfast.kafka.release import behaviour
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.consumer.change.request import ASKABLE
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.requests import FIELDS, What
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.strict import FORMAT_VERSION, dumps
from holdfast.rollout.kinds.any_kind import AnySnapshot
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.wording import many
from holdfast.web import group_view
from holdfast.web.plan.plan_parts import ago

DOCUMENT = "change"
"""Chosen in the place of a What: a Change document."""
MOST_CHOICES = 1_000
SETTINGS = (
    ("num.standby.replicas", "0", "copies of each store on other clients"),
    ("max.warmup.replicas", "2", "copies restored ahead of a migration, at a time"),
    ("acceptable.recovery.lag", "10000", "lag in records up to which a copy counts as caught up"),
    ("probing.rebalance.interval.ms", "600000", "milliseconds between probing rebalances"),
    ("session.timeout.ms", "", "milliseconds until the broker removes a client that does not respond"),
)
"""Settings that people change, Kafka's default (the session's depends on the release), and what they are."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host to choose, with all clients on it. `value` is what is sent."""

    value: str
    name: str
    clients: tuple[str, ...]
    detail: str


@dataclass(frozen=True, slots=True)
class Setting:
    """`now` is empty where the snapshot does not say."""

    key: str
    now: str
    default: str
    about: str


@dataclass(frozen=True, slots=True)
class Way:
    """One thing to do. `value` is sent as `what`."""

    value: str
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class Known:
    """What the newest snapshot says of a group. `one`: what a member of it is called."""

    snapshot_id: str
    age: str
    plain: bool
    members: int
    release: str
    facts: tuple[tuple[str, str], ...]
    hosts: tuple[Host, ...]
    settings: tuple[Setting, ...]
    history: tuple[tuple[str, str], ...]
    example: str

    @property
    def one(self) -> str:
        return "consumer" if self.plain else "client"


def known(snapshot: AnySnapshot, snapshot_id: str, history: Sequence[str], now: datetime) -> Known:
    taken = snapshot.captured_at or ""
    plain = isinstance(snapshot, ConsumerSnapshot)
    return Known(
        snapshot_id=snapshot_id,
        age=ago(now, datetime.fromisoformat(taken)) if taken else "at an unknown time",
        plain=plain,
        members=len(snapshot.members if isinstance(snapshot, ConsumerSnapshot) else snapshot.clients),
        release=snapshot.kafka_release or "",
        facts=group_view.facts(snapshot),
        hosts=_consumer_hosts(snapshot) if isinstance(snapshot, ConsumerSnapshot) else _hosts(snapshot),
        settings=() if isinstance(snapshot, ConsumerSnapshot) else tuple(_settings(snapshot)),
        history=tuple((one, group_view.moment(one)) for one in history),
        example=example(snapshot),
    )


def choices(found: Known | None) -> tuple[Way, ...]:
    """What can be asked for. Of a group that nobody knows yet, everything."""
    plain = found is not None and found.plain
    titles = {
        What.RESTART: "Rolling restart",
        What.SETTINGS: "Change settings",
        What.STOP: "Stop and start all",
        What.SCALE: "Scale",
    }
    titles |= {What.REPLACE: "Replace a host", What.UPGRADE: "Upgrade Kafka Streams"}
    one = "consumer" if plain else "client"
    about = {
        What.REPLACE: "One machine or pod replaces another.",
        What.SCALE: f"More {one}s, or fewer.",
        What.RESTART: "A deploy: all restart, one after the other.",
        What.SETTINGS: "Standbys, warm-ups, intervals; applied by restarts.",
        What.UPGRADE: "To another release, client by client.",
        What.STOP: "All stop at once and start after some minutes.",
    }
    ways = [Way(what.value, titles[what], about[what]) for what in What if not plain or what in ASKABLE]
    return (*ways, Way(DOCUMENT, "Custom (JSON)", "Any events, as a Change document."))


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
    "at_once": "Restarts at a time",
    "change": "Change document",
    "policy": "Policy",
    "snapshot": "Snapshot",
}
_HOSTS = {What.REPLACE.value: "Host to replace", What.SCALE.value: "Hosts to remove"}
_THREADS = {What.REPLACE.value: "Stream threads", What.SCALE.value: "Stream threads of each new client"}


def label_of(name: str, what: str = "") -> str:
    """A field as it is called on the form for what is to be done; empty for what is no field."""
    if name == "hosts" and what:
        return _HOSTS.get(what, "Hosts")
    if name == "threads" and what in _THREADS:
        return _THREADS[what]
    return _LABELS.get(name, name.replace("_", " ").capitalize() if name else "")


def known_choice(found: Known | None, what: str) -> str:
    """`what` where it is one of the choices; else none is chosen yet."""
    return what if any(one.value == what for one in choices(found)) else ""


def example(snapshot: AnySnapshot) -> str:
    """A Change document that fits the group: one of it goes, and its place is taken. Empty: nobody is in the group."""
    if isinstance(snapshot, ConsumerSnapshot):
        event = [{"replace_consumer": {"member_id": one.member_id, "by": {"member_id": "new"}}} for one in snapshot.members[:1]]
    else:
        new = {"by": {"process_id": None}, "state": "empty"}
        event = [{"replace_client": {"process_id": str(one.process_id), **new}} for one in snapshot.clients[:1]]
    if not event:
        return ""
    return dumps({"format_version": FORMAT_VERSION, "events": event}, indent=2)


def fields_of(what: str) -> tuple[str, ...]:
    """The parameters that the page asks for, beside cluster, group, policy and snapshot."""
    if what == DOCUMENT:
        return (DOCUMENT,)
    return FIELDS[What(what)] if what in [*What] else ()


def _hosts(one: Snapshot) -> tuple[Host, ...]:
    stateful = {task.id for task in one.tasks if task.stateful}
    runs = Counter(owner for task, owner in ownership.owners(one) if task in stateful)
    by_host: dict[str, list[tuple[ProcessId, int, int, str]]] = {}
    for client in one.clients:
        row = (client.process_id, len(client.consumers), runs[client.process_id], client.rack or "")
        by_host.setdefault(client.host or str(client.process_id), []).append(row)
    found = []
    for host, rows in by_host.items():
        threads, tasks = (sum(row[column] for row in rows) for column in (1, 2))  # type: ignore[misc]
        racks = ", ".join(dict.fromkeys(rack for *_, rack in rows if rack))
        detail = f"{many(threads, 'thread')}, {many(tasks, 'stateful task')}" + (f", rack {racks}" if racks else "")
        found.append(Host(host, host, tuple(f"{str(row[0])[:8]}…" for row in rows), detail))
    return tuple(sorted(found, key=lambda one: _natural(one.name)))[:MOST_CHOICES]


def _consumer_hosts(one: ConsumerSnapshot) -> tuple[Host, ...]:
    assigned = one.assigned or tuple(member.owned for member in one.members)
    by_host: dict[str, list[tuple[str, int]]] = {}
    for member, mine in zip(one.members, assigned, strict=True):
        by_host.setdefault(member.host or member.member_id, []).append((member.member_id, len(mine)))
    found = (
        Host(host, host, tuple(name for name, _ in rows), f"reads {many(sum(count for _, count in rows), 'partition')}")
        for host, rows in by_host.items()
    )
    return tuple(sorted(found, key=lambda one: _natural(one.name)))[:MOST_CHOICES]


def _natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    """app-2 before app-10."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]+", name)
    return tuple(
        (True, int(part), "") if part.isascii() and part.isdigit() and len(part) <= 18 else (False, 0, part) for part in parts
    )


def _settings(one: Snapshot) -> list[Setting]:
    config = dict(one.config)
    try:
        session = str(behaviour(one.kafka_release).session_timeout_ms) if one.kafka_release is not None else ""
    except Unsupported:
        session = ""
    return [
        Setting(key, _shown(config[key]) if key in config else "", session if key == "session.timeout.ms" else default, about)
        for key, default, about in SETTINGS
    ]


def _shown(value: ConfigValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)
