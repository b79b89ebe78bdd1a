"""A consumer group whose leader assigns: unchanged, and with static members."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer import rebalances
from holdfast.kafka.consumer.group import Member
from holdfast.kafka.consumer.rebalances import Readers
from holdfast.rollout.consumer.change.change import ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.change.request import consumer_change_of
from holdfast.rollout.consumer.events.add_consumer import AddConsumer
from holdfast.rollout.consumer.events.parts.timing import Departure
from holdfast.rollout.consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.consumer.forecast.forecast import forecast, name_at_the_end
from holdfast.rollout.consumer.forecast.outcomes import ConsumerOutcome
from holdfast.rollout.consumer.snapshot import member_order
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.kinds.protocols import spread
from holdfast.rollout.kinds.protocols.comparison import Applied, DeployKind
from holdfast.rollout.kinds.protocols.side import Drawn, Side, in_turn, new_instance, requests
from holdfast.rollout.policy.policy import Policy


class ClassicConsumers(Side):
    protocol = "consumer-classic"

    def __init__(self, snapshot: ConsumerSnapshot, policy: Policy, seed: int, *, static: bool = False) -> None:
        self._policy, self._seed = policy, seed
        self.now = not static
        self.applied = (Applied.STATIC,) if static else ()
        members = tuple(replace(one, group_instance_id=one.group_instance_id or one.member_id) for one in snapshot.members)
        self._snapshot = replace(snapshot, members=members) if static else snapshot

    def members(self) -> int:
        return len(self._snapshot.members)

    def is_random(self, deploy: DeployKind) -> bool:
        if deploy is DeployKind.SCALE_IN:
            return False
        return deploy is not DeployKind.RESTART or any(one.group_instance_id is None for one in self._snapshot.members)

    def work(self) -> int:
        return len(self._snapshot.members) + sum(len(one.partitions) for one in self._snapshot.topics)

    def drawn(self, deploy: DeployKind, draw: int) -> tuple[Drawn, ...]:
        change = self.change(deploy, draw)
        outcome = forecast(self._snapshot, change).outcome
        if outcome.unsettled is not None:
            raise CannotPredict(outcome.unsettled)
        reads, seconds = member_order.known_readers(self._snapshot), outcome.summary.partition_seconds
        same = {name_at_the_end(one.member_id, change): one.member_id for one in self._snapshot.members}
        return (
            Drawn(
                moves=_moves(reads, same, outcome),
                rebalances=outcome.summary.rebalances,
                downtime_s=None if seconds is None else seconds.usual + self._away(change, reads),
            ),
        )

    def _away(self, change: ConsumerChange, reads: Readers) -> int:
        """Partition-seconds of static members that are back in time: no forecast of a rebalance has that."""
        back = {old for item in change.statements() if item.returns_unseen() for old in item.olds()}
        return self._policy.start_up.usual * sum(reader in back for reader in reads.values())

    def change(self, deploy: DeployKind, draw: int) -> ConsumerChange:
        """With the member IDs of that draw, as the broker makes them."""
        members = self._snapshot.members
        chosen = members[draw % len(members)]
        replaced = deploy is DeployKind.REPLACE and chosen.host is not None
        place = str(chosen.host) if replaced else chosen.member_id
        on_place = sum(one.host == chosen.host for one in members) if replaced else 1
        asked = requests(deploy, len(members), place, on_place)
        events = in_turn(consumer_change_of(one, self._snapshot).events for one in asked)
        events = tuple(_as_those_before(events, self._snapshot))
        return ConsumerChange(tuple(self._drawn(item, draw, index) for index, item in enumerate(events)))

    def _drawn(self, item: ConsumerItem, draw: int, index: int) -> ConsumerItem:
        """As processes restart: a static member is back within its session, a dynamic one after a rebalance without it."""
        if isinstance(item, Then):
            return item
        old = next((one for one in self._snapshot.members if one.member_id in item.olds()), None)
        static = old is not None and old.group_instance_id is not None
        if static and isinstance(item, RestartConsumer):
            item = replace(item, within_session=True)
        if static and isinstance(item, RemoveConsumer):  # it does not leave: its session has to be over
            item = replace(item, departure=Departure.CRASHES)
        added = item.consumer.group_instance_id if isinstance(item, AddConsumer) else None
        name = added or _prefix(old or self._snapshot.members[0])
        new = f"{name}-{spread.random_part(self._seed, draw, index)}"
        return item.as_processes_start().with_ids(lambda known: known, lambda _: new)


def _as_those_before(events: tuple[ConsumerItem, ...], group: ConsumerSnapshot) -> Iterator[ConsumerItem]:
    """Who comes in the place of another one reads what that read."""
    by_id = {one.member_id: one for one in group.members}
    gone = (by_id[item.member_id] for item in events if isinstance(item, RemoveConsumer))
    instances = [one.group_instance_id for one in group.members]
    for index, item in enumerate(events):
        if isinstance(item, AddConsumer):
            comes, old = item.consumer, next(gone, None)
            if old is not None:
                comes = replace(comes, subscription=old.subscription, assignors=old.assignors)
            instance = new_instance(instances, index, None if old is None else old.group_instance_id)
            yield replace(item, consumer=replace(comes, group_instance_id=instance))
        else:
            yield item


def _moves(before: Readers, same: Mapping[str, str], outcome: ConsumerOutcome) -> int:
    """Partitions that another consumer reads than the one before, rebalance by rebalance. `same`: the IDs that consumers had
    first, by those that they have at the end: one that restarts is the same."""
    reads, moves = dict(before), 0
    for one in outcome.rounds:
        for partition, member_id in rebalances.readers_after(one.decision).items():
            reader = same.get(member_id, member_id)
            moves += reads.get(partition, reader) != reader
            reads[partition] = reader
    return moves


def _prefix(member: Member) -> str:
    """What the broker puts before the random part of a member ID."""
    return member.group_instance_id or member.client_id or member.member_id
