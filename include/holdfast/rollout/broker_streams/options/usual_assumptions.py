"""What a Change most likely means where it is silent: how the threads of a client that starts join. A Forecast uses its contract's
default (all in one target).

From 4.3 on the heartbeat with which a thread joins computes a target at once if the assignment interval since the last one is over
(`GroupMetadataManager.maybeUpdateStreamsTargetAssignment`): usually the first thread of a client is alone in a target, and its
other threads are in the next one. Up to 4.2 each thread that joins computes one; that is not in the figures, and stated.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from holdfast.errors import Unsupported
from holdfast.kafka.coordinator.config_keys import ASSIGNMENT_INTERVAL, INITIAL_DELAY, decides, number_of
from holdfast.kafka.coordinator.release import Behaviour, behaviour
from holdfast.rollout.broker_streams.change.assumptions import Offsets
from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.snapshot.processes import static_clients
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Batch, Then, Wait
from holdfast.rollout.facts.conditions import Assumed, Assumption
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.policy.policy import Policy

_REPORTED = {
    Offsets.DIRECTORIES: Assumed.DIRECTORIES_REPORTED,
    Offsets.NONE: Assumed.NOTHING_REPORTED,
    Offsets.DISKS: Assumed.DISKS_REPORTED,
}
USUAL_START_UP_MS = Policy().start_up_s * 1000
"""A client that restarts is usually back within an assignment interval of at least this length. Options do not depend on a policy;
one by which clients take longer than the interval excludes those options that need it."""


def as_usual(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> BrokerChange:
    """The same change, in which a client whose first thread is usually alone in a target says so, where nothing is given."""
    alone = {index for index, how in _starts(snapshot, change) if how is Assumed.FIRST_THREAD_ALONE}
    return replace(change, events=tuple(_with(item, True) if index in alone else item for index, item in enumerate(change.events)))


def assumed(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> tuple[Assumption, ...]:
    """What a forecast of `as_usual` assumes of the starts of clients, and of what members report."""
    starts = (Assumption(how) for how in dict.fromkeys(how for _, how in _starts(snapshot, change)))
    return (*starts, *_reports(snapshot, change))


def _reports(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> Iterator[Assumption]:
    """What members report of their disks, where the assignor goes by it."""
    try:
        counts = snapshot.broker_release is not None and behaviour(snapshot.broker_release).offsets_count
    except Unsupported:
        return
    if counts and (change.starts() or change.assume.offsets is Offsets.DISKS):
        yield Assumption(_REPORTED[change.assume.offsets])


def as_asked(item: BrokerItem) -> BrokerItem:
    """What is to be done: without what only its forecast needs."""
    return _with(item, None)


def _with(item: BrokerItem, alone: bool | None) -> BrokerItem:
    comes = None if isinstance(item, Then) else item.comes()
    if isinstance(item, Then) or comes is None or comes[0].first_thread_alone is alone:
        return item
    return item.drawn(replace(comes[0], first_thread_alone=alone))


def _starts(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> Iterator[tuple[int, Assumed]]:
    """The events that start clients of several threads and do not say how they join, with what is assumed of them."""
    if snapshot.broker_release is None:
        return
    try:
        group = _Group(snapshot, behaviour(snapshot.broker_release))
    except Unsupported:
        return
    for batch in change.numbered_batches():
        for index, how in group.batch(batch):
            if _says_nothing(batch, index):
                yield index, how


def _says_nothing(batch: Batch[BrokerEvent], index: int) -> bool:
    comes = next(event.comes() for number, event in batch.events if number == index)
    return comes is not None and comes[0].first_thread_alone is None


class _Group:
    """The group as the batches of a change find it. `threads`: of each client; `calm`: the assignment interval is over."""

    def __init__(self, snapshot: StreamsGroupSnapshot, facts: Behaviour) -> None:
        self._has_interval = facts.has_interval
        self._forgets = facts.interval_ends_when_empty
        self._config: dict[str, ConfigValue] = dict(snapshot.config)
        self._calm = True
        self._static = set(static_clients(snapshot))
        self._threads: dict[str, int] = {}
        for one in snapshot.members:
            name = one.process_id or one.member_id
            self._threads[name] = self._threads.get(name, 0) + 1

    def batch(self, batch: Batch[BrokerEvent]) -> Iterator[tuple[int, Assumed]]:
        before = dict(self._config)
        for _, event in batch.events:
            self._config |= dict(event.configures())
        found = [*self._joins(self._noticed(batch), before)]
        counts = {index: count for index, event in batch.events if (count := self._count(event)) is not None}
        yield from ((index, how) for index, how in found if counts[index] > 1)
        self._carried_out(batch)

    def _noticed(self, batch: Batch[BrokerEvent]) -> Batch[BrokerEvent]:
        """Without the restarts of static clients: no thread of theirs waits for another."""

        def unnoticed(event: BrokerEvent) -> bool:
            return event.restarts() and self._static.issuperset(event.stops()) and not event.leaves_as_static()

        return replace(batch, events=tuple(each for each in batch.events if not unnoticed(each[1])))

    def _joins(self, batch: Batch[BrokerEvent], before: Mapping[str, ConfigValue]) -> Iterator[tuple[int, Assumed]]:
        """The starts for which something is assumed, whatever their threads."""
        stay = self._threads.keys() - {name for _, one in batch.events if not one.unnoticed() for name in one.stops()}
        if not stay and number_of(self._config, INITIAL_DELAY) > 0:
            return  # all that start are in the target after the initial delay
        interval = number_of(self._config, ASSIGNMENT_INTERVAL) if self._has_interval else 0
        if not interval:
            yield from ((index, Assumed.THREADS_TOGETHER) for index, event in batch.events if event.comes() is not None)
            return
        if not stay and self._forgets:  # and there is no initial delay
            starts = [index for index, event in batch.events if event.comes() is not None]
            yield from ((index, Assumed.FIRST_THREAD_ALONE) for index in starts[:1])
            return
        yield from self._before_its_target(batch, before)
        back = [index for index, event in batch.events if _returns(event)]
        quick = interval >= USUAL_START_UP_MS
        yield from ((index, Assumed.BACK_IN_INTERVAL if quick else Assumed.FIRST_THREAD_ALONE) for index in back[:1])

    def _before_its_target(self, batch: Batch[BrokerEvent], before: Mapping[str, ConfigValue]) -> Iterator[tuple[int, Assumed]]:
        """The first client that joins while no target is due: with one due, all that join wait for the interval."""
        due = not self._calm or decides(before) != decides(self._config)
        for index, event in batch.events:
            joins = event.comes() is not None and not event.in_interval() and not _returns(event)
            if joins and not due:
                yield index, Assumed.FIRST_THREAD_ALONE
            due = due or joins or event.grows() is not None or (bool(event.stops()) and not event.unnoticed())

    def _carried_out(self, batch: Batch[BrokerEvent]) -> None:
        for index, event in batch.events:
            count, comes = self._count(event), event.comes()
            for name in event.stops():
                self._threads.pop(name, None)
                if event.restarts() and comes is not None and (name in self._static or event.becomes_instances()):
                    self._static.add(comes[0].process_id or f"\0{index}")
            if count is not None and comes is not None:
                self._threads[comes[0].process_id or f"\0{index}"] = count
        self._calm = batch.wait is not Wait.REBALANCE

    def _count(self, event: BrokerEvent) -> int | None:
        """The threads of the client that it starts. None: it starts none."""
        comes = event.comes()
        if comes is None:
            return None
        client, old = comes
        return client.threads or len(client.member_ids or ()) or self._threads.get(old or "", 1)


def _returns(event: BrokerEvent) -> bool:
    """Whether its client is back after a target without it."""
    return event.restarts() and not event.in_interval() and not event.unnoticed()
