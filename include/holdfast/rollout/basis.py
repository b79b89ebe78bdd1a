"""What a plan relies on, and how a fresh snapshot differs from it.

In it: members as clients and threads, who runs what, tasks, settings, release. Not in it: lags, end offsets and times, which move
every second and are what forecasts and verify are for. Member IDs are no drift either: a thread that rejoined is the same capacity.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout import order
from holdfast.rollout.snapshot import ConfigValue, Snapshot
from holdfast.rollout.wording import host_or, listed, printable


@dataclass(frozen=True, slots=True)
class ClientBasis:
    """A client, its members (sorted), one a stream thread, and the tasks it runs (sorted), as the plan saw it."""

    process_id: ProcessId
    host: str | None
    members: tuple[str, ...]
    active: tuple[TaskId, ...]

    @property
    def threads(self) -> int:
        return len(self.members)


@dataclass(frozen=True, slots=True)
class TaskBasis:
    """A task and whether it keeps state (None: not known)."""

    id: TaskId
    stateful: bool | None


@dataclass(frozen=True, slots=True)
class Basis:
    """Clients in process-ID order, tasks and settings sorted."""

    cluster: str
    group_id: str
    protocol: str
    kafka_release: str | None
    task_assignor: str | None
    config: tuple[tuple[str, ConfigValue], ...]
    tasks: tuple[TaskBasis, ...]
    clients: tuple[ClientBasis, ...]

    def client(self, process_id: ProcessId) -> ClientBasis | None:
        return next((client for client in self.clients if client.process_id == process_id), None)


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the plan's own steps explain: these are no drift.

    `moving`: clients that may be gone, there, or there with other threads; `fresh_ids`: how many clients may be there that nobody
    named; `settings`: keys that may differ, `kafka_release` among them; `ownership`: tasks may be on their way.
    """

    moving: tuple[ProcessId, ...] = ()
    fresh_ids: int = 0
    settings: tuple[str, ...] = ()
    ownership: bool = False


def basis_of(snapshot: Snapshot) -> Basis:
    runs: dict[ProcessId, list[TaskId]] = {client.process_id: [] for client in snapshot.clients}
    for task, owner in order.owners(snapshot):
        runs[owner].append(task)
    return Basis(
        cluster=snapshot.cluster,
        group_id=snapshot.group_id,
        protocol=snapshot.protocol,
        kafka_release=snapshot.kafka_release,
        task_assignor=snapshot.task_assignor,
        config=tuple(sorted(snapshot.config)),
        tasks=tuple(
            TaskBasis(task.id, None if task.changelogs is None else task.stateful)
            for task in sorted(snapshot.tasks, key=lambda task: task.id)
        ),
        clients=tuple(
            ClientBasis(
                client.process_id,
                client.host,
                tuple(sorted(consumer.member_id for consumer in client.consumers)),
                tuple(runs[client.process_id]),
            )
            for client in sorted(snapshot.clients, key=lambda client: client.process_id)
        ),
    )


def drift(basis: Basis, fresh: Snapshot, allowed: Allowed) -> tuple[str, ...]:
    """How `fresh` is not the group that the plan was made for, one sentence each; none: the plan still fits.

    What `fresh` names as not known or not given contradicts nothing.
    """
    if (fresh.cluster, fresh.group_id) != (basis.cluster, basis.group_id):
        return (
            f"The snapshot is of {fresh.group_id!r} on cluster {fresh.cluster!r}, not of {basis.group_id!r} on {basis.cluster!r}.",
        )
    now = basis_of(fresh)
    assumed = {one.what: None for one in fresh.unknown}
    return (
        *_facts_drift(basis, now, assumed, allowed),
        *_config_drift(basis, now, assumed, allowed),
        *_tasks_drift(basis, now),
        *_clients_drift(basis, now, allowed),
    )


def _facts_drift(basis: Basis, now: Basis, assumed: Mapping[str, None], allowed: Allowed) -> tuple[str, ...]:
    """A broker does not tell these, people do: what nobody said this time is no drift."""
    facts = (
        ("protocol", "group protocol", basis.protocol, now.protocol),
        ("kafka_release", "Kafka Streams release", basis.kafka_release, now.kafka_release),
        ("task_assignor", "task assignor", basis.task_assignor, now.task_assignor),
    )
    return tuple(
        f"The {what} was {printable(was or 'not known')}, it is now {printable(found)}."
        for field, what, was, found in facts
        if found is not None and field not in assumed and field not in allowed.settings and was != found
    )


def _config_drift(basis: Basis, now: Basis, assumed: Mapping[str, None], allowed: Allowed) -> tuple[str, ...]:
    was, found = dict(basis.config), dict(now.config)
    return tuple(
        f"{printable(key)} was {_setting(was, key)}, it is now {_setting(found, key)}."
        for key in sorted(found)
        if f"config.{key}" not in assumed and key not in allowed.settings and was.get(key) != found[key]
    )


def _setting(config: Mapping[str, ConfigValue], key: str) -> str:
    value = config.get(key)
    if value is None:
        return "not set"
    return printable(",".join(value) or "empty" if isinstance(value, tuple) else str(value))


def _tasks_drift(basis: Basis, now: Basis) -> tuple[str, ...]:
    was = {task.id: task.stateful for task in basis.tasks}
    found = {task.id: task.stateful for task in now.tasks}
    gone = [task for task in was if task not in found]
    new = [task for task in found if task not in was]
    changed = [task for task in was if task in found and found[task] is not None and was[task] != found[task]]
    sentences = (
        (gone, "no longer in the topology"),
        (new, "new in the topology"),
        (changed, "stateful where they were not, or the other way round"),
    )
    return tuple(f"Tasks {listed(tasks)} are {what}." for tasks, what in sentences if tasks)


def _clients_drift(basis: Basis, now: Basis, allowed: Allowed) -> tuple[str, ...]:
    was = {client.process_id: client for client in basis.clients}
    found = {client.process_id: client for client in now.clients}
    problems: list[str] = []
    for process_id, client in was.items():
        if process_id in allowed.moving:
            continue
        if process_id not in found:
            problems.append(f"Client {process_id} ({host_or(client.host, 'host not known')}) has left the group.")
        elif found[process_id].threads != client.threads:
            problems.append(f"Client {process_id} had {client.threads} stream threads, it now has {found[process_id].threads}.")
        elif not allowed.ownership and found[process_id].active != client.active:
            lost = [task for task in client.active if task not in found[process_id].active]
            gained = [task for task in found[process_id].active if task not in client.active]
            news = [f"no longer runs {listed(lost)}"] if lost else []
            news += [f"now runs {listed(gained)}"] if gained else []
            problems.append(f"Client {process_id} {' and '.join(news)}.")
    strangers = [client for client in now.clients if client.process_id not in was and client.process_id not in allowed.moving]
    if len(strangers) > allowed.fresh_ids:
        problems.extend(
            f"Client {client.process_id} ({host_or(client.host, 'host not known')}) is new in the group." for client in strangers
        )
    return tuple(problems)
