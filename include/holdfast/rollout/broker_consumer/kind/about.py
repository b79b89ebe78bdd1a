"""A consumer group whose broker assigns as its page shows it, and what differs between two snapshots of one, or two plans."""

from collections.abc import Iterator

from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, DEFAULTS, HEARTBEAT_INTERVAL, SESSION_TIMEOUT
from holdfast.rollout.broker_consumer.execution.undo import name_of
from holdfast.rollout.broker_consumer.execution.verify import owners_of
from holdfast.rollout.broker_consumer.plan.effect_words import effect
from holdfast.rollout.broker_consumer.plan.plan import Considered, GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.group.deciding import Row
from holdfast.rollout.group.difference import Line, magnitude, maps, setting
from holdfast.rollout.group.difference import facts as facts_that_differ
from holdfast.rollout.group.group_kind import Host, Setting
from holdfast.rollout.text.format import listed, many
from holdfast.rollout.text.natural_order import natural


def facts(one: BrokerConsumerSnapshot) -> tuple[tuple[str, str], ...]:
    partitions = sum(len(topic.partitions) for topic in one.topics)
    static = sum(member.instance_id is not None for member in one.members)
    return (
        ("Members", f"{len(one.members):,}, {static:,} static"),
        ("Partitions", f"{partitions:,} of {many(len(one.topics), 'topic')}: {listed([topic.name for topic in one.topics], 6)}"),
        ("Assignor", one.assignor or "unknown"),
        ("Brokers' release", one.broker_release or "unknown"),
        ("Group epoch", "unknown" if one.group_epoch is None else str(one.group_epoch)),
    )


def hosts(one: BrokerConsumerSnapshot) -> tuple[Host, ...]:
    by_host: dict[str, list[BrokerConsumer]] = {}
    for member in one.members:
        by_host.setdefault(member.host or name_of(member), []).append(member)
    found = (
        Host(host, tuple(map(name_of, members)), f"reads {many(sum(len(each.assignment or ()) for each in members), 'partition')}")
        for host, members in by_host.items()
    )
    return tuple(sorted(found, key=lambda each: natural(each.name)))


_SETTINGS = {
    ASSIGNMENT_INTERVAL: "the shortest time between two targets, from 4.3 on",
    SESSION_TIMEOUT: "after it a member that ended without leaving is missed",
    HEARTBEAT_INTERVAL: "how often a member hears of its target",
}


def settings(one: BrokerConsumerSnapshot) -> tuple[Setting, ...]:
    """The group's own configs that people change."""
    config = dict(one.config)
    return tuple(Setting(key, setting(config.get(key)), str(DEFAULTS[key]), about) for key, about in _SETTINGS.items())


def example(one: BrokerConsumerSnapshot) -> Row | None:
    """One consumer stops, and another one is started in its place. None: the group has none."""
    first = next(iter(one.members), None)
    return None if first is None else {"replace_consumer": {"member_id": first.member_id, "by": {}}}


# What differs.


def snapshot_lines(before: BrokerConsumerSnapshot, after: BrokerConsumerSnapshot) -> Iterator[Line]:
    yield from facts_that_differ(
        "group",
        {
            "state": (before.group_state, after.group_state),
            "brokers' release": (before.broker_release, after.broker_release),
            "assignor": (before.assignor, after.assignor),
            "group epoch": (before.group_epoch, after.group_epoch),
            "assignment epoch": (before.assignment_epoch, after.assignment_epoch),
        },
    )
    yield from maps("consumer", _members(before), _members(after))
    yield from maps("reader", _readers(before), _readers(after))
    yield from maps("setting", dict(before.config), dict(after.config), show=setting)
    yield from maps("topic", _topics(before), _topics(after))
    was, now = lag(before), lag(after)
    if was != now:
        yield Line("lags", "records not yet committed, together", magnitude(was or 0), magnitude(now or 0))


def _members(snapshot: BrokerConsumerSnapshot) -> dict[str, str]:
    return {name_of(one): ", ".join((one.host or "host unknown", *one.subscription, *_regex(one))) for one in snapshot.members}


def _regex(one: BrokerConsumer) -> tuple[str, ...]:
    return (f"matching {one.subscription_regex}",) if one.subscription_regex else ()


def _readers(snapshot: BrokerConsumerSnapshot) -> dict[str, str]:
    names = {one.member_id: name_of(one) for one in snapshot.members}
    return {str(partition): names[member] for partition, member in sorted(owners_of(snapshot).items())}


def _topics(snapshot: BrokerConsumerSnapshot) -> dict[str, str]:
    return {topic.name: many(len(topic.partitions), "partition") for topic in snapshot.topics}


def lag(snapshot: BrokerConsumerSnapshot) -> int | None:
    """Of the partitions of which it is known, in records; None: of none."""
    pairs = [(one.end_offset, one.committed_offset) for topic in snapshot.topics for one in topic.partitions]
    known = [max(0, end - committed) for end, committed in pairs if end is not None and committed is not None]
    return sum(known) if known else None


def plan_lines(before: GroupPlan, after: GroupPlan) -> Iterator[Line]:
    yield from maps("option", *({one.name: _figures(one) for one in plan.candidates} for plan in (before, after)))
    yield from maps("step", *({one.id: one.says for one in plan.steps} for plan in (before, after)))


def _figures(option: Considered) -> str:
    if option.summary is None:
        return option.refused or "nothing predicted"
    return effect(option.summary, option.bounds, option.unowned, option.times)
