"""What a forecast costs, in the figures of a decision: tasks moved, rebalances, time, records, unavailable tasks."""

import math
from collections.abc import Iterable, Mapping, Sequence

from holdfast.kafka.streams.group import Assignment, Client, ClientAssignment, Consumer
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Round
from holdfast.rollout.disks.logs import to_restore, total_or_none
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.cost import disk_use, stops
from holdfast.rollout.streams.cost.changed_shares import changed_shares, sums
from holdfast.rollout.streams.cost.evaluation import ClientRestore, Cost, Fullest, Span
from holdfast.rollout.streams.cost.stateful_tasks import StatefulTasks
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.forecast.amounts import Amount
from holdfast.rollout.streams.forecast.outcomes import Forecast, Outcome
from holdfast.rollout.streams.scene.assumptions import CatchUp
from holdfast.rollout.streams.snapshot import changelog_sizes, ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

Owners = Mapping[TaskId, ProcessId]


def costs_of(snapshot: Snapshot, change: Change, forecast: Forecast, displaced: tuple[ProcessId, ...] = ()) -> tuple[Cost, ...]:
    """One cost an outcome, in the forecast's order. `displaced`: see `Option`."""
    return tuple(_cost(snapshot, change.with_process_ids(one.drawn), one, displaced) for one in forecast.outcomes)


def empty_client(group_id: str, process_id: ProcessId, threads: int) -> Client:
    """A client that has just started with nothing on its disk."""
    names = [f"{group_id}-{process_id}-StreamThread-{number}-consumer" for number in range(1, threads + 1)]
    return Client(process_id, tuple(Consumer(f"{name}-{process_id}", name) for name in names))


def _cost(snapshot: Snapshot, change: Change, outcome: Outcome, displaced: tuple[ProcessId, ...]) -> Cost:
    every = StatefulTasks.of(snapshot, change)
    stateful = every.ends
    decisions = [one.decision for one in outcome.rounds if isinstance(one.decision, Assignment)]
    before = dict(ownership.owners(snapshot))
    was = renamed(change)
    changed = tuple(changed_shares(decisions))
    handed_over = _handed_over(changed, before, stateful, was)
    after = _owners(decisions[-1]) if decisions else before
    stayed = {task: was.get(owner, owner) for task, owner in after.items()}
    end = decisions[-1].clients if decisions else ()
    seconds = outcome.rounds[-1].at_seconds if outcome.summary.seconds_to_stable is None else outcome.summary.seconds_to_stable
    at_least = outcome.summary.seconds_to_stable_at_least
    busiest = max(
        ((len(client.active), client.process_id) for shares in changed for client in shares),
        key=lambda one: one[0],
        default=(0, None),
    )
    return Cost(
        probability=outcome.probability,
        process_ids=outcome.process_ids,
        stable=outcome.stable,
        stateful_tasks=outcome.summary.stateful_tasks,
        moved=sum(before.get(task) != stayed.get(task) for task in stateful) if was else outcome.summary.active_moved,
        needless=_collateral(snapshot, displaced, {task: before[task] for task in stateful if task in before}, stayed)
        + outcome.latent,
        handovers=sum(handed_over),
        rebalances=Span(outcome.summary.rebalances_at_least, outcome.summary.rebalances_at_most),
        seconds_to_stable=Span(math.ceil(seconds if at_least is None else at_least), math.ceil(seconds)),
        restores=_restores(snapshot, outcome, changed, stateful),
        cold=_without_copy(snapshot, outcome, stateful),
        busiest_client=busiest[1],
        busiest_tasks=busiest[0],
        rounds=_rounds(change, outcome, handed_over),
        end=tuple(sorted(end, key=lambda client: client.process_id)),
        reads=outcome.summary.reads,
        disks=disk_use.disks(snapshot, change, outcome, changed, every),
        restored_tasks=_restored_tasks(snapshot, outcome),
        stops=stops.stops(outcome),
        fullest=_fullest(decisions, changed, every),
        rebalances_usual=outcome.summary.rebalances,
        probes_more=outcome.probes_more,
        acts=outcome.acts,
        unsettled=outcome.unsettled,
    )


