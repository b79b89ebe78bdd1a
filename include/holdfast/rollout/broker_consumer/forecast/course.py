"""The targets that follow from a change, one after the other: which events each of them sees, in which order its members are, and
what it sticks to.

Java: `GroupMetadataManager.consumerGroupHeartbeat`, `maybeUpdateTargetAssignment`, and `TargetAssignmentBuilder` (4.0.0 to 4.4.0).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import NamedTuple

from holdfast.kafka.coordinator.consumer import target
from holdfast.kafka.coordinator.consumer.group import Group, MemberTarget, MemberType, Owned, by_topic
from holdfast.kafka.coordinator.consumer.hash_tables import UNTIL_18
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.kafka.coordinator.consumer.subscriptions import Subscriptions
from holdfast.kafka.coordinator.member_table import MemberTable, Move
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.broker_consumer.forecast import leading
from holdfast.rollout.broker_consumer.forecast.outcomes import ComputedTarget, GroupConversion, LeaderRebalance
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.target.target import as_target, each_partition
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.coordinated import roster
from holdfast.rollout.coordinated.course import Course
from holdfast.rollout.coordinated.targets import Occasion, Return, TargetTrigger, pending

MOST_COURSES = 8
"""The number of possible results of the previous target that are followed."""
Result = tuple[MemberTarget, ...]


@dataclass(frozen=True, slots=True)
class Ground:
    """What a course begins with, checked: the group has all that decides. `group`: as the coordinator has it now."""

    snapshot: BrokerConsumerSnapshot
    group: Group


class CarriedOut(NamedTuple):
    """The targets, the static members that came back, and where the group became one of the other protocol. `stalled`: a target is
    due at the end that no member computes. `rebalances`: of the group while it is classic."""

    targets: tuple[ComputedTarget, ...]
    returns: tuple[Return, ...]
    conversions: tuple[GroupConversion, ...]
    stalled: bool
    rebalances: tuple[LeaderRebalance, ...]


def carried_out(ground: Ground, change: GroupChange) -> CarriedOut:
    """Every member ID of the change is given. Raise InvalidInput for an event that does not fit the group then, CannotPredict for
    one that comes after the group became one of the classic protocol."""
    batches = change.numbered_batches()
    unsettled = frozenset(number for number, one in enumerate(batches, start=1) if one.wait is Wait.REBALANCE)
    course = _Course(ground, unsettled)
    targets = tuple(course.targets(batches))
    return CarriedOut(targets, tuple(course.returns), tuple(course.conversions), course.stalled, tuple(course.rebalances))


class _Course(Course[ConsumerEvent, Scene, ComputedTarget]):
    def __init__(self, ground: Ground, unsettled: frozenset[int]) -> None:
        """`unsettled`: the batches, by number, that begin before members have what the last target gives them."""
        snapshot, group = ground.snapshot, ground.group
        self._release = group.release
        scene = Scene(
            release=group.release,
            facts=behaviour(group.release),
            members={one.member_id: one for one in group.members},
            instances={one.member_id: one.instance_id for one in group.members if one.instance_id is not None},
            table=MemberTable.listed(one.member_id for one in group.members),
            config=snapshot.config,
            assignor=group.assignor,
            topics=group.topics,
            epoch=snapshot.group_epoch,
            due=pending(snapshot.group_epoch, snapshot.assignment_epoch),
            forgotten=snapshot.still_classic,  # no target was computed before
            led=snapshot.still_classic,
        )
        super().__init__(scene)
        self._snapshot, self._unsettled = snapshot, unsettled
        self._had = [{one.member_id: one.target for one in group.members}]
        self._alike = Subscriptions(group, UNTIL_18).alike
        self.conversions: list[GroupConversion] = []
        self.rebalances: list[LeaderRebalance] = []
        self._classic = leading.from_classic(snapshot)
        self._taken_over: MemberTable | None = None

    def _begins(self, event: ConsumerEvent) -> None:
        if self._scene.still_classic:
            leading.refuse_event(self._scene, event)

    def _event(self, index: int, event: ConsumerEvent, applied: Callable[[Scene], Scene]) -> Iterator[ComputedTarget]:
        """What it makes of the scene. A target comes of it at once where a member joins and no interval holds it back."""
        there = tuple(self._scene.members)
        self._place(index, event, applied)
        if self._scene.still_classic and any(joins for _, joins in self._scene.moves):
            self._take_over(there)
        self._inherit()
        self._convert(index)
        moves = self._scene.moves
        yield from self._joined()
        if self._taken_over is not None:
            self._converted(index, self._taken_over, moves)

    def _lead(self) -> None:
        """The leader assigns to those that are in the classic group now."""
        scene, batch, targets = self._scene, self._batch_number, self._computed_so_far
        assert self._classic is not None, "no leader leads where nothing is known of it"
        reads = owners_in(self._had[0].items())
        found, self._classic = leading.led(self._snapshot, scene, leading.with_newcomers(self._classic, scene))
        self.rebalances += leading.as_outcome(found, reads, known=scene.epoch is not None, batch=batch, targets=targets)
        last = self.rebalances[-1]
        self._had = [{name: by_topic(partitions) for name, partitions in last.owned}]
        self._scene = replace(scene, epoch=last.generation, due=False, moves=())

    def _take_over(self, there: tuple[str, ...]) -> None:
        """The first consumer of the new protocol has joined a classic group of these. Who has left that before is not in it any
        more. No member is updated until all of them are in the coordinator's table."""
        scene = self._scene
        places = {old for _, old in scene.heirs}
        members = tuple(one for one in there if one in scene.members or one in places)
        leading.refuse_first(self._snapshot, len(members), static=bool(places))
        bits = MemberTable.bits_for(len(members))
        self._taken_over = MemberTable(MemberTable(members, bits).order()[::-1], bits)
        moves = tuple(move for move in scene.moves if move[1] or move[0] in members)
        self._scene = replace(scene, table=self._taken_over, led=False, moves=moves)

    def _joined(self) -> Iterator[ComputedTarget]:
        if self._scene.joins_compute and self._scene.due:
            yield from self._computed(TargetTrigger.CHANGE, by_joining=True)

    def _inherit(self) -> None:
        """What static members had is now that of those in their places."""
        for new, old in self._scene.heirs:
            self.returns.append(Return(self._computed_so_far, new, old))
            self._had = [{name: owned for name, owned in had.items() if name != old} | {new: had.get(old, ())} for had in self._had]
        self._scene = replace(self._scene, heirs=())

    @property
    def stalled(self) -> bool:
        return self._scene.due and self._scene.alive() > 0

    def _convert(self, index: int | None) -> None:
        """`index`: of the event that has just taken effect; None: sessions are over."""
        found = self._scene.conversion
        if found is None or any(one.to is MemberType.CLASSIC for one in self.conversions):
            return
        scene = self._scene
        self.conversions.append(
            GroupConversion(MemberType.CLASSIC, self._batch_number, index, found.rebalances, scene.table.order())
        )
        if found.rebalances and len(self._had) == 1 and self._batch_number not in self._unsettled:
            self._classic = leading.become_classic(scene, self._had[0], found.fresh)
            led = self._classic is not None
            self._scene = replace(scene, led=led, due=led)

    def _converted(self, index: int, before: MemberTable, moves: tuple[Move, ...]) -> None:
        """The first consumer of the new protocol has joined a classic group. Its coordinator has gone through the members, and put
        them into a table of their own."""
        self._taken_over = None
        table = _anew(before)
        computed = not self._scene.moves
        self._scene = replace(self._scene, table=table.after(moves) if computed else table)
        there = table.after(moves).order()
        self.conversions.append(GroupConversion(MemberType.CONSUMER, self._batch_number, index, computed, there))

    def _session_over(self) -> Iterator[ComputedTarget]:
        over, *others = self._scene.dead
        self._scene = scenes.gone(replace(self._scene, dead=tuple(others)), over)
        self._convert(None)
        yield from self._computed(TargetTrigger.SESSION_OVER, over)
        for late in [one for one in self._scene.late if one.old in over]:
            self._scene = scenes.joined(self._scene, late.new, "new_member_id")
            yield from self._computed(TargetTrigger.CHANGE)

    def _computed(
        self, trigger: TargetTrigger, over: tuple[str, ...] = (), *, by_joining: bool = False
    ) -> Iterator[ComputedTarget]:
        """The target that is due, if one is. It takes a heartbeat: members that ended without leaving send none."""
        scene = self._scene
        if scene.led and scene.due:
            self._lead()
        if scene.led or (scene.members and (scene.due or scene.unseen) and not scene.computes()):
            return
        bumps = len(scene.moves)
        if scene.unseen and scene.members:
            scene = replace(roster.raised(scene), grown=False, asked=False)
            bumps += 1
        if scene.due and scene.members:
            occasion = self._occasion(scene, over, bumps)
            self._computed_so_far += 1
            yield self._target(scene, trigger, occasion, by_joining=by_joining)
        self._scene = replace(scene, due=False, forgotten=False, moves=(), replaced=(), table=scene.table.after(scene.moves))

    def _target(self, scene: Scene, trigger: TargetTrigger, occasion: Occasion, *, by_joining: bool) -> ComputedTarget:
        """`by_joining`: it is the last member that joins whose heartbeat computes it; else this is unknown."""
        fillings = tuple(islice(scene.fillings(), 1 if by_joining else None))
        group = Group(self._release, scene.assignor, tuple(scene.members.values()), scene.topics, scene.resolved())
        alikes = self._alikes(group)
        found: list[list[Result]] = []
        java = False
        for had in self._had:
            found.append([])
            for order, most in fillings:
                members = tuple(replace(scene.members[one], target=had.get(one, ())) for one in order)
                for alike in alikes:
                    result = target.assign(replace(group, members=members, alike=alike, most_members=most))
                    java = java or result.depends_on_java
                    found[-1].append(tuple(sorted(result.members)))
        results = list(dict.fromkeys(chain.from_iterable(found)))
        own = _undetermined(list(dict.fromkeys(found[0])))
        self._had = [dict(one) for one in islice(results, MOST_COURSES)]
        first = self._had[0]
        table = scene.table if self._taken_over is None else _anew(self._taken_over)
        owned = tuple((one, first[one]) for one in table.after(scene.moves).order())
        assignment = as_target(scene.assignor, owned, own, depends_on_java=java)
        later = tuple(one for one in _undetermined(results) if one not in own)
        ended = frozenset(chain.from_iterable(scene.dead))
        return ComputedTarget(
            trigger,
            scene.epoch,
            assignment,
            owned,
            owners_in(owned),
            later,
            ended=ended,
            batch=self._batch_number,
            occasion=occasion,
        )

    def _alikes(self, group: Group) -> tuple[bool | None, ...]:
        """Whether the coordinator takes members for subscribed alike: where regular expressions come or go it may notice late."""
        now, before = Subscriptions(group, UNTIL_18).alike, self._alike
        self._alike = now
        return (now, before) if group.resolved and now != before else (None,)


def _anew(table: MemberTable) -> MemberTable:
    """The members in a table of their own, as another one was gone through."""
    return MemberTable(table.order(), MemberTable.bits_for(len(table.joined) + 1))


def _undetermined(results: list[Result]) -> tuple[TopicPartition, ...]:
    """The partitions that not all results give to the same member."""
    if len(results) == 1:
        return ()
    owners = [owners_in((one.member_id, one.owned) for one in result) for result in results]
    partitions = {one for each in owners for one in each}
    return tuple(sorted(one for one in partitions if len({each.get(one) for each in owners}) > 1))


def owners_in(owned: Iterable[tuple[str, Owned]]) -> dict[TopicPartition, str]:
    """The member that each partition is given to."""
    return {one: member for member, partitions in owned for one in each_partition(partitions)}
