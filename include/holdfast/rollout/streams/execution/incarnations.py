"""The number of starts of each client since a plan was made, from its member IDs.

Rebalances that the broker recorded show every start of a dynamic client; a snapshot alone shows the latest one.
"""

from collections.abc import Mapping

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.journal.journal import Sighting
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.churn import processes_of
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot
from holdfast.rollout.streams.steps.steps import (
    AwaitRebalance,
    AwaitStable,
    DeployTopology,
    RestartInPlace,
    RollOutConfig,
    RollOutRelease,
    StartClient,
    Step,
    StopAllClients,
    StopClient,
    touched,
)

Expected = Mapping[ProcessId, int]


def expected(plan: Plan) -> Mapping[str, Expected]:
    """For each step that starts, restarts or stops clients: which, and how often each has been started by then since the plan was
    made.

    Settings that are rolled out together come with one restart. Clients under process IDs of their own making are not among them,
    nor are those that a step before has stopped permanently: what they do cannot be observed.
    """
    started: dict[ProcessId, int] = {client.process_id: 0 for client in plan.basis.clients}
    stopped: dict[ProcessId, None] = {}
    found: dict[str, Expected] = {}
    rolled = False
    for step in plan.steps:
        match step.action:
            case AwaitRebalance() | AwaitStable():
                rolled = False
            case StopClient(process_id=process_id):
                stopped[process_id] = None
                found[step.id] = {process_id: started.get(process_id, 0)}
            case StartClient(process_id=ProcessId() as process_id):
                stopped.pop(process_id, None)
                started[process_id] = started.get(process_id, 0) + 1
                found[step.id] = {process_id: started[process_id]}
            case RestartInPlace(process_id=process_id, comes_back_as=back):
                stopped[process_id] = None
                if back is not None:
                    stopped.pop(back, None)
                    started[back] = started.get(back, 0) + 1
                    found[step.id] = {back: started[back]}
            case RollOutConfig() | RollOutRelease() | StopAllClients() | DeployTopology():
                if not rolled:
                    started = {process_id: times + (process_id not in stopped) for process_id, times in started.items()}
                rolled = True
                found[step.id] = {process_id: times for process_id, times in started.items() if process_id not in stopped}
            case _:
                pass
    return found


def comes_back(plan: Plan, process_id: ProcessId) -> bool:
    """Whether a plan that stops a client starts one under its process ID again."""
    others = (step.action for step in plan.steps if not isinstance(step.action, StopClient))
    return any(process_id in touched(action) for action in others)


def newcomers_until(plan: Plan, until: Step) -> int:
    """How many clients have come under process IDs of their own making once this step is done."""
    count = 0
    for step in plan.steps:
        match step.action:
            case StartClient(process_id=None) | RestartInPlace(comes_back_as=None):
                count += 1
            case _:
                pass
        if step.id == until.id:
            return count
    return count


def strangers(plan: Plan, fresh: Snapshot) -> tuple[ProcessId, ...]:
    """Clients that neither the plan's basis nor a step of it knows."""
    known = {client.process_id: None for client in plan.basis.clients}
    known |= {process_id: None for step in plan.steps for process_id in touched(step.action)}
    return tuple(sorted(client.process_id for client in fresh.clients if client.process_id not in known))


class Starts:
    """How often clients were started, as a plan and a fresh snapshot show it: looked up once for all of them.

    `began`: the clients when the step began; None: not kept.
    """

    def __init__(self, plan: Plan, fresh: Snapshot, began: Sighting | None) -> None:
        self.began = None if began is None else frozenset(began.members)
        self._plan = plan
        self._fresh = fresh
        self._there = {client.process_id: client for client in fresh.clients}
        self._was = {client.process_id: client.members for client in plan.basis.clients}
        actions = [step.action for step in plan.steps]
        self._stopped = frozenset(one.process_id for one in actions if isinstance(one, StopClient))
        others = [one for one in actions if not isinstance(one, RestartInPlace | StopClient)]
        self._reshaped = frozenset(process_id for one in others for process_id in touched(one))
        """Those that the plan itself gives another number of threads, or starts anew."""
        self.expected = expected(plan)

    def gone_by_plan(self, process_id: ProcessId) -> bool:
        """Whether a client is not in the group, and a step of the plan stops it: what it did before cannot be observed any more."""
        return process_id not in self._there and process_id in self._stopped

    def each_shows(self) -> bool:
        """Whether every start since the plan was made is recorded. Static members that return in time cause no rebalance."""
        static = any(one.group_instance_id is not None for one in self._fresh.consumers())
        return not static and _all_recorded(self._plan, self._fresh)

    def seen(self, process_id: ProcessId) -> int:
        """How many starts of a client are seen since the plan was made."""
        client = self._there.get(process_id)
        now = frozenset(() if client is None else (one.member_id for one in client.consumers))
        return _seen_starts(self._plan, process_id, now, self._fresh)

    def as_before(self, process_id: ProcessId) -> bool:
        """Whether a member that a client had when the plan was made is listed still: nothing has started the client since."""
        client = self._there.get(process_id)
        was = self._was.get(process_id, ())
        return client is not None and any(one.member_id in was for one in client.consumers)

    def happened(self, process_id: ProcessId, times: int) -> bool | None:
        """Whether a client has been started so often since the plan was made; with `began`, once since then. None: nothing
        can show it."""
        client, was = self._there.get(process_id), self._was.get(process_id, ())
        if client is None:
            return False
        now = frozenset(one.member_id for one in client.consumers)
        before = was if self.began is None else self.began
        too_few = len(now) < max(len(was), 1) and process_id not in self._reshaped
        if too_few or not now.isdisjoint(before):
            return False
        if self.began is not None or times <= 1:
            return True
        if _seen_starts(self._plan, process_id, now, self._fresh) >= times:
            return True
        static = any(one.group_instance_id is not None for one in client.consumers)
        return None if static or not _all_recorded(self._plan, self._fresh) else False


def _seen_starts(plan: Plan, process_id: ProcessId, now: frozenset[str], fresh: Snapshot) -> int:
    """How many sets of members without one in common the client has had, one after the other, after those of the basis."""
    was = plan.basis.client(process_id)
    last = frozenset(was.members if was is not None else ())
    count = 0
    for members in (*(_members_of(one, process_id) for one in _since(plan, fresh)), now):
        if members and last.isdisjoint(members):
            count += 1
            last = members
    return count


def _since(plan: Plan, fresh: Snapshot) -> tuple[Generation, ...]:
    before = plan.basis.generation
    return () if before is None else tuple(one for one in fresh.generations if one.number > before)


def _all_recorded(plan: Plan, fresh: Snapshot) -> bool:
    """Whether the snapshot has every rebalance since the plan's basis: the broker compacts its records."""
    since = _since(plan, fresh)
    return plan.basis.generation is not None and bool(since) and len(since) == since[-1].number - plan.basis.generation


def _members_of(generation: Generation, process_id: ProcessId) -> frozenset[str]:
    return frozenset(member.member_id for member, found in processes_of(generation) if found == process_id)
