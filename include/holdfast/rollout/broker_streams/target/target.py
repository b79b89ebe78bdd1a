"""`holdfast assign` for a streams group whose broker assigns: the target that its coordinator would compute now."""

from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.streams import sticky
from holdfast.kafka.coordinator.streams.group import Task, Tasks
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.snapshot.tasks import TASK, TASKS
from holdfast.rollout.broker_streams.target.group import group_of, topology_of
from holdfast.rollout.json.codec import NAME, TEXT, items
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.record import codec_of, key, keyed, member, record


@record
class MemberTasks:
    """What one member is to own. No covered release assigns warm-up tasks."""

    member_id: str = key(NAME)
    active: Tasks = member(TASKS)
    standby: Tasks = member(TASKS)
    warmup: Tasks = member(TASKS, default=())


@record(version="1.0", about="The next target of a streams group whose broker assigns.")
class TargetAssignment:
    """The next target. `undetermined_tasks`: those whose owner depends on what no request shows; a quiet group has none."""

    assignor: str = member(TEXT)
    members: tuple[MemberTasks, ...] = member(keyed(codec_of(MemberTasks)), "In the order of the Snapshot.")
    undetermined_tasks: tuple[Task, ...] = member(items(TASK), default=())


ASSIGNMENT = codec_of(TargetAssignment)
"""Reads, writes and describes it."""


def with_settings(
    snapshot: StreamsGroupSnapshot, release: str | None, settings: tuple[tuple[str, ConfigValue], ...]
) -> StreamsGroupSnapshot:
    """The group with another release of its coordinator, and with group configs put over its own."""
    return replace(
        snapshot, broker_release=release or snapshot.broker_release, config=tuple((dict(snapshot.config) | dict(settings)).items())
    )


def decide(snapshot: StreamsGroupSnapshot) -> TargetAssignment:
    """The target that the coordinator would compute now, as if something had raised the group's epoch.

    Where the topology is not ready every member's target is empty (`TargetAssignmentBuilder.build`). Raise CannotPredict where what
    decides is unknown, Unsupported for a release that is not covered.
    """
    if snapshot.classic is not None:
        raise CannotPredict("the group is still classic: its leader assigns. Take a snapshot once its clients are streams members")
    topology = topology_of(snapshot) if snapshot.members else ()
    group = group_of(snapshot, topology or ())
    if topology is None:
        return TargetAssignment("sticky", tuple(MemberTasks(one.member_id, (), ()) for one in group.members))
    target = sticky.assign(group)
    return TargetAssignment("sticky", tuple(MemberTasks(one.member_id, one.active, one.standby) for one in target.members))
