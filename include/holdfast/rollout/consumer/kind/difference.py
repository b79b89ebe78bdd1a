"""What differs between two snapshots of a consumer group, or two plans for one."""

from collections.abc import Iterator

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka.consumer.group import Member
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.plan.plan import Considered, ConsumerPlan
from holdfast.rollout.consumer.snapshot import member_order
from holdfast.rollout.consumer.snapshot.member_order import name_of
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.facts.sourced_text import texts_of
from holdfast.rollout.group.difference import NOTHING, Line, facts, magnitude, maps, setting
from holdfast.rollout.text.format import many


def snapshot_lines(before: ConsumerSnapshot, after: ConsumerSnapshot) -> Iterator[Line]:
    yield from _order(before, after)
    yield from facts(
        "group",
        {
            "state": (before.group_state, after.group_state),
            "Kafka release": (before.kafka_release, after.kafka_release),
            "brokers' release": (before.broker_release, after.broker_release),
            "generation": (before.generation, after.generation),
            "leader": (before.leader_member_id, after.leader_member_id),
        },
    )
    yield from maps("consumer", _by_name(before), _by_name(after))
    yield from maps("reader", _readers(before), _readers(after))
    yield from maps("setting", dict(before.config), dict(after.config), show=setting)
    yield from maps("topic", _topics(before), _topics(after))
    was, found = _lag(before), _lag(after)
    if was != found:
        yield Line("lags", "records not yet committed, together", magnitude(was), magnitude(found))


def _order(before: ConsumerSnapshot, after: ConsumerSnapshot) -> Iterator[Line]:
    """The order of the members first: range and roundrobin go by it."""
    try:
        change = member_order.member_changes(before, after)
    except (CannotPredict, Unsupported):
        return
    if not (change.joined or change.left):
        return
    yield Line("member order", "in Kafka's order", " ".join(change.before), " ".join(change.after))
    if change.moved:
        yield Line("member order", "partitions that another consumer reads", "0", str(len(change.moved)))
    if change.moved_between_survivors:
        yield Line("member order", "of them between consumers that stayed", "0", str(len(change.moved_between_survivors)))


def _by_name(snapshot: ConsumerSnapshot) -> dict[str, str]:
    return {name_of(member): _member(member) for member in snapshot.members}


def _member(member: Member) -> str:
    known = member.host or "host unknown", f"rack {member.rack}" if member.rack else None
    lists = f"{','.join(member.assignors)} of {','.join(sorted(member.subscription)) or 'no topic'}"
    return ", ".join(one for one in (*known, lists) if one)


def _readers(snapshot: ConsumerSnapshot) -> dict[str, str]:
    try:
        reads = member_order.readers_of(snapshot) or {}
    except (CannotPredict, Unsupported):
        reads = {}
    names = {member.member_id: name_of(member) for member in snapshot.members}
    places = (TopicPartition(topic.name, number) for topic in snapshot.topics for number in range(len(topic.partitions)))
    return {f"{one.topic}-{one.partition}": names.get(reads.get(one, ""), "nobody") for one in places}


def _topics(snapshot: ConsumerSnapshot) -> dict[str, str]:
    return {topic.name: many(len(topic.partitions), "partition") for topic in snapshot.topics}


def _lag(snapshot: ConsumerSnapshot) -> int:
    pairs = ((one.end_offset, one.committed_offset) for topic in snapshot.topics for one in topic.partitions)
    return sum(max(0, end - committed) for end, committed in pairs if end is not None and committed is not None)


def plan_lines(before: ConsumerPlan, after: ConsumerPlan) -> Iterator[Line]:
    yield from maps("option", *({one.name: _figures(one) for one in plan.candidates} for plan in (before, after)))
    yield from maps("step", *({one.id: one.says for one in plan.steps} for plan in (before, after)))


def _figures(option: Considered) -> str:
    summary = option.summary
    if summary is None:
        return option.refused or "nothing predicted"
    moved, needless, stops = ("?" if one is None else one for one in (summary.moved, summary.needless, summary.stops))
    longest = "?" if summary.longest_stop is None else f"{summary.longest_stop.usual:g}"
    return (
        f"{moved} of {summary.partitions} partitions move, {needless} of them collateral; {many(summary.rebalances, 'rebalance')};"
        f" {stops} interruptions, up to {longest} s; {' '.join(texts_of(option.warnings)) or NOTHING}"
    )
