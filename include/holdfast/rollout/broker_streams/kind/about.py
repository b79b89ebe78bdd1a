"""A streams group whose broker assigns as its page shows it, and what differs between two snapshots of one."""

from collections.abc import Iterator

from holdfast.kafka.coordinator.config_keys import (
    ASSIGNMENT_INTERVAL,
    DEFAULTS,
    HEARTBEAT_INTERVAL,
    INITIAL_DELAY,
    SESSION_TIMEOUT,
    STANDBYS,
)
from holdfast.rollout.broker_streams.kind.ownership import active, owners, subtopologies
from holdfast.rollout.broker_streams.plan.effect_words import effect
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan, Considered
from holdfast.rollout.broker_streams.snapshot.processes import Process, processes
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.group.deciding import Row
from holdfast.rollout.group.difference import Line, maps, setting
from holdfast.rollout.group.difference import facts as facts_that_differ
from holdfast.rollout.group.group_kind import Host, Setting
from holdfast.rollout.text.format import many
from holdfast.rollout.text.natural_order import natural


def facts(one: StreamsGroupSnapshot) -> tuple[tuple[str, str], ...]:
    found = subtopologies(one)
    stateful = None if found is None else sum(each.tasks for each in found if each.stateful)
    every = None if found is None else sum(each.tasks for each in found)
    return (
        ("Clients", f"{many(len(processes(one)), 'client')}, {many(len(one.members), 'thread')}"),
        ("Tasks", "unknown" if every is None else f"{every:,}, {stateful:,} stateful"),
        ("Brokers' release", one.broker_release or "unknown"),
        ("Group epoch", "unknown" if one.group_epoch is None else str(one.group_epoch)),
    )


def hosts(one: StreamsGroupSnapshot) -> tuple[Host, ...]:
    by_host: dict[str, list[Process]] = {}
    for client in processes(one):
        by_host.setdefault(client.host or client.name, []).append(client)
    found = (
        Host(host, tuple(client.name for client in clients), f"runs {many(sum(map(_running, clients)), 'task')}")
        for host, clients in by_host.items()
    )
    return tuple(sorted(found, key=lambda each: natural(each.name)))


def _running(client: Process) -> int:
    return sum(1 for member in client.members for _ in active(member))


def snapshot_lines(before: StreamsGroupSnapshot, after: StreamsGroupSnapshot) -> Iterator[Line]:
    yield from facts_that_differ(
        "group",
        {
            "state": (before.group_state, after.group_state),
            "brokers' release": (before.broker_release, after.broker_release),
            "group epoch": (before.group_epoch, after.group_epoch),
            "assignment epoch": (before.assignment_epoch, after.assignment_epoch),
        },
    )
    yield from maps("client", _clients(before), _clients(after))
    yield from maps("owner", _owners(before), _owners(after))
    yield from maps("setting", dict(before.config), dict(after.config), show=setting)
    yield from maps("topic", _topics(before), _topics(after))


def _clients(snapshot: StreamsGroupSnapshot) -> dict[str, str]:
    return {
        client.name: f"{client.host or 'host unknown'}, {many(len(client.members), 'thread')}" for client in processes(snapshot)
    }


def _owners(snapshot: StreamsGroupSnapshot) -> dict[str, str]:
    return {str(task): member.process_id or member.member_id for task, member in sorted(owners(snapshot).items())}


def _topics(snapshot: StreamsGroupSnapshot) -> dict[str, str]:
    return {topic.name: many(topic.partitions, "partition") for topic in snapshot.topics}


def settings(one: StreamsGroupSnapshot) -> tuple[Setting, ...]:
    """The group's own configs that people change."""
    config = dict(one.config)
    return tuple(Setting(key, setting(config.get(key)), str(DEFAULTS[key]), about) for key, about in _SETTINGS.items())


_SETTINGS = {
    STANDBYS: "standby copies of each stateful task",
    ASSIGNMENT_INTERVAL: "the shortest time between two targets, from 4.3 on",
    INITIAL_DELAY: "what the coordinator waits for more members where there were none",
    SESSION_TIMEOUT: "after it a member that ended without leaving is missed",
    HEARTBEAT_INTERVAL: "how often a member hears of its target",
}


def example(one: StreamsGroupSnapshot) -> Row | None:
    """One client leaves, and another is started in its place. None: the group has none."""
    first = next((each for each in one.members if each.process_id is not None), None)
    if first is None:
        return None
    threads = sum(each.process_id == first.process_id for each in one.members)
    return {"replace_client": {"process_id": first.process_id, "by": {"process_id": None, "threads": threads}}}


def plan_lines(before: BrokerPlan, after: BrokerPlan) -> Iterator[Line]:
    yield from maps("option", *({one.name: _figures(one) for one in plan.candidates} for plan in (before, after)))
    yield from maps("step", *({one.id: one.says for one in plan.steps} for plan in (before, after)))


def _figures(option: Considered) -> str:
    if option.summary is None:
        return option.refused or "nothing predicted"
    return effect(option.summary, option.unowned, option.times)
