"""The next actions of an approved plan for a Kafka Streams group: what `group.applying` asks of its steps."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import assert_never

from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.execution.next_actions import AnyStep, Do, Next, NothingLeft, Stop, WaitForOutside
from holdfast.rollout.execution.step_evidence import Evidence, Shown
from holdfast.rollout.execution.step_evidence import evidence as shown_by
from holdfast.rollout.facts.step_sightings import Sees
from holdfast.rollout.group import applying
from holdfast.rollout.group.applying import Applying, not_shown_yet, please
from holdfast.rollout.journal.journal import Journal, JournalEvent, Sighting
from holdfast.rollout.streams.execution import evidence
from holdfast.rollout.streams.execution.drift import Allowed, drift
from holdfast.rollout.streams.execution.verify import verify
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
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
    touched,
)
from holdfast.rollout.text.format import many


class _Applying(Applying[Plan, Step, Snapshot]):
    counted = "task"

    def steps(self, plan: Plan) -> Sequence[Step]:
        return plan.steps

    def waits(self, step: Step) -> bool:
        return isinstance(step.action, AwaitRebalance | AwaitStable)

    def limit_s(self, step: Step) -> int | None:
        match step.action:
            case AwaitRebalance(limit_s) | AwaitStable(limit_s):
                return limit_s
            case _:
                return None

    def stale(self, plan: Plan, journal: Journal, step: Step, fresh: Snapshot) -> tuple[str, ...]:
        return drift(plan.basis, fresh, _allowed(plan, journal, step, fresh))

    def sighting(self, plan: Plan, journal: Journal, step: Step, fresh: Snapshot) -> Sighting | None:
        return _before(plan, journal, step, fresh) if isinstance(step.action, RESTARTS) else None

    def decide(self, plan: Plan, journal: Journal, step: Step, fresh: Snapshot, word: str | None) -> Next:
        return _decide(plan, journal, step, fresh, word)

    def unseen(self, plan: Plan, journal: Journal, step: Step, fresh: Snapshot) -> str | None:
        began = journal.began_with(step.id)
        restart = isinstance(step.action, RESTARTS)
        ended = journal.ended()
        found = evidence.restarted(step, plan, fresh, began) if restart else evidence.evidence_of(step, plan, fresh, ended=ended)
        return found.text if found.shown is Shown.NOT_YET else None

    def ends(self, step: Step) -> bool:
        return isinstance(step.action, AwaitStable)

    def differences(self, plan: Plan, fresh: Snapshot) -> tuple[str, ...] | None:
        verdict = verify(plan, fresh)
        placed = verdict.tasks and all(task.agrees for task in verdict.tasks) and all(one.agrees for one in verdict.standbys)
        return None if placed else verdict.differences


APPLYING = _Applying()


def next_action(plan: Plan, journal: Journal, fresh: Snapshot, now: datetime) -> Next:
    """Raise StalePlan where the group differs from the plan's expectation after the steps done so far."""
    return applying.next_action(APPLYING, plan, journal, fresh, now)


def _before(plan: Plan, journal: Journal, step: Step, fresh: Snapshot) -> Sighting:
    """The clients before a restart: what is rolled out together comes with one. Steps done before they were requested are compared
    against the plan's own basis."""
    touching = [one for one in plan.steps if isinstance(one.action, RESTARTS) and journal.began_with(one.id) is not None]
    rolled = [
        one
        for one in applying.since_the_last_wait(plan.steps, step, APPLYING.waits)
        if one in touching and isinstance(one.action, FOR_ALL)
    ]
    together = journal.began_with(rolled[0].id) if rolled and isinstance(step.action, FOR_ALL) else None
    if together is not None:
        return together
    clients = (step.action.process_id,) if isinstance(step.action, RestartInPlace) else None
    if journal.has(step.id, JournalEvent.CONFIRMED) and not any(_touches(one, clients) for one in touching):
        members = (one for each in plan.basis.clients if clients is None or each.process_id in clients for one in each.members)
        return Sighting(plan.basis.generation, tuple(sorted(members)))
    return evidence.sighting(fresh, clients)


def _touches(step: Step, clients: tuple[ProcessId, ...] | None) -> bool:
    return clients is None or isinstance(step.action, FOR_ALL) or any(one in clients for one in touched(step.action))


def writes(plan: Plan) -> dict[str, ProcessId]:
    """The process ID that each step writes, by the step's ID."""
    return {one.id: one.action.process_id for one in plan.steps if isinstance(one.action, WriteProcessMetadata)}


