"""The effect of losing a client, counted instead of forecast: for the default assignor, where the result is unique.

The target by places (`kafka.streams.shares`) says where every stateful task is going. Until then a task stays with the one client
that has a copy while its target warms one up, this many at a time and one batch a probing interval (KIP-441). So the batches can be
counted, and what they restore be added up. Where several clients could run a task meanwhile, with standbys above all, who does
depends on what else each is given: that is not counted, and `Fate.reason` says so.
"""

import functools
import heapq
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from holdfast.errors import CannotPredict
from holdfast.kafka import java
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.client_state import LeaderThrows
from holdfast.kafka.streams.config import TaskAssignor
from holdfast.kafka.streams.group import Group
from holdfast.kafka.streams.leader_state import Readings
from holdfast.kafka.streams.shares import dealt
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Round
from holdfast.rollout.contract.times import TimedBatch
from holdfast.rollout.disks.logs import to_restore
from holdfast.rollout.streams.host_loss import loss_times
from holdfast.rollout.streams.host_loss.loss_times import LossTimes
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.assumptions import Assume
from holdfast.rollout.streams.scene.reports import Reports, reported
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import changelog_sizes, groups, ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


class NotByPlaces(CannotPredict):
    """What moves depends on more than ranks in process-ID order and copies: that takes a forecast."""


_NO_CLIENT, _NEW = -1, -2
"""Instead of a client's number: the owner of a task that no client runs, and a client that was not there before."""
_REMEMBERED = 8
"""Sequences of threads, and who runs what then: those of most clients' losses are alike."""
_SEVERAL = "several clients have copies of tasks that are migrating: which of them runs a task meanwhile depends on its other tasks"


@dataclass(frozen=True, slots=True)
class Count:
    """Until the group is stable. `rebalances` are the least unless `rebalances_exact`: threads of one client may pass tasks on.

    `warm_ups`: copies restored while their tasks run elsewhere. `times`: the number of rebalances. `restore_bytes` None: a
    changelog was not measured.
    """

    rebalances: int
    rebalances_exact: bool
    warm_ups: int
    times: LossTimes
    restore_bytes: int | None


@dataclass(frozen=True, slots=True)
class Fate:
    """`moved`: stateful tasks that end up with another client. `without_copy`: those that are unavailable until they are
    restored."""

    moved: int
    without_copy: int
    count: Count | None
    reason: str | None = None
    """Why there is no count."""


@dataclass(slots=True)
class _Tally:
    """A fate while it is being counted."""

    moved: int = 0
    without_copy: int = 0
    warm_ups: int = 0
    handed_over: bool = False
    """Whether a client has to give up a task in the first rebalance already: a follow-up comes at once."""
    size: int | None = 0
    begins: dict[int, int] = field(default_factory=dict)
    """Records that clients restore of tasks that they run, from the first rebalance on."""
    warms_up: list[tuple[int, int]] = field(default_factory=list)
    """Which client warms up how many records of each migrating task, in the order of the tasks."""
    reason: str | None = None

    def restore(self, size: int | None, client: int, records: int, *, warms_up: bool) -> None:
        if warms_up:
            self.warms_up.append((client, records))
        elif records:
            self.begins[client] = self.begins.get(client, 0) + records
        self.size = None if self.size is None or size is None else self.size + size


