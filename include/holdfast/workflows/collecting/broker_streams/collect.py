"""A Snapshot of one running Streams group whose broker assigns: one description of its coordinator shows all that decides.

What cannot be read is named in `unknown`; nothing is guessed.
"""

from collections.abc import Iterator

from holdfast.errors import ClusterTrouble, Unsupported
from holdfast.kafka.coordinator.config_keys import ASSIGNOR, STANDBYS
from holdfast.kafka.coordinator.streams.group import each_task
from holdfast.kafka.wire.streams_group_description import DescribedGroup, DescribedMember
from holdfast.ports import ClusterReader, ObservedGroup, StateDirectoryReader
from holdfast.rollout.broker_streams.snapshot.described import snapshot_of, topics_of
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.snapshot.tasks import in_order
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.json import instants, strict
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.workflows.collecting import state_directories
from holdfast.workflows.collecting.broker_streams import changelogs
from holdfast.workflows.collecting.broker_streams.settings import GROUP_CONFIGS
from holdfast.workflows.collecting.coordinator_release import release_of
from holdfast.workflows.collecting.coordinator_settings import RECONCILING, CoordinatorSettings, read_configs
from holdfast.workflows.collecting.observed import Observed, Reading
from holdfast.workflows.collecting.settling import Patience, settled_group

_NO_MEMBERS = ("Empty",)
_SEVERAL = 5
_Found = Observed[DescribedGroup]
_RECORDED_STANDBYS = "num.standby.replicas"
"""`StickyTaskAssignor` gets it under this name."""


def snapshot(
    cluster: ClusterReader,
    disks: StateDirectoryReader,
    wanted: Reading,
    settings: CoordinatorSettings,
    seen: ObservedGroup | None = None,
) -> StreamsGroupSnapshot:
    """`seen`: the group as it was described a moment ago, if it was.

    Raise ClusterTrouble for a group that is not there, Unsupported for one that is of another kind (by now).
    """
    info = cluster.info()
    observed = settled_group(cluster, wanted.group_id, wanted.patience, lambda group: group.state in RECONCILING, seen)
    if observed.described is None:
        raise Unsupported(f"{wanted.group_id!r} is no Streams group whose broker assigns, or is one no longer")
    moment = wanted.now()
    found = _Found(observed.described)
    _note_state(found, wanted.patience)
    _note_members(found)
    release = release_of(observed, settings.broker_release, found.unknown)
    recorded = _recorded(cluster, found)
    config = _config(cluster, settings, recorded, found)
    partitions = _partitions(cluster, found)
    logs = changelogs.measured(cluster, found, partitions)
    directories = _directories(disks, wanted, found)
    return snapshot_of(
        found.group,
        partitions,
        cluster=wanted.cluster(info),
        captured_at=instants.to_millisecond(moment),
        broker_release=release,
        config=config,
        unknown=tuple(found.unknown),
        recorded_targets=recorded,
        logs=logs,
        state_directories=directories,
    )


def _note_state(found: _Found, patience: Patience) -> None:
    state = found.group.state
    if state in RECONCILING:
        found.note("group_state", f"still {state} after {patience.limit_s:g} s: assignments are about to change")
    elif state in _NO_MEMBERS:
        found.note("group_state", f"the group is {state}: no member is running")
    if found.group.topology is None:
        found.note("topology", "no member has sent one to the coordinator")
    elif found.group.topology.subtopologies is None:
        why = "source topics are missing, or topics have other numbers of partitions than the topology needs"
        found.note("topology", f"the coordinator could not configure it (the group is {state}): {why}")


def _note_members(found: _Found) -> None:
    """What contradicts itself, or keeps a target from being predicted."""
    for member in found.group.members:
        what = f"members.{strict.step_of(member.member_id)}"
        if not member.process_id:
            found.note(f"{what}.process_id", "the member did not send one")
        if member.is_classic:
            found.note(what, "it is a member of the classic protocol, which has no target here")
    topology = found.group.topology
    if topology is None or topology.subtopologies is None:
        return
    known = frozenset(one.id for one in topology.subtopologies)
    strange = dict.fromkeys(one for member in found.group.members for one in _subtopologies(member) if one not in known)
    if strange:
        names = ", ".join(map(repr, list(strange)[:_SEVERAL])) + (", …" if len(strange) > _SEVERAL else "")
        found.note("topology", f"members have tasks of {names}, which the topology does not have: the coordinator takes them away")


