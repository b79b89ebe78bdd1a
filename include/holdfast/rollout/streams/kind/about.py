"""A Kafka Streams group as its page, and the form that asks for a plan, show it."""

from collections import Counter

from holdfast.errors import HoldfastError, Unsupported
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams.config import DEFAULTS
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.group.deciding import Row
from holdfast.rollout.group.group_kind import Host, Setting
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.snapshot import defaults, groups, ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.format import many
from holdfast.rollout.text.natural_order import natural

SETTINGS = (
    ("num.standby.replicas", str(DEFAULTS.num_standby_replicas), "copies of each store on other clients"),
    ("max.warmup.replicas", str(DEFAULTS.max_warmup_replicas), "copies restored ahead of a migration, at a time"),
    ("acceptable.recovery.lag", str(DEFAULTS.acceptable_recovery_lag), "lag in records up to which a copy counts as caught up"),
    ("probing.rebalance.interval.ms", str(DEFAULTS.probing_rebalance_interval_ms), "milliseconds between probing rebalances"),
    ("session.timeout.ms", "", "milliseconds until the broker removes a client that does not respond"),
)
"""Settings that people change, Kafka's default (the session's depends on the release), and what they are."""


def facts(one: Snapshot) -> tuple[tuple[str, str], ...]:
    stateful = sum(task.stateful for task in one.tasks)
    config = dict(one.config)
    threads = sum(len(client.consumers) for client in one.clients)

    def set_to(key: str) -> str:
        return str(config.get(key, f"Kafka's default, {defaults.SETTINGS[key]}"))

    return (
        ("Clients", f"{len(one.clients):,} with {threads:,} stream threads"),
        ("Tasks", f"{len(one.tasks):,}, {stateful:,} stateful"),
        ("Kafka Streams", one.kafka_release or "unknown release"),
        ("Assignor", _assignor(one)),
        ("Standbys", set_to("num.standby.replicas")),
        ("Warm-ups at a time", set_to("max.warmup.replicas")),
    )


def _assignor(one: Snapshot) -> str:
    """What the snapshot says, else what the release has where nothing else is set."""
    if one.task_assignor:
        return one.task_assignor
    try:
        defaults = {str(groups.settings_of(one, release).task_assignor) for release in groups.releases_of(one)}
    except HoldfastError:
        return "unknown"
    return f"{defaults.pop()}, Kafka's default" if len(defaults) == 1 else "unknown: depends on the release"


def hosts(one: Snapshot) -> tuple[Host, ...]:
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
        found.append(Host(host, tuple(f"{str(row[0])[:8]}…" for row in rows), detail))
    return tuple(sorted(found, key=lambda one: natural(one.name)))


def settings(one: Snapshot) -> tuple[Setting, ...]:
    config = dict(one.config)
    try:
        session = str(behaviour(one.kafka_release).session_timeout_ms) if one.kafka_release is not None else ""
    except Unsupported:
        session = ""
    return tuple(
        Setting(key, _shown(config[key]) if key in config else "", session if key == "session.timeout.ms" else default, about)
        for key, default, about in SETTINGS
    )


def _shown(value: ConfigValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def example(one: Snapshot) -> Row | None:
    """One client leaves, and another replaces it. None: no client is in the group."""
    first = next(iter(one.clients), None)
    new = {"by": {"process_id": None}, "state": "empty"}
    return None if first is None else {"replace_client": {"process_id": str(first.process_id), **new}}
