"""A consumer group whose broker assigns as rows of tables. Plain values only."""

from collections import Counter

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.execution.verify import owners_of
from holdfast.rollout.broker_consumer.host_loss import losses
from holdfast.rollout.broker_consumer.host_loss.losses import ConsumerLoss
from holdfast.rollout.broker_consumer.kind.about import lag
from holdfast.rollout.broker_consumer.plan.json import relied_on
from holdfast.rollout.broker_consumer.plan.plan import Considered
from holdfast.rollout.broker_consumer.snapshot.snapshot import PROTOCOL, BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.target.group import group_of
from holdfast.rollout.broker_consumer.target.target import decide
from holdfast.rollout.contract.client_figures import Held
from holdfast.rollout.json.consumed_topics import offsets_of
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.policy.policy import Policy

Row = dict[str, object]


def decoded(snapshot: BrokerConsumerSnapshot) -> Row:
    """`group`, `members` and `partitions`: the parts of a decoded Snapshot that a consumer group has."""
    return {
        "group": _group(snapshot),
        "clients": [],
        "members": [_member(one) for one in snapshot.members],
        "tasks": [],
        "partitions": _partitions(snapshot),
        "state_directories": [],
    }


def _group(snapshot: BrokerConsumerSnapshot) -> Row:
    return {
        "protocol": PROTOCOL,
        "group_state": snapshot.group_state,
        "kafka_release": snapshot.broker_release,
        "assignor": snapshot.assignor,
        "members": len(snapshot.members),
        "partitions": sum(len(topic.partitions) for topic in snapshot.topics),
        "unknown": [f"{unknown.what}: {unknown.reason}" for unknown in snapshot.unknown],
        "fingerprint": fingerprint(relied_on(snapshot)),
        "generation": snapshot.group_epoch,
        "lag": lag(snapshot),
    }


def _member(one: BrokerConsumer) -> Row:
    return {
        "member_id": one.member_id,
        "client_id": one.client_id,
        "group_instance_id": one.instance_id,
        "owned_partitions": None if one.assignment is None else len(one.assignment),
        "host": one.host,
        "rack": one.rack,
        "assignors": [],
        "subscription": list(one.subscription),
    }


def held(snapshot: BrokerConsumerSnapshot) -> tuple[Held, ...]:
    """In the broker's order. Consumers are named by their instance ID, and by their host."""
    counts = Counter(owners_of(snapshot).values())
    return tuple(
        Held(one.member_id, " on ".join(part for part in (one.instance_id, one.host) if part), counts[one.member_id])
        for one in snapshot.members
    )


def _partitions(snapshot: BrokerConsumerSnapshot) -> list[Row]:
    """All of the topics that the snapshot has, each with who reads it."""
    reads = owners_of(snapshot)
    return [
        {"topic": topic.name, "partition": number, "owner": reads.get(TopicPartition(topic.name, number)), **offsets_of(partition)}
        for topic in snapshot.topics
        for number, partition in enumerate(topic.partitions)
    ]


def targets(snapshot: BrokerConsumerSnapshot) -> list[Row]:
    """Who would read each partition if the group's epoch increased now, and who reads it. Raise what `decide` raises."""
    reads = owners_of(snapshot)
    going = {partition: one.member_id for one in decide(snapshot).members for partition in one.partitions}
    return [
        {
            "topic": one.topic,
            "partition": one.partition,
            "owner": reads.get(one),
            "target": member,
            "will_move": reads.get(one) != member,
        }
        for one, member in sorted(going.items())
    ]


def lost(snapshot: BrokerConsumerSnapshot, first: int, last: int | None) -> list[Row]:
    """Rows of `blast_radius` of the consumers number `first` to `last` (not itself) in the order of the Snapshot."""
    partitions = sum(one.partitions for one in group_of(snapshot).topics)
    return [_loss(one, partitions) for one in losses.losses(snapshot, slice(first, last))]


def _loss(one: ConsumerLoss, partitions: int) -> Row:
    row: Row = {
        "member_id": one.member.member_id,
        "host": one.member.host,
        "scenario": str(one.scenario),
        "basis": "not forecast" if one.outcome is None else "forecast",
        "reason": one.reason,
        "partitions": partitions,
    }
    if one.outcome is None:
        return row
    summary, bounds, policy = one.outcome.summary, one.outcome.bounds, Policy()
    starts, ends = policy.start_up, summary.seconds_to_stable
    spans = [span for _, span in one.outcome.unowned]
    waits = any(span is None for span in spans)  # then what it reads waits for it, which no forecast can count
    known = [span for span in spans if span is not None]
    return row | {
        "moved": summary.moved,
        "needless": summary.collateral,
        "expected_moved": float(summary.moved if bounds is None else bounds.moved.usual),
        "rebalances": summary.targets,
        "rebalances_exact": True,
        "hours": (ends.usual + summary.start_ups * starts.usual) / 3600,
        "hours_exact": True,
        "hours_most": (ends.most + summary.start_ups * starts.high) / 3600,
        "stopped_partition_seconds": None if waits else sum(span.usual for span in known),
        "longest_stop_seconds": None if waits else max((span.usual for span in known), default=0.0),
        "moved_least": None if bounds is None else bounds.moved.least,
        "moved_most": None if bounds is None else bounds.moved.most,
        "missed_at_most": None if bounds is None else bounds.missed_at_most,
    }


def option(one: Considered) -> Row:
    """The columns of the table of options that this kind fills. There is one outcome."""
    if one.summary is None:
        return {}
    ends = None if one.times is None else one.times.rebalancing_ends
    return {
        "moved": one.summary.moved,
        "expected_moved": float(one.summary.moved),
        "needless": one.summary.collateral,
        "rebalances_most": one.summary.targets,
        "hours_most": None if ends is None else ends.high / 3600,
        "partitions": one.summary.partitions,
        "stopped_partition_seconds": None if one.unowned is None else one.unowned.usual,
    }
