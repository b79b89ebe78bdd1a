"""A consumer group whose coordinator assigns, as a classic one becomes it: online, each consumer restarting once.

The coordinator takes over who reads what, assigns for the members of both protocols alike, and each consumer that restarts has
a new random member ID (`GroupMetadataManager.convertToConsumerGroup`; KIP-848). The group is looked at once all have. Static
members keep their instance IDs.
"""

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, LONGEST_INTERVAL_MS
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.kafka.coordinator.member_table import MemberTable
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.change.request import group_change_of
from holdfast.rollout.broker_consumer.events.add_consumer import AddConsumer
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.broker_consumer.forecast import course
from holdfast.rollout.broker_consumer.forecast.forecast import ground_of
from holdfast.rollout.broker_consumer.options import impact, restarts
from holdfast.rollout.broker_consumer.options.evaluation import evaluate
from holdfast.rollout.broker_consumer.options.option import GroupOption
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumedTopic, BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.target.target import decide, each_partition
from holdfast.rollout.consumer.snapshot import member_order
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.contract.requests import Request, What
from holdfast.rollout.coordinated import chance
from holdfast.rollout.facts import refusals
from holdfast.rollout.kinds.moving.as_consumer_group import as_consumer_group
from holdfast.rollout.kinds.protocols import spread
from holdfast.rollout.kinds.protocols.comparison import Applied, DeployKind, Limit
from holdfast.rollout.kinds.protocols.side import Drawn, Side, in_turn, new_instance, requests
from holdfast.rollout.policy.policy import Policy

TopicIds = Mapping[str, int]
MOST_STARTS, WORK_OF_STARTS = 30, 150_000
"""How many moves are carried out, and the partitions and members that they may look at together."""
_EPOCH = 10
"""Of the group; its number decides nothing."""


