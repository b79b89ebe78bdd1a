"""A consumer group as rows of tables. Plain values only."""

from collections import Counter

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer import rebalances
from holdfast.kafka.consumer.election import chosen_assignor
from holdfast.kafka.consumer.group import Assignment, Assignor
from holdfast.kafka.consumer.rebalances import Readers
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.forecast.forecast import forecast
from holdfast.rollout.consumer.host_loss import losses
from holdfast.rollout.consumer.host_loss.losses import ConsumerLoss
from holdfast.rollout.consumer.plan.json import relied_on
from holdfast.rollout.consumer.plan.plan import Considered
from holdfast.rollout.consumer.snapshot import member_order, ownership
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL, ConsumerSnapshot
from holdfast.rollout.contract.client_figures import Held
from holdfast.rollout.facts.notes import NoteKind
from holdfast.rollout.json.consumed_topics import offsets_of
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.timing import timeline

Row = dict[str, object]


def decoded(snapshot: ConsumerSnapshot) -> Row:
    """`group`, `members` and `partitions`: the parts of a decoded Snapshot that a consumer group has."""
    try:
        reads = member_order.readers_of(snapshot)
    except CannotPredict:
        reads = None
    return {
        "group": _group(snapshot),
        "clients": [],
        "members": _members(snapshot, reads),
        "tasks": [],
        "partitions": _partitions(snapshot, reads or {}),
        "state_directories": [],
    }


def _group(snapshot: ConsumerSnapshot) -> Row:
    return {
        "protocol": PROTOCOL,
        "group_state": snapshot.group_state,
        "kafka_release": snapshot.kafka_release,
        "assignor": _assignor(snapshot),
        "members": len(snapshot.members),
        "partitions": ownership.subscribed(snapshot.members, snapshot.topics),
        "unknown": [f"{unknown.what}: {unknown.reason}" for unknown in snapshot.unknown],
        "fingerprint": fingerprint(relied_on(snapshot)),
        "generation": snapshot.generation,
        "lag": _lag(snapshot),
    }


def _lag(snapshot: ConsumerSnapshot) -> int | None:
    """Of the partitions of which it is known; None: of none."""
    known = [
        lag for topic in snapshot.topics for partition in topic.partitions if isinstance(lag := offsets_of(partition)["lag"], int)
    ]
    return sum(known) if known else None


def _assignor(snapshot: ConsumerSnapshot) -> str | None:
    """The one that the coordinator picks. None: unknown, or there is none in common."""
    try:
        found = chosen_assignor(snapshot.members, snapshot.broker_release)
    except CannotPredict:
        return None
    return str(found) if isinstance(found, Assignor) else None


def _members(snapshot: ConsumerSnapshot, reads: Readers | None) -> list[Row]:
    counts = dict.fromkeys((member.member_id for member in snapshot.members), 0)
    for reader in (reads or {}).values():
        counts[reader] += 1
    return [
        {
            "member_id": member.member_id,
            "client_id": member.client_id,
            "group_instance_id": member.group_instance_id,
            "owned_partitions": None if reads is None else counts[member.member_id],
            "host": member.host,
            "rack": member.rack,
            "assignors": [str(one) for one in member.assignors],
            "subscription": list(member.subscription),
        }
        for member in snapshot.members
    ]


def held(snapshot: ConsumerSnapshot) -> tuple[Held, ...]:
    """In the order of the group's member list. Consumers are named by their instance ID, and by their host."""
    try:
        reads = member_order.readers_of(snapshot)
    except CannotPredict:
        reads = None
    counts = Counter((reads or {}).values())
    return tuple(
        Held(
            one.member_id,
            " on ".join(part for part in (one.group_instance_id, one.host) if part),
            None if reads is None else counts[one.member_id],
        )
        for one in snapshot.members
    )


def _partitions(snapshot: ConsumerSnapshot, reads: Readers) -> list[Row]:
    """All of the topics that the snapshot has, each with who reads it."""
    return [
        {"topic": topic.name, "partition": number, "owner": reads.get(TopicPartition(topic.name, number)), **offsets_of(partition)}
        for topic in snapshot.topics
        for number, partition in enumerate(topic.partitions)
    ]


