"""The page "Plan a rollout": what is known of the group, what was typed, what it means, and what is wrong with it. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from holdfast.airflow_wiring import form
from holdfast.errors import HoldfastError, InvalidDocument, InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout import codec, order
from holdfast.rollout.asked import asked
from holdfast.rollout.change import Change
from holdfast.rollout.codec.any_kind import AnyChange, AnySnapshot
from holdfast.rollout.codec.meant import FIELDS as PARAMS
from holdfast.rollout.codec.meant import change_meant
from holdfast.rollout.consumer import ways
from holdfast.rollout.consumer.request import ASKABLE
from holdfast.rollout.consumer_snapshot import ConsumerSnapshot
from holdfast.rollout.request import FIELDS, What
from holdfast.rollout.snapshot import ConfigValue, Snapshot
from holdfast.rollout.wording import host_or, many, printable
from holdfast.web import group_view
from holdfast.web.plan_parts import ago

Sent = Mapping[str, Sequence[str]]
"""The fields of the page as a browser sends them."""
DOCUMENT = "change"
"""Chosen in the place of a What: a Change document."""
SETTING = "setting."
MOST_CHOICES = 1_000
MOST_SAID = 100
"""Of the beginning and of the end of what a schema says: the value stands first."""
FRESH = "fresh"
WHOLE_NUMBERS = ("clients", "threads", "at_once")
TEXTS = ("new_host", "disk", "kafka_release")
NAMES = (
    "cluster",
    "group",
    "what",
    "hosts",
    "more_hosts",
    *WHOLE_NUMBERS,
    *TEXTS,
    "minutes",
    "settings",
    "change",
    "policy",
    "snapshot",
)
"""What the page sends, beside settings that have a field of their own."""
_SETTINGS = (
    ("num.standby.replicas", "0", "copies of each store on other clients"),
    ("max.warmup.replicas", "2", "copies that are restored ahead of a move, at a time"),
    ("acceptable.recovery.lag", "10000", "records behind at which a copy still counts as caught up"),
    ("probing.rebalance.interval.ms", "600000", "milliseconds between looks at whether copies have caught up"),
    ("session.timeout.ms", "", "milliseconds until the group notices a client that is gone"),
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

    @property
    def one(self) -> str:
        return "consumer" if self.plain else "client"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed, and what comes of it. `problems`: by field; under "" what is about none. `said` names what was checked."""

    conf: Mapping[str, object]
    problems: Mapping[str, str] = field(default_factory=dict)
    sentence: str = ""

    @property
    def said(self) -> str:
        return codec.fingerprint(dict(self.conf))[7:23]


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
        What.REPLACE: "A machine or pod goes, another comes in its place.",
        What.SCALE: f"More {one}s, or fewer.",
        What.RESTART: "A deploy: everybody comes back, one after the other.",
        What.SETTINGS: "Standbys, warm-ups, intervals; rolled out by restarts.",
        What.UPGRADE: "Another release, client by client.",
        What.STOP: "All go at once and come back after some minutes.",
    }
    ways = [Way(what.value, titles[what], about[what]) for what in What if not plain or what in ASKABLE]
    return (*ways, Way(DOCUMENT, "Something else", "Any events, as a Change document."))


def fields_of(what: str) -> tuple[str, ...]:
    """The parameters that the page asks for, beside cluster, group, policy and snapshot."""
    if what == DOCUMENT:
        return (DOCUMENT,)
    return FIELDS[What(what)] if what in [*What] else ()


def _hosts(one: Snapshot) -> tuple[Host, ...]:
    stateful = {task.id for task in one.tasks if task.stateful}
    runs = Counter(owner for task, owner in order.owners(one) if task in stateful)
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
    return [Setting(key, _shown(config[key]) if key in config else "", default, about) for key, default, about in _SETTINGS]


def _shown(value: ConfigValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)


# What was typed.


def text(sent: Sent, name: str) -> str:
    return (sent.get(name) or [""])[0]


def typed_of(conf: Mapping[str, object]) -> dict[str, list[str]]:
    """The page's fields for the parameters of a run: to ask again."""
    sent: dict[str, list[str]] = {}
    for name, value in conf.items():
        if value in (None, "", [], {}) or name not in PARAMS:
            continue
        if name == "hosts" and isinstance(value, list):
            sent["hosts"] = [str(one) for one in value]
        elif isinstance(value, dict):
            sent[name] = [codec.dumps(value, indent=2)]
        else:
            sent[name] = [str(value)]
    if DOCUMENT in sent:
        sent["what"] = [DOCUMENT]
    return sent


def asked_for(sent: Sent, snapshot: AnySnapshot | None) -> Asked:
    """What the fields mean, checked as the first airflow task checks it, and against the group where one is known."""
    conf, problems = conf_of(sent)
    if not problems:
        problems = _airflows(conf)
    if problems:
        return Asked(conf, problems)
    try:
        meant = change_meant(conf)
        change = None if snapshot is None else meant(snapshot)
    except HoldfastError as refusal:
        return Asked(conf, _by_field(refusal, sent))
    return Asked(conf, {}, _unchecked(conf) if change is None or snapshot is None else sentence(change, snapshot, conf))