def too_early(plan: Plan, waiting: AnyStep, given: Collection[ProcessId]) -> str | None:
    """Why no process ID was written into the directories `given`, while the end of its client is waited for."""
    step = next((one for one in plan.steps if one.id == waiting.id), None)
    if step is None or not isinstance(step.action, StopClient):
        return None
    source = step.action.process_id
    writes = (one.action for one in plan.steps if isinstance(one.action, WriteProcessMetadata))
    if not any(one.source == source and one.process_id in given for one in writes):
        return None
    return (
        f"Nothing was written: the client {source} is still in the group, and Kafka treats two clients with one process ID as one."
        f" Stop it and give a new snapshot without it; or, if its process has ended and only its session has not timed out,"
        f" confirm that with --confirm {step.id}."
    )


def _allowed(plan: Plan, journal: Journal, step: Step, fresh: Snapshot) -> Allowed:
    """What the steps that are done, and the one that is due, explain."""
    until = [one for one in plan.steps if journal.has(one.id, JournalEvent.DONE)] + [step]
    present = {client.process_id: None for client in fresh.clients}
    moving = tuple(process_id for one in until for process_id in touched(one.action))
    absent = any(plan.basis.client(process_id) is not None and process_id not in present for process_id in moving)
    arrived = any(plan.basis.client(client.process_id) is None for client in fresh.clients)
    moved = any(isinstance(one.action, _MOVING) for one in until[:-1])
    rolled = _restarted_in_rolls(plan, journal, until)
    acts = isinstance(step.action, StartClient | RestartInPlace | ChangeThreads)
    return Allowed(
        moving=(*moving, *rolled) if moved or absent or rolled or acts else (),
        new_random_ids=sum(_brings_new_random_id(one) for one in until),
        settings=(
            *(one.action.key for one in until if isinstance(one.action, RollOutConfig)),
            *("kafka_release" for one in until if isinstance(one.action, RollOutRelease)),
        ),
        ownership=moved or absent or arrived or isinstance(step.action, _CHANGING),
        tasks=any(isinstance(one.action, GrowTopic | DeployTopology) for one in until),
    )


def _restarted_in_rolls(plan: Plan, journal: Journal, until: Sequence[Step]) -> tuple[ProcessId, ...]:
    """The clients that a run has begun to restart for the settings of all."""
    rolls = (one for one in until if isinstance(one.action, RollOutConfig))
    begun = {entry.acted.client for one in rolls for entry in journal.acts(one.id) if entry.acted is not None}
    return tuple(one.process_id for one in plan.basis.clients if str(one.process_id) in begun)


_CHANGING = RestartInPlace | RollOutConfig | RollOutRelease | ChangeThreads | GrowTopic | StopAllClients | DeployTopology
"""What an operator does while Holdfast looks on."""
_MOVING = StopClient | StartClient | _CHANGING


def _brings_new_random_id(step: Step) -> bool:
    match step.action:
        case StartClient(process_id=None) | RestartInPlace(comes_back_as=None):
            return True
        case _:
            return False


def _decide(plan: Plan, journal: Journal, step: Step, fresh: Snapshot, word: str | None) -> Next:
    match step.action:
        case StopClient(process_id=process_id):
            if fresh.client(process_id) is None:
                return NothingLeft(step, f"{process_id} is not in the group any more.")
            return (
                NothingLeft(step, word)
                if word
                else WaitForOutside(step, please(step, f"the group still lists {process_id}"), can_confirm=True)
            )
        case WriteProcessMetadata():
            if word:
                return NothingLeft(step, word)
            problem = _in_the_way(plan, journal, step.action, fresh)
            return Stop(step, problem) if problem else Do(step, step.action)
        case CopyStateDirectory(process_id=process_id):
            if not _stopped(plan, journal, process_id, fresh):
                return Stop(step, f"{process_id} is still in the group: a copy of its disk would be inconsistent. Stop it first.")
            return (
                NothingLeft(step, word)
                if word
                else WaitForOutside(step, please(step, "the copy is not confirmed yet"), can_confirm=True)
            )
        case StartClient():
            return _started(plan, journal, step, step.action, fresh)
        case (
            RestartInPlace()
            | RollOutConfig()
            | RollOutRelease()
            | ChangeThreads()
            | GrowTopic()
            | StopAllClients()
            | DeployTopology()
        ):
            return _by_the_operator(plan, journal, step, fresh, word)
        case AwaitRebalance() | AwaitStable():
            raise AssertionError("a wait is decided by the steps before it")
        case _:
            assert_never(step.action)


RESTARTS = RestartInPlace | RollOutConfig | RollOutRelease | StopAllClients | DeployTopology
FOR_ALL = RollOutConfig | RollOutRelease | StopAllClients | DeployTopology