def targets(snapshot: ConsumerSnapshot) -> list[Row]:
    """Who would read each partition after a rebalance for no reason, and who reads it now. Raise what `forecast` raises."""
    outcome = forecast(snapshot, ConsumerChange(())).outcome
    last = outcome.rounds[-1].decision
    if not outcome.stable or not isinstance(last, Assignment):
        raise CannotPredict(outcome.unsettled or "the leader itself fails")
    reads = member_order.readers_of(snapshot) or {}
    return [
        {
            "topic": one.topic,
            "partition": one.partition,
            "owner": reads.get(one),
            "target": reader,
            "will_move": reads.get(one) != reader,
        }
        for one, reader in sorted(rebalances.readers_after(last).items())
    ]


def order_change(before: ConsumerSnapshot, after: ConsumerSnapshot) -> Row | None:
    """Which members joined and left, and what that moved; None: none did. Raise CannotPredict."""
    change = member_order.member_changes(before, after)
    if not (change.joined or change.left):
        return None
    return {
        "protocol": PROTOCOL,
        "joined": list(change.joined),
        "left": list(change.left),
        "shifted": list(change.shifted),
        "moved": len(change.moved),
        "moved_between_survivors": len(change.moved_between_survivors),
        "moves": [
            {
                "topic": move.partition.topic,
                "partition": move.partition.partition,
                "owner_before": move.before,
                "owner_after": move.after,
            }
            for move in change.moved
        ],
    }


def lost(snapshot: ConsumerSnapshot, first: int, last: int | None) -> list[Row]:
    """Rows of `blast_radius` of the consumers number `first` to `last` (not itself) in the member list."""
    return [_loss(one, snapshot) for one in losses.losses(snapshot, snapshot.members[first:last])]


def _loss(one: ConsumerLoss, snapshot: ConsumerSnapshot) -> Row:
    row: Row = {
        "member_id": one.member.member_id,
        "host": one.member.host,
        "scenario": str(one.scenario),
        "place": None if one.place is None else one.place.place,
        "probability": None if one.place is None else one.place.probability,
        "expected_moved": one.expected_moved,
        "basis": "not forecast" if one.outcome is None else "forecast",
        "reason": one.reason,
        "partitions": ownership.subscribed(snapshot.members, snapshot.topics),
    }
    if one.outcome is None:
        return row
    summary = one.outcome.summary
    unnoticed = not summary.rebalances  # then what it reads waits for it, which no forecast can count
    ends = timeline.of_acts(one.outcome.acts, Policy()).rebalancing_ends
    still, longest = (None, None) if unnoticed else (summary.partition_seconds, summary.longest_stop)
    return row | {
        "reason": next((note.text for note in one.outcome.notes if note.kind is NoteKind.RETURN), None) if unnoticed else None,
        "moved": summary.moved,
        "needless": summary.needless,
        "expected_moved": one.expected_moved if one.place or summary.moved is None else float(summary.moved),
        "rebalances": summary.rebalances,
        "rebalances_exact": one.outcome.rebalances_most == summary.rebalances,
        "hours": None if ends is None else ends.usual / 3600,
        "hours_exact": ends is not None,
        "hours_most": None if ends is None else ends.high / 3600,
        "stopped_partition_seconds": None if still is None else still.usual,
        "longest_stop_seconds": None if longest is None else longest.usual,
    }


def option(one: Considered) -> Row:
    """There is one outcome."""
    if one.summary is None:
        return {}
    seconds, still = one.summary.seconds_to_stable, one.summary.partition_seconds
    return {
        "moved": one.summary.moved,
        "expected_moved": None if one.summary.moved is None else float(one.summary.moved),
        "needless": one.summary.needless,
        "rebalances_most": one.rebalances[1],
        "hours_most": None if seconds is None else seconds / 3600,
        "partitions": one.summary.partitions,
        "stopped_partition_seconds": None if still is None else still.usual,
    }