def conf_of(sent: Sent) -> tuple[dict[str, object], dict[str, str]]:
    """The parameters of `plan_rollout`, those only that were said; and what is not even a number or a document."""
    conf: dict[str, object] = {}
    problems: dict[str, str] = {}
    for name in ("cluster", "group"):
        conf[name] = text(sent, name)
        if not text(sent, name).strip():
            problems[name] = f"nothing was found; the name of the {name} is needed"
    what = text(sent, "what")
    if not what:
        problems["what"] = "nothing was found; choose what is to be done"
    wanted = fields_of(what)
    if what != DOCUMENT:
        conf["what"] = what
    for name in wanted:
        try:
            value = _value(name, sent)
        except InvalidInput as problem:
            problems[name] = problem.problem
            continue
        if value not in (None, "", []):
            conf[name] = value
    if what == DOCUMENT and DOCUMENT not in conf and DOCUMENT not in problems:
        problems[DOCUMENT] = "nothing was found; a Change document is needed"
    conf |= {name: text(sent, name) for name in ("policy", "snapshot") if text(sent, name).strip() not in ("", FRESH)}
    return conf, problems


def _value(name: str, sent: Sent) -> object:
    if name == "hosts":
        lines = (line.strip() for line in re.split(r"[,\r\n]+", text(sent, "more_hosts")))
        return [*dict.fromkeys(one for one in (*sent.get("hosts", ()), *lines) if one)]
    if name == "settings":
        return _settings_typed(sent)
    if name == DOCUMENT:
        typed = text(sent, DOCUMENT).strip()
        return codec.loads(typed) if typed else None
    typed = text(sent, name).strip()
    if not typed or name in TEXTS:
        return typed
    if name in WHOLE_NUMBERS:
        if not re.fullmatch(r"[0-9]{1,9}", typed, re.ASCII):
            raise InvalidInput(f"'{printable(typed, 40)}' was found; a whole number is needed")
        return int(typed)
    if not re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,6})?", typed, re.ASCII):
        raise InvalidInput(f"'{printable(typed, 40)}' was found; a number of minutes is needed, such as 15")
    return int(typed) if typed.isdigit() else float(typed)


def _settings_typed(sent: Sent) -> str:
    """A line each. Raise InvalidInput for one that has a field of its own and stands in the text too."""
    own = {name.removeprefix(SETTING): text(sent, name).strip() for name in sent if name.startswith(SETTING)}
    own = {key: value for key, value in own.items() if value and key in [one[0] for one in _SETTINGS]}
    more = text(sent, "settings").strip()
    twice = [key for key in own if re.search(rf"^\s*{re.escape(key)}\s*[=:\s]", more, re.MULTILINE)]
    if twice:
        raise InvalidInput(f"{twice[0]} stands in its own field and in the text: empty one of them")
    return "\n".join([*(f"{key}={value}" for key, value in own.items()), *([more] if more else [])])


def _airflows(conf: Mapping[str, object]) -> dict[str, str]:
    """What the parameters' own schemas refuse: Airflow would refuse it when the run is triggered."""
    from airflow.sdk.exceptions import ParamValidationError

    problems: dict[str, str] = {}
    params = form.fields()
    for name, value in conf.items():
        try:
            params[name].resolve(value)
        except ParamValidationError as refusal:
            said = str(refusal).splitlines()[0].removeprefix("Invalid input for param: ")
            problems[name] = printable(
                said if len(said) < 2 * MOST_SAID else f"{said[:MOST_SAID]}…{said[-MOST_SAID:]}", 3 * MOST_SAID
            )
    return problems


def _by_field(refusal: HoldfastError, sent: Sent) -> dict[str, str]:
    if not isinstance(refusal, InvalidInput):
        return {{What.UPGRADE.value: "kafka_release", DOCUMENT: DOCUMENT}.get(text(sent, "what"), ""): str(refusal)}
    problems: dict[str, str] = {}
    for one in refusal.problems if isinstance(refusal, InvalidDocument) else (refusal,):
        name, _, path = one.where.partition(".")
        name, _, index = name.partition("[")
        known_field = name in PARAMS
        where = (f"[{index}." if index else "") + path if known_field else one.where
        problem = f"{where.rstrip('.')}: {one.problem}" if where else one.problem
        key = name if known_field else ""
        problems[key] = f"{problems[key]}\n{problem}" if key in problems else problem
    return problems


# What it means.


def sentence(change: AnyChange, snapshot: AnySnapshot, conf: Mapping[str, object]) -> str:
    """What is going to be asked for."""
    if isinstance(change, Change) and isinstance(snapshot, Snapshot):
        clients = {client.process_id: client for client in snapshot.clients}

        def name(process_id: ProcessId) -> str:
            client = clients.get(process_id)
            short = f"{str(process_id)[:8]}…"
            return f"{host_or(client.host, 'the client')} ({short})" if client is not None else short

        said = asked(change, name)
    else:
        assert not isinstance(change, Change), "a change is of its group's kind"
        said = ways.asked(change) + _named(conf)
    return f"{said[:1].upper()}{said[1:]}."


def _named(conf: Mapping[str, object]) -> str:
    hosts = conf.get("hosts")
    shown = ", ".join(printable(str(one), 80) for one in hosts[:8]) if isinstance(hosts, list) else ""
    by = f", now on {printable(str(conf['new_host']), 80)}" if conf.get("new_host") else ""
    return (f": {shown}" if shown else "") + by


def _unchecked(conf: Mapping[str, object]) -> str:
    """Of a group that the lake does not know."""
    if DOCUMENT in conf:
        return "Carry out the Change document; whether it fits the group shows when the run has taken a snapshot."
    skipped = ("cluster", "group", "what", "policy", "snapshot")
    details = "; ".join(f"{name.replace('_', ' ')}: {_plainly(value)}" for name, value in conf.items() if name not in skipped)
    title = form.ASKED_FOR[str(conf["what"])]
    return f"{title}{f' ({details})' if details else ''}; whether it fits the group shows when the run has taken a snapshot."


def _plainly(value: object) -> str:
    said = ", ".join(map(str, value)) if isinstance(value, list) else str(value).replace("\n", ", ")
    return printable(said, 300)
