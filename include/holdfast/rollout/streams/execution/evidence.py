"""What a new snapshot shows of each step of a plan: done, not done yet, or not visible to any broker.

A restarted process has new member IDs: a dynamic member joins anew, a static one keeps its instance ID and gets a new member ID, in
the same generation where it returns in time. A stopped one is listed until its session times out. So a restart is evident when none
of the members that were there before is there any more, and as many others are. The earlier state is the snapshot that the plan was
made from, or what the journal kept when the step began (`Sighting`).
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import assert_never

from holdfast.errors import Unsupported
from holdfast.kafka.release import behaviour
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.execution.step_evidence import Evidence, Shown, StepEvidence, evidence
from holdfast.rollout.facts.step_sightings import Sees
from holdfast.rollout.journal.journal import Sighting
from holdfast.rollout.streams.execution import incarnations, later_steps
from holdfast.rollout.streams.execution.incarnations import Expected, Starts
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps import step_words
from holdfast.rollout.streams.steps.steps import (
    AwaitRebalance,
    AwaitStable,
    ChangeThreads,
    CopyStateDirectory,
    DeployTopology,
    GrowTopic,
    RestartInPlace,
    RollOutConfig,
    RollOutRelease,
    StartClient,
    Step,
    StopAllClients,
    StopClient,
)

STANDBYS = "num.standby.replicas"


def of_plan(plan: Plan, fresh: Snapshot) -> tuple[StepEvidence, ...]:
    """Every step, in order."""
    found: list[StepEvidence] = []
    acts: list[StepEvidence] = []
    starts = Starts(plan, fresh, None)
    for index, step in enumerate(plan.steps):
        waits = isinstance(step.action, AwaitRebalance | AwaitStable)
        if waits:
            one = _awaited(plan, fresh, acts)
        else:
            so_far = _of(step, plan, fresh, starts)
            one = later_steps.in_whole_plan(plan, index, fresh, starts, so_far, partial(_once_restarted, step, plan, fresh, starts))
        found.append(StepEvidence(step.id, step_words.brief(step.action), one))
        acts = [] if waits else [*acts, found[-1]]
    return tuple(found)


def evidence_of(
    step: Step, plan: Plan, fresh: Snapshot, began: Sighting | None = None, ended: Collection[str] = frozenset()
) -> Evidence:
    """One step. `began`: the group when it began; None: not kept, and the plan's snapshot is used instead. `ended`: members that
    may be listed still, and whose processes have ended."""
    return _of(step, plan, fresh, Starts(plan, fresh, began), ended)


def _of(step: Step, plan: Plan, fresh: Snapshot, starts: Starts, ended: Collection[str] = frozenset()) -> Evidence:
    action = step.action
    match action:
        case StopClient(process_id=process_id):
            return _stopped(plan, process_id, fresh, ended)
        case WriteProcessMetadata(process_id=process_id):
            if _new_members(plan, process_id, fresh):
                return evidence(Shown.HAPPENED, Sees.NEW_MEMBERS, process_id)
            return evidence(Shown.CANNOT_SHOW, Sees.FILE_ON_DISK)
        case CopyStateDirectory():
            return evidence(Shown.CANNOT_SHOW, Sees.ON_DISK)
        case StartClient():
            return _started(plan, step, action, fresh, ended)
        case RestartInPlace():
            return _restarted(plan, step, action, fresh, starts)
        case RollOutConfig() | RollOutRelease() | StopAllClients() | DeployTopology():
            all_clients = _all_clients(step, fresh, starts)
            return _also(plan, step, action, fresh) or all_clients if all_clients.shown is Shown.HAPPENED else all_clients
        case ChangeThreads(process_id=process_id, threads=threads):
            client = fresh.client(process_id)
            has = 0 if client is None else len(client.consumers)
            shown = Shown.HAPPENED if has == threads else Shown.NOT_YET
            return evidence(shown, Sees.THREADS, process_id, count=has, wanted=threads)
        case GrowTopic(topic, partitions):
            return _grown(topic, partitions, fresh)
        case AwaitRebalance() | AwaitStable():
            return _awaited(plan, fresh, ())
        case _:
            assert_never(action)


def restarted(step: Step, plan: Plan, fresh: Snapshot, began: Sighting | None) -> Evidence:
    """Of a step that restarts clients: whether they have restarted, and nothing else."""
    starts = Starts(plan, fresh, began)
    if isinstance(step.action, RestartInPlace):
        return _restarted(plan, step, step.action, fresh, starts)
    return _all_clients(step, fresh, starts)


def same_generation(began: Sighting, fresh: Snapshot) -> bool:
    """Whether no rebalance has come since a step began where one must come: static members that return in time cause none."""
    now = generation_of(fresh)
    return now is not None and now == began.generation and not static(fresh)


def rebalances_since(plan: Plan, fresh: Snapshot) -> int | None:
    """Completed rebalances since the snapshot that the plan was made from, by their numbers; None: unknown."""
    before, now = plan.basis.generation, generation_of(fresh)
    return None if before is None or now is None or now < before else now - before


def generation_of(snapshot: Snapshot) -> int | None:
    """The number of the newest completed rebalance that the snapshot has."""
    return snapshot.generations[-1].number if snapshot.generations else None


def sighting(fresh: Snapshot, clients: Collection[ProcessId] | None = None) -> Sighting:
    """Who is there, of these clients or of all, and in which generation: kept when a step begins."""
    members = (one.member_id for each in fresh.clients if clients is None or each.process_id in clients for one in each.consumers)
    return Sighting(generation_of(fresh), tuple(sorted(members)))


def listed(step: Step, fresh: Snapshot) -> Sighting | None:
    """The members of the one client that a step stops or restarts; None: it is none of those."""
    match step.action:
        case StopClient(process_id=process_id) | RestartInPlace(process_id=process_id):
            return sighting(fresh, (process_id,))
        case _:
            return None


def _stopped(plan: Plan, process_id: ProcessId, fresh: Snapshot, ended: Collection[str] = frozenset()) -> Evidence:
    """A client whose session was lost after the plan was made came back as other members, before it was stopped: where the plan
    does not bring it back, any member is one of those; else `ended` says which."""
    client, was = fresh.client(process_id), plan.basis.client(process_id)
    if client is None:
        return evidence(Shown.HAPPENED, Sees.GONE, process_id)
    known = frozenset(ended) | frozenset(() if was is None else was.members)
    all_old = was is None or not incarnations.comes_back(plan, process_id)
    old = [one.member_id for one in client.consumers if all_old or one.member_id in known]
    if not old:
        return evidence(Shown.HAPPENED, Sees.MEMBERS_GONE, process_id)
    return evidence(Shown.NOT_YET, Sees.STILL_LISTED, process_id, count=len(old))


def _new_members(plan: Plan, process_id: ProcessId, fresh: Snapshot, ended: Collection[str] = frozenset()) -> int:
    """How many members a client has that it had not when the plan was made; 0 while any of those is still there."""
    client, was = fresh.client(process_id), plan.basis.client(process_id)
    old = (*ended, *(() if was is None else was.members))
    found = [one.member_id for one in client.consumers] if client is not None else []
    return 0 if any(one in old for one in found) else len(found)


def _started(plan: Plan, step: Step, action: StartClient, fresh: Snapshot, ended: Collection[str]) -> Evidence:
    if action.process_id is None:
        strangers = incarnations.strangers(plan, fresh)
        place = incarnations.newcomers_until(plan, step)
        if len(strangers) < place:
            return evidence(Shown.NOT_YET, Sees.CLIENTS_MISSING, count=place - len(strangers), wanted=place)
        return evidence(Shown.HAPPENED, Sees.CAME, names=strangers)
    found = _new_members(plan, action.process_id, fresh, ended)
    if not found:
        present = fresh.client(action.process_id) is not None
        return evidence(Shown.NOT_YET, Sees.MEMBERS_FROM_BEFORE if present else Sees.NO_SUCH_CLIENT, action.process_id)
    if found < action.threads:
        return evidence(Shown.NOT_YET, Sees.FEWER_THREADS, action.process_id, count=found, wanted=action.threads)
    if found > action.threads:
        return evidence(Shown.CONTRADICTED, Sees.THREADS, action.process_id, count=found, wanted=action.threads)
    return evidence(Shown.HAPPENED, Sees.RUNS, action.process_id, count=found)


def _restarted(plan: Plan, step: Step, action: RestartInPlace, fresh: Snapshot, starts: Starts) -> Evidence:
    back = action.comes_back_as
    if back == action.process_id:
        return _all_anew(starts.expected[step.id], starts)
    old = _stopped(plan, action.process_id, fresh)
    if old.shown is not Shown.HAPPENED:
        return old
    if back is None:
        missing = incarnations.newcomers_until(plan, step) - len(incarnations.strangers(plan, fresh))
        if missing > 0:
            return evidence(Shown.NOT_YET, Sees.NOT_BACK, action.process_id)
        return evidence(Shown.HAPPENED, Sees.GONE_AND_CAME, action.process_id, incarnations.strangers(plan, fresh))
    if not _new_members(plan, back, fresh):
        return evidence(Shown.NOT_YET, Sees.GONE_ONLY, action.process_id, (back,))
    return evidence(Shown.HAPPENED, Sees.GONE_AND_BACK, action.process_id, (back,))


def _all_clients(step: Step, fresh: Snapshot, starts: Starts) -> Evidence:
    before = starts.began or ()
    still = [one.member_id for one in fresh.consumers() if one.member_id in before]
    found = _all_anew(starts.expected[step.id], starts)
    if still and found.shown is not Shown.NOT_YET:
        return evidence(Shown.NOT_YET, Sees.STILL_SOME, count=len(still))
    return found


def _all_anew(wanted: Expected, starts: Starts) -> Evidence:
    """Whether each of these clients has been started this many times since the plan was made, or once since the step began."""
    wanted = {one: times for one, times in wanted.items() if not starts.gone_by_plan(one)}
    if not wanted:
        return evidence(Shown.CANNOT_SHOW, Sees.STOPPED_SINCE)
    done: list[ProcessId] = []
    open_: list[ProcessId] = []
    unseen: list[ProcessId] = []
    for process_id, times in wanted.items():
        match starts.happened(process_id, times):
            case True:
                done.append(process_id)
            case None:
                unseen.append(process_id)
            case _:
                open_.append(process_id)
    if open_ and len(wanted) == 1:
        return evidence(Shown.NOT_YET, Sees.NOT_RESTARTED, open_[0])
    if open_:
        return evidence(Shown.NOT_YET, Sees.SOME_RESTARTED, names=sorted(open_), count=len(done), wanted=len(wanted))
    if unseen:
        return evidence(Shown.CANNOT_SHOW, Sees.SECOND_RESTART, names=sorted(unseen))
    return evidence(Shown.HAPPENED, Sees.RESTARTED, next(iter(wanted)) if len(wanted) == 1 else "", count=len(wanted))


def _once_restarted(step: Step, plan: Plan, fresh: Snapshot, starts: Starts) -> Evidence:
    """What shows of a step whose clients have restarted."""
    wanted = starts.expected[step.id]
    restarted = evidence(Shown.HAPPENED, Sees.RESTARTED, next(iter(wanted)) if len(wanted) == 1 else "", count=len(wanted))
    match step.action:
        case RollOutConfig() | RollOutRelease() | StopAllClients() | DeployTopology():
            return _also(plan, step, step.action, fresh) or restarted
        case _:
            return restarted


def _also(
    plan: Plan, step: Step, action: RollOutConfig | RollOutRelease | StopAllClients | DeployTopology, fresh: Snapshot
) -> Evidence | None:
    """What else than restarts must show, once every client has restarted; None: nothing does, or it shows."""
    last = [one.id for one in plan.steps if type(one.action) is type(action) and _key(one.action) == _key(action)][-1]
    match action:
        case RollOutConfig(key=key) if key == STANDBYS and step.id == last:
            return _standbys(plan, action, fresh)
        case RollOutConfig(key=key):
            return evidence(Shown.HAPPENED, Sees.SETTING, key)
        case RollOutRelease(release) if step.id == last:
            return _release(release, fresh)
        case DeployTopology(tasks):
            shown = Shown.HAPPENED if len(fresh.tasks) == tasks else Shown.NOT_YET
            return evidence(shown, Sees.TASKS, count=len(fresh.tasks), wanted=tasks)
        case RollOutRelease() | StopAllClients():
            return None
        case _:
            assert_never(action)


def _key(action: object) -> str | None:
    return action.key if isinstance(action, RollOutConfig) else None


def _standbys(plan: Plan, action: RollOutConfig, fresh: Snapshot) -> Evidence:
    """Whether each task has the number of standby copies that it has in the end."""
    copies = copies_of(fresh)
    option = plan.recommended_option
    if copies is None or option is None or not option.costs:
        return evidence(Shown.CANNOT_SHOW, Sees.COPIES_NOT_TOLD)
    wanted: dict[TaskId, int] = {}
    for client in option.costs[0].end:
        for task in client.standby:
            wanted[task] = wanted.get(task, 0) + 1
    found = {task: len(owners) for task, owners in copies.items()}
    here, expected = sum(found.values()), sum(wanted.values())
    if not wanted and not found and action.value not in (None, 0, "0"):
        return evidence(Shown.HAPPENED, Sees.NO_COPIES_YET)
    if any(found.get(task, 0) < count for task, count in wanted.items()) or (not wanted and found):
        later = Sees.COPIES_COME_LATER if static(fresh) else Sees.COPIES_MISSING
        return evidence(Shown.NOT_YET, later, count=here, wanted=expected)
    return evidence(Shown.HAPPENED, Sees.COPIES, count=here)


def copies_of(fresh: Snapshot) -> Mapping[TaskId, tuple[ProcessId, ...]] | None:
    """Which clients have a standby or warm-up of each task assigned; None: the snapshot does not say it of all members."""
    client_of = {consumer.member_id: client.process_id for client in fresh.clients for consumer in client.consumers}
    standbys = {one.member_id: one.assigned.standby for one in fresh.evidence if one.assigned.standby is not None}
    if any(member not in standbys for member in client_of):
        return None
    found: dict[TaskId, tuple[ProcessId, ...]] = {}
    for member, tasks in standbys.items():
        if member in client_of:
            for task in tasks:
                found[task] = (*found.get(task, ()), client_of[member])
    return {task: tuple(sorted(owners)) for task, owners in found.items()}


def _release(release: str, fresh: Snapshot) -> Evidence | None:
    """Whether all members write what that release writes."""
    try:
        wanted = behaviour(release).metadata_version
    except Unsupported:
        return None
    versions = [one.metadata_version for one in fresh.consumers() if one.metadata_version is not None]
    if not versions:
        return evidence(Shown.HAPPENED, Sees.RELEASE_NOT_TOLD)
    fewer = sum(one != wanted for one in versions)
    if fewer:
        return evidence(Shown.NOT_YET, Sees.RELEASE_NOT_YET, release, count=fewer, wanted=len(versions), version=wanted)
    return evidence(Shown.HAPPENED, Sees.RELEASE, release, count=len(versions), version=wanted)


def _grown(topic: str, partitions: int, fresh: Snapshot) -> Evidence:
    """By the tasks: a topic's own description comes before the group has noticed it."""
    read = {one.partition for task in fresh.tasks for one in task.partitions if one.topic == topic}
    described = next((len(one.partitions) for one in fresh.topics if one.name == topic), None)
    has = max(len(read), max(read, default=-1) + 1)
    if has > partitions or (described is not None and described > partitions):
        return evidence(Shown.CONTRADICTED, Sees.PARTITIONS, topic, count=max(has, described or 0), wanted=partitions)
    if has < partitions:
        grown = Sees.PARTITIONS_UNNOTICED if described == partitions else Sees.PARTITIONS_MISSING
        return evidence(Shown.NOT_YET, grown, topic, count=has, wanted=partitions)
    return evidence(Shown.HAPPENED, Sees.PARTITIONS_READ, topic, count=partitions)


