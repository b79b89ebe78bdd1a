"""A plan's forecast compared with the group afterwards: by step, by task, and by recorded rebalance."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from holdfast.errors import MalformedBytes, Unsupported
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution.step_evidence import StepEvidence
from holdfast.rollout.execution.verdict import Rebalances, Result
from holdfast.rollout.facts import difference_words
from holdfast.rollout.facts.differences import Difference, Differs
from holdfast.rollout.facts.sourced_text import told
from holdfast.rollout.group import verifying
from holdfast.rollout.group.verifying import EndCompared, Members, Verifying
from holdfast.rollout.streams.cost import times_of_costs
from holdfast.rollout.streams.cost.cost import end_owners
from holdfast.rollout.streams.cost.evaluation import Cost, Span
from holdfast.rollout.streams.execution import evidence
from holdfast.rollout.streams.execution.verdict import StandbyVerdict, TaskVerdict, Verdict
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.streams.snapshot import ownership, replay
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import RollOutConfig, RollOutRelease


@dataclass(frozen=True, slots=True)
class _Placed:
    """Who has which task, and which copies of it."""

    tasks: tuple[TaskVerdict, ...]
    standbys: tuple[StandbyVerdict, ...]


class _Verifying(Verifying[Plan, Snapshot, Verdict, _Placed]):
    def steps_shown(self, plan: Plan, fresh: Snapshot) -> tuple[StepEvidence, ...]:
        return evidence.of_plan(plan, fresh)

    def waits(self, plan: Plan, step_id: str) -> bool:
        return evidence.waits(plan, step_id)

    def compare(self, plan: Plan, fresh: Snapshot) -> EndCompared[_Placed] | Members:
        option = _recommended(plan)
        cost, renamed = _outcome(plan, option, fresh)
        if cost is None:
            return Members(*_other_clients(plan, option, fresh))
        rebalances, expected = _rebalances(plan, fresh), _expected(plan, cost)
        tasks, standbys = _tasks(plan, cost, renamed, fresh), _standbys(cost, renamed, fresh)
        of_what = (*_task_differences(tasks), *_standby_differences(standbys))
        differences = (*of_what, *_round_differences(plan, expected, rebalances))
        result = _result(tasks, standbys, differences, expected, rebalances, fresh)
        return EndCompared(_Placed(tasks, standbys), result, differences, of_what)

    def verdict(
        self,
        plan: Plan,
        fresh: Snapshot,
        result: Result,
        what: _Placed | None,
        differences: tuple[Difference, ...],
        shown: tuple[StepEvidence, ...],
        unknown: tuple[Unknown, ...] = (),
    ) -> Verdict:
        option = _recommended(plan)
        cost, _ = _outcome(plan, option, fresh)
        expected = _expected(plan, option.costs[0] if cost is None else cost)
        return Verdict(
            plan_id=plan.plan_id,
            cluster=fresh.cluster,
            group_id=fresh.group_id,
            observed_at=fresh.captured_at,
            result=result,
            tasks=() if what is None else what.tasks,
            rebalances=Rebalances((expected.low, expected.high), _rebalances(plan, fresh)),
            said=told(differences, difference_words.sentence),
            steps=shown,
            unknown=unknown,
            standbys=() if what is None else what.standbys,
        )


def verify(plan: Plan, fresh: Snapshot) -> Verdict:
    """As `group.verifying.verify`."""
    return verifying.verify(_Verifying(), plan, fresh)


def _recommended(plan: Plan) -> Considered:
    assert plan.recommended_option is not None, "a plan without a recommended option is refused before"
    return plan.recommended_option


def _outcome(plan: Plan, option: Considered, fresh: Snapshot) -> tuple[Cost | None, Mapping[ProcessId, ProcessId]]:
    """The outcome that came about, and the real ID for each of its IDs: the one in the same place of the order.

    A new random ID represents, in the forecast, every ID of its gap; all others must match exactly.
    """
    found = sorted(client.process_id for client in fresh.clients)
    left_to_chance = option.change.draws_ids()
    for cost in option.costs:
        if len(found) != len(cost.process_ids):
            continue
        renamed = dict(zip(sorted(cost.process_ids), found, strict=True))
        strangers = [was for was, now in renamed.items() if was != now]
        if not strangers or (left_to_chance and all(plan.basis.client(one) is None for one in strangers)):
            return cost, renamed
    return None, {}


def _other_clients(plan: Plan, option: Considered, fresh: Snapshot) -> tuple[Result, Difference]:
    """The clients are those of no outcome: not all there yet, or others than the forecast has."""
    expected = dict.fromkeys(option.costs[0].process_ids)
    before = {client.process_id: None for client in plan.basis.clients}
    found = sorted(client.process_id for client in fresh.clients)
    strangers = [one for one in found if one not in expected and one not in before]
    if strangers and not option.change.draws_ids():
        return Result.DIFFERENT, Difference(Differs.STRANGERS, found=_ids(strangers))
    missing = _ids(one for one in sorted(expected) if one not in found)
    still = _ids(one for one in found if one not in expected)
    return Result.IN_PROGRESS, Difference(Differs.CLIENTS, expected=missing, found=still)


def _ids(clients: Iterable[ProcessId]) -> tuple[str, ...]:
    return tuple(map(str, clients))


def _tasks(plan: Plan, cost: Cost, renamed: Mapping[ProcessId, ProcessId], fresh: Snapshot) -> tuple[TaskVerdict, ...]:
    """Without any rebalance everything stays where the plan found it."""
    found = dict(ownership.owners(fresh))
    stays = {} if cost.end else {task: client.process_id for client in plan.basis.clients for task in client.active}
    wanted = end_owners(cost.end) or {task: owner for task, owner in stays.items() if owner in renamed}
    return tuple(TaskVerdict(task, renamed[owner], found.get(task)) for task, owner in sorted(wanted.items()))


def _task_differences(tasks: tuple[TaskVerdict, ...]) -> tuple[Difference, ...]:
    return tuple(
        Difference(Differs.OWNER, str(one.task), (str(one.expected),), () if one.found is None else (str(one.found),))
        for one in tasks
        if not one.agrees
    )


def _standbys(cost: Cost, renamed: Mapping[ProcessId, ProcessId], fresh: Snapshot) -> tuple[StandbyVerdict, ...]:
    found = evidence.copies_of(fresh)
    if found is None:
        return ()
    wanted: dict[TaskId, list[ProcessId]] = {}
    for client in cost.end:
        for task in client.standby:
            wanted.setdefault(task, []).append(renamed[client.process_id])
    return tuple(
        StandbyVerdict(task, tuple(sorted(wanted.get(task, ()))), found.get(task, ())) for task in sorted({**wanted, **found})
    )


def _standby_differences(standbys: tuple[StandbyVerdict, ...]) -> tuple[Difference, ...]:
    return tuple(
        Difference(Differs.STANDBYS, str(one.task), _ids(one.expected), _ids(one.found)) for one in standbys if not one.agrees
    )


def _expected(plan: Plan, cost: Cost) -> Span:
    learnt = None if plan.past is None else plan.past.learnt
    return times_of_costs.rebalances_held(cost, plan.policy, None if learnt is None else learnt.rebalances)


def _rebalances(plan: Plan, fresh: Snapshot) -> int | None:
    """Completed rebalances since the snapshot that the plan was made from; since the plan was made, where no numbers say it."""
    counted = evidence.rebalances_since(plan, fresh)
    if counted is not None or not fresh.generations:
        return counted
    since = datetime.fromisoformat(plan.created_at)
    return sum(datetime.fromisoformat(one.completed_at) > since for one in fresh.generations)


def _round_differences(plan: Plan, expected: Span, rebalances: int | None) -> tuple[Difference, ...]:
    """How many rebalances a rolling restart brings depends on how fast it is done: where there is one, they are not compared."""
    counted = not any(isinstance(step.action, RollOutConfig | RollOutRelease) for step in plan.steps)
    if rebalances is None or not counted or expected.low <= rebalances <= expected.high:
        return ()
    return (Difference(Differs.REBALANCES, count=rebalances, least=expected.low, most=expected.high),)


def _result(
    tasks: tuple[TaskVerdict, ...],
    standbys: tuple[StandbyVerdict, ...],
    differences: tuple[Difference, ...],
    expected: Span,
    rebalances: int | None,
    fresh: Snapshot,
) -> Result:
    """Of a plan whose every step has happened."""
    wrong = [task for task in tasks if not task.agrees]
    at_rest = settled(fresh)
    if at_rest is not False and not differences:
        return Result.AS_FORECAST
    warming = _warming_up(fresh)
    coming = bool(wrong) and all(task.expected in warming.get(task.task, ()) for task in wrong)
    placed = not wrong and all(one.agrees for one in standbys)
    too_few = placed and rebalances is not None and rebalances < expected.low
    too_few = too_few and (at_rest is None or (rebalances == 0 and not evidence.static(fresh)))  # its record is yet to come
    return Result.IN_PROGRESS if at_rest is False or coming or too_few else Result.DIFFERENT


def settled(fresh: Snapshot) -> bool | None:
    """Whether the last recorded rebalance asked no member to rejoin; None: there is no record that can be read."""
    if not fresh.generations:
        return None
    try:
        return replay.leaders_decision(fresh.generations[-1]).settled
    except (MalformedBytes, Unsupported):
        return None


def _warming_up(fresh: Snapshot) -> dict[TaskId, tuple[ProcessId, ...]]:
    """Which clients have a standby or warm-up of a task assigned, according to the snapshot."""
    client_of = {consumer.member_id: client.process_id for client in fresh.clients for consumer in client.consumers}
    found: dict[TaskId, tuple[ProcessId, ...]] = {}
    for one in fresh.evidence:
        for task in one.assigned.standby or ():
            if one.member_id in client_of:
                found[task] = (*found.get(task, ()), client_of[one.member_id])
    return found
