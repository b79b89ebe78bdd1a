"""The drift of a Kafka Streams group since its plan, and which part of it the plan's own steps explain."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from holdfast.kafka.streams.config import DECIDING
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.execution.drift import Drift, DriftKind
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.plan.basis import Basis, ClientBasis, basis_of
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.format import host_or, listed, printable


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the plan's own steps explain: these are no drift.

    `moving`: clients that may be gone, there, or there with other threads; `new_random_ids`: how many clients may be there that no
    event names; `settings`: keys that may differ, `kafka_release` among them; `ownership`: tasks may be migrating; `tasks`:
    there may be other ones.
    """

    moving: tuple[ProcessId, ...] = ()
    new_random_ids: int = 0
    settings: tuple[str, ...] = ()
    ownership: bool = False
    tasks: bool = False


def drift(basis: Basis, fresh: Snapshot, allowed: Allowed) -> tuple[str, ...]:
    """How `fresh` is not the group that the plan was made for, one sentence each; none: the plan still fits."""
    return tuple(one.found for one in drifts(basis, fresh, allowed) if one.matters)


def drifts(basis: Basis, fresh: Snapshot, allowed: Allowed = Allowed()) -> tuple[Drift, ...]:
    """Every difference in what the basis holds, those that do not matter included.

    What `fresh` names as unknown or not given contradicts nothing.
    """
    if (fresh.cluster, fresh.group_id) != (basis.cluster, basis.group_id):
        found = (
            f"The snapshot is of {fresh.group_id!r} on cluster {fresh.cluster!r}, not of {basis.group_id!r} on {basis.cluster!r}."
        )
        return (Drift(DriftKind.GROUP, found, True, "Another group has other clients and tasks."),)
    now = basis_of(fresh)
    assumed = {one.what: None for one in fresh.unknown}
    return (
        *_facts_drift(basis, now, assumed, allowed),
        *_config_drift(basis, now, assumed, allowed),
        *(() if allowed.tasks else _tasks_drift(basis, now)),
        *_clients_drift(basis, now, allowed),
    )


def _facts_drift(basis: Basis, now: Basis, assumed: Mapping[str, None], allowed: Allowed) -> Iterator[Drift]:
    """A broker does not provide these, operators do: what is not given this time is no drift."""
    facts = (
        ("protocol", "group protocol", basis.protocol, now.protocol, "Protocols assign tasks differently."),
        ("kafka_release", "Kafka Streams release", basis.kafka_release, now.kafka_release, "Releases assign differently."),
        ("task_assignor", "task assignor", basis.task_assignor, now.task_assignor, "Assignors assign differently."),
    )
    for field, what, was, found, why in facts:
        if field in allowed.settings or was == found:
            continue
        if found is None or field in assumed:
            yield Drift(DriftKind.NOT_GIVEN, f"The {what} is not given this time.", False, "Nothing contradicts the plan.")
        else:
            yield Drift(DriftKind.FACT, f"The {what} was {printable(was or 'unknown')}, it is now {printable(found)}.", True, why)


_DECIDING = (
    *DECIDING,
    "topology.optimization",
    "group.",
    "upgrade.from",
    "session.timeout.ms",
    "max.poll.interval.ms",
)
"""What the keys of settings that decide begin with."""


def _config_drift(basis: Basis, now: Basis, assumed: Mapping[str, None], allowed: Allowed) -> Iterator[Drift]:
    was, found = dict(basis.config), dict(now.config)
    for setting in sorted({**was, **found}):
        if setting in allowed.settings or was.get(setting) == found.get(setting):
            continue
        if setting not in found or f"config.{setting}" in assumed:
            yield Drift(
                DriftKind.NOT_GIVEN, f"{printable(setting)} is not given this time.", False, "Nothing contradicts the plan."
            )
        else:
            sentence = f"{printable(setting)} was {_setting(was, setting)}, it is now {_setting(found, setting)}."
            decides = setting.startswith(_DECIDING)
            why = (
                "The assignment or its timing depends on it, and the forecast used the old value."
                if decides
                else "The forecast does not depend on it."
            )
            yield Drift(DriftKind.SETTING, sentence, decides, why)


