"""What a new snapshot shows of each step of a plan: members, process IDs, configs, topics. The words are those of every kind.

Every start makes new member IDs: a member with an ID from before has not restarted.
"""

from collections.abc import Sequence

from holdfast.kafka.coordinator.config_keys import DEFAULTS
from holdfast.rollout.broker_streams.change.change import BrokerItem
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.execution import starts
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.execution.group_evidence import configured, waited
from holdfast.rollout.execution.step_evidence import Evidence, Shown, StepEvidence, evidence
from holdfast.rollout.facts.step_sightings import Sees


def of_plan(plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> tuple[StepEvidence, ...]:
    """Every step, in order."""
    found: list[StepEvidence] = []
    items = [step.item for step in plan.steps]
    started, at_end = Started(plan.basis, items, fresh), starts.without_members(plan.basis, items, fresh)
    for index, step in enumerate(plan.steps):
        open_before = any(one.evidence.shown is Shown.NOT_YET for one in found)
        if isinstance(step.item, Then):
            one = waited(fresh, open_before, at_end or starts.without_members(plan.basis, items[:index], fresh))
        else:
            one = _shown(started, items, index)
        found.append(StepEvidence(step.id, step.says, one))
    return tuple(found)


class Started:
    """The starts of clients since a plan was made, from one snapshot. `whole`: whether each shows."""

    def __init__(self, basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], fresh: StreamsGroupSnapshot) -> None:
        self.basis, self.fresh, self.whole = basis, fresh, starts.each_shows(basis, fresh)
        self._starts: dict[str, list[starts.Start]] = {}
        for one in starts.since(basis, items, fresh):
            self._starts.setdefault(one.process_id, []).append(one)

    def of(self, process_id: str, times: int) -> starts.Start | None:
        """That start number `times` (from 1) of a client. None: there was none, or where they are not `whole` it is unknown which
        one it was."""
        its = self._starts.get(process_id, []) if self.whole else []
        return its[times - 1] if times <= len(its) else None

    def still(self, start: starts.Start) -> int:
        """How many of its members the group still has."""
        there = {one.member_id for one in self.fresh.members}
        return sum(one in there for one in start.member_ids)


def shown(
    basis: StreamsGroupSnapshot,
    items: Sequence[BrokerItem],
    index: int,
    fresh: StreamsGroupSnapshot,
    not_begun: int | None = None,
) -> Evidence:
    """Of the event number `index`. `not_begun`: from that one on no client has been stopped; None: all may have happened."""
    return _shown(Started(basis, items, fresh), items, index, not_begun)


def _shown(started: Started, items: Sequence[BrokerItem], index: int, not_begun: int | None = None) -> Evidence:
    event, basis, fresh = items[index], started.basis, started.fresh
    assert not isinstance(event, Then), "a wait is decided by the steps before it"
    if event.prepares():
        moved = basis.classic is not None and fresh.classic is None
        return evidence(Shown.HAPPENED, Sees.MOVED) if moved else evidence(Shown.CANNOT_SHOW, Sees.AT_ITS_START)
    if event.configures():
        again = {key for item in items[index + 1 :] if not isinstance(item, Then) for key, _ in item.configures()}
        return configured(event.configures(), again, fresh, DEFAULTS)
    grows = event.grows()
    if grows is not None:
        return _grown(*grows, items[index + 1 :], fresh)
    return _members(started, items, index, event, not_begun)


def _grown(topic: str, wanted: int, later: Sequence[BrokerItem], fresh: StreamsGroupSnapshot) -> Evidence:
    """A later event may have given it more partitions."""
    count = next((one.partitions for one in fresh.topics if one.name == topic), 0)
    grown = [grows[1] for item in later if not isinstance(item, Then) and (grows := item.grows()) and grows[0] == topic]
    most = max(wanted, *grown) if grown else wanted
    shown = Shown.NOT_YET if count < wanted else Shown.HAPPENED if count <= most else Shown.CONTRADICTED
    return evidence(shown, Sees.PARTITIONS, topic, count=count, wanted=wanted)


