"""The course of an option in a plan: target by target, and who reads each partition before and after."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.forecast import summary
from holdfast.rollout.broker_consumer.forecast.course import Ground
from holdfast.rollout.broker_consumer.forecast.outcomes import ComputedTarget, GroupOutcome, LeaderRebalance
from holdfast.rollout.broker_consumer.snapshot.snapshot import OWNED
from holdfast.rollout.contract.batches import FromOld
from holdfast.rollout.coordinated.targets import TargetTrigger
from holdfast.rollout.json.codec import COUNT, NAME, TEXT, choice, items, nullable
from holdfast.rollout.json.record import codec_of, member, record

MOST_PARTITIONS = 20_000
"""With more, the placement is not listed: the plan would be too long to read."""


@record
class CourseTarget:
    """One target. `batch`: of events that it follows from, from 0. `hand_overs`: partitions that it gives to another consumer;
    `undetermined`: those whose place is not certain."""

    trigger: TargetTrigger = member(choice(TargetTrigger))
    group_epoch: int | None = member(nullable(COUNT))
    batch: int = member(COUNT)
    hand_overs: int = member(COUNT)
    undetermined: int = member(COUNT)


@record(about="A rebalance of the group while it is classic: its leader assigns.")
class CourseRebalance:
    """`hand_overs`: as of a target; `stopped`: partitions that no member reads meanwhile."""

    generation: int | None = member(nullable(COUNT))
    batch: int = member(COUNT)
    targets: int = member(COUNT, "How many targets were computed before it.")
    hand_overs: int = member(COUNT)
    stopped: int = member(COUNT)


@record
class Share:
    """The partitions of one consumer. `was`: its member ID now, where it comes back under another. `now` None: it is not there
    yet; `then` None: it is gone."""

    member_id: str = member(NAME)
    host: str | None = member(nullable(TEXT))
    instance_id: str | None = member(nullable(NAME))
    was: str | None = member(nullable(NAME), "Its member ID now, where it comes back under another.")
    now: tuple[TopicPartition, ...] | None = member(nullable(OWNED), "Null: it is not there yet.")
    then: tuple[TopicPartition, ...] | None = member(nullable(OWNED), "Null: it is gone.")


@record(about="Course and placement of the recommended option and of the baseline.")
class Shares:
    """`shares`: of every consumer that is there before or after, in the order of the snapshot; none where it would be too long."""

    targets: tuple[CourseTarget, ...] = member(items(codec_of(CourseTarget)))
    shares: tuple[Share, ...] = member(items(codec_of(Share)), name="consumers")
    rebalances: tuple[CourseRebalance, ...] = member(items(codec_of(CourseRebalance)), default=(), omit=True)

    @property
    def in_turn(self) -> "Iterator[CourseTarget | CourseRebalance]":
        """Targets and rebalances, as they come one after the other."""
        for number in range(len(self.targets) + 1):
            yield from (one for one in self.rebalances if one.targets == number)
            yield from self.targets[number : number + 1]


def course(ground: Ground, change: GroupChange, outcome: GroupOutcome) -> Shares:
    """`change`: with the IDs of the outcome."""
    same = summary.same_consumers(change)
    each = tuple(outcome.in_turn)
    owners = [summary.owners_now(ground), *(summary.as_before(one.owners, same) for one in each)]
    found = [_of_course(one, summary.hand_overs(*both)) for one, both in zip(each, pairwise(owners), strict=True)]
    return Shares(
        tuple(one for one in found if isinstance(one, CourseTarget)),
        _shares(ground, change, outcome, same) if outcome.summary.partitions <= MOST_PARTITIONS else (),
        tuple(one for one in found if isinstance(one, CourseRebalance)),
    )


def _of_course(one: ComputedTarget | LeaderRebalance, hand_overs: int) -> "CourseTarget | CourseRebalance":
    if isinstance(one, LeaderRebalance):
        return CourseRebalance(one.generation, one.batch, one.targets, hand_overs, len(one.stopped))
    return CourseTarget(one.trigger, one.group_epoch, one.batch, hand_overs, len(one.assignment.undetermined_partitions))


def _shares(ground: Ground, change: GroupChange, outcome: GroupOutcome, same: Mapping[str, str]) -> tuple[Share, ...]:
    members = {one.member_id: one for one in ground.snapshot.members}
    before = _by_member(summary.owners_now(ground))
    after = (
        _by_member(outcome.targets[-1].owners)
        if outcome.targets
        else {new: before.get(same.get(new, new), ()) for new in outcome.member_ids}
    )
    then = dict.fromkeys(outcome.member_ids)
    back = {same[one]: one for one in then if one in same}
    came = {one.consumer.member_id: one.consumer for one in change.starts()}
    every = dict.fromkeys((*(back.get(one, one) for one in members), *then))
    found = []
    for one in every:
        old = members.get(same.get(one, one))
        new = came.get(one)
        host = None if new is None or isinstance(new.host, FromOld) else new.host
        instance = None if new is None or isinstance(new.instance_id, FromOld) else new.instance_id
        found.append(
            Share(
                member_id=one,
                host=host or (None if old is None else old.host),
                instance_id=instance or (None if old is None else old.instance_id),
                was=same.get(one),
                now=None if old is None else before.get(old.member_id, ()),
                then=after.get(one, ()) if one in then else None,
            )
        )
    return tuple(found)


def _by_member(owners: Mapping[TopicPartition, str]) -> dict[str, tuple[TopicPartition, ...]]:
    found: dict[str, list[TopicPartition]] = {}
    for partition, owner in sorted(owners.items()):
        found.setdefault(owner, []).append(partition)
    return {owner: tuple(partitions) for owner, partitions in found.items()}