class ConsumersByBroker(Side):
    """`topic_ids`: where more than the Snapshot knows them. Unknown ones are drawn too: `uniform` goes by their order."""

    protocol = "consumer"
    is_move = True

    def __init__(
        self,
        snapshot: ConsumerSnapshot,
        release: str,
        policy: Policy,
        seed: int,
        *applied: Applied,
        topic_ids: TopicIds | None = None,
    ) -> None:
        self._snapshot, self._policy, self._seed = snapshot, policy, seed
        self.release, self.applied = release, applied
        self._topic_ids = topic_ids or {one.name: one.id for one in snapshot.topics if one.id is not None}
        self._assignor = Applied.RANGE if Applied.RANGE in applied else Applied.UNIFORM
        by_id = (Limit.ALL_BY_MEMBER_ID,) if self._assignor is Applied.RANGE and Applied.STATIC not in applied else ()
        self.limits = (Limit.BROKER_ASSIGNORS, Limit.CLIENT_SETTINGS, *by_id, Limit.NO_RACKS)
        self.settled = cache(self._settled)

    def members(self) -> int:
        return len(self._snapshot.members)

    def is_random(self, deploy: DeployKind) -> bool:  # noqa: ARG002 - every deploy starts from another settled group
        return True

    def work(self) -> int:
        return len(self._snapshot.members) + sum(len(one.partitions) for one in self._snapshot.topics)

    def start_of(self, draw: int) -> int:
        """The number of the move that a deploy of that draw starts from: a move restarts every consumer, so that several deploys of
        a large group start from one."""
        return draw % max(1, min(MOST_STARTS, WORK_OF_STARTS // max(1, self.work() * 2 * self.members())))

    def moving(self, draw: int) -> tuple[BrokerConsumerSnapshot, GroupChange]:
        """The group as the coordinator takes it over, and the restarts of the move, with the IDs of that draw."""
        owned = member_order.read_by_each(self._snapshot)
        by_id = {one.member_id: one for one in self._snapshot.members}
        table = MemberTable(tuple(by_id), MemberTable.bits_for(len(by_id) + 1))
        group = BrokerConsumerSnapshot(
            group_id=self._snapshot.group_id,
            members=tuple(
                BrokerConsumer(
                    name,
                    client_id=by_id[name].client_id,
                    host=by_id[name].host,
                    subscription=by_id[name].subscription,
                    assignment=owned[name],
                    target=owned[name],
                )
                for name in table.order()
            ),
            broker_release=self.release,
            group_state=STABLE,
            group_epoch=_EPOCH,
            assignment_epoch=_EPOCH,
            assignor=str(self._assignor),
            config=((ASSIGNMENT_INTERVAL, LONGEST_INTERVAL_MS),) if Applied.LONG_INTERVAL in self.applied else (),
            topics=tuple(
                BrokerConsumedTopic(one.name, self._topic_id(one.name, draw), one.partitions) for one in self._snapshot.topics
            ),
        )
        return group, self._with_ids(group_change_of(Request(What.RESTART), group), "move", draw)

    def move_drawn(self, draw: int) -> Drawn:
        """From the classic group on: its leader assigns without the first consumer, then the coordinator."""
        topics = tuple(replace(one, id=self._topic_id(one.name, draw)) for one in self._snapshot.topics)
        classic = as_consumer_group(replace(self._snapshot, broker_release=self.release, topics=topics))
        longer = ((ASSIGNMENT_INTERVAL, LONGEST_INTERVAL_MS),) if Applied.LONG_INTERVAL in self.applied else ()
        group = replace(classic, assignor=str(self._assignor), config=(*classic.config, *longer))
        change = self._with_ids(group_change_of(Request(What.CONVERT), group), "moved", draw)
        static = frozenset(one.member_id for one in group.members if one.instance_id is not None)
        if Applied.STATIC in self.applied:
            change = restarts.as_static(change, static)
        if Applied.LONG_INTERVAL in self.applied:
            change = _within(change, static)
        return self._evaluated(group, change, "move")

    def _topic_id(self, name: str, draw: int) -> int:
        known = self._topic_ids.get(name)
        return int.from_bytes(chance.bits("topic", self._seed, draw, name)) if known is None else known

    def _settled(self, draw: int) -> BrokerConsumerSnapshot:
        """The group at rest after its move."""
        group, change = self.moving(draw)
        targets = course.carried_out(ground_of(group), change).targets
        if not targets:
            raise CannotPredict("consumers: the group has none, and is assigned nothing")
        last, before = targets[-1], {one.member_id: one for one in group.members}
        old = {one.consumer.member_id: before[str(one.old)] for one in change.starts()}
        members = tuple(self._after(old[name], name, each_partition(owned)) for name, owned in last.owned)
        after = replace(group, members=members, group_epoch=last.group_epoch, assignment_epoch=last.group_epoch)
        given = {one.member_id: one.partitions for one in decide(after).members}  # by instance ID, where members became static
        has = (replace(one, assignment=given[one.member_id], target=given[one.member_id]) for one in members)
        return replace(after, members=tuple(has))

    def _after(self, old: BrokerConsumer, member_id: str, owned: tuple[TopicPartition, ...]) -> BrokerConsumer:
        classic = next(one for one in self._snapshot.members if one.member_id == old.member_id)
        instance = classic.group_instance_id or (old.member_id if Applied.STATIC in self.applied else None)
        return replace(old, member_id=member_id, instance_id=instance, assignment=owned, target=owned)

    def deployed(self, deploy: DeployKind, draw: int) -> tuple[BrokerConsumerSnapshot, GroupChange]:
        """The settled group and the change, with the IDs of that draw."""
        settled = self.settled(self.start_of(draw))
        count = len(settled.members)
        chosen = sorted(settled.members, key=_by_what_it_reads)[draw % count]
        replaced = deploy is DeployKind.REPLACE and chosen.host is not None
        place = str(chosen.host) if replaced else chosen.member_id
        on_place = sum(one.host == chosen.host for one in settled.members) if replaced else 1
        asked = requests(deploy, count, place, on_place)
        change = GroupChange(in_turn(group_change_of(one, settled).events for one in asked))
        change = GroupChange(tuple(self._first_alone(_as_those_before(change, settled))))
        if deploy is DeployKind.RESTART and Applied.LONG_INTERVAL in self.applied:
            change = _within(change, frozenset(one.member_id for one in settled.members if one.instance_id is not None))
        alone = deploy is DeployKind.SCALE_OUT and count < spread.BLOCK
        there, block = [one.member_id for one in settled.members], count + 1 if alone else spread.BLOCK
        return settled, self._with_ids(change, "deploy", draw, there, block)

    def _first_alone(self, events: Iterator[Item]) -> Iterator[Item]:
        """Of several that come once the interval is over, the heartbeat with which the first joins computes a target; the others
        are in the next one (`GroupMetadataManager.maybeUpdateTargetAssignment`). Without an interval each has one of its own."""
        first = behaviour(str(self.release)).has_interval
        for before, item in pairwise((None, *events)):
            if first and isinstance(before, AddConsumer) and isinstance(item, AddConsumer):
                yield Then(Wait.REBALANCE)
                first = False
            if item is not None:
                yield item

    def drawn(self, deploy: DeployKind, draw: int) -> tuple[Drawn, ...]:
        group, change = self.deployed(deploy, draw)
        return (self._evaluated(group, change, str(deploy)),)

    def _evaluated(self, group: BrokerConsumerSnapshot, change: GroupChange, title: str) -> Drawn:
        found = evaluate(group, GroupOption(BASELINE_NAME, title, change))
        if found.refused is not None or found.summary is None:
            raise CannotPredict("" if found.refused is None else refusals.sentence(found.refused))
        cost, summary = impact.impact_of(found, self._policy), found.summary
        return Drawn(summary.moves, summary.targets + summary.rebalances, None if cost is None else cost.downtime_s)

    def _with_ids(
        self, change: GroupChange, what: str, draw: int, there: Iterable[str] = (), block: int = spread.BLOCK
    ) -> GroupChange:
        """`there`: the random IDs that the group has. `block`: as of `spread`; of one that comes alone, its ranks."""
        known, found = sorted(there), list[Item]()
        for index, item in enumerate(change.events):
            comes = item.comes() if isinstance(item, ConsumerEvent) else None
            if isinstance(item, ConsumerEvent) and item.stops() in known:
                known.remove(str(item.stops()))
            if isinstance(item, Then) or comes is None or comes.consumer.member_id is not None:
                found.append(item)
                continue
            new = spread.member_id(known, self._seed, draw, what, index, block=block)
            insort(known, new)
            found.append(item.drawn(new))
        return GroupChange(tuple(found))


def _within(change: GroupChange, static: frozenset[str]) -> GroupChange:
    """Each but the first is back within the assignment interval."""
    return GroupChange(tuple(restarts.within(restarts.restarts_of(change), static)))


def _by_what_it_reads(one: BrokerConsumer) -> tuple[object, ...]:
    """So that consumers of every subscription, and of every rank, come as often."""
    return one.subscription, one.instance_id is None, one.instance_id or one.member_id


def _as_those_before(change: GroupChange, group: BrokerConsumerSnapshot) -> Iterator[Item]:
    """Who comes in the place of another one reads what that read."""
    by_id = {one.member_id: one for one in group.members}
    gone = (by_id[item.member_id] for item in change.events if isinstance(item, RemoveConsumer))
    instances = [one.instance_id for one in group.members]
    for index, item in enumerate(change.events):
        if isinstance(item, AddConsumer):
            comes, old = item.consumer, next(gone, None)
            if old is not None:
                comes = replace(comes, subscription=old.subscription, subscription_regex=old.subscription_regex)
            instance = new_instance(instances, index, None if old is None else old.instance_id)
            yield replace(item, consumer=replace(comes, instance_id=instance))
        else:
            yield item
