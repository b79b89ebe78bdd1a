"""The targets that follow from a change, one after the other: which events each of them sees, in which order its members are, and
what it sticks to.

Java: `GroupMetadataManager.maybeUpdateStreamsTargetAssignment` and `TargetAssignmentBuilder` (4.2.0 to 4.4.0).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from holdfast.kafka.coordinator.config_keys import RECORDED_STANDBYS, STANDBYS, decides
from holdfast.kafka.coordinator.member_table import MemberTable
from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.coordinator.streams import sticky
from holdfast.kafka.coordinator.streams.group import Group, Member, MemberTarget, Subtopology, Task, each_task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts import static
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.broker_streams.forecast import readiness
from holdfast.rollout.broker_streams.forecast.disk_reports import OnDisks, Reports, Said
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_streams.forecast.silent_members import Had, held
from holdfast.rollout.broker_streams.snapshot.snapshot import GroupTopology, StreamsGroupSnapshot, Topic
from holdfast.rollout.broker_streams.target.group import standby_replicas
from holdfast.rollout.broker_streams.target.target import MemberTasks, TargetAssignment
from holdfast.rollout.coordinated.course import Course
from holdfast.rollout.coordinated.targets import Occasion, Return, TargetTrigger, pending

MOST_COURSES = 8
"""The number of possible results of the previous target that are followed."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a course begins with, checked: the group has all that decides. `group`: as the coordinator has it now."""

    snapshot: StreamsGroupSnapshot
    topology: GroupTopology
    group: Group


def carried_out(ground: Ground, change: BrokerChange) -> tuple[ComputedTarget, ...]:
    """As `with_returns`, the targets."""
    return with_returns(ground, change)[0]


def with_returns(ground: Ground, change: BrokerChange) -> tuple[tuple[ComputedTarget, ...], tuple[Return, ...]]:
    """The targets, and the static members that came back. Every member ID of the change is given. Raise InvalidInput for an event
    that does not fit the group then, CannotPredict where the topology is not ready."""
    course = _Course(ground, change)
    return tuple(course.targets(change.numbered_batches())), tuple(course.returns)


class _Course(Course[BrokerEvent, Scene, ComputedTarget]):
    def __init__(self, ground: Ground, change: BrokerChange) -> None:
        snapshot = ground.snapshot
        facts = behaviour(ground.group.release)
        self._ground = ground
        scene = Scene(
            facts=facts,
            members={one.member_id: one for one in ground.group.members},
            instances={one.member_id: one.instance_id for one in snapshot.members if one.instance_id is not None},
            table=MemberTable.listed(one.member_id for one in ground.group.members if snapshot.classic is None),
            config=snapshot.config,
            topology=ground.topology,
            topics=snapshot.topics,
            epoch=snapshot.group_epoch,
            due=pending(snapshot.group_epoch, snapshot.assignment_epoch),
            seen=_seen(snapshot),
            classic=snapshot.classic,
        )
        super().__init__(scene)
        self._had = [_by_id(MemberTarget(one.member_id, one.active, one.standby) for one in ground.group.members)]
        self._given = list(self._had)  # by the last target
        self._reports = Reports(snapshot, ground.group, ground.topology, change.assume.offsets)
        self._disks = [self._reports.start]
        self._arriving: dict[str, str | None] = {}
        self._known: tuple[tuple[Topic, ...], tuple[Subtopology, ...]] = (snapshot.topics, ground.group.subtopologies)

    def _begins(self, event: BrokerEvent) -> None:
        self._arriving |= dict(event.copied_disks()) | dict.fromkeys(event.lost_disks())

    def _event(self, index: int, event: BrokerEvent, applied: Callable[[Scene], Scene]) -> Iterator[ComputedTarget]:
        """What it makes of the scene. A target comes of it where a first thread joins alone."""
        self._place(index, event, applied)
        self._inherit()
        while self._scene.follow is not None:
            yield from self._computed(TargetTrigger.CHANGE)
            self._place(index, event, scenes.followed)

    def _inherit(self) -> None:
        """What static members had is now that of those in their places."""
        for new, old in self._scene.heirs:
            self.returns.append(Return(self._computed_so_far, new, old))
            self._had = [_renamed(had, old, new) for had in self._had]
            self._given = [_renamed(given, old, new) for given in self._given]
        if self._scene.heirs:  # they give up what the last target did not leave to them
            both = zip(self._given, self._had, strict=True)
            self._had = [_by_id(self._kept(self._scene, tuple(given.values()), had)) for given, had in both]
            disks = zip(self._disks, self._had, strict=True)
            self._disks = [self._reports.given(one, self._scene.members, had.values()) for one, had in disks]
        self._scene = replace(self._scene, heirs=())

    def _session_over(self) -> Iterator[ComputedTarget]:
        over, *others = self._scene.dead
        self._scene = scenes.gone(replace(self._scene, dead=tuple(others)), over)
        yield from self._computed(TargetTrigger.SESSION_OVER, over)
        lasting = set(chain.from_iterable(others))
        for late in [one for one in self._scene.late if set(one.members) & set(over) and not set(one.members) & lasting]:
            self._scene = static.became(scenes.joined(self._scene, late.process_id, late.member_ids), late.member_ids)
            yield from self._computed(TargetTrigger.CHANGE)

    def _computed(self, trigger: TargetTrigger, over: tuple[str, ...] = ()) -> Iterator[ComputedTarget]:
        """The target that is due, if one is. It takes a heartbeat: members that ended without leaving send none."""
        scene = self._scene
        if scene.classic is not None or (scene.members and not scene.present()):
            return
        bumps = len(scene.moves)
        if scene.unseen and scene.members:
            scene = replace(scenes.raised(scene), seen=decides(dict(scene.config)), grown=False)
            bumps += 1
        if scene.due and scene.members:
            occasion = self._occasion(scene, over, bumps)
            self._computed_so_far += 1
            yield self._target(scene, TargetTrigger.DELAY_OVER if scene.delayed else trigger, occasion)
        self._scene = replace(scene, due=False, delayed=False, forgotten=False, moves=(), table=scene.table.after(scene.moves))

    def _target(self, scene: Scene, trigger: TargetTrigger, occasion: Occasion) -> ComputedTarget:
        subtopologies = self._subtopologies(scene)
        standbys = standby_replicas(scene.config)
        orders = tuple(one.order for one in scene.fillings())
        found: list[list[tuple[MemberTarget, ...]]] = []
        after: dict[tuple[tuple[MemberTarget, ...], tuple[MemberTarget, ...], int], OnDisks] = {}
        ended = frozenset(chain.from_iterable(scene.dead))
        for number, (had, before) in enumerate(zip(self._had, self._disks, strict=True)):
            found.append([])
            disks = self._reports.heard(before, scene.members, had, ended, self._arriving)
            for order in orders:
                members = tuple(_sticking(scene.members[one], had, disks.said.get(one)) for one in order)
                target = sticky.assign(Group(self._ground.group.release, members, subtopologies, standbys))
                found[-1].append(tuple(sorted(target.members)))
                kept = self._kept(scene, found[-1][-1], had)
                after[found[-1][-1], kept, number if self._reports.follow else 0] = self._reports.given(disks, scene.members, kept)
        own = _undetermined(list(dict.fromkeys(found[0])))
        self._arriving = {name: source for name, source in self._arriving.items() if name not in scene.present()}
        earlier = self._given[0]
        results = list(dict.fromkeys(chain.from_iterable(found)))
        self._given = [_as_before(target, earlier) for target, _, _ in islice(after, MOST_COURSES)]
        self._had = [_by_id(kept) for _, kept, _ in islice(after, MOST_COURSES)]
        self._disks = [*islice(after.values(), MOST_COURSES)]
        first = self._given[0]
        listed = scene.table.after(scene.moves).order()
        assignment = TargetAssignment(
            "sticky", tuple(MemberTasks(one, first[one].active, first[one].standby) for one in listed), own
        )
        processes = tuple((one, scene.members[one].process_id) for one in listed)
        later = tuple(task for task in _undetermined(results) if task not in own)
        return ComputedTarget(
            trigger, scene.epoch, assignment, processes, later, ended=ended, batch=self._batch_number, occasion=occasion
        )

    def _kept(self, scene: Scene, target: tuple[MemberTarget, ...], had: Had) -> tuple[MemberTarget, ...]:
        """What the next target sticks to."""
        if not scene.facts.sticks_to_current:
            return target
        silent = frozenset(chain.from_iterable(scene.dead)) & scene.members.keys()
        there = tuple(one for one in target if one.member_id in scene.members)
        return held(there, had, {name: one.process_id for name, one in scene.members.items()}, silent)

    def _subtopologies(self, scene: Scene) -> tuple[Subtopology, ...]:
        topics, found = self._known
        if topics != scene.topics:
            found = readiness.subtopologies(self._ground.topology, self._ground.snapshot.topics, scene.topics)
            self._known = scene.topics, found
        return found