def _setting(config: Mapping[str, ConfigValue], key: str) -> str:
    value = config.get(key)
    if value is None:
        return "not set"
    return printable(",".join(value) or "empty" if isinstance(value, tuple) else str(value))


def _tasks_drift(basis: Basis, now: Basis) -> Iterator[Drift]:
    was = {task.id: task.stateful for task in basis.tasks}
    found = {task.id: task.stateful for task in now.tasks}
    gone = [task for task in was if task not in found]
    new = [task for task in found if task not in was]
    changed = [task for task in was if task in found and found[task] is not None and was[task] != found[task]]
    sentences = (
        (gone, "no longer in the topology", "Every later task is assigned differently."),
        (new, "new in the topology", "More partitions or another topology: every later task is assigned differently."),
        (changed, "stateful instead of stateless, or stateless instead of stateful", "They are assigned separately."),
    )
    for tasks, what, why in sentences:
        if tasks:
            yield Drift(DriftKind.TASKS, f"Tasks {listed(tasks)} are {what}.", True, why)


def _clients_drift(basis: Basis, now: Basis, allowed: Allowed) -> Iterator[Drift]:
    was = {client.process_id: client for client in basis.clients}
    found = {client.process_id: client for client in now.clients}
    by_place = _goes_by_place(now)
    for process_id, client in was.items():
        if process_id in allowed.moving:
            continue
        if process_id not in found:
            sentence = f"Client {process_id} ({host_or(client.host, 'host unknown')}) has left the group."
            yield Drift(DriftKind.CLIENT, sentence, True, "Process-ID order decides the assignment, and it changed.", process_id)
        else:
            yield from _client_drift(client, found[process_id], allowed, by_place=by_place)
    strangers = [client for client in now.clients if client.process_id not in was and client.process_id not in allowed.moving]
    if len(strangers) > allowed.new_random_ids:
        for client in strangers:
            sentence = f"Client {client.process_id} ({host_or(client.host, 'host unknown')}) is new in the group."
            yield Drift(
                DriftKind.CLIENT, sentence, True, "It has a rank in process-ID order, and a share of the tasks.", client.process_id
            )


def _goes_by_place(now: Basis) -> bool:
    """Whether racks or tags decide anything in this group."""
    config = dict(now.config)
    strategy, tags = config.get("rack.aware.assignment.strategy"), config.get("rack.aware.assignment.tags")
    return strategy not in (None, "none", "NONE") or bool(tags)


def _client_drift(was: ClientBasis, found: ClientBasis, allowed: Allowed, *, by_place: bool) -> Iterator[Drift]:
    """A client that is still there."""
    one = was.process_id
    if found.threads != was.threads:
        sentence = f"Client {one} had {was.threads} stream threads, it now has {found.threads}."
        yield Drift(DriftKind.THREADS, sentence, True, "A client's share of the tasks depends on its threads.", one)
    elif found.members != was.members:
        why = "As many threads, the same process ID: the same share."
        yield Drift(DriftKind.MEMBERS, f"Client {one} has other member IDs: threads of it rejoined.", False, why, one)
    if (found.rack, found.client_tags) != (was.rack, was.client_tags):
        why = "Tasks are assigned by rack or tag here." if by_place else "No setting of this group depends on racks or tags."
        yield Drift(DriftKind.PLACE, f"Client {one} has another rack or other tags.", by_place, why, one)
    if found.host != was.host:
        sentence = f"Client {one} was on {host_or(was.host, 'an unknown host')}, it is now on {host_or(found.host, 'another')}."
        yield Drift(
            DriftKind.HOST, sentence, False, "The host does not affect the assignment, and no step of the plan runs there.", one
        )
    if found.threads == was.threads and not allowed.ownership and found.active != was.active:
        lost = [task for task in was.active if task not in found.active]
        gained = [task for task in found.active if task not in was.active]
        news = [f"no longer runs {listed(lost)}"] if lost else []
        news += [f"now runs {listed(gained)}"] if gained else []
        sentence = f"Client {one} {' and '.join(news)}."
        yield Drift(DriftKind.OWNER, sentence, True, "The forecast starts from the present assignment.", one)