class Movements:
    """The state of one group now. Raise CannotPredict where its targets are not those of the default assignor."""

    def __init__(self, snapshot: Snapshot) -> None:
        group = groups.group_of(snapshot)
        _refuse_other_changes(group)
        line = behaviour(group.release)
        try:
            readings = Readings(group, line)
        except LeaderThrows as thrown:
            raise CannotPredict(f"The leader itself would fail: {thrown}") from None
        if not readings.topology.ends_known:
            raise CannotPredict("The end offsets of changelogs are unknown, so the leader falls back to the previous placement.")
        clients = sorted(group.clients, key=lambda client: client.process_id)
        self.order = tuple(client.process_id for client in clients)
        self._threads = tuple(len(client.consumers) for client in clients)
        self._one_thread_each = max(self._threads) == 1
        self._group = group
        self._line = line
        self._readings = readings
        self._lag = group.config.acceptable_recovery_lag
        self._reports = Reports.of(snapshot, group, Assume())
        self._policy = loss_times.policy_of(snapshot)
        self._delay = outage.session_timeout_s(Scene.of(snapshot))
        self._logs = changelog_sizes.task_logs(snapshot)
        topology = readings.topology
        self._numbers = topology.stateful
        self._ids = tuple(topology.ids[number] for number in topology.stateful)
        number_of = {process_id: number for number, process_id in enumerate(self.order)}
        owners = {task: number_of[process_id] for task, process_id in ownership.owners(snapshot)}
        self._owner = tuple(owners.get(task, _NO_CLIENT) for task in self._ids)
        owned = {one: number for number, client in enumerate(clients) for each in client.consumers for one in each.owned}
        self._owned = tuple(
            tuple(dict.fromkeys(owned[one] for one in task.partitions if one in owned)) for task in readings.topology.tasks
        )
        """By number: the clients that own partitions of the task, and would have to give them up first."""
        self._sums = tuple(reported(client) for client in clients)
        self._records_of_all = tuple(self._reports.to_restore(task, None) for task in self._ids)
        self._whole = tuple(map(self._size, self._ids, self._records_of_all))
        self._caught_up = tuple(
            tuple(client for client, lag in readings.lags_of[number].items() if self._acceptable(lag)) for number in self._numbers
        )
        self._ordinary = tuple(self._is_ordinary(at) for at in range(len(self._ids)))
        self._open_reason = self._why_not_counted()
        self._dealt = functools.lru_cache(maxsize=_REMEMBERED)(dealt)

    def fate(self, lost: ProcessId, back: ProcessId | None = None) -> Fate:
        """What happens if `lost` goes, and `back`, whose disk is empty, replaces it (None: no client; `lost`: the same ID)."""
        gone = self.order.index(lost)
        at = [number for number in range(len(self.order)) if number != gone]
        if back is not None:
            new = gone if back == lost else _NEW
            at.insert(order.rank_among((self.order[number] for number in at), back), new)
        threads = tuple(self._threads[gone if number == _NEW else number] for number in at)
        tally = _Tally(reason=self._open_reason)
        active = [0] * len(at)
        for task, place in enumerate(self._dealt(threads, len(self._ids))):
            self._settle(tally, task, at[place], gone, active, at, place)
        if tally.reason is not None:
            return Fate(tally.moved, tally.without_copy, None, tally.reason)
        if not tally.handed_over:
            tally.handed_over = self._stateless_handed_over(at, threads, active, gone)
        batches = -(-tally.warm_ups // self._group.config.max_warmup_replicas)
        rounds = tuple(self._rounds(tally, batches, back))
        interval_ms = self._group.config.probing_rebalance_interval_ms
        act = TimedBatch(len(rounds), starts=int(back is not None), noticed_s=math.ceil(self._delay))
        count = Count(
            rebalances=1 + tally.handed_over + 2 * batches,
            rebalances_exact=self._one_thread_each,
            warm_ups=tally.warm_ups,
            times=loss_times.of_count(act, rounds, interval_ms, self._policy, exact=self._one_thread_each),
            restore_bytes=tally.size,
        )
        return Fate(tally.moved, tally.without_copy, count)

    def _rounds(self, tally: _Tally, batches: int, back: ProcessId | None) -> Iterator[Round]:
        """The rebalances that are counted, with what each begins to restore: a batch of warm-ups from the one that finds the batch
        before it caught up."""
        most = self._group.config.max_warmup_replicas
        interval = self._group.config.probing_rebalance_interval_ms
        for number in range(batches + 1):
            begun = Counter(tally.begins) if not number else Counter()
            for client, records in tally.warms_up[number * most : (number + 1) * most]:
                begun[client] += records
            restoring = tuple((self._id(client, back), records) for client, records in sorted(begun.items()) if records)
            trigger, at = "probing" if number else "change", math.ceil(number * interval / 1000)
            yield Round(trigger, at, 0, 0, 0, max((records for _, records in restoring), default=0), 0, restoring)
            if number or tally.handed_over:
                yield Round("immediate", at, 0, 0, 0, 0)

    def _id(self, client: int, back: ProcessId | None) -> ProcessId:
        if client != _NEW:
            return self.order[client]
        assert back is not None, "a new client came"
        return back

    def moved_by_place(self, lost: ProcessId) -> Sequence[int]:
        """How many stateful tasks end up with another client if a new random ID comes for `lost`: one number for each place."""
        gone = self.order.index(lost)
        if max(self._threads) == min(self._threads):
            return self._moved_if_dealt_evenly(gone)
        return tuple(self._moved_if_dealt(gone))

    def _moved_if_dealt_evenly(self, gone: int) -> Sequence[int]:
        """Each position has the same tasks whatever client has it, and a remaining client moves by one position at most: sums
        suffice."""
        count = len(self.order)
        kept = [[0, 0, 0] for _ in range(count)]
        """For each place: its tasks that run at its own client, the one after, and the one before it."""
        for task, owner in enumerate(self._owner):
            place = task % count
            if owner != gone and owner != _NO_CLIENT and abs(owner - place) <= 1:
                kept[place][owner - place] += 1
        own, after, before = ((0, *accumulate(one[which] for one in kept)) for which in (0, 1, -1))
        return tuple(
            len(self._owner)
            - (own[min(place, gone)] + after[place] - after[min(place, gone)])
            - (before[max(place, gone) + 1] - before[place + 1] + own[count] - own[max(place, gone) + 1])
            for place in range(count)
        )

    def _moved_if_dealt(self, gone: int) -> Iterator[int]:
        at = [number for number in range(len(self.order)) if number != gone]
        for place in range(len(self.order)):
            order = [*at[:place], _NEW, *at[place:]]
            threads = tuple(self._threads[gone if number == _NEW else number] for number in order)
            goes_to = map(order.__getitem__, dealt(threads, len(self._owner)))
            yield sum(owner != to for owner, to in zip(self._owner, goes_to, strict=True))

    def owned_by(self, process_id: ProcessId) -> int:
        """How many stateful tasks it runs."""
        return self._owner.count(self.order.index(process_id))

    def _settle(self, tally: _Tally, task: int, to: int, gone: int, active: list[int], at: Sequence[int], place: int) -> None:
        """Book one stateful task that is going to the client `to`."""
        owner = self._owner[task]
        tally.moved += owner != to
        if self._ordinary[task]:
            if owner == gone:
                tally.without_copy += 1
                tally.restore(self._whole[task], to, self._records_of_all[task], warms_up=False)
            elif owner != to:
                tally.warm_ups += 1
                tally.restore(self._whole[task], to, self._records_of_all[task], warms_up=True)
                place = at.index(owner)
            active[place] += 1
            return
        runs = self._meanwhile(tally, task, to, gone)
        if runs is None:
            return
        records = self._records(task, runs, gone)
        tally.without_copy += records > self._lag
        if tally.reason is not None:  # it is not counted
            return
        active[at.index(runs)] += 1
        tally.handed_over = tally.handed_over or any(one not in (gone, runs) for one in self._owned[self._numbers[task]])
        tally.restore(self._size(self._ids[task], records), runs, records, warms_up=False)
        if runs != to:
            tally.warm_ups += 1
            warmed_up = self._records(task, to, gone)
            tally.restore(self._size(self._ids[task], warmed_up), to, warmed_up, warms_up=True)

    def _meanwhile(self, tally: _Tally, task: int, to: int, gone: int) -> int | None:
        """The client that runs the task from the first rebalance on; None if that is not counted."""
        number = self._numbers[task]
        end = self._readings.topology.ends[number]
        lags = self._readings.lags_of[number]
        behind = lags.get(to, end) if to != gone else end
        if self._acceptable(behind):
            return to
        caught_up = [client for client in self._caught_up[task] if client != gone]
        if not caught_up:
            least = min((lag for client, lag in lags.items() if client != gone), default=behind)
            if not (self._line.moves_to_most_caught_up and least < behind):
                return to
        if len(caught_up) == 1 and not self._acceptable(end):
            return caught_up[0]
        tally.without_copy += not caught_up
        tally.reason = tally.reason or _SEVERAL
        return None

    def _records(self, task: int, client: int, gone: int) -> int:
        """What the client lacks of the task."""
        known = self._sums[client].get(self._ids[task]) if client not in (_NEW, gone) else None
        return self._reports.to_restore(self._ids[task], known)

    def _size(self, task: TaskId, records: int) -> int | None:
        return to_restore(self._logs, {task: records})

    def _acceptable(self, lag: int) -> bool:
        return lag == LATEST_OFFSET or self._lag == java.LONG_MAX or 0 <= lag <= self._lag

    def _is_ordinary(self, task: int) -> bool:
        """Whether its owner runs it, no other client has any of it, and it is too long for others to take it over at once."""
        number = self._numbers[task]
        alone = self._readings.lags_of[number] == {self._owner[task]: LATEST_OFFSET}
        return alone and self._reports.to_restore(self._ids[task], None) > self._lag

    def _stateless_handed_over(self, at: Sequence[int], threads: Sequence[int], active: Sequence[int], gone: int) -> bool:
        """Whether a present client has to give up a task without state: as `assign_stateless_active` assigns them."""
        count = list(active)
        queue = [(count[place] / threads[place], place) for place in range(len(at))]
        heapq.heapify(queue)
        for number in self._readings.topology.stateless:
            place = queue[0][1]
            if any(one not in (gone, at[place]) for one in self._owned[number]):
                return True
            count[place] += 1
            heapq.heapreplace(queue, (count[place] / threads[place], place))
        return False

    def _why_not_counted(self) -> str | None:
        config = self._group.config
        if config.num_standby_replicas:
            return "with standbys, the interim owner of a task depends on the other tasks of each client"
        if self._reports.has_stores_in_memory:
            return "stores in memory are lost where a task leaves its client"
        behind = (one for one in self._ids if not self._acceptable(self._reports.log_end(one) - self._reports.end(one)))
        if (never := next(behind, None)) is not None:
            return f"copies of {never} never come within acceptable.recovery.lag ({self._lag:,} records): the group does not settle"
        closed = (self._reports.log_end(one) - self._reports.closed(one, LATEST_OFFSET) for one in self._ids)
        if not self._one_thread_each and not all(map(self._acceptable, closed)):
            return f"a task that passes to another thread counts as lagging then (acceptable.recovery.lag is {self._lag:,})"
        return None


def _refuse_other_changes(group: Group) -> None:
    """What depends on more than places and copies."""
    if not group.clients:
        raise CannotPredict("The group has no client: there is none to lose.")
    config = group.config
    if config.task_assignor is not TaskAssignor.HIGH_AVAILABILITY:
        raise NotByPlaces(f"With {config.task_assignor} a task's target does not depend on rank")
    if config.rack_aware_assignment_strategy != "none":
        raise NotByPlaces(f"Tasks are placed by rack (rack.aware.assignment.strategy={config.rack_aware_assignment_strategy})")
    newest = behaviour(group.release).metadata_version
    oldest = leader.FIRST_VERSION_WITH_NEXT_REBALANCE
    known = {task.id for task in group.tasks}
    for client in group.clients:
        for consumer in client.consumers:
            if consumer.error_code or not oldest <= (newest if consumer.metadata_version is None else consumer.metadata_version):
                raise NotByPlaces(f"Member {consumer.member_id!r} is too old, or asks for something")
            if any(task not in known for task, _ in consumer.task_offset_sums):
                raise NotByPlaces(f"Member {consumer.member_id!r} reports tasks that are not in the topology")
    if group.missing_topics:
        raise CannotPredict("Source topics are missing: the leader assigns nothing.")
