"""The next actions of an approved plan for a streams group whose broker assigns: what `group.applying` asks of its steps.

All are the operator's. What a snapshot shows of them is noted, the rest is confirmed. Steps that must follow one another within
the assignment interval are done in one go: the group may show later ones of them before an earlier one is noted.
"""

from collections.abc import Sequence
from datetime import datetime

from holdfast.rollout.broker_streams.change.change import BrokerItem
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.stop_classic_clients import StopClassicClients
from holdfast.rollout.broker_streams.execution import evidence, starts
from holdfast.rollout.broker_streams.execution.drift import drifts
from holdfast.rollout.broker_streams.execution.verify import verify
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.steps.steps import BrokerStep
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.contract.manual_steps import WAIT_AT_LEAST_S
from holdfast.rollout.execution.next_actions import Next, NothingLeft
from holdfast.rollout.execution.next_actions import WaitForOutside as WaitFor
from holdfast.rollout.execution.step_evidence import Shown
from holdfast.rollout.group import applying
from holdfast.rollout.group.applying import Applying, not_shown_yet, please
from holdfast.rollout.journal.journal import Journal, JournalEvent, Sighting
from holdfast.rollout.text.format import listed, many, printable


class _Applying(Applying[BrokerPlan, BrokerStep, StreamsGroupSnapshot]):
    counted = "task"

    def steps(self, plan: BrokerPlan) -> Sequence[BrokerStep]:
        return plan.steps

    def waits(self, step: BrokerStep) -> bool:
        return isinstance(step.item, Then)

    def limit_s(self, step: BrokerStep) -> int | None:
        return WAIT_AT_LEAST_S if self.waits(step) else None

    def stale(self, plan: BrokerPlan, journal: Journal, step: BrokerStep, fresh: StreamsGroupSnapshot) -> tuple[str, ...]:
        if returned := _classic_again(plan, journal, fresh):
            return (returned,)
        done = [one.item for one in plan.steps if journal.has(one.id, JournalEvent.DONE)]
        if not done and not any(one.matters for one in drifts(plan.basis, fresh)):
            return ()  # every member has what it had
        return tuple(one.found for one in drifts(plan.basis, fresh, done + _due(plan, step)) if one.matters)

    def sighting(self, plan: BrokerPlan, journal: Journal, step: BrokerStep, fresh: StreamsGroupSnapshot) -> Sighting | None:  # noqa: ARG002
        """Of a client that started in the plan itself, the plan's snapshot has no members: those that it has now are kept."""
        if isinstance(step.item, Then) or not _in_plan(plan, step, step.item):
            return None
        return Sighting(fresh.group_epoch, tuple(sorted(one.member_id for one in fresh.members)))

    def rests(self, plan: BrokerPlan, step: BrokerStep, fresh: StreamsGroupSnapshot) -> bool:
        items = [one.item for one in plan.steps[: plan.steps.index(step)]]
        return super().rests(plan, step, fresh) or starts.without_members(plan.basis, items, fresh)

    def decide(self, plan: BrokerPlan, journal: Journal, step: BrokerStep, fresh: StreamsGroupSnapshot, word: str | None) -> Next:
        return _decide(plan, journal, step, fresh, word)

    def unseen(self, plan: BrokerPlan, journal: Journal, step: BrokerStep, fresh: StreamsGroupSnapshot) -> str | None:  # noqa: ARG002
        """A client that was stopped is listed until its sessions are over."""
        if isinstance(step.item, Then) or _in_plan(plan, step, step.item):
            return None
        for process_id in step.item.stops():
            if still := evidence.still_listed(plan.basis, process_id, fresh):
                return f"The group still lists {many(still, 'member')} of {printable(process_id)}, which was stopped."
        if step.item.was_classic() is None:
            return None
        found = evidence.shown(plan.basis, [one.item for one in plan.steps], plan.steps.index(step), fresh)
        return found.text if found.shown is Shown.NOT_YET else None

    def differences(self, plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> tuple[str, ...] | None:
        verdict = verify(plan, fresh)
        placed = verdict.tasks and all(one.agrees for one in verdict.tasks) and all(one.agrees for one in verdict.standbys)
        empty = starts.without_members(plan.basis, [one.item for one in plan.steps], fresh)
        return None if placed or empty or verdict.unknown else verdict.differences


APPLYING = _Applying()


def next_action(plan: BrokerPlan, journal: Journal, fresh: StreamsGroupSnapshot, now: datetime) -> Next:
    """Raise StalePlan where the group is not what the plan, and what was done of it, would have it be."""
    return applying.next_action(APPLYING, plan, journal, fresh, now)


def _due(plan: BrokerPlan, step: BrokerStep) -> list[BrokerItem]:
    """The event that is due, and those that follow it without a wait until the group is stable."""
    due: list[BrokerItem] = []
    for one in plan.steps[plan.steps.index(step) :]:
        due.append(one.item)
        if isinstance(one.item, Then) and one.item.wait is Wait.STABLE:
            break
    return due


def _classic_again(plan: BrokerPlan, journal: Journal, fresh: StreamsGroupSnapshot) -> str | None:
    """Clients that are members of a classic group after all of them had stopped: it keeps streams members out."""
    stopped = any(isinstance(one.item, StopClassicClients) and journal.has(one.id, JournalEvent.DONE) for one in plan.steps)
    if not stopped or fresh.classic is None or not fresh.members:
        return None
    clients = list(dict.fromkeys(printable(one.process_id or one.member_id) for one in fresh.members))
    return (
        f"{many(len(clients), 'client')} started with group.protocol=classic ({listed(clients)}): no streams member can join while"
        " the group is classic. Stop them, and set group.protocol=streams."
    )


def _in_plan(plan: BrokerPlan, step: BrokerStep, event: BrokerEvent) -> bool:
    """Whether a step before it has started, or restarted, the client that it stops."""
    came: set[str] = set()
    for one in plan.steps[: plan.steps.index(step)]:
        if not isinstance(one.item, Then):
            comes = one.item.comes()
            came.update(() if comes is None or comes[0].process_id is None else (comes[0].process_id,))
    return any(process_id in came for process_id in event.stops())


def _decide(plan: BrokerPlan, journal: Journal, step: BrokerStep, fresh: StreamsGroupSnapshot, word: str | None) -> Next:
    event = step.item
    assert not isinstance(event, Then), "a wait is decided by the steps before it"
    began = journal.began_with(step.id)
    if began is not None:
        seen, missing = _again(plan, step, event, began, fresh)
        if seen:
            return NothingLeft(step, f"{word}, and the snapshot shows it." if word else "The snapshot shows it.")
        return not_shown_yet(step, word, missing)
    index = plan.steps.index(step)
    items, not_begun = [one.item for one in plan.steps], index + len(_due(plan, step))
    found = evidence.shown(plan.basis, items, index, fresh, not_begun)
    if found.shown is Shown.NOT_YET and event.was_classic() is not None and word is not None:
        return NothingLeft(step, f"{word}. The next clients start at once: all are to join within the initial delay.")
    if found.shown is Shown.HAPPENED:
        return NothingLeft(step, f"{word}, and the snapshot shows it." if word else "The snapshot shows it.")
    if found.shown is Shown.CANNOT_SHOW:
        return NothingLeft(step, word) if word else WaitFor(step, please(step, "no snapshot shows it"), can_confirm=True)
    return not_shown_yet(step, word, found.text.rstrip("."))


def _again(
    plan: BrokerPlan, step: BrokerStep, event: BrokerEvent, began: Sighting, fresh: StreamsGroupSnapshot
) -> tuple[bool, str]:
    """Whether a client that was there when the step began has gone, or come back with other members; and what is missing."""
    before = frozenset(began.members)
    old = [one for one in fresh.members if one.process_id in event.stops() and one.member_id in before]
    if old:
        return False, f"the group still lists {many(len(old), 'member')} from before"
    if fresh.group_state not in (None, STABLE) and (fresh.members or event.comes() is not None):
        return False, f"the group is {printable(fresh.group_state)}, not {STABLE}"
    if event.comes() is None:
        return True, ""
    come = sum(one.member_id not in before for one in fresh.members)
    earlier = [one.item for one in plan.steps[: plan.steps.index(step)] if not isinstance(one.item, Then)]
    threads = starts.threads_of(plan.basis, earlier, event)
    return come >= threads, f"it is back with {many(come, 'thread')} of {threads:,}" if come else "it has not come back"
