"""The drift of a consumer group since its plan, and which part of it the plan's own steps explain."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.errors import Unsupported
from holdfast.kafka.coordinator.consumer.config_keys import GROUP_KEYS
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.rollout.broker_consumer.change.change import Item
from holdfast.rollout.broker_consumer.execution.undo import name_of
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.plan_words import setting
from holdfast.rollout.execution.drift import Drift, DriftKind
from holdfast.rollout.text.format import listed, many, printable

_WHY_MEMBERS = "A target depends on the IDs and subscriptions of all members, and partitions stay with the members that have them."


@dataclass(frozen=True, slots=True)
class Explained:
    """What some events change: `gone`, member IDs that they end; `new`, how many consumers they start; topics and config keys;
    `assignor`: whether they change it."""

    gone: frozenset[str]
    new: int
    topics: frozenset[str]
    configs: frozenset[str]
    assignor: bool


def explained(items: Sequence[Item]) -> Explained:
    events = [item for item in items if not isinstance(item, Then)]
    return Explained(
        gone=frozenset(name for one in events if (name := one.stops()) is not None),
        new=sum(one.comes() is not None for one in events),
        topics=frozenset(topic[0] for one in events if (topic := one.topic_afterwards()) is not None),
        configs=frozenset(key for one in events for key, _ in one.configures()),
        assignor=any(one.assignor_afterwards() is not None for one in events),
    )


def drifts(basis: BrokerConsumerSnapshot, fresh: BrokerConsumerSnapshot, in_progress: Sequence[Item] = ()) -> tuple[Drift, ...]:
    """Every difference that matters for the plan, and the others. `in_progress`: events that are done, or being done: what they
    bring about is no drift, and from the first of them on partitions may be migrating."""
    if (fresh.cluster, fresh.group_id) != (basis.cluster, basis.group_id):
        return (Drift(DriftKind.GROUP, "The snapshot is of another group.", True, "Another group has other members and topics."),)
    allowed = explained(in_progress)
    return (
        *_coordinator(basis, fresh, allowed),
        *_configs(basis, fresh, allowed),
        *_topics(basis, fresh, allowed),
        *_members(basis, fresh, allowed),
        *(() if in_progress else _owned(basis, fresh)),
    )


def _coordinator(basis: BrokerConsumerSnapshot, fresh: BrokerConsumerSnapshot, allowed: Explained) -> Iterator[Drift]:
    was, now = basis.broker_release, fresh.broker_release
    if was != now and now is not None:
        found = f"The coordinator's Kafka release was {printable(was or 'unknown')}, it is now {printable(now)}."
        alike = was is not None and _alike(was, now)
        yield Drift(DriftKind.FACT, found, not alike, "Both assign alike." if alike else "Releases assign differently.")
    before, after = basis.assignor, fresh.assignor
    if before != after and after is not None and not allowed.assignor:
        found = f"The group's assignor was {printable(before or 'unknown')}, it is now {printable(after)}."
        yield Drift(DriftKind.SETTING, found, True, "Assignors assign differently.")


def _alike(one: str, other: str) -> bool:
    try:
        return behaviour(one) == behaviour(other)
    except Unsupported:
        return False


def _configs(basis: BrokerConsumerSnapshot, fresh: BrokerConsumerSnapshot, allowed: Explained) -> Iterator[Drift]:
    if basis.still_classic or fresh.still_classic or any(one.what == "config" for one in fresh.unknown):
        return  # what is not given this time is no drift, and of a classic group they are not read
    before, after = dict(basis.config), dict(fresh.config)
    for key in sorted({*before, *after}):
        if key in allowed.configs or key not in GROUP_KEYS or str(before.get(key)) == str(after.get(key)):
            continue
        found = f"{printable(key)} was {setting(before.get(key))}, it is now {setting(after.get(key))}."
        yield Drift(DriftKind.SETTING, found, True, "The times of targets depend on the group's configs.")


def _topics(basis: BrokerConsumerSnapshot, fresh: BrokerConsumerSnapshot, allowed: Explained) -> Iterator[Drift]:
    before, after = ({topic.name: topic for topic in one.topics} for one in (basis, fresh))
    for name in sorted({*before, *after} - allowed.topics):
        was, now = (len(one[name].partitions) if name in one else 0 for one in (before, after))
        if was != now:
            found = f"{printable(name)} had {many(was, 'partition')}, it now has {now:,}."
            yield Drift(DriftKind.TASKS, found, True, "The group assigns partitions.")
        elif before[name].id != after[name].id:
            yield Drift(DriftKind.TASKS, f"{printable(name)} was deleted and created again.", True, "Its ID decides ties.")


def _members(basis: BrokerConsumerSnapshot, fresh: BrokerConsumerSnapshot, allowed: Explained) -> Iterator[Drift]:
    present = {one.member_id: one for one in fresh.members}
    static: dict[str | None, BrokerConsumer] = {one.instance_id: one for one in fresh.members if one.instance_id is not None}
    known = {one.member_id for one in basis.members}
    back: set[str] = set()
    for was in basis.members:
        if was.member_id in allowed.gone:
            continue
        now = present.get(was.member_id) or static.get(was.instance_id)
        if now is None:
            yield Drift(DriftKind.MEMBERS, f"{_named(was)} is not in the group any more.", True, _WHY_MEMBERS)
            continue
        if now.member_id != was.member_id:
            back.add(now.member_id)
            found = f"{_named(was)} is back under another member ID."
            yield Drift(DriftKind.MEMBERS, found, True, "Member IDs decide ties, also those of static members.")
        if (was.subscription, was.subscription_regex) != (now.subscription, now.subscription_regex):
            yield Drift(DriftKind.MEMBERS, f"{_named(was)} subscribes to other topics.", True, _WHY_MEMBERS)
        if was.host != now.host:
            yield Drift(DriftKind.HOST, f"{_named(was)} is reported under another address.", False, "It is the same one.")
    strangers = [one for one in fresh.members if one.member_id not in known | back]
    if len(strangers) > allowed.new:
        planned = f"; {allowed.new} were planned" if allowed.new else ""
        names = listed([_named(one) for one in strangers])
        found = f"{many(len(strangers), 'consumer')} joined since the plan was made ({names}){planned}."
        yield Drift(DriftKind.MEMBERS, found, True, _WHY_MEMBERS)


def _owned(basis: BrokerConsumerSnapshot, fresh: BrokerConsumerSnapshot) -> Iterator[Drift]:
    """Members stick to their targets: uniform keeps what it can of them."""
    before = {one.member_id: one for one in basis.members}
    for one in fresh.members:
        was = before.get(one.member_id)
        if was is not None and set(was.target or ()) != set(one.target or ()):
            found = f"{_named(one)} has other partitions than when the plan was made."
            yield Drift(DriftKind.OWNER, found, True, "What a member has is what it keeps.")


def _named(one: BrokerConsumer) -> str:
    return printable(name_of(one), 80)
