"""Where a Kafka Streams group is in the forecast of its plan, after each batch of events.

What is compared is the forecast of these events for the group as it was before them, with the process IDs that new clients really
got; in each of the courses that a forecast's range is made of.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice, permutations

from holdfast.errors import CannotPredict
from holdfast.kafka.streams.group import Assignment
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.execution.parts import at_rest, part
from holdfast.rollout.execution.rounds import NotCompared, RoundCompared, RoundsOfBatch, WhoRunsWhat, compare, not_compared
from holdfast.rollout.streams.change import in_memory, shorthands
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.execution import acts, evidence, incarnations
from holdfast.rollout.streams.execution.verify import settled
from holdfast.rollout.streams.forecast import course as courses
from holdfast.rollout.streams.forecast.outcomes import Round
from holdfast.rollout.streams.forecast.segments import Segments
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import Work, allowed_for_an_option
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.scene.assumptions import CatchUp
from holdfast.rollout.streams.scene.reports import reported
from holdfast.rollout.streams.snapshot import groups, ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import Step

MOST_PAIRINGS = 6
"""Of new clients with those of the change, where several came under random process IDs."""


def compared(plan: Plan, basis: Snapshot, after: str, until: Step, fresh: Snapshot) -> RoundCompared:
    """`basis`: the group after the wait `after` (empty: before the first step). `until`: the wait after these events. `fresh`: a
    stable group that shows them. Raise CannotPredict, Unsupported, TooMuchWork, and InvalidInput for events that do not fit."""
    assert plan.recommended_option is not None, "a plan without a recommended option is not carried out"
    change = _written_out(basis, plan.recommended_option.change)
    events = None
    if not any(isinstance(item, RollingRestart) for item in change.events) and not (after and change.draws_ids()):
        events = part(change.numbered_batches(), plan.steps, acts.waits, after, until.id)
    if events is None:
        return not_compared(NotCompared.STEPS)
    there = frozenset(client.process_id for client in fresh.clients)
    found = _all_courses(basis, tuple(_named(plan, replace(change, events=events), fresh)), there)
    if not found:
        return not_compared(NotCompared.MEMBERS)
    now = WhoRunsWhat(_texts(dict(ownership.owners(fresh))), _held(evidence.copies_of(fresh)))
    return compare(now, found, settled(fresh))


@lru_cache(maxsize=8)
def _all_courses(basis: Snapshot, changes: tuple[Change, ...], there: frozenset[ProcessId]) -> tuple[RoundsOfBatch, ...]:
    """Kept, since a run that waits compares the group with the same ones at every look."""
    work = allowed_for_an_option(basis)
    return tuple(one for change in changes for one in courses_of(basis, change, there, work))


def _written_out(basis: Snapshot, change: Change) -> Change:
    return in_memory.started_again(basis, shorthands.written_out(basis, in_memory.as_stored(basis, change)))


def _named(plan: Plan, change: Change, fresh: Snapshot) -> Iterator[Change]:
    """With the process IDs that new clients got."""
    came = incarnations.strangers(plan, fresh)
    if len(came) == change.new_random_ids():
        yield from (change.with_process_ids(order) for order in islice(permutations(came), MOST_PAIRINGS))


def courses_of(basis: Snapshot, change: Change, there: frozenset[ProcessId], work: Work) -> Iterator[RoundsOfBatch]:
    """The last batch of a written-out change in the course of its forecast, and in those that its range is made of
    (`forecast._quicker`), for each release that it may be; those only that end with these clients."""
    for release in groups.releases_of(basis):
        yield from _courses(groups.with_release(basis, release), change, there, work)


def _courses(basis: Snapshot, change: Change, there: frozenset[ProcessId], work: Work) -> Iterator[RoundsOfBatch]:
    ground = Ground(basis, work, Segments())
    late = any(isinstance(item, Event) and item.is_late() for item in change.events)
    found = [courses.carried_out(ground, change)]
    if change.assume.catch_up is CatchUp.PROBING_REBALANCE and found[0].length.follow_ups:
        soon = replace(change.assume, catch_up=CatchUp.NEXT_REBALANCE)
        found.append(courses.carried_out(ground, change, soon, back_soon=late))
        found.append(courses.carried_out(ground, change, back_soon=late, as_seen=True))
    elif late:
        found.append(courses.carried_out(ground, change, back_soon=True))
    if found[0].length.trouble is not None:
        raise CannotPredict(found[0].length.trouble)
    stateless = frozenset(str(task.id) for task in basis.tasks if not task.stateful)
    disks = _on_disks(basis)
    rest = at_rest(change.numbered_batches())
    for one in found:
        if one.length.trouble is None and {client.process_id for client in one.clients} == there:
            placed = [_before(basis), *map(placed_by, one.rounds)]
            counts = [act.rebalances for act in one.acts]
            first = sum(counts[:-1])
            earlier = tuple(placed[sum(counts[:rest]) : first])
            yield RoundsOfBatch(placed[first], tuple(placed[first + 1 :]), earlier, stateless, _left_behind(disks, placed))


def _left_behind(disks: Mapping[str, tuple[str, ...]], placed: Iterable[WhoRunsWhat]) -> dict[str, tuple[str, ...]]:
    """With what earlier rounds have left on disks."""
    found = {task: dict.fromkeys(clients) for task, clients in disks.items()}
    for one in placed:
        for task, client in one.owners.items():
            found.setdefault(task, {})[client] = None
        for task, clients in (one.copies or {}).items():
            found.setdefault(task, {}).update(dict.fromkeys(clients))
    return {task: tuple(clients) for task, clients in found.items()}


def _on_disks(basis: Snapshot) -> dict[str, tuple[str, ...]]:
    found: dict[TaskId, dict[ProcessId, None]] = {}
    for client in basis.clients:
        for task in reported(client):
            found.setdefault(task, {})[client.process_id] = None
    return {str(task): tuple(map(str, clients)) for task, clients in found.items()}


def _before(basis: Snapshot) -> WhoRunsWhat:
    return WhoRunsWhat(_texts(dict(ownership.owners(basis))), _held(evidence.copies_of(basis)))


def placed_by(one: Round) -> WhoRunsWhat:
    """As it goes over the wire: a task that is withheld has no owner yet, and a temporary standby where it is going."""
    assert isinstance(one.decision, Assignment), "a course without trouble"
    withheld = {task for consumer in one.decision.consumers for task in consumer.withheld}
    owners: dict[TaskId, ProcessId] = {}
    copies: dict[TaskId, tuple[ProcessId, ...]] = {}
    for client in one.decision.clients:
        for task in client.active:
            if task not in withheld:
                owners[task] = client.process_id
        for task in (*client.standby, *(each for each in client.active if each in withheld)):
            copies[task] = (*copies.get(task, ()), client.process_id)
    return WhoRunsWhat(_texts(owners), _held(copies))


def _texts(owners: Mapping[TaskId, ProcessId]) -> dict[str, str]:
    return {str(task): str(client) for task, client in owners.items()}


def _held(copies: Mapping[TaskId, tuple[ProcessId, ...]] | None) -> dict[str, tuple[str, ...]] | None:
    return None if copies is None else {str(task): tuple(map(str, clients)) for task, clients in copies.items()}