def _by_the_operator(plan: Plan, journal: Journal, step: Step, fresh: Snapshot, word: str | None) -> Next:
    if isinstance(step.action, RESTARTS):
        return _restarted(plan, journal, step, fresh, word)
    if isinstance(step.action, ChangeThreads):
        found = evidence.evidence_of(step, plan, fresh)
        return _on_a_word(step, word, found) if found.shown is Shown.NOT_YET else NothingLeft(step, found.text)
    return NothingLeft(step, word) if word else WaitForOutside(step, please(step, "it is not confirmed yet"), can_confirm=True)


def _restarted(plan: Plan, journal: Journal, step: Step, fresh: Snapshot, word: str | None) -> Next:
    """A restart is over when the group shows it, whatever is reported: else the next client would be down at the same time."""
    began = journal.began_with(step.id)
    found = evidence.restarted(step, plan, fresh, began)
    if fresh.group_state not in (None, STABLE):
        found = shown_by(Shown.NOT_YET, Sees.STATE, fresh.group_state)
    elif found.shown is Shown.HAPPENED and began is not None and evidence.same_generation(began, fresh):
        found = shown_by(Shown.NOT_YET, Sees.NOT_REBALANCED, count=began.generation)
    if found.shown is Shown.NOT_YET:
        return _on_a_word(step, word, found)
    seen_alone = isinstance(step.action, RestartInPlace) and step.action.keeps_state
    if word is None and not (seen_alone and found.shown is Shown.HAPPENED):
        return WaitForOutside(step, please(step, f"it is not confirmed yet ({found.text.rstrip('.')})"), can_confirm=True)
    return NothingLeft(step, f"{word}. {found.text}" if word else found.text)


def _stopped(plan: Plan, journal: Journal, process_id: ProcessId, fresh: Snapshot) -> bool:
    """Whether a client has ended: it is not in the group, or an operator has reported it for the step that stops it."""
    stops = (step.id for step in plan.steps if isinstance(step.action, StopClient) and step.action.process_id == process_id)
    return fresh.client(process_id) is None or any(journal.has(step, JournalEvent.CONFIRMED) for step in stops)


def _in_the_way(plan: Plan, journal: Journal, action: WriteProcessMetadata, fresh: Snapshot) -> str | None:
    """Why the file must not be written now (None: it may)."""
    for holder in (one for one in (action.source, action.process_id) if one is not None):
        if _stopped(plan, journal, holder, fresh):
            continue
        return _HELD.format(holder=holder)
    return None


_HELD = (
    "Client {holder} is still in the group, and Kafka treats two clients with one process ID as one. Stop it, and give a new"
    " snapshot without it; or, if its process has ended and only its session has not timed out, confirm the step that stops it."
)


def _started(plan: Plan, journal: Journal, step: Step, action: StartClient, fresh: Snapshot) -> Next:
    known = [client.process_id for client in plan.basis.clients] + [one for other in plan.steps for one in touched(other.action)]
    if action.process_id is None:
        client = next((one for one in fresh.clients if one.process_id not in known), None)
    else:
        client = fresh.client(action.process_id)
    if client is None:
        return WaitForOutside(step, please(step, "the group has no such client yet"), can_confirm=False)
    if _is_the_old_one(plan, journal, client):
        return WaitForOutside(
            step, please(step, f"the group still lists the old members of {client.process_id}"), can_confirm=False
        )
    if len(client.consumers) != action.threads:
        found = many(len(client.consumers), "stream thread")
        return Stop(step, f"{client.process_id} has {found}, the plan has {action.threads}. Start it as planned, or plan again.")
    return NothingLeft(step, f"{client.process_id} is in the group with {many(action.threads, 'stream thread')}.")


def _is_the_old_one(plan: Plan, journal: Journal, client: Client) -> bool:
    """Whether these are the members of a client whose end an operator reported: they are listed until their session times out."""
    ended = journal.ended()
    if any(one.member_id in ended for one in client.consumers):
        return True
    known = plan.basis.client(client.process_id)
    stops = [one.id for one in plan.steps if isinstance(one.action, StopClient) and one.action.process_id == client.process_id]
    on_somebodys_word = any(journal.has(stop, JournalEvent.CONFIRMED) for stop in stops)
    return known is not None and on_somebodys_word and any(one.member_id in known.members for one in client.consumers)


def _on_a_word(step: Step, word: str | None, found: Evidence) -> WaitForOutside:
    """The step may have been reported as done; the group does not show it."""
    missing = found.text.rstrip(".")
    return not_shown_yet(step, word, missing if word else f"the group does not show it: {missing}")
