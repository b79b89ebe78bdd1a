"""The course of an option in a plan: target by target, and the owner of each stateful task before and after."""

from collections.abc import Mapping

from holdfast.kafka.coordinator.streams.group import Task, Tasks, tasks_of
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast import summary
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome
from holdfast.rollout.broker_streams.snapshot.tasks import TASKS
from holdfast.rollout.coordinated.targets import TargetTrigger
from holdfast.rollout.json.codec import COUNT, NAME, TEXT, choice, items, nullable
from holdfast.rollout.json.record import codec_of, member, record

MOST_TASKS = 20_000
"""With more, the placement is not listed: the plan would be too long to read."""


@record
class CourseTarget:
    """One target. `batch`: of events that it follows from, from 0. `hand_overs`: stateful tasks that it gives to another client,
    `cold` of them to one whose disk has never had the task; `undetermined`: tasks whose place is not certain."""

    trigger: TargetTrigger = member(choice(TargetTrigger))
    group_epoch: int | None = member(nullable(COUNT))
    batch: int = member(COUNT)
    hand_overs: int = member(COUNT)
    cold: int = member(COUNT)
    undetermined: int = member(COUNT)


@record
class Share:
    """The stateful tasks of one client. `was`: its process ID now, where it comes back under another. `now` None: it is not there
    yet; `then` None: it is gone."""

    process_id: str = member(NAME)
    host: str | None = member(nullable(TEXT))
    was: str | None = member(nullable(NAME), "Its process ID now, where it comes back under another.")
    now: Tasks | None = member(nullable(TASKS), "Null: it is not there yet.")
    then: Tasks | None = member(nullable(TASKS), "Null: it is gone.")


@record(about="Course and placement of the recommended option and of the baseline.")
class Shares:
    """`shares`: of every client that is there before or after, in the order of the snapshot; none where it would be too long."""

    targets: tuple[CourseTarget, ...] = member(items(codec_of(CourseTarget)))
    shares: tuple[Share, ...] = member(items(codec_of(Share)), name="clients")


def renamed(change: BrokerChange) -> Mapping[str, str]:
    """The process IDs of clients before the change, by those under which they come back."""
    found: dict[str, str] = {}
    for event in change.statements():
        comes = event.comes()
        if (
            (event.restarts() or event.was_classic())
            and comes is not None
            and comes[0].process_id is not None
            and comes[1] is not None
        ):
            found[comes[0].process_id] = found.pop(comes[1], comes[1])
    return {new: old for new, old in found.items() if new != old}


def collateral(ground: Ground, change: BrokerChange, outcome: BrokerOutcome) -> int:
    """Stateful tasks that end on another client although their client is still there, between clients that were there before.
    `change`: with the IDs of the outcome."""
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    before = summary.owners_now(ground, stateful)
    after = summary.owners(outcome.targets[-1], stateful) if outcome.targets else before
    old = renamed(change)
    there = {one.process_id for one in ground.snapshot.members}
    still = {old.get(one, one) for one in outcome.process_ids}
    ends = {task: old.get(process, process) for task, process in after.items()}
    return sum(1 for task, was in before.items() if (now := ends.get(task)) not in (None, was) and was in still and now in there)


def course(ground: Ground, change: BrokerChange, outcome: BrokerOutcome) -> Shares:
    """`change`: with the IDs of the outcome."""
    targets = tuple(
        CourseTarget(
            trigger=one.trigger,
            group_epoch=one.group_epoch,
            batch=one.batch,
            hand_overs=counts.moves,
            cold=counts.cold,
            undetermined=len(one.assignment.undetermined_tasks),
        )
        for one, counts in zip(outcome.targets, outcome.hand_overs, strict=True)
    )
    tasks = sum(one.tasks for one in ground.group.subtopologies if one.stateful)
    return Shares(targets, _shares(ground, change, outcome) if tasks <= MOST_TASKS else ())


def _shares(ground: Ground, change: BrokerChange, outcome: BrokerOutcome) -> tuple[Share, ...]:
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    before = _by_process(summary.owners_now(ground, stateful))
    after = _by_process(summary.owners(outcome.targets[-1], stateful)) if outcome.targets else before
    old = renamed(change)
    hosts = {one.process_id: one.host for one in ground.snapshot.members}
    came = {client.process_id: client.host for client in change.starts() if client.host is not None}
    now = dict.fromkeys(one.process_id for one in ground.snapshot.members if one.process_id is not None)
    then = dict.fromkeys(outcome.process_ids) if outcome.targets else now
    every = dict.fromkeys((*(one for one in now if one not in old.values() or one in then), *then))
    return tuple(
        Share(
            process_id=one,
            host=came.get(one) or hosts.get(old.get(one, one)),
            was=old.get(one),
            now=before.get(old.get(one, one), ()) if old.get(one, one) in now else None,
            then=after.get(one, ()) if one in then else None,
        )
        for one in every
    )


def _by_process(owners: Mapping[Task, str]) -> dict[str, Tasks]:
    found: dict[str, list[Task]] = {}
    for task, process in owners.items():
        found.setdefault(process, []).append(task)
    return {process: tasks_of(tasks) for process, tasks in found.items()}