Changed = Sequence[Sequence[ClientAssignment]]
"""Decision by decision, as `changed_shares`."""


def _fullest(decisions: Sequence[Assignment], changed: Changed, stateful: StatefulTasks) -> Fullest | None:
    """Only a share that has changed can hold more than any before."""
    copies: dict[ProcessId, int] = {}
    most: Fullest | None = None
    for decision, shares in zip(decisions, changed, strict=True):
        for share in shares:
            copies[share.process_id] = stateful.copies(share)
        highest = max((copies[share.process_id] for share in shares), default=0)
        if highest > (0 if most is None else most.copies):
            all_copies = [copies[share.process_id] for share in decision.clients]
            at = all_copies.index(highest)
            most = Fullest(decision.clients[at].process_id, highest, -(-sum(all_copies) // len(all_copies)))
    return most


def _owners(decision: Assignment) -> dict[TaskId, ProcessId]:
    return {task: client.process_id for client in decision.clients for task in client.active}


def renamed(change: Change) -> dict[ProcessId, ProcessId]:
    """Clients that come back with their state under another process ID, with the one they had: to them nothing is handed over."""
    return dict(pair for item in change.events if isinstance(item, Event) for pair in item.renamed())


def _handed_over(
    changed: Changed, before: Owners, stateful: Mapping[TaskId, int], renamed: Mapping[ProcessId, ProcessId]
) -> tuple[int, ...]:
    """How many stateful tasks pass to another client, decision by decision."""
    owners = dict(before)
    found = []
    for shares in changed:
        count = 0
        for client in shares:
            owner = renamed.get(client.process_id, client.process_id)
            for task in client.active:
                was = owners.get(task)
                count += task in stateful and was is not None and was != owner
                owners[task] = owner
        found.append(count)
    return tuple(found)


def _collateral(snapshot: Snapshot, displaced: tuple[ProcessId, ...], before: Owners, after: Owners) -> int:
    """Tasks that leave clients which the change does not displace, beyond a new client's share."""
    kept = {client.process_id: None for client in snapshot.clients if client.process_id not in displaced}
    leave = sum(owner in kept and after.get(task) != owner for task, owner in before.items())
    orphaned = sum(owner in displaced for owner in before.values())
    gained = sum(after.get(task) not in kept for task in before)
    return max(0, leave - max(0, gained - orphaned))


def _restores(snapshot: Snapshot, outcome: Outcome, changed: Changed, stateful: Mapping[TaskId, int]) -> tuple[ClientRestore, ...]:
    """By client: what it restores over all rounds, and the tasks that it is given, and did not run, in rounds where it restores."""
    running = {
        client.process_id: {task: None for consumer in client.consumers for task, total in consumer.task_offset_sums if total == -2}
        for client in snapshot.clients
    }
    tasks: dict[ProcessId, dict[TaskId, None]] = {}
    records: dict[ProcessId, int] = {}
    sizes: dict[ProcessId, list[int | None]] = {}
    here = dict.fromkeys(outcome.process_ids)
    shares: dict[ProcessId, ClientAssignment] = {}
    """Up to the rebalance before."""
    decided = (one for one in outcome.rounds if isinstance(one.decision, Assignment))
    for one, others in zip(decided, changed, strict=True):
        size = dict(one.restoring_bytes)
        otherwise = {client.process_id: client for client in others}
        for process_id, restored in one.restoring:
            ran, share = shares.get(process_id), otherwise.get(process_id) or shares[process_id]
            had = running.get(process_id, {}) if ran is None else dict.fromkeys((*ran.active, *ran.standby))
            given = (*share.active, *share.standby)
            new = [task for task in given if task in stateful and (task not in had or process_id not in here)]
            tasks.setdefault(process_id, {}).update(dict.fromkeys(new or (task for task in given if task in stateful)))
            records[process_id] = records.get(process_id, 0) + restored
            sizes.setdefault(process_id, []).append(size[process_id])
        shares.update(otherwise)
    return _by_client(tasks, records, sizes)


def _restored_tasks(snapshot: Snapshot, outcome: Outcome) -> tuple[tuple[TaskId, Amount], ...]:
    logs = changelog_sizes.task_logs(snapshot)
    found: dict[TaskId, list[int]] = {}
    for one in outcome.rounds:
        for _, tasks in one.restoring_tasks:
            for task, records in tasks:
                found.setdefault(task, []).append(records)
    return tuple(
        (task, Amount(sum(each), sum(logs[task].to_restore(records) for records in each) if task in logs else None))
        for task, each in sorted(found.items())
    )


def _by_client(
    tasks: Mapping[ProcessId, Iterable[TaskId]], records: Mapping[ProcessId, int], sizes: Mapping[ProcessId, Iterable[int | None]]
) -> tuple[ClientRestore, ...]:
    return tuple(ClientRestore(one, tuple(sorted(tasks[one])), records[one], total_or_none(sizes[one])) for one in sorted(records))


def _without_copy(snapshot: Snapshot, outcome: Outcome, stateful: Mapping[TaskId, int]) -> tuple[ClientRestore, ...]:
    """By client: tasks that are unavailable until it has restored them. No client restores more than it begins to in that round."""
    tasks: dict[ProcessId, dict[TaskId, None]] = {}
    records: dict[ProcessId, int] = {}
    sizes: dict[ProcessId, list[int | None]] = {}
    logs = changelog_sizes.task_logs(snapshot)
    for one in outcome.rounds:
        if not one.without_caught_up_copy or not isinstance(one.decision, Assignment):
            continue
        owners = _owners(one.decision)
        restoring, size = dict(one.restoring), dict(one.restoring_bytes)
        late_at: dict[ProcessId, list[TaskId]] = {}
        for task in one.without_caught_up_copy:
            if task in owners:
                late_at.setdefault(owners[task], []).append(task)
        for process_id, late in late_at.items():
            most = sum(stateful.get(task, 0) for task in late)
            tasks.setdefault(process_id, {}).update(dict.fromkeys(late))
            records[process_id] = records.get(process_id, 0) + min(most, restoring.get(process_id, most))
            largest = to_restore(logs, {task: stateful.get(task, 0) for task in late})
            begun = size.get(process_id, largest)
            sizes.setdefault(process_id, []).append(None if largest is None or begun is None else min(largest, begun))
    return _by_client(tasks, records, sizes)


def _rounds(change: Change, outcome: Outcome, handed_over: Sequence[int]) -> tuple[Round, ...]:
    """A forecast at a given speed has the restores in its times already."""
    timed = change.assume.catch_up is CatchUp.RATE
    decided = [(one, one.decision) for one in outcome.rounds if isinstance(one.decision, Assignment)]
    warm_ups = sums((decision.clients for _, decision in decided), lambda client: len(client.standby))
    return tuple(
        Round(
            trigger=str(one.trigger),
            at_seconds=math.ceil(one.at_seconds),
            handed_over=count,
            withheld=decision.withheld_tasks,
            warm_ups=copies,
            restoring_longest=0 if timed else max((records for _, records in one.restoring), default=0),
            without_caught_up_copy=len(one.without_caught_up_copy),
            restoring=one.restoring,
        )
        for (one, decision), count, copies in zip(decided, handed_over, warm_ups, strict=True)
    )


def end_owners(end: Iterable[ClientAssignment]) -> dict[TaskId, ProcessId]:
    """Who runs what when it is stable."""
    return {task: client.process_id for client in end for task in client.active}
