"""What a group's recorded rebalances show together: its tasks, which of them keep state, and what end offsets were at least.

Two passes over the records, oldest first: `Facts.take` learns, `Questions.of` asks. Neither keeps records, so that a group may have
any number of them.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from holdfast.errors import HoldfastError
from holdfast.kafka import topology
from holdfast.kafka.streams import membership
from holdfast.kafka.streams.membership import Member
from holdfast.kafka.vocabulary import LATEST_OFFSET, TaskId, TopicPartition
from holdfast.kafka.wire.assignment_info import NO_REBALANCE
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.streams.backtest import question, releases
from holdfast.rollout.streams.backtest.question import PastTask, Settings, StreamsQuestion

FIRST_VERSION_WITH_OFFSET_SUMS = 7

_Home = tuple[int, tuple[str, ...]]
"""A subtopology, and its source topics: another topology may give another one the same number."""


@dataclass(frozen=True, slots=True)
class Present:
    """What the brokers have of the group's changelogs now. `stateful`: by subtopology; `ends`: end-offset sums by task."""

    stateful: Mapping[int, bool] = field(default_factory=dict)
    ends: Mapping[TaskId, int] = field(default_factory=dict)


class Facts:
    """The first pass."""

    def __init__(self) -> None:
        self._homes: dict[TopicPartition, tuple[list[int], list[TaskId]]] = {}
        self._subtopologies: dict[str, int] = {}
        """By source topic, the newest."""
        self._stateful: dict[_Home, None] = {}
        self._silent: dict[_Home, None] = {}
        self._standbys: list[tuple[int, int]] = []
        self._standbys_least: list[tuple[int, int]] = []
        """Of rebalances with too few clients for more copies than there are."""
        self._most_copies = 0
        """Of a task, in any rebalance: as many standbys as that there may be, where no settled one shows how many."""
        self.warmups: dict[int, int] = {}
        """In rebalances that did not settle the group: numbers of copies that not every task has, each with how often."""
        self.versions: dict[int, int] = {}
        """How many rebalances were led by a member of each metadata version."""
        self.settings_matter: list[int] = []
        """Some generations that did not settle the group, in which settings decide."""
        self.session_s: float | None = None
        """The longest session timeout of a member; None: the records do not say."""
        self._intervals: list[int] = []
        self._gave_up: dict[str, frozenset[TaskId]] = {}
        self._closed: dict[TaskId, tuple[list[int], list[int]]] = {}

    def take(self, generation: Generation) -> None:
        members = decoded(generation)
        sessions = [one.session_timeout_ms / 1000 for one in generation.members if one.session_timeout_ms is not None]
        self.session_s = max((*sessions, *(() if self.session_s is None else (self.session_s,))), default=None)
        assigned = tuple((task, partitions) for member in members for task, partitions in member.active)
        for task, partitions in assigned:
            for partition in partitions:
                numbers, homes = self._homes.setdefault(partition, ([], []))
                if not homes or homes[-1] != task:
                    numbers.append(generation.number)
                    homes.append(task)
                self._subtopologies[partition.topic] = task.subtopology
        version = releases.leaders_version(generation)
        if version is not None:
            self.versions[version] = self.versions.get(version, 0) + 1
        self._learn_state(generation, members)
        self._learn_ends(generation, members)
        self._learn_standbys(generation, members)

    def tasks_of(self, generation: Generation, members: tuple[Member, ...]) -> dict[TaskId, tuple[TopicPartition, ...]]:
        """All tasks of the leader's topology then: those it assigned as active, and those that it withheld, whose partitions
        another member owned when it joined."""
        found: dict[TaskId, dict[TopicPartition, None]] = {}
        placed: dict[TopicPartition, None] = {}
        for member in members:
            for task, partitions in member.active:
                found.setdefault(task, {}).update(dict.fromkeys(partitions))
                placed.update(dict.fromkeys(partitions))
        leading = [one for one in members if one.member_id == generation.leader_member_id] or members
        subscribed = frozenset(topic for member in leading for topic in member.subscribed)
        for member in members:
            for partition in member.joined_owned:
                if partition not in placed and partition.topic in subscribed:
                    home = self._home(partition, generation.number)
                    if home is not None:
                        found.setdefault(home, {})[partition] = None
        return {task: tuple(sorted(found[task])) for task in sorted(found)}

    def _home(self, partition: TopicPartition, number: int) -> TaskId | None:
        """Its task in the generation before, or else in a later one; or in none that is left of a log: then that of its topic's
        subtopology with its number, as every task is of the partitions with one number."""
        numbers, homes = self._homes.get(partition, ([], []))
        if homes:
            return homes[max(0, bisect_right(numbers, number) - 1)]
        subtopology = self._subtopologies.get(partition.topic)
        return None if subtopology is None else TaskId(subtopology, partition.partition)

    def stateful(self, task: TaskId, topics: tuple[str, ...], present: Present) -> bool | None:
        home = (task.subtopology, topics)
        if home in self._stateful:
            return True
        if home in self._silent:
            return False
        return present.stateful.get(task.subtopology)

    def clues(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Subtopologies that reported state, and those that reported none while they ran."""
        reported = tuple(sorted({number for number, _ in self._stateful}))
        return reported, tuple(sorted({number for number, _ in self._silent} - set(reported)))

    def last_tasks(self) -> tuple[tuple[TaskId, tuple[TopicPartition, ...]], ...]:
        """The tasks of the newest topology, with their partitions."""
        found: dict[TaskId, list[TopicPartition]] = {}
        for partition, (_, homes) in self._homes.items():
            found.setdefault(homes[-1], []).append(partition)
        return tuple((task, tuple(sorted(found[task]))) for task in sorted(found))

    def standby_replicas(self, number: int) -> tuple[int, ...]:
        """What `num.standby.replicas` may have been: as settled rebalances show it, the nearest first, not that one itself."""
        nearest = sorted((abs(at - number), count) for at, count in self._standbys if at != number)
        own = [count for at, count in self._standbys if at == number]
        found = [count for _, count in nearest] or own
        least = min(((abs(at - number), count) for at, count in self._standbys_least), default=None)
        if least is not None and (not nearest or least[0] < nearest[0][0]) and least[1] > max(found, default=0):
            found.append(least[1])
        return tuple(dict.fromkeys(found or range(self._most_copies + 1)))

    def _learn_state(self, generation: Generation, members: tuple[Member, ...]) -> None:
        tasks = self.tasks_of(generation, members)
        topics = topics_of(tasks)
        modern = [one for one in members if one.metadata_version >= FIRST_VERSION_WITH_OFFSET_SUMS]
        for member in modern:
            for task in (*(task for task, _ in member.joined_sums), *(task for task, _ in member.standby)):
                if task.subtopology in topics:
                    self._stateful[task.subtopology, topics[task.subtopology]] = None
        reports = [(one.joined_owned, one.joined_sums) for one in modern]
        for subtopology in topology.silent_subtopologies(reports, tuple(tasks.items())):
            if subtopology in topics:
                self._silent[subtopology, topics[subtopology]] = None

    def _learn_ends(self, generation: Generation, members: tuple[Member, ...]) -> None:
        """A member that ran a task when it joined, was not given it again, and reports its copy the next time, has closed it
        cleanly: what it reports is where the changelog ended then, but for the last record of each and markers of transactions."""
        for member in members:
            given_up = self._gave_up.get(member.member_id, frozenset())
            for task, total in member.joined_sums:
                if total >= 0 and task in given_up:
                    numbers, totals = self._closed.setdefault(task, ([], []))
                    numbers.append(generation.number)
                    totals.append(total)
        self._gave_up = {
            member.member_id: frozenset(task for task, total in member.joined_sums if total == LATEST_OFFSET)
            - frozenset(task for task, _ in member.active)
            for member in members
        }

    def end_at_most(self, task: TaskId, number: int) -> int | None:
        """What a task's end-offset sum was at most in a rebalance, as it only grows: None: nothing shows it."""
        numbers, totals = self._closed.get(task, ([], []))
        at = bisect_right(numbers, number)
        return totals[at] + _CLOSED_LACKS if at < len(totals) else None

    def _learn_standbys(self, generation: Generation, members: tuple[Member, ...]) -> None:
        copies: dict[TaskId, int] = {}
        for member in members:
            for task, _ in member.standby:
                copies[task] = copies.get(task, 0) + 1
        most = max(copies.values(), default=0)
        self._most_copies = min(max(self._most_copies, most), _MOST_STANDBYS)
        if any(one.next_rebalance_ms != NO_REBALANCE for one in members):
            kept = {task.subtopology for task in copies}
            every = [task for member in members for task, _ in member.active if task.subtopology in kept]
            least = min((copies.get(task, 0) for task in every), default=0)
            more = sum(count - least for count in copies.values())
            self.warmups[more] = self.warmups.get(more, 0) + 1
            if len(self.settings_matter) < _SAMPLE:
                self.settings_matter.append(generation.number)
            self._learn_interval(generation, members)
            return
        clients = len({one.process_id for one in members})
        if any(one.active for one in members):
            _note(self._standbys if clients > most + 1 else self._standbys_least, generation.number, most)

    def _learn_interval(self, generation: Generation, members: tuple[Member, ...]) -> None:
        """A probing deadline is one interval after the decision, by the leader's clock."""
        decided_ms = datetime.fromisoformat(generation.completed_at).timestamp() * 1000
        for member in members:
            if member.next_rebalance_ms not in (0, NO_REBALANCE) and len(self._intervals) < _MOST_INTERVALS:
                self._intervals.append(round((member.next_rebalance_ms - decided_ms) / 1000) * 1000)

    @property
    def probing_interval_ms(self) -> int | None:
        """As the deadlines of probing rebalances show it, to the second; None: there were none."""
        found = sorted(one for one in self._intervals if one > 0)
        return found[len(found) // 2] if found else None


def _note(into: list[tuple[int, int]], number: int, count: int) -> None:
    """First and last of a run with the same count are enough."""
    if len(into) >= 2 and into[-1][1] == count == into[-2][1]:
        into[-1] = (number, count)
    else:
        into.append((number, count))


_SAMPLE = 12
_MOST_STANDBYS = 3
"""That are tried where none are shown."""
_MOST_INTERVALS = 1_000
_CLOSED_LACKS = 16
"""Records that a cleanly closed copy may lack of its changelogs' ends: one or two for each of up to eight."""


class Questions:
    """The second pass. `given`: the release and settings that were given; None and (): none."""

    def __init__(self, facts: Facts, present: Present, release: str | None, config: Settings, given: frozenset[str]) -> None:
        self._facts = facts
        self._present = present
        self._release = release
        self._config = config
        self._given = given
        self._lows: dict[tuple[TaskId, tuple[TopicPartition, ...]], int] = {}

    def of(self, generation: Generation) -> StreamsQuestion:
        """The generations must come in order: what was reported once is what end offsets are at least."""
        members = decoded(generation)
        tasks = self._facts.tasks_of(generation, members)
        reported: dict[TaskId, int] = {}
        for member in members:
            if member.metadata_version >= FIRST_VERSION_WITH_OFFSET_SUMS:
                for task, total in member.joined_sums:
                    reported[task] = max(total, reported.get(task, 0))
        topics = topics_of(tasks)
        past = tuple(
            self._past(task, partitions, topics[task.subtopology], reported.get(task), generation.number)
            for task, partitions in tasks.items()
        )
        config, alternatives = self._settings(generation.number)
        found = releases.of_leader(self._release, releases.leaders_version(generation))
        return question.of(found, config, past, generation, alternatives)

    def _past(
        self, task: TaskId, partitions: tuple[TopicPartition, ...], topics: tuple[str, ...], reported: int | None, number: int
    ) -> PastTask:
        stateful = self._facts.stateful(task, topics, self._present)
        bounds = (self._present.ends.get(task), self._facts.end_at_most(task, number))
        high = min((one for one in bounds if one is not None), default=None)
        low = self._lows.get((task, partitions), 0)
        if reported is not None and reported > low:
            low = self._lows[task, partitions] = reported
        if high is not None and high < low:  # the changelog was made anew since
            low, high = reported or 0, None
        return PastTask(task, partitions, stateful, low, high)

    def _settings(self, number: int) -> tuple[Settings, tuple[Settings, ...]]:
        if _STANDBYS in self._given:
            return self._config, ()
        first, *others = self._facts.standby_replicas(number)
        return self._with(first), tuple(self._with(count) for count in others)

    def _with(self, standbys: int) -> Settings:
        return tuple(sorted((dict(self._config) | {_STANDBYS: standbys}).items()))


_STANDBYS = "num.standby.replicas"


def decoded(generation: Generation) -> tuple[Member, ...]:
    """The members whose bytes can be read."""
    found = []
    for each in generation.members:
        try:
            found.append(membership.decode(each.member_id, each.subscription, each.assignment))
        except HoldfastError:
            continue
    return tuple(found)


def topics_of(tasks: Mapping[TaskId, Iterable[TopicPartition]]) -> dict[int, tuple[str, ...]]:
    """The source topics of each subtopology."""
    found: dict[int, dict[str, None]] = {}
    for task, partitions in tasks.items():
        found.setdefault(task.subtopology, {}).update((partition.topic, None) for partition in partitions)
    return {subtopology: tuple(sorted(topics)) for subtopology, topics in found.items()}
