"""What can be inferred of an application's topology from outside: its tasks, and which changelog belongs to which subtopology.

The broker does not know the topology. A changelog's owner follows, in this order, from what the operator says, from checkpoint
files (`<subtopology>_<partition>/.checkpoint` names its topics) or the stores next to them, from names (the repartition topic that
the DSL puts before a store has its name), and from numbers: a changelog has as many partitions as its subtopology has tasks, and a
task that some member reports is stateful. Where two answers remain, there is none. A topic may also belong to no subtopology: left
over from an earlier topology. Java: `InternalTopologyBuilder`, `PartitionGrouper`, `ProcessorStateManager.checkpoint`, 2.6 to 4.3.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from holdfast.kafka.vocabulary import TaskId, TopicPartition

_CHANGELOG = "-changelog"
_REPARTITION = "-repartition"
_REMEDY = (
    "A state directory tells, what Topology.describe() prints (--topology FILE), or the option --changelog SUBTOPOLOGY=TOPIC for"
    " all that the subtopology has (SUBTOPOLOGY= for none)"
)


@dataclass(frozen=True, slots=True)
class Topology:
    """`changelogs`: subtopology → its changelog topics, sorted; `()` stateless, None unknown, with the reason in `unknown`.

    `unknown` and `assumed` hold (subtopology, sentence), `left_over` topics that belong to no subtopology now, each with why.
    """

    changelogs: tuple[tuple[int, tuple[str, ...] | None], ...]
    unknown: tuple[tuple[int, str], ...] = ()
    assumed: tuple[tuple[int, str], ...] = ()
    left_over: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Clues:
    """The evidence. `said` and `checkpointed`: (subtopology, topic). What `said` has of a subtopology is complete, except for
    what names show; an empty topic means that it has none. `reported`: subtopologies of which a task was reported with an offset
    sum (so stateful); `silent`: those whose running tasks a member left out while it reported others (so stateless). `stored`:
    as `checkpointed`, but from the names of stores, which do not show whether a source topic is a changelog.

    `reuses_sources`: the application lets a table's source topic be its changelog (`topology.optimization`); None: unknown.
    `bare`: subtopologies whose task directories were looked at and hold no store. `own`: those in whose task directories each store
    has a changelog topic of its own.
    """

    said: tuple[tuple[int, str], ...] = ()
    checkpointed: tuple[tuple[int, str], ...] = ()
    reported: tuple[int, ...] = ()
    silent: tuple[int, ...] = ()
    reuses_sources: bool | None = None
    bare: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    stored: tuple[tuple[int, str], ...] = ()


def all_tasks(
    assigned: Iterable[tuple[TaskId, tuple[TopicPartition, ...]]], partition_counts: Mapping[str, int]
) -> tuple[tuple[TaskId, tuple[TopicPartition, ...]], ...]:
    """Assigned tasks, and those that no client has now (withheld until the next rebalance), in order.

    A subtopology has a task for each partition number of its source topics, with that partition of each topic that has it.
    """
    found: dict[TaskId, tuple[TopicPartition, ...]] = {}
    topics: dict[int, dict[str, None]] = {}
    for task, partitions in assigned:
        found[task] = tuple(sorted(partitions))
        topics.setdefault(task.subtopology, {}).update((partition.topic, None) for partition in partitions)
    for subtopology, names in topics.items():
        for number in range(max((partition_counts.get(name, 0) for name in names), default=0)):
            partitions = tuple(TopicPartition(name, number) for name in sorted(names) if number < partition_counts.get(name, 0))
            found.setdefault(TaskId(subtopology, number), partitions)
    return tuple((task, found[task]) for task in sorted(found))


def silent_subtopologies(
    reports: Iterable[tuple[tuple[TopicPartition, ...], tuple[tuple[TaskId, int], ...]]],
    tasks: tuple[tuple[TaskId, tuple[TopicPartition, ...]], ...],
) -> tuple[int, ...]:
    """Subtopologies whose tasks were owned by members that reported running tasks (-2) and reported none of theirs.

    `reports` are (owned partitions, offset sums) of joins. A running stateful task is always reported.
    """
    home = {partition: task for task, partitions in tasks for partition in partitions}
    silent: dict[int, None] = {}
    reported: dict[int, None] = {}
    for owned, sums in reports:
        reported.update((task.subtopology, None) for task, _ in sums)
        if any(offset_sum == -2 for _, offset_sum in sums):
            silent.update((home[partition].subtopology, None) for partition in owned if partition in home)
    return tuple(sorted(subtopology for subtopology in silent if subtopology not in reported))


def changelogs(
    application_id: str,
    tasks: tuple[tuple[TaskId, tuple[TopicPartition, ...]], ...],
    partition_counts: Mapping[str, int],
    clues: Clues,
) -> Topology:
    """Which changelogs each subtopology has. `partition_counts` has the application's changelogs and all source topics."""
    return _Search(application_id, tasks, partition_counts, clues).topology()