def _seen(snapshot: StreamsGroupSnapshot) -> tuple[str, str]:
    """The configs that a heartbeat has found: those of the last target, where its record shows them. A config that was changed
    after it raises the epoch with the next heartbeat."""
    now, tags = decides(dict(snapshot.config))
    last = snapshot.recorded_targets[-1] if snapshot.recorded_targets else None
    assumed = any(one.what in ("config", f"config.{STANDBYS}") for one in snapshot.unknown)
    due = pending(snapshot.group_epoch, snapshot.assignment_epoch)
    if last is None or assumed or due or last.assignment_epoch != snapshot.assignment_epoch:
        return now, tags
    return dict(last.config).get(RECORDED_STANDBYS, now), tags


def _by_id(members: Iterable[MemberTarget]) -> Had:
    return {one.member_id: one for one in members}


def _renamed(had: Had, old: str, new: str) -> Had:
    return {one: given for one, given in had.items() if one != old} | {new: had[old]._replace(member_id=new)}


def _sticking(member: Member, had: Had, said: Said | None) -> Member:
    given = had.get(member.member_id)
    if said is not None:
        member = replace(member, task_offsets=said)
    return member if given is None else replace(member, active=given.active, standby=given.standby)


def _as_before(result: tuple[MemberTarget, ...], before: Had) -> Had:
    """By ID; who is given what it was given before has the same object, which is quickly found to be equal."""
    return {one.member_id: had if (had := before.get(one.member_id)) == one else one for one in result}


def _undetermined(results: list[tuple[MemberTarget, ...]]) -> tuple[Task, ...]:
    """The tasks that not all results give to the same members."""
    if len(results) == 1:
        return ()
    places = [_places(result) for result in results]
    tasks = {task for place in places for task in place}
    return tuple(sorted((task for task in tasks if len({place.get(task) for place in places}) > 1), key=lambda task: task.rank))


def _places(result: tuple[MemberTarget, ...]) -> dict[Task, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Who has each task, active and standby."""
    active: dict[Task, list[str]] = {}
    standby: dict[Task, list[str]] = {}
    for one in result:
        for task in each_task(one.active):
            active.setdefault(task, []).append(one.member_id)
        for task in each_task(one.standby):
            standby.setdefault(task, []).append(one.member_id)
    return {task: (tuple(active.get(task, ())), tuple(standby.get(task, ()))) for task in active.keys() | standby.keys()}