def _awaited(plan: Plan, fresh: Snapshot, acts: Sequence[StepEvidence]) -> Evidence:
    """Whether the group is stable again after the actions before it."""
    if fresh.group_state not in (None, STABLE):
        return evidence(Shown.NOT_YET, Sees.STATE, fresh.group_state)
    late = next((one for one in acts if one.evidence.shown in (Shown.NOT_YET, Shown.CONTRADICTED)), None)
    if late is not None:
        return evidence(Shown.NOT_YET, Sees.STEP_BEFORE, late.step)
    seen = rebalances_since(plan, fresh)
    if seen == 0 and not static(fresh):
        return evidence(Shown.NOT_YET, Sees.NOT_REBALANCED, count=plan.basis.generation)
    if seen:
        return evidence(Shown.HAPPENED, Sees.STABLE_SINCE, count=generation_of(fresh), wanted=plan.basis.generation)
    unseen = any(one.evidence.shown is Shown.CANNOT_SHOW for one in acts)
    return evidence(Shown.CANNOT_SHOW if unseen else Shown.HAPPENED, Sees.STABLE)


def static(fresh: Snapshot) -> bool:
    """Whether any member is static: one that returns in time causes no rebalance."""
    return any(one.group_instance_id is not None for one in fresh.consumers())


def waits(plan: Plan, step_id: str) -> bool:
    """Whether a step only waits."""
    return any(step.id == step_id and isinstance(step.action, AwaitRebalance | AwaitStable) for step in plan.steps)