class _Search:
    """One pass over the clues, strongest first."""

    def __init__(
        self,
        application_id: str,
        tasks: tuple[tuple[TaskId, tuple[TopicPartition, ...]], ...],
        partition_counts: Mapping[str, int],
        clues: Clues,
    ) -> None:
        self._prefix = f"{application_id}-"
        self._counts = partition_counts
        self._clues = clues
        self._sizes: dict[int, int] = {}
        self._sources: dict[int, dict[str, None]] = {}
        for task, partitions in tasks:
            self._sizes[task.subtopology] = max(self._sizes.get(task.subtopology, 0), task.partition + 1)
            self._sources.setdefault(task.subtopology, {}).update((partition.topic, None) for partition in partitions)
        self._found: dict[int, dict[str, None]] = {subtopology: {} for subtopology in sorted(self._sizes)}
        self._closed = {subtopology: None for subtopology, _ in clues.said}
        self._checkpointed = {subtopology: None for subtopology, _ in clues.checkpointed}
        self._filed = self._checkpointed | {subtopology: None for subtopology, _ in clues.stored}
        self._unknown: dict[int, list[str]] = {}
        self._assumed: dict[int, list[str]] = {}
        self._left_over: list[tuple[str, str]] = []

    def topology(self) -> Topology:
        for subtopology, topic in self._clues.said + self._clues.checkpointed + self._clues.stored:
            if subtopology in self._found and topic:
                self._found[subtopology][topic] = None
        placed = {topic: None for topics in self._found.values() for topic in topics}
        pending = [topic for topic in sorted(self._counts) if self._is_changelog(topic) and topic not in placed]
        pending = [topic for topic in pending if not self._place(topic)]
        while owed := self._owed(pending):
            subtopology, changelog = owed
            self._found[subtopology][changelog] = None
            self._assume(subtopology, f"taken to own {changelog}: it reported state, and no other changelog fits it")
            pending.remove(changelog)
        for changelog in pending:
            self._cannot_tell(changelog)
        for subtopology in self._found:
            if subtopology not in self._unknown and subtopology not in self._closed:
                self._sources_as_changelogs(subtopology)
        return Topology(
            tuple((each, None if each in self._unknown else tuple(sorted(topics))) for each, topics in self._found.items()),
            tuple((each, "; ".join(reasons)) for each, reasons in sorted(self._unknown.items())),
            tuple((each, "; ".join(reasons)) for each, reasons in sorted(self._assumed.items()) if each not in self._unknown),
            tuple(self._left_over),
        )

    def _assume(self, subtopology: int, reason: str) -> None:
        self._assumed.setdefault(subtopology, []).append(reason)

    def _is_internal(self, topic: str) -> bool:
        """A repartition topic: its records are deleted once they are read, so it is no changelog."""
        return topic.startswith(self._prefix) and topic.endswith(_REPARTITION)

    def _is_changelog(self, topic: str) -> bool:
        return topic.startswith(self._prefix) and topic.endswith(_CHANGELOG)

    def _fitting(self, changelog: str) -> list[int]:
        """Subtopologies with as many tasks as the changelog has partitions."""
        return [each for each, size in self._sizes.items() if size == self._counts[changelog]]

    def _named(self, changelog: str) -> list[int]:
        """Those that fit and read the repartition topic of its name."""
        partner = changelog.removesuffix(_CHANGELOG) + _REPARTITION
        return [each for each in self._fitting(changelog) if partner in self._sources[each] and each not in self._clues.silent]

    def _possible(self, changelog: str) -> list[int]:
        """Those that fit, except those known to be stateless, or completely given."""
        excluded = (*self._clues.silent, *self._closed)
        return [each for each in self._fitting(changelog) if each not in excluded]

    def _place(self, changelog: str) -> bool:
        """Give a changelog to its subtopology, if there is but one that it can belong to."""
        possible, named = self._possible(changelog), self._named(changelog)
        stateful = [each for each in possible if each in self._clues.reported]
        unfiled = [each for each in stateful if each not in self._filed]
        if len(named) == 1:
            partner = changelog.removesuffix(_CHANGELOG) + _REPARTITION
            owner, why = named[0], f"it reads {partner}; no file or report confirms it"
            certain = owner in self._clues.reported
        elif len(possible) == 1 and possible[0] not in self._filed:
            owner, why = possible[0], "the others that fit reported no state while they ran"
            certain = len(self._fitting(changelog)) == 1
        elif len(unfiled) == 1:
            owner, why, certain = unfiled[0], "of the subtopologies that fit, only it reported state that no file names", False
        else:
            return False
        self._found[owner][changelog] = None
        if not certain:
            self._assume(owner, f"taken to own {changelog}: {why}")
        return True

    def _owed(self, pending: list[str]) -> tuple[int, str] | None:
        """A subtopology that reported state, has no changelog yet, and the only pending one that it can have."""
        for subtopology in self._clues.reported:
            fitting = [changelog for changelog in pending if subtopology in self._possible(changelog)]
            if len(fitting) == 1 and not self._found[subtopology]:
                return subtopology, fitting[0]
        return None

    def _cannot_tell(self, changelog: str) -> None:
        possible = self._possible(changelog)
        every_source_counted = all(topic in self._counts for topics in self._sources.values() for topic in topics)
        if not possible and every_source_counted:
            count = self._counts[changelog]
            why = "all subtopologies of that size have theirs" if self._fitting(changelog) else f"no subtopology has {count} tasks"
            self._left_over.append((changelog, why))
            return
        fit = f"subtopologies {', '.join(map(str, possible))} all fit" if possible else "no subtopology has as many tasks"
        if len(possible) == 1:
            fit = f"subtopology {possible[0]} fits, but its files do not name it (as of a store in memory, or a topic left over)"
        for each in possible or self._sizes:
            self._unknown.setdefault(each, []).append(f"whether {changelog} is its changelog cannot be told: {fit}. {_REMEDY}")

    def _sources_as_changelogs(self, subtopology: int) -> None:
        """A store of an optimised topology uses its source topic as its changelog."""
        sources = [topic for topic in self._sources[subtopology] if not self._is_internal(topic)]
        reported = subtopology in self._clues.reported and not self._found[subtopology]
        if reported and len(sources) == 1 and self._clues.reuses_sources is not False:
            self._found[subtopology][sources[0]] = None
            self._assume(subtopology, f"reports state and has no changelog topic: its source {sources[0]} is assumed to be it")
        elif reported:
            self._unknown[subtopology] = [f"reports state, and no changelog topic fits it. {_REMEDY}"]
        elif not sources or subtopology in self._clues.silent or subtopology in self._checkpointed:
            return
        elif self._clues.reuses_sources and subtopology in self._clues.bare:
            self._assume(subtopology, "taken to keep no table of a source topic: no directory of its tasks holds a store")
        elif self._clues.reuses_sources and subtopology in self._clues.own:
            self._assume(
                subtopology, "taken to keep no table of a source topic: each store on its disks has a changelog of its own"
            )
        elif self._clues.reuses_sources:
            names = ", ".join(sources)
            self._unknown[subtopology] = [
                f"topology.optimization lets {names} be its changelog; whether it is cannot be told. {_REMEDY}"
            ]