def _members(started: Started, items: Sequence[BrokerItem], index: int, event: BrokerEvent, not_begun: int | None) -> Evidence:
    basis, fresh = started.basis, started.fresh
    earlier = [item for item in items[:index] if not isinstance(item, Then)]
    for process_id in event.stops():
        times = sum(starts.brought(one) == process_id for one in earlier)
        before = started.of(process_id, times) if times else None
        if times and before is None:
            return evidence(Shown.CANNOT_SHOW, Sees.JOINED_IN_PLAN)
        still = still_listed(basis, process_id, fresh) if before is None else started.still(before)
        if still:
            return evidence(Shown.NOT_YET, Sees.STILL_LISTED, process_id, count=still)
    comes = event.comes()
    if comes is None:
        return evidence(Shown.HAPPENED, Sees.GONE, event.stops()[0])
    if (old := event.was_classic()) is not None and fresh.classic is not None:
        return evidence(Shown.NOT_YET, Sees.STILL_CLASSIC, old)
    started_as, threads = comes[0].process_id, starts.threads_of(basis, earlier, event)
    if started_as is None:
        return _came_somewhere(basis, items, index, fresh)
    if starts.stopped_in(items[index + 1 : not_begun], started_as):
        return _ran(started, started_as, 1 + sum(starts.brought(one) == started_as for one in earlier), threads)
    return _runs(basis, started_as, threads, fresh)


def _ran(started: Started, process_id: str, times: int, threads: int) -> Evidence:
    """Of a client that a later event stops: that it is not there, or with other threads, does not say that it did not start."""
    start = started.of(process_id, times)
    if start is None:
        runs = _runs(started.basis, process_id, threads, started.fresh)
        open_ = Shown.NOT_YET if started.whole else Shown.CANNOT_SHOW
        return runs if runs.shown is Shown.HAPPENED and times == 1 else evidence(open_, Sees.STOPPED_LATER, process_id)
    count, still = len(start.member_ids), started.still(start)
    if count < threads:
        return evidence(Shown.NOT_YET if still else Shown.CANNOT_SHOW, Sees.FEWER_THREADS, process_id, count=count, wanted=threads)
    return evidence(Shown.HAPPENED, Sees.RUNS if still == count else Sees.RAN, process_id, count=count)


def _came_somewhere(basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], index: int, fresh: StreamsGroupSnapshot) -> Evidence:
    """Of a client under a random process ID. Which of those is which does not show: all up to it have to have their threads."""
    events = [item for item in items[: index + 1] if not isinstance(item, Then)]
    random = [(number, one) for number, one in enumerate(events) if one.comes() is not None and starts.brought(one) is None]
    strangers = new_clients(basis, items, fresh)
    if len(strangers) < len(random):
        return evidence(Shown.NOT_YET, Sees.CLIENTS_MISSING, count=len(random) - len(strangers), wanted=len(random))
    threads = sorted((starts.threads_of(basis, events[:number], one) for number, one in random), reverse=True)
    largest = sorted(strangers, key=lambda one: starts.threads_in(fresh, one), reverse=True)
    for wanted, process_id in zip(threads, largest, strict=False):
        if (count := starts.threads_in(fresh, process_id)) < wanted:
            return evidence(Shown.NOT_YET, Sees.FEWER_THREADS, process_id, count=count, wanted=wanted)
    return evidence(Shown.HAPPENED, Sees.CAME, names=strangers[: len(random)])


def _runs(basis: StreamsGroupSnapshot, process_id: str, threads: int, fresh: StreamsGroupSnapshot) -> Evidence:
    before = {one.member_id for one in basis.members}
    new = sum(one.process_id == process_id and one.member_id not in before for one in fresh.members)
    if not new:
        return evidence(Shown.NOT_YET, Sees.NO_SUCH_CLIENT, process_id)
    if new < threads:
        return evidence(Shown.NOT_YET, Sees.FEWER_THREADS, process_id, count=new, wanted=threads)
    return evidence(Shown.HAPPENED, Sees.RUNS, process_id, count=new)


def still_listed(basis: StreamsGroupSnapshot, process_id: str, fresh: StreamsGroupSnapshot) -> int:
    """How many members of a client of the plan's snapshot the group still has."""
    there = {one.member_id for one in fresh.members}
    return sum(one.process_id == process_id and one.member_id in there for one in basis.members)


def new_clients(basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], fresh: StreamsGroupSnapshot) -> tuple[str, ...]:
    """The process IDs of clients that neither the plan's snapshot nor the plan itself has."""
    known = {one.process_id for one in basis.members} | _came([item for item in items if not isinstance(item, Then)])
    return tuple(dict.fromkeys(one.process_id for one in fresh.members if one.process_id and one.process_id not in known))


def _came(events: Sequence[BrokerEvent]) -> set[str]:
    """The process IDs of clients that these events bring, those that are given."""
    return {process_id for event in events if (process_id := starts.brought(event)) is not None}
