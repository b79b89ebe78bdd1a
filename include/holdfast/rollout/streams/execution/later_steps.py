"""What later steps of a plan do to the evidence of an earlier one: a client that they stop, or give other threads, no longer shows
that it was started. Recorded rebalances show every start; where there are none, a step that a later one hides cannot be shown.
"""

from collections.abc import Callable, Sequence

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.execution.step_evidence import Evidence, Shown, evidence
from holdfast.rollout.facts.step_sightings import Sees
from holdfast.rollout.streams.execution.incarnations import Starts
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import (
    Action,
    ChangeThreads,
    DeployTopology,
    GrowTopic,
    RestartInPlace,
    RollOutConfig,
    RollOutRelease,
    StartClient,
    StopAllClients,
    StopClient,
)

_OPEN = (Shown.NOT_YET, Shown.CONTRADICTED)


def in_whole_plan(
    plan: Plan, index: int, fresh: Snapshot, starts: Starts, found: Evidence, also: Callable[[], Evidence]
) -> Evidence:
    """The evidence of step number `index`, where any later step may have happened. `found`: it as if none had. `also`: what shows
    of a step whose clients have restarted."""
    step, later = plan.steps[index], [one.action for one in plan.steps[index + 1 :]]
    match step.action:
        case StopClient(process_id=process_id):
            return _stopped(plan, starts, process_id, starts.expected[step.id][process_id], later, found)
        case StartClient(process_id=ProcessId() as process_id):
            return _started(starts, process_id, starts.expected[step.id][process_id], later, fresh, found)
        case RestartInPlace(process_id=old, comes_back_as=ProcessId() as back) if back != old:
            if starts.as_before(old):
                return found
            return _started(starts, back, starts.expected[step.id][back], [*later, *_coming(old, later)], fresh, found)
        case RestartInPlace(comes_back_as=ProcessId()) | RollOutConfig() | RollOutRelease() | StopAllClients() | DeployTopology():
            return _restarted(starts, step.id, later, also) or found if found.shown in _OPEN else found
        case ChangeThreads(process_id=process_id):
            return _threads(plan, index, process_id, fresh, found) if found.shown in _OPEN else found
        case GrowTopic(topic=topic):
            return _grown(topic, later, found) if found.shown in _OPEN else found
        case _:
            return found


def _ends(process_id: ProcessId, later: Sequence[Action]) -> bool:
    """Whether one of these stops a client permanently, or has it come back under another process ID."""
    for action in later:
        match action:
            case StopClient(process_id=one) if one == process_id:
                return True
            case RestartInPlace(process_id=one, comes_back_as=back) if one == process_id != back:
                return True
            case _:
                continue
    return False


def _coming(process_id: ProcessId, later: Sequence[Action]) -> list[Action]:
    """Those that bring a client under that process ID."""
    return [
        one
        for one in later
        if (isinstance(one, StartClient) and one.process_id == process_id)
        or (isinstance(one, RestartInPlace) and one.comes_back_as == process_id != one.process_id)
    ]


def _hidden(process_id: ProcessId) -> Evidence:
    return evidence(Shown.CANNOT_SHOW, Sees.CHANGED_LATER, process_id)


def _stopped(plan: Plan, starts: Starts, process_id: ProcessId, times: int, later: Sequence[Action], found: Evidence) -> Evidence:
    if found.shown is Shown.NOT_YET and _coming(process_id, later):
        if starts.as_before(process_id):
            return found
        if not starts.each_shows():
            return _hidden(process_id)
        gone = starts.seen(process_id) > times
        return evidence(Shown.HAPPENED, Sees.MEMBERS_GONE, process_id) if gone else found
    if found.shown is Shown.HAPPENED and plan.basis.client(process_id) is None:
        # The plan has started it itself, or has not yet.
        if not starts.each_shows():
            return _hidden(process_id)
        return found if starts.seen(process_id) >= times else evidence(Shown.NOT_YET, Sees.NO_SUCH_CLIENT, process_id)
    return found


def _started(
    starts: Starts, process_id: ProcessId, times: int, later: Sequence[Action], fresh: Snapshot, found: Evidence
) -> Evidence:
    if found.shown not in _OPEN:
        if times == 1:
            return found
        if not starts.each_shows():
            return _hidden(process_id)
        return found if starts.seen(process_id) >= times else evidence(Shown.NOT_YET, Sees.MEMBERS_FROM_BEFORE, process_id)
    if _ends(process_id, later) or _comes_again(process_id, later):
        if not starts.each_shows():
            return _hidden(process_id)
        ran = starts.seen(process_id) >= times
        return evidence(Shown.HAPPENED, Sees.STARTED_BEFORE, process_id) if ran else found
    client = fresh.client(process_id)
    has = 0 if client is None else len(client.consumers)
    if has in _counts(process_id, later) and starts.seen(process_id):
        return evidence(Shown.HAPPENED, Sees.RUNS, process_id, count=has)
    return found


def _comes_again(process_id: ProcessId, later: Sequence[Action]) -> bool:
    return bool(_coming(process_id, later))


def _counts(process_id: ProcessId, later: Sequence[Action]) -> list[int]:
    """How many threads these give a client."""
    return [one.threads for one in later if isinstance(one, ChangeThreads | StartClient) and one.process_id == process_id]


def _restarted(starts: Starts, step_id: str, later: Sequence[Action], also: Callable[[], Evidence]) -> Evidence | None:
    """None: one has not restarted."""
    done, hidden, second = 0, 0, list[ProcessId]()
    for process_id, times in starts.expected[step_id].items():
        happened = starts.happened(process_id, times)
        if happened:
            done += 1
        elif happened is None:
            second.append(process_id)
        elif not _ends(process_id, later) and not _counts(process_id, later):
            return None
        elif not starts.each_shows():
            hidden += 1
        elif starts.seen(process_id) >= times:
            done += 1
        else:
            return None
    if second:
        return evidence(Shown.CANNOT_SHOW, Sees.SECOND_RESTART, names=sorted(second))
    return also() if done else evidence(Shown.CANNOT_SHOW, Sees.STOPPED_SINCE) if hidden else None


def _threads(plan: Plan, index: int, process_id: ProcessId, fresh: Snapshot, found: Evidence) -> Evidence:
    actions = [one.action for one in plan.steps]
    client, was = fresh.client(process_id), plan.basis.client(process_id)
    has = 0 if client is None else len(client.consumers)
    if has == 0:
        return _hidden(process_id) if _ends(process_id, actions[index + 1 :]) else found
    if has not in _counts(process_id, actions[index + 1 :]):
        return found
    before = [0 if was is None else len(was.members), *_counts(process_id, actions[:index])]
    return _hidden(process_id) if has in before else evidence(Shown.HAPPENED, Sees.CHANGED_AGAIN, process_id, count=has)


def _grown(topic: str, later: Sequence[Action], found: Evidence) -> Evidence:
    """A later step may have given it more partitions."""
    most = max((one.partitions for one in later if isinstance(one, GrowTopic) and one.topic == topic), default=0)
    seen = found.seen
    if found.shown is not Shown.CONTRADICTED or seen is None or seen.found > most:
        return found
    return evidence(Shown.HAPPENED, Sees.PARTITIONS, topic, count=seen.found, wanted=seen.wanted)
