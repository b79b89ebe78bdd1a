"""The forecast of a plan compared with the group afterwards: target by target, and task by task in the end.

What is compared is the forecast of the same change with the IDs that its clients really got (`starts`): a forecast is for IDs, and
each start makes new ones.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from holdfast.kafka.coordinator.streams.group import Task, Tasks, each_task
from holdfast.rollout.broker_streams.execution import evidence, starts
from holdfast.rollout.broker_streams.execution.verdict import BrokerVerdict, CopiesVerdict, OwnerVerdict, TargetVerdict
from holdfast.rollout.broker_streams.forecast.forecast import forecast
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome, ComputedTarget
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan, Considered
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution.step_evidence import StepEvidence
from holdfast.rollout.execution.verdict import Rebalances, Result
from holdfast.rollout.facts import difference_words
from holdfast.rollout.facts.differences import Difference, Differs
from holdfast.rollout.facts.sourced_text import told
from holdfast.rollout.group import verifying
from holdfast.rollout.group.verifying import EndCompared, Members, Verifying

MOST_DIFFERENCES = 100


NOT_ALL_ORDERS = Unknown(
    "targets",
    "the threads of clients can have joined in too many orders to compare them all, and the order decides who gets what; with READ"
    " on __consumer_offsets Holdfast sees each target that the coordinator recorded",
)


class Placed(NamedTuple):
    """What was compared."""

    tasks: tuple[OwnerVerdict, ...]
    standbys: tuple[CopiesVerdict, ...]
    targets: tuple[TargetVerdict, ...]


class _Verifying(Verifying[BrokerPlan, StreamsGroupSnapshot, BrokerVerdict, Placed]):
    def steps_shown(self, plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> tuple[StepEvidence, ...]:
        return evidence.of_plan(plan, fresh)

    def waits(self, plan: BrokerPlan, step_id: str) -> bool:
        return any(one.id == step_id and isinstance(one.item, Then) for one in plan.steps)

    def at_its_end(self, plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> bool:
        return super().at_its_end(plan, fresh) or starts.without_members(plan.basis, [one.item for one in plan.steps], fresh)

    def compare(self, plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> EndCompared[Placed] | Members:
        if starts.without_members(plan.basis, [one.item for one in plan.steps], fresh):
            return EndCompared(Placed((), (), ()), Result.AS_FORECAST, ())
        change, missing, unseen = starts.named(plan.basis, _recommended(plan).change, fresh)
        if missing:
            return _waited_for(missing)
        orders = starts.joined_in_any_order(plan.basis, change, fresh)
        best: EndCompared[Placed] | None = None
        for one in orders.changes:
            outcome = forecast(plan.basis, one).outcome
            if trouble := other_clients(plan.basis, outcome, fresh):
                return trouble
            found = _judged(plan.basis, outcome, fresh)
            best = found if best is None or len(found.differences) < len(best.differences) else best
            if not best.differences:
                return best
        assert best is not None, "the order that is given is one of them"
        if unseen:
            # Other members than those of the forecast may have been there meanwhile, or not yet.
            return _waited_for(unseen)
        return best if orders.all_of_them else EndCompared(None, Result.NOT_COMPARED, (), unknown=(NOT_ALL_ORDERS,))

    def verdict(
        self,
        plan: BrokerPlan,
        fresh: StreamsGroupSnapshot,
        result: Result,
        what: Placed | None,
        differences: tuple[Difference, ...],
        shown: tuple[StepEvidence, ...],
        unknown: tuple[Unknown, ...] = (),
    ) -> BrokerVerdict:
        summary = _recommended(plan).summary
        planned = 0 if summary is None else summary.targets
        recorded = starts.recorded_since(plan.basis, fresh)
        tasks, standbys, targets = what or Placed((), (), ())
        return BrokerVerdict(
            plan_id=plan.plan_id,
            cluster=fresh.cluster,
            group_id=fresh.group_id,
            observed_at=fresh.captured_at,
            result=result,
            tasks=tasks,
            standbys=standbys,
            targets=targets,
            rebalances=Rebalances((planned, planned), len(recorded) if fresh.recorded_targets else None),
            said=told(differences, difference_words.sentence),
            steps=shown,
            unknown=unknown,
        )


def verify(plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> BrokerVerdict:
    """As `group.verifying.verify`."""
    return verifying.verify(_Verifying(), plan, fresh)


def _waited_for(process_ids: tuple[str | None, ...]) -> Members:
    waited_for = tuple(one or "a new client" for one in process_ids)
    return Members(Result.IN_PROGRESS, Difference(Differs.CLIENTS, expected=waited_for, found=()))


def _recommended(plan: BrokerPlan) -> Considered:
    assert plan.recommended_option is not None, "a plan without a recommended option is refused before"
    return plan.recommended_option


def other_clients(basis: StreamsGroupSnapshot, outcome: BrokerOutcome, fresh: StreamsGroupSnapshot) -> Members | None:
    """The clients, where they are not those of the forecast's end."""
    before = tuple(dict.fromkeys(one.process_id or one.member_id for one in basis.members))
    wanted = dict.fromkeys(outcome.process_ids if outcome.targets else before)
    found = dict.fromkeys(one.process_id or one.member_id for one in fresh.members)
    if wanted.keys() == found.keys():
        return None
    strangers = tuple(one for one in found if one not in wanted and one not in before)
    if strangers:
        return Members(Result.DIFFERENT, Difference(Differs.STRANGERS, found=strangers))
    missing = tuple(one for one in wanted if one not in found)
    still = tuple(one for one in found if one not in wanted)
    return Members(Result.IN_PROGRESS, Difference(Differs.CLIENTS, expected=missing, found=still))


