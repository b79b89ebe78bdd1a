"""What the targets of a change move, in figures, and where those go on that take partitions over."""

from collections.abc import Mapping
from itertools import pairwise

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.forecast.course import CarriedOut, Ground
from holdfast.rollout.broker_consumer.forecast.outcomes import TargetsSummary, in_turn
from holdfast.rollout.coordinated.spans import Seconds, rounded

Owners = dict[TopicPartition, str]
"""The member that reads each partition."""


def summary(
    ground: Ground,
    change: GroupChange,
    done: CarriedOut,
    stable: Seconds,
    start_ups: int,
    unowned: Mapping[TopicPartition, Seconds | None],
) -> TargetsSummary:
    """`change`: with every ID given."""
    same = same_consumers(change)
    first = owners_now(ground)
    courses = [first, *(as_before(one.owners, same) for one in in_turn(done.targets, done.rebalances))]
    last = courses[-1]
    moved = [one for one, owner in first.items() if last.get(one, owner) != owner]
    touched = {event.stops() for event in change.statements()} | {
        same.get(one.consumer.member_id or "", one.consumer.member_id) for one in change.starts()
    }
    known = [span for span in unowned.values() if span is not None]
    return TargetsSummary(
        partitions=len(last),
        moved=len(moved),
        collateral=sum(not {first[one], last[one]} & touched for one in moved),
        moves=sum(hand_overs(before, after) for before, after in pairwise(courses)),
        targets=len(done.targets),
        seconds_to_stable=rounded(stable),
        start_ups=start_ups,
        longest_unowned=max(known, key=lambda one: (one.most, one.usual), default=None),
        rebalances=len(done.rebalances),
    )


def same_consumers(change: GroupChange) -> dict[str, str]:
    """The member ID that consumers that restart had first, by those that they have later."""
    found: dict[str, str] = {}
    for one in change.starts():
        if one.same and one.old is not None and one.consumer.member_id is not None:
            found[one.consumer.member_id] = found.get(one.old, one.old)
    return found


def owners_now(ground: Ground) -> Owners:
    """Who reads what in the Snapshot; who is to, where that is unknown."""
    return {partition: one.member_id for one in ground.snapshot.members for partition in one.assignment or one.target or ()}


def as_before(owners: Owners, same: Mapping[str, str]) -> Owners:
    """By the member IDs that consumers had first. `same`: of `same_consumers`."""
    return {one: same.get(owner, owner) for one, owner in owners.items()} if same else owners


def hand_overs(before: Owners, after: Owners) -> int:
    """Partitions that another consumer has after a target."""
    return sum(before.get(one, owner) != owner for one, owner in after.items())


def taken_up(ground: Ground, change: GroupChange, done: CarriedOut) -> dict[TopicPartition, bool]:
    """Every partition that a member begins to read, and whether the one before it had committed how far it had come: who has to
    give a partition up once it has joined a classic group's rebalance has committed before it (`ConsumerCoordinator.onJoinPrepare`,
    `onJoinComplete`)."""
    crashed = {event.stops() for event in change.statements() if event.crashes()}
    reads, found = owners_now(ground), dict[TopicPartition, bool]()
    given_up = frozenset[TopicPartition]()

    def given(owners: Owners) -> None:
        for partition, owner in owners.items():
            if reads.get(partition) != owner:
                committed = reads.get(partition) not in crashed and partition not in given_up
                found[partition] = found.get(partition, True) and committed
                reads[partition] = owner

    for number in range(len(done.targets) + 1):
        for back in [one for one in done.returns if one.targets == number]:
            for partition in [one for one, owner in reads.items() if owner == back.old]:
                reads[partition] = back.member_id
                found[partition] = found.get(partition, True)
        for one in [one for one in done.rebalances if one.targets == number]:
            given(one.owners)
            given_up = one.given_up
        given(done.targets[number].owners if number < len(done.targets) else {})
        given_up = frozenset()
    return found
