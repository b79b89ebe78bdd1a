"""Members' reports from one rebalance to the next: the rules of a forecast.

1. A consumer owns the partitions of the active tasks handed to it; a stateful one runs by the next rebalance.
2. A standby handed to it (standby, warm-up, temporary) has caught up when a probing rebalance comes or the group has settled. An
   immediate follow-up comes too soon: it reports what its client reported for the task before, or 0.
3. A copy on a client's disk that it does not run stays, and is reported by the consumer that reported it last, with its last value.
   A copy that was active was closed cleanly.
4. End offsets, settings, tags and racks stay; the leader stays, and if its process is gone the smallest process ID leads.
5. What a new client finds on its disk is reported by its first member in member-ID order.
6. Of a store in memory nothing is left once its copy is closed: a task that has no other is not reported.

(4 and 5 are carried out in `events`.) `Assume` changes 2 and 3.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Self

from holdfast.errors import CannotPredict
from holdfast.kafka import java
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams.group import Assignment, Client, Consumer, ConsumerAssignment, Group, Task
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId, TopicPartition
from holdfast.rollout.streams.scene.assumptions import Assume, CatchUp, ClosedCopies, DormantCopies
from holdfast.rollout.streams.snapshot import groups, stores
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


class TimeBetween(Enum):
    """How long there was between one rebalance and the next."""

    NONE = "an immediate follow-up"
    PROBING = "one probing interval"
    SETTLED = "as long as it takes"


@dataclass(frozen=True, slots=True)
class Copy:
    """What a stateful task's copies report: caught up, and cleanly closed; and what the log's end offsets add up to."""

    end: int
    closed: int
    log_end: int


_NO_COPY = Copy(0, 0, 0)
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Copies:
    """Of each task its partitions, how many changelogs it has and, if it keeps state, what its copies report."""

    partitions: Mapping[TaskId, tuple[TopicPartition, ...]]
    changelogs: Mapping[TaskId, int]
    of: Mapping[TaskId, Copy]

    @classmethod
    def made(cls, tasks: Sequence[Task], in_memory: frozenset[str], *, exact: bool, transactional: bool) -> Self:
        copies = {task.id: _copy(task, in_memory, exact=exact, transactional=transactional) for task in tasks if task.stateful}
        return cls({task.id: task.partitions for task in tasks}, {task.id: len(task.changelogs or ()) for task in tasks}, copies)


class _LastCopies:
    """Those of the tasks last asked about: each course of a forecast asks about the same."""

    def __init__(self) -> None:
        self._tasks: tuple[Task, ...] = ()
        self._known: dict[tuple[frozenset[str], bool, bool], Copies] = {}

    def of(self, tasks: tuple[Task, ...], in_memory: frozenset[str], *, exact: bool, transactional: bool) -> Copies:
        if self._tasks is not tasks:
            self._tasks, self._known = tasks, {}
        asked = in_memory, exact, transactional
        found = self._known.get(asked)
        if found is None:
            found = self._known[asked] = Copies.made(tasks, in_memory, exact=exact, transactional=transactional)
        return found


_COPIES = _LastCopies()


@dataclass(frozen=True, slots=True)
class _Answer:
    """A question about a client, and the answer.

    `lasting`: asked about the answer with the same shares, it is the answer again, however long it was: only standbys take time to
    catch up, and active tasks that are not open yet. `timeless`: so it is whatever time passed.
    """

    client: Client
    shares: tuple[ConsumerAssignment, ...]
    pause: TimeBetween
    seconds: float
    after: Client
    lasting: bool
    timeless: bool

    def fits(self, client: Client, shares: tuple[ConsumerAssignment, ...], pause: TimeBetween, seconds: float) -> bool:
        if client is self.after and self.lasting:
            return self.shares == shares
        if client is not self.client or self.shares != shares:
            return False
        return self.timeless or (self.pause is pause and self.seconds == seconds)


class Reports:
    """The rules for one group and one set of assumptions. Raise CannotPredict if an end offset is unknown.

    `transactional`: the application runs with exactly-once. The marker of a changelog's last transaction has an offset, and no copy
    ever counts it: one that lacks nothing stays one behind for each changelog. (Seen: with `acceptable.recovery.lag=0` such a
    group probes for ever.)
    `as_seen`: what real groups now and then do and rules 1 and 3 leave out; with it a forecast's range is worked out. An immediate
    follow-up, some 2 s later, finds no active task running yet that was handed to another thread: it is reported with its offsets
    on the disk. And a standby that had caught up is closed as an active task is: up to 4.2 its checkpoint has one less a changelog.
    """

    def __init__(
        self,
        group: Group,
        assume: Assume,
        *,
        transactional: bool = False,
        as_seen: bool = False,
        in_memory: frozenset[str] = _NONE,
    ) -> None:
        line = behaviour(group.release)
        exact = line.closed_copy_counts_last_record or assume.closed_copies is ClosedCopies.END
        self._in_memory = in_memory
        self._lost = {task.id for task in group.tasks if _is_lost(task, in_memory)}
        self._reports_lost = line.closed_memory_stores_are_reported
        self._group = group
        self._transactional = transactional
        self.assume = assume
        self.as_seen = as_seen
        self.copies = _COPIES.of(group.tasks, in_memory, exact=exact, transactional=transactional)
        self._copies = self.copies.of
        self._partitions = self.copies.partitions
        self._changelogs = self.copies.changelogs
        self.exact = exact
        self.may_lose_progress = transactional and not behaviour(group.release).idle_close_keeps_progress
        self.closed_in_doubt: dict[TaskId, None] = {}
        """Tasks of which a running copy was closed that may report less than is taken here (exactly-once, up to 2.7)."""
        self._answers: dict[ProcessId, _Answer] = {}
        self._owned: dict[str, tuple[tuple[TaskId, ...], tuple[TopicPartition, ...]]] = {}
        """By member, the active tasks that it was handed last, and their partitions."""

    @classmethod
    def of(cls, snapshot: Snapshot, group: Group, assume: Assume, *, as_seen: bool = False) -> Self:
        """The rules for the group of a Snapshot, by its settings and by what was found on its disks."""
        exactly_once, in_memory = groups.transactional(snapshot), stores.in_memory(snapshot)
        return cls(group, assume, transactional=exactly_once, as_seen=as_seen, in_memory=in_memory)

    @property
    def has_stores_in_memory(self) -> bool:
        """Whether some stores are lost where their copies are closed."""
        return bool(self._in_memory)

    def read_by(self, release: str) -> "Reports":
        """The rules for the same group once another release reads its disks."""
        group = replace(self._group, release=release)
        read = Reports(group, self.assume, transactional=self._transactional, as_seen=self.as_seen, in_memory=self._in_memory)
        read.closed_in_doubt = self.closed_in_doubt
        return read

    def copy_of(self, task: TaskId) -> Copy:
        """What copies of the task report; zeros for one that keeps no state or is unknown."""
        return self._copies.get(task, _NO_COPY)

    def end(self, task: TaskId) -> int:
        """What a copy of a task reports that lacks nothing; 0 for one that keeps no state or is unknown."""
        copy = self._copies.get(task)
        return 0 if copy is None else copy.end

    def log_end(self, task: TaskId) -> int:
        """The end-offset sum of a task: a copy that reports more is treated as corrupt."""
        copy = self._copies.get(task)
        return 0 if copy is None else copy.log_end

    def closed(self, task: TaskId, total: int) -> int:
        """What a copy reports once it is closed, if it reported `total` while it ran."""
        copy = self._copies.get(task)
        if total != LATEST_OFFSET:
            one_less = self.as_seen and copy is not None and total == copy.end  # only a copy that runs reports its end
            return copy.closed if one_less and copy is not None else total
        if copy is not None and copy.closed and self.may_lose_progress:
            self.closed_in_doubt[task] = None
        return 0 if copy is None else copy.closed

    def taken_over(self, task: TaskId, total: int) -> int:
        """What a copy reports from 4.3 on that reported `total` before: one more a changelog, as the offset after its last record
        counts (`first_report`). For a standby that was running that is too much by as little, unless it had caught up."""
        end = self.end(task)
        if not 0 < total < end or self.assume.closed_copies is ClosedCopies.END:
            return total
        return min(total + self._changelogs.get(task, 0), end)

    def to_restore(self, task: TaskId, total: int | None) -> int:
        """How many records a copy lacks that reports `total` (None: nothing).

        Up to 4.2 a complete copy that is closed reports one too few a changelog: that lacks nothing.
        """
        if total == LATEST_OFFSET:
            return 0
        end = self.end(task)
        if total is None or not 0 <= total <= self.log_end(task):
            return end
        lacking = max(end - total, 0)
        return 0 if not self.exact and lacking <= self._changelogs.get(task, 0) else lacking

    def on_disk(self, client: Client) -> tuple[tuple[TaskId, int], ...]:
        """What the disk of `client` holds when it is stopped, as it would be reported."""
        return tuple((task, self.closed(task, total)) for task, total in sorted(reported(client).items()) if not self.is_lost(task))

    def is_lost(self, task: TaskId) -> bool:
        """Whether nothing of the task outlives the process of its client: all its stores are in memory."""
        return task in self._lost

    def left(self, task: TaskId, total: int) -> int | None:
        """What a client that goes on running reports of a copy that it has closed; None: nothing."""
        return None if task in self._lost and not self._reports_lost else self.closed(task, total)

    def after(self, clients: Iterable[Client], decision: Assignment, pause: TimeBetween, seconds: float) -> tuple[Client, ...]:
        """What the clients report at the rebalance that comes `pause` (`seconds`) after `decision`."""
        return tuple([self._answer(client, shares, pause, seconds) for client, shares in decision.by_client(clients)])

    def _answer(self, client: Client, shares: tuple[ConsumerAssignment, ...], pause: TimeBetween, seconds: float) -> Client:
        """What this client reports. Asked again with the same objects it gives the same one, and `client` where nothing changed."""
        known = self._answers.get(client.process_id)
        if known is None or not known.fits(client, shares, pause, seconds):
            after = self._client_after(client, shares, pause, seconds)
            takes_time = any(share.standby for share in shares)
            lasting = not (self.as_seen and pause is TimeBetween.NONE) and not takes_time
            timeless = not self.as_seen and not takes_time
            after = client if after == client else after
            known = self._answers[client.process_id] = _Answer(client, shares, pause, seconds, after, lasting, timeless)
        return known.after

    def _client_after(self, client: Client, shares: tuple[ConsumerAssignment, ...], pause: TimeBetween, seconds: float) -> Client:
        before = reported(client)
        sums: list[dict[TaskId, int]] = []
        running: set[TaskId] = set()
        for consumer, share in zip(client.consumers, shares, strict=True):
            running.update(share.active, share.standby)
            running_late = self._not_open_yet(consumer, share, before) if self.as_seen and pause is TimeBetween.NONE else {}
            sums.append(
                {task: LATEST_OFFSET for task in share.active if task in self._copies and task not in running_late}
                | {task: total for task, total in running_late.items() if total is not None}
                | {task: self._caught_up(task, before.get(task), pause, seconds) for task in share.standby}
            )
        if self.assume.dormant_copies is DormantCopies.KEPT:
            for consumer, reports in zip(client.consumers, sums, strict=True):
                for task, total in consumer.task_offset_sums:
                    left = None if task in running else self.left(task, total)
                    if left is not None:
                        reports[task] = left
        consumers = tuple(map(self._consumer_after, client.consumers, shares, sums))
        return _with_consumers(client, consumers)

    def _not_open_yet(
        self, consumer: Consumer, share: ConsumerAssignment, before: Mapping[TaskId, int]
    ) -> Mapping[TaskId, int | None]:
        """The active tasks that the thread did not run before, and what their copies report; None: there is none."""
        ran = {task for task, total in consumer.task_offset_sums if total == LATEST_OFFSET}
        new = [task for task in share.active if task in self._copies and task not in ran]
        copies = ((task, before.get(task)) for task in new)
        return {
            task: self.closed(task, LATEST_OFFSET)
            if total is not None and (total == LATEST_OFFSET or total >= self.end(task))
            else total
            for task, total in copies
        }

    def _consumer_after(self, consumer: Consumer, share: ConsumerAssignment, reports: Mapping[TaskId, int]) -> Consumer:
        active, owned = self._owned.get(consumer.member_id, ((), ()))
        if active != share.active:
            owned = tuple(sorted([partition for task in share.active for partition in self._partitions[task]]))
            self._owned[consumer.member_id] = share.active, owned
        return Consumer(
            consumer.member_id,
            consumer.client_id,
            consumer.group_instance_id,
            owned,
            tuple(sorted(reports.items())),
            consumer.metadata_version,
        )

    def _caught_up(self, task: TaskId, before: int | None, pause: TimeBetween, seconds: float) -> int:
        """What a copy that is handed out as a standby reports."""
        end = self.end(task)
        if before == LATEST_OFFSET or pause is TimeBetween.SETTLED:
            return end  # a copy that ran is complete, and stays open
        so_far = before or 0
        if so_far > self.log_end(task):
            so_far = 0  # Kafka takes such a copy for corrupt and restores it from the beginning
        match self.assume.catch_up:
            case CatchUp.NEXT_REBALANCE:
                return end
            case CatchUp.PROBING_REBALANCE:
                return end if pause is TimeBetween.PROBING else before or 0
            case CatchUp.RATE:
                assert self.assume.records_per_second is not None, "a rate has a number"
                gained = max(self.assume.records_per_second - self.assume.grows_per_second, 0)  # on the end, which moves too
                return min(end, so_far + int(gained * seconds)) if seconds else before or 0


def _with_consumers(client: Client, consumers: tuple[Consumer, ...]) -> Client:
    return Client(client.process_id, consumers, client.host, client.rack, client.client_tags, client.user_endpoint)


def _is_lost(task: Task, in_memory: frozenset[str]) -> bool:
    return bool(in_memory) and bool(task.changelogs) and all(each.topic in in_memory for each in task.changelogs or ())


def _copy(task: Task, in_memory: frozenset[str], *, exact: bool, transactional: bool) -> Copy:
    log_end = task.end_offset_sum
    if log_end is None:
        raise CannotPredict(
            f"The end offsets of task {task.id} are unknown (null), so it is unknown when a copy of it has caught up."
            " Take a snapshot with the right to read its changelog topics."
        )
    sources = {partition.topic: None for partition in task.partitions}
    ends = [
        (each.end_offset or 0) - (1 if transactional and each.end_offset and each.topic not in sources else 0)
        for each in task.changelogs or ()
    ]
    end = min(sum(ends), log_end)
    kept = [one for one, each in zip(ends, task.changelogs or (), strict=True) if each.topic not in in_memory]
    closed = sum(kept if exact else (max(each - 1, 0) for each in kept))
    return Copy(end, min(closed, end if exact else java.LONG_MAX), log_end)


def reported(client: Client) -> dict[TaskId, int]:
    """What the client as a whole reports for each task: running if any of its consumers runs it, else the furthest copy."""
    if len(client.consumers) == 1:
        return dict(client.consumers[0].task_offset_sums)
    found: dict[TaskId, int] = {}
    for consumer in client.consumers:
        for task, total in consumer.task_offset_sums:
            known = found.get(task)
            if known is None or total == LATEST_OFFSET or (known != LATEST_OFFSET and total > known):
                found[task] = total
    return found
