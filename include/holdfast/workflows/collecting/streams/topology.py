"""The tasks, changelogs and end offsets of a collection."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from holdfast.errors import ClusterTrouble, HoldfastError
from holdfast.kafka import topology
from holdfast.kafka.streams import membership
from holdfast.kafka.streams.group import Changelog, Task
from holdfast.kafka.streams.membership import Member, TaskPartitions
from holdfast.kafka.topology import Clues
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.ports import ClusterReader, ObservedGroup
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.streams.snapshot.snapshot import Generation, Topic
from holdfast.workflows.collecting.observed import Observed
from holdfast.workflows.collecting.streams import described
from holdfast.workflows.collecting.streams.described import CHANGELOG
from holdfast.workflows.collecting.streams.settings import GroupSettings

_REPARTITION = "-repartition"


@dataclass
class Gathered(Observed[ObservedGroup]):
    """With what only a group with tasks and state has."""

    members: tuple[Member, ...] = ()
    generations: tuple[Generation, ...] = ()
    directories: tuple[StateDirectory, ...] = ()
    topics: tuple[Topic, ...] = ()
    tasks: tuple[Task, ...] = ()

    @property
    def partition_counts(self) -> dict[str, int]:
        return {topic.name: len(topic.partitions) for topic in self.topics}

    def decoded(self, generation: Generation) -> list[Member]:
        """The members of a generation, but for those whose bytes cannot be read."""
        members = []
        for each in generation.members:
            try:
                members.append(membership.decode(each.member_id, each.subscription, each.assignment))
            except HoldfastError as refusal:
                self.note("generations", f"generation {generation.number}: {refusal}")
        return members


def read(cluster: ClusterReader, settings: GroupSettings, found: Gathered) -> None:
    assigned = [each for member in found.members for each in member.active + member.standby]
    sources = {partition.topic: None for _, partitions in assigned for partition in partitions}
    sources |= {topic: None for member in found.members for topic in member.subscribed}
    settings, left_open = _with_described(cluster, settings, found, assigned)
    changelogs = _changelog_topics(cluster, sources, settings, found)
    listed = {topic: None for _, topic in settings.changelogs if topic}
    found.topics, unknown = cluster.topics(tuple(sorted({**sources, **changelogs, **listed})))
    found.unknown.extend(unknown)
    tasks = topology.all_tasks(assigned, found.partition_counts)
    _note_unassigned(tasks, found)
    shape = topology.changelogs(found.group.group_id, tasks, found.partition_counts, _clues(settings, tasks, found))
    for topic, reason in shape.left_over:
        found.note("tasks", f"{topic}: assumed to belong to an earlier topology or to another application: {reason}")
    for subtopology, reason in shape.unknown:
        found.note(f"tasks.{subtopology}_*.changelogs", reason)
    for subtopology, reason in shape.assumed:
        found.note(f"tasks.{subtopology}_*.changelogs", f"assumed: {reason}")
    if not any(topics or topics is None for _, topics in shape.changelogs):
        found.note(
            "tasks",
            f"no topic {found.group.group_id}-…-changelog exists or may be described: all tasks are assumed stateless",
        )
    known = dict(shape.changelogs) | dict.fromkeys(left_open)
    found.tasks = _with_end_offsets(cluster, tasks, known, tuple(sources), found)
    _doubt_what_reports_exceed(settings, found)
    _measure_changelogs(cluster, found)


def _with_described(
    cluster: ClusterReader, settings: GroupSettings, found: Gathered, assigned: list[TaskPartitions]
) -> tuple[GroupSettings, frozenset[int]]:
    """With the changelogs that the application's own topology shows, where it is given; and subtopologies of which it leaves open
    what theirs are."""
    if not settings.described or not assigned:
        return settings, frozenset()
    group_id = found.group.group_id
    existing = cluster.topic_names(f"{group_id}-")
    for subtopology, store in described.without_changelog(settings, group_id, existing):
        why = "no topic of its name exists or may be described, and the topology does not say whether it is logged"
        found.note(f"tasks.{subtopology}_*.changelogs", f"assumed: the store {store} has no changelog: {why}")
    left_open = tuple(described.undecided(settings, group_id, existing))
    for subtopology, store in left_open:
        why = "its source topic may be it: give topology.optimization, with --app-config or --set"
        found.note(f"tasks.{subtopology}_*.changelogs", f"the table {store} has no changelog topic of its own; {why}")
    return described.with_described(settings, group_id, assigned, existing), frozenset(one for one, _ in left_open)


def _changelog_topics(
    cluster: ClusterReader, sources: dict[str, None], settings: GroupSettings, found: Gathered
) -> dict[str, None]:
    """Topics named as this application's changelogs, but for those of another application whose ID begins with this one's, or
    whose ID this one's begins with: the repartition topic of the same name, which the DSL makes next to a changelog,
    shows it."""
    prefix = f"{found.group.group_id}-"
    everything = dict.fromkeys(cluster.topic_names(prefix))
    names = [name for name in everything if name.endswith(CHANGELOG)]
    sure = {topic: None for _, topic in (*settings.changelogs, *_checkpointed(found), *_stored(found, everything))}
    partners = {name: name.removesuffix(CHANGELOG) + _REPARTITION for name in names}
    sure |= {name: None for name in names if partners[name] in sources}
    unread = [name for name in names if name not in sure and partners[name] in everything]
    if unread:
        found.note(
            "tasks",
            f"{', '.join(unread)}: assumed to be another application's, or unused: no member of this group reads the repartition "
            "topic of the same name. If it is this application's, give it with --changelog",
        )
        names = [name for name in names if name not in unread]
    others = [f"{other}-" for other in cluster.group_ids(prefix)]
    foreign = [name for name in names if name not in sure and any(name.startswith(other) for other in others)]
    if foreign:
        found.note("tasks", f"{', '.join(foreign)}: assumed to belong to another group, whose ID they begin with")
    return {name: None for name in names if name not in foreign}


def _note_unassigned(tasks: tuple[TaskPartitions, ...], found: Gathered) -> None:
    running = {task: None for member in found.members for task in member.running}
    missing = [str(task) for task, _ in tasks if task not in running]
    if missing:
        found.note(
            "tasks",
            f"{', '.join(missing)}: assigned to no member; derived from the partitions of their subtopologies' source topics",
        )
    known = {partition.topic: None for _, partitions in tasks for partition in partitions}
    strange = sorted({topic: None for member in found.members for topic in member.subscribed if topic not in known})
    if strange:
        found.note("tasks", f"the members subscribe to {', '.join(strange)}, but none of its partitions is assigned to a member")


def _clues(settings: GroupSettings, tasks: tuple[TaskPartitions, ...], found: Gathered) -> Clues:
    subtopologies = {task.subtopology: None for task, _ in tasks}
    joins = [(member.joined_owned, member.joined_sums) for member in found.members]
    for generation in found.generations:
        joins.extend((member.joined_owned, member.joined_sums) for member in found.decoded(generation))
    reported = {task.subtopology: None for _, sums in joins for task, _ in sums}
    return Clues(
        said=tuple(each for each in settings.changelogs if each[0] in subtopologies),
        checkpointed=_checkpointed(found),
        stored=_stored(found, found.partition_counts),
        reported=tuple(sorted(reported)),
        silent=topology.silent_subtopologies(joins, tasks),
        reuses_sources=settings.reuses_sources,
        bare=_bare(found),
        own=_own(found),
    )


def _checkpointed(found: Gathered) -> tuple[tuple[int, str], ...]:
    """(subtopology, changelog) of the checkpoint files."""
    named = {
        (each.task_id.subtopology, partition.topic): None
        for directory in found.directories
        for each in directory.tasks
        for partition, _ in each.checkpoint or ()
        if partition.partition == each.task_id.partition
    }
    return tuple(sorted(named))


def _stored(found: Gathered, existing: Mapping[str, object]) -> tuple[tuple[int, str], ...]:
    """(subtopology, changelog) of the stores of tasks without a checkpoint file: of 4.3, or killed before the first."""
    named = {
        (each.task_id.subtopology, f"{found.group.group_id}-{store}{CHANGELOG}"): None
        for directory in found.directories
        for each in directory.tasks
        for store in (each.stores if each.checkpoint is None else ())
    }
    return tuple(sorted(each for each in named if each[1] in existing))


def _own(found: Gathered) -> tuple[int, ...]:
    """Subtopologies whose task directories hold stores, each with a changelog topic of its own."""
    stores = [
        (each.task_id.subtopology, store) for directory in found.directories for each in directory.tasks for store in each.stores
    ]
    without = {one for one, store in stores if f"{found.group.group_id}-{store}{CHANGELOG}" not in found.partition_counts}
    return tuple(sorted({one for one, _ in stores} - without))


def _bare(found: Gathered) -> tuple[int, ...]:
    """Subtopologies of which clients whose directories were read run tasks, and no directory holds a store."""
    read = {directory.process_id: None for directory in found.directories}
    running = {task.subtopology: None for member in found.members if member.process_id in read for task in member.running}
    stores = {each.task_id.subtopology: None for directory in found.directories for each in directory.tasks if each.stores}
    return tuple(sorted(subtopology for subtopology in running if subtopology not in stores))


def _with_end_offsets(
    cluster: ClusterReader,
    tasks: tuple[TaskPartitions, ...],
    changelogs: dict[int, tuple[str, ...] | None],
    sources: tuple[str, ...],
    found: Gathered,
) -> tuple[Task, ...]:
    """Tasks with their changelogs and the end offsets that the leader would use: committed ones for a source topic."""
    wanted = {TopicPartition(topic, task.partition): None for task, _ in tasks for topic in changelogs.get(task.subtopology) or ()}
    ends: dict[TopicPartition, int] = {}
    listed, unknown = cluster.end_offsets(tuple(each for each in wanted if each.topic not in sources))
    found.unknown.extend(unknown)
    ends.update(listed)
    by_commit = [each for each in wanted if each.topic in sources]
    if by_commit:
        try:
            committed = dict(cluster.committed_offsets(found.group.group_id))
        except ClusterTrouble as trouble:
            found.note("tasks", str(trouble))
        else:
            ends.update((each, committed.get(each, 0)) for each in by_commit)
    result = []
    for task, partitions in tasks:
        topics = changelogs.get(task.subtopology)
        own = None if topics is None else tuple(TopicPartition(topic, task.partition) for topic in topics)
        if own is not None and any(each not in ends for each in own):
            found.note(f"tasks.{task}.changelogs", "the end offsets of its changelogs could not be read")
            own = None
        result.append(Task(task, partitions, None if own is None else tuple(Changelog(*each, ends[each]) for each in own)))
    return tuple(result)


def _doubt_what_reports_exceed(settings: GroupSettings, found: Gathered) -> None:
    """A member that reports more than a task's changelogs hold has read another, unknown one. The operator's word
    is not doubted."""
    ends = {task.id: task.end_offset_sum for task in found.tasks if task.changelogs}
    given = {subtopology: None for subtopology, _ in settings.changelogs}
    doubtful: dict[int, str] = {}
    for member in found.members:
        for task_id, total in member.joined_sums:
            end = ends.get(task_id)
            if end is not None and total > end and task_id.subtopology not in given:
                doubtful[task_id.subtopology] = (
                    f"{member.member_id} reported {total} for {task_id}, and its changelogs end at {end}"
                )
    for subtopology, reason in doubtful.items():
        remedy = "one is missing, or was recreated. Give all changelogs of the subtopology with --changelog"
        found.note(f"tasks.{subtopology}_*.changelogs", f"{reason}: {remedy}")
    found.tasks = tuple(replace(task, changelogs=None) if task.id.subtopology in doubtful else task for task in found.tasks)


def _measure_changelogs(cluster: ClusterReader, found: Gathered) -> None:
    """Where the changelogs begin, and their sizes: for the costs of a plan, so that nothing else waits for it."""
    logs = tuple(
        sorted({TopicPartition(each.topic, each.partition): None for task in found.tasks for each in task.changelogs or ()})
    )
    figures: list[dict[TopicPartition, int]] = []
    for called, ask in (("begin_offset", cluster.begin_offsets), ("log_bytes", cluster.log_bytes)):
        try:
            known, unknown = ask(logs)
        except ClusterTrouble as trouble:
            known, unknown = (), (Unknown(f"{called}.{found.group.group_id}", str(trouble)),)
        figures.append(dict(known))
        found.unknown.extend(unknown)
    begins, sizes = figures
    found.topics = tuple(
        replace(
            topic,
            partitions=tuple(
                replace(
                    each,
                    begin_offset=begins.get(TopicPartition(topic.name, each.id)),
                    log_bytes=sizes.get(TopicPartition(topic.name, each.id)),
                )
                for each in topic.partitions
            ),
        )
        for topic in found.topics
    )