def _judged(basis: StreamsGroupSnapshot, outcome: BrokerOutcome, fresh: StreamsGroupSnapshot) -> EndCompared[Placed]:
    recorded = starts.recorded_since(basis, fresh)
    owners, standbys = _end(basis, outcome)
    now, copies = of_members(fresh)
    tasks = tuple(OwnerVerdict(task, owners[task], now.get(task)) for task in _in_order(owners))
    held = tuple(
        CopiesVerdict(task, standbys.get(task, ()), copies.get(task, ()))
        for task in _in_order(standbys.keys() | copies.keys())
        if task in owners
    )
    placed = Placed(tasks, held, tuple(_targets(outcome, recorded)) if fresh.recorded_targets else ())
    of_what = tuple(_of_what(placed))
    result = Result.DIFFERENT if of_what else Result.AS_FORECAST
    if of_what and recorded and len(recorded) < len(outcome.targets):
        result = Result.IN_PROGRESS
    return EndCompared(placed, result, of_what, of_what)


def _of_what(placed: Placed) -> list[Difference]:
    found = [
        Difference(Differs.OWNER, str(one.task), (one.expected,), () if one.found is None else (one.found,))
        for one in placed.tasks
        if not one.agrees
    ]
    found += [Difference(Differs.STANDBYS, str(one.task), one.expected, one.found) for one in placed.standbys if not one.agrees]
    found += [
        Difference(Differs.TARGET, str(one.found), count=one.tasks - one.as_forecast, most=one.tasks)
        for one in placed.targets
        if one.found is not None and not one.agrees
    ]
    return found[:MOST_DIFFERENCES]


Copies = Mapping[Task, tuple[str, ...]]


def _end(basis: StreamsGroupSnapshot, outcome: BrokerOutcome) -> tuple[Mapping[Task, str], Copies]:
    """The clients of each task in the end, active and standby; without those that the forecast leaves open."""
    if not outcome.targets:
        return of_members(basis)
    open_ = left_open(outcome.targets[-1])
    owners, copies = given_by(outcome.targets[-1])
    return {task: one for task, one in owners.items() if task not in open_}, copies


def given_by(target: ComputedTarget) -> tuple[Mapping[Task, str], Copies]:
    """The same of a target, with all that it leaves open (`left_open`)."""
    processes = dict(target.processes)
    return _by_client([(processes[one.member_id], one.active, one.standby) for one in target.assignment.members])


def of_members(snapshot: StreamsGroupSnapshot) -> tuple[Mapping[Task, str], Copies]:
    """The same of a group: what its members have; what they are to have, where that is unknown."""
    return _by_client(
        [
            (one.process_id or one.member_id, there.active, there.standby)
            for one in snapshot.members
            if (there := one.assignment or one.target) is not None
        ]
    )


def _by_client(given: Collection[tuple[str, Tasks, Tasks]]) -> tuple[Mapping[Task, str], Copies]:
    owners = {task: process for process, active, _ in given for task in each_task(active)}
    copies: dict[Task, set[str]] = {}
    for process, _, standby in given:
        for task in each_task(standby):
            copies.setdefault(task, set()).add(process)
    return owners, {task: tuple(sorted(held)) for task, held in copies.items()}


def _in_order(tasks: Collection[Task]) -> list[Task]:
    return sorted(tasks, key=lambda task: task.rank)


def left_open(target: ComputedTarget) -> frozenset[Task]:
    """The tasks whose place a target, or one before it, leaves open."""
    return frozenset((*target.assignment.undetermined_tasks, *target.after_undetermined))


def _targets(outcome: BrokerOutcome, recorded: tuple[RecordedTarget, ...]) -> list[TargetVerdict]:
    """Each target of the forecast with the next recorded one that has its members."""
    found: list[TargetVerdict] = []
    left = list(recorded)
    for target in outcome.targets:
        members = {one.member_id for one in target.assignment.members}
        at = next((at for at, one in enumerate(left) if {each.member_id for each in one.members} == members), None)
        if at is None:
            found.append(TargetVerdict(target.group_epoch, None, 0, 0))
            continue
        found.append(_compared(target, left[at]))
        del left[: at + 1]
    return found


def _compared(target: ComputedTarget, recorded: RecordedTarget) -> TargetVerdict:
    """Member by member: the assignor gives tasks to members."""
    open_ = left_open(target)
    wanted = _by_client([(one.member_id, one.active, one.standby) for one in target.assignment.members])
    seen = _by_client([(one.member_id, one.active, one.standby) for one in recorded.members])
    tasks = [task for task in wanted[0].keys() | seen[0].keys() if task not in open_]
    alike = sum(wanted[0].get(task) == seen[0].get(task) and wanted[1].get(task) == seen[1].get(task) for task in tasks)
    return TargetVerdict(target.group_epoch, recorded.assignment_epoch, len(tasks), alike)