def _subtopologies(member: DescribedMember) -> Iterator[str]:
    for owned in (member.assignment, member.target):
        for tasks in (owned.active, owned.standby, owned.warmup):
            yield from (subtopology for subtopology, _ in tasks)


def _recorded(cluster: ClusterReader, found: _Found) -> tuple[RecordedTarget, ...]:
    """The targets in `__consumer_offsets` up to the described one, which the newest must be."""
    try:
        recorded, unknown = cluster.recorded_targets(found.group.group_id)
    except ClusterTrouble as trouble:
        found.note("recorded_targets", str(trouble))
        return ()
    found.unknown.extend(unknown)
    upto = tuple(one for one in recorded if one.assignment_epoch <= found.group.assignment_epoch)
    if not upto:
        return ()
    newest = {one.member_id: (one.active, one.standby) for one in upto[-1].members}
    described = {one.member_id: (in_order(one.target.active), in_order(one.target.standby)) for one in found.group.members}
    same_epoch = upto[-1].assignment_epoch == found.group.assignment_epoch
    if same_epoch and any(newest.get(name, tasks) != tasks for name, tasks in described.items()):
        found.note("recorded_targets", f"that of epoch {upto[-1].assignment_epoch} contradicts the described one: none is used")
        return ()
    return upto


def _config(
    cluster: ClusterReader, settings: CoordinatorSettings, recorded: tuple[RecordedTarget, ...], found: _Found
) -> tuple[tuple[str, ConfigValue], ...]:
    """The group's configs, and those of the broker where the group has none, which `unknown` lists in addition."""
    given = dict(settings.config)
    config: dict[str, ConfigValue] = {}
    try:
        config = read_configs(cluster, found.group.group_id, GROUP_CONFIGS.prefix, given, found.note)
    except ClusterTrouble as trouble:
        found.note("config", str(trouble))
        _infer_standbys(found, given, dict(recorded[-1].config) if recorded else {}, config)
    if found.group.assignor is not None:
        config[ASSIGNOR] = found.group.assignor
    return tuple(sorted((config | given).items()))


def _infer_standbys(found: _Found, given: dict[str, ConfigValue], recorded: dict[str, str], config: dict[str, ConfigValue]) -> None:
    """The number of standby replicas: that with which the newest target was computed; else as many as the task with most copies
    has in the targets."""
    if STANDBYS in given:
        return
    if recorded.get(_RECORDED_STANDBYS, "").isdigit():
        config[STANDBYS] = int(recorded[_RECORDED_STANDBYS])
        found.note(f"config.{STANDBYS}", "not readable; assumed to be that with which the newest recorded target was computed")
        return
    copies: dict[object, int] = {}
    for member in found.group.members:
        for task in each_task(member.target.standby):
            copies[task] = copies.get(task, 0) + 1
    number = max(copies.values(), default=0)
    if number:
        config[STANDBYS] = number
    found.note(
        f"config.{STANDBYS}",
        f"not readable; assumed to be {number}, as many as a task has in the targets. --set {STANDBYS}=N gives it",
    )


def _directories(disks: StateDirectoryReader, wanted: Reading, found: _Found) -> tuple[StateDirectory, ...]:
    """What the disks hold, and what contradicts that a member runs there. The process ID in the file is that of the members."""
    directories = state_directories.read(disks, wanted.state_dirs, found, [one.client_host for one in found.group.members])
    running = {one.process_id for one in found.group.members}
    for directory in directories:
        state_directories.note_who_runs(directory, found, is_member=str(directory.process_id) in running)
        state_directories.note_bare(directory, found)
    return directories


def _partitions(cluster: ClusterReader, found: _Found) -> dict[str, int]:
    """How many partitions each topic of the topology has; what cannot be read is noted."""
    names = topics_of(found.group)
    if not names:
        return {}
    described, unknown = cluster.topics(names)
    found.unknown.extend(unknown)
    return {topic.name: len(topic.partitions) for topic in described}
