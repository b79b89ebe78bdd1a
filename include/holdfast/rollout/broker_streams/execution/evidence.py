"""What a new snapshot shows of each step of a plan: members, process IDs, configs, topics. The words are those of every kind.

Every start makes new member IDs: a member with an ID from before has not restarted.
"""

from collections.abc import Sequence

from holdfast.kafka.coordinator.config_keys import DEFAULTS
from holdfast.rollout.broker_streams.change.change import BrokerItem
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.contract.plan_words import setting
from holdfast.rollout.execution.step_evidence import Evidence, Shown, StepEvidence, evidence
from holdfast.rollout.facts.seen import Sees
from holdfast.rollout.json.kafka import ConfigValue


def of_plan(plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> tuple[StepEvidence, ...]:
    """Every step, in order."""
    found: list[StepEvidence] = []
    items = [step.item for step in plan.steps]
    for index, step in enumerate(plan.steps):
        open_before = any(one.evidence.shown is Shown.NOT_YET for one in found)
        item = step.item
        one = _waited(fresh, open_before) if isinstance(item, Then) else shown(plan.basis, items, index, fresh)
        found.append(StepEvidence(step.id, step.says, one))
    return tuple(found)


def _waited(fresh: StreamsGroupSnapshot, open_before: bool) -> Evidence:
    if fresh.group_state not in (None, STABLE):
        return evidence(Shown.NOT_YET, Sees.STATE, fresh.group_state)
    if open_before:
        return evidence(Shown.NOT_YET, Sees.STEP_BEFORE)
    return evidence(Shown.HAPPENED, Sees.STABLE)


def shown(basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], index: int, fresh: StreamsGroupSnapshot) -> Evidence:
    """Of the event number `index`."""
    event = items[index]
    assert not isinstance(event, Then), "a wait is decided by the steps before it"
    if event.prepares():
        moved = basis.classic is not None and fresh.classic is None
        return evidence(Shown.HAPPENED, Sees.MOVED) if moved else evidence(Shown.CANNOT_SHOW, Sees.AT_ITS_START)
    if event.configures():
        return _configured(event.configures(), items[index + 1 :], fresh)
    grows = event.grows()
    if grows is not None:
        topic, wanted = grows
        count = next((one.partitions for one in fresh.topics if one.name == topic), 0)
        happened = Shown.HAPPENED if count == wanted else Shown.CONTRADICTED if count > wanted else Shown.NOT_YET
        return evidence(happened, Sees.PARTITIONS, topic, count=count, wanted=wanted)
    return _members(basis, items, index, event, fresh)


def _configured(settings: Sequence[tuple[str, ConfigValue]], later: Sequence[BrokerItem], fresh: StreamsGroupSnapshot) -> Evidence:
    keys = {key for key, _ in settings}
    named = ", ".join(f"{key}={setting(value)}" for key, value in settings)
    if any(one.what == "config" for one in fresh.unknown):
        return evidence(Shown.CANNOT_SHOW, Sees.CONFIG_UNKNOWN, named)
    if all(is_set(fresh, key, value) for key, value in settings):
        return evidence(Shown.HAPPENED, Sees.CONFIG, named)
    if any(key in keys for item in later if not isinstance(item, Then) for key, _ in item.configures()):
        return evidence(Shown.CANNOT_SHOW, Sees.CONFIG_LATER, named)
    return evidence(Shown.NOT_YET, Sees.CONFIG_NOT_YET, named)


def is_set(fresh: StreamsGroupSnapshot, key: str, value: ConfigValue) -> bool:
    """Whether the group has this value; None: the brokers' default."""
    found = dict(fresh.config).get(key)
    if value is not None:
        return str(found) == str(value)
    of_brokers = any(one.what == f"config.{key}" for one in fresh.unknown)
    return found is None or of_brokers or str(found) == str(DEFAULTS.get(key))


def _members(
    basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], index: int, event: BrokerEvent, fresh: StreamsGroupSnapshot
) -> Evidence:
    earlier = [item for item in items[:index] if not isinstance(item, Then)]
    if any(process_id in _came(earlier) for process_id in event.stops()):
        return evidence(Shown.CANNOT_SHOW, Sees.JOINED_IN_PLAN)
    for process_id in event.stops():
        still = still_listed(basis, process_id, fresh)
        if still:
            return evidence(Shown.NOT_YET, Sees.STILL_LISTED, process_id, count=still)
    comes = event.comes()
    if comes is None:
        return evidence(Shown.HAPPENED, Sees.GONE, event.stops()[0])
    if (old := event.was_classic()) is not None and fresh.classic is not None:
        return evidence(Shown.NOT_YET, Sees.STILL_CLASSIC, old)
    if comes[0].process_id is not None:
        return _runs(basis, comes[0].process_id, threads_of(basis, earlier, event), fresh)
    return _came_somewhere(basis, items, index, fresh)


def _came_somewhere(basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], index: int, fresh: StreamsGroupSnapshot) -> Evidence:
    """Of a client under a random process ID. Which of those is which does not show: all up to it have to have their threads."""
    events = [item for item in items[: index + 1] if not isinstance(item, Then)]
    random = [(number, one) for number, one in enumerate(events) if one.comes() is not None and _process_of(one) is None]
    strangers = new_clients(basis, items, fresh)
    if len(strangers) < len(random):
        return evidence(Shown.NOT_YET, Sees.CLIENTS_MISSING, count=len(random) - len(strangers), wanted=len(random))
    threads = sorted((threads_of(basis, events[:number], one) for number, one in random), reverse=True)
    largest = sorted(strangers, key=lambda one: _threads(fresh, one), reverse=True)
    for wanted, process_id in zip(threads, largest, strict=False):
        if (count := _threads(fresh, process_id)) < wanted:
            return evidence(Shown.NOT_YET, Sees.FEWER_THREADS, process_id, count=count, wanted=wanted)
    return evidence(Shown.HAPPENED, Sees.CAME, names=strangers[: len(random)])


def threads_of(basis: StreamsGroupSnapshot, earlier: Sequence[BrokerEvent], event: BrokerEvent) -> int:
    """How many threads the client has that an event starts, after the earlier events of a plan."""
    comes = event.comes()
    assert comes is not None, "it starts a client"
    client, old = comes
    if given := client.threads or len(client.member_ids or ()):
        return given
    before = next((number for number in reversed(range(len(earlier))) if old in _came(earlier[number : number + 1])), None)
    return _threads(basis, old) if before is None else threads_of(basis, earlier[:before], earlier[before])


def _runs(basis: StreamsGroupSnapshot, process_id: str, threads: int, fresh: StreamsGroupSnapshot) -> Evidence:
    before = {one.member_id for one in basis.members}
    new = sum(one.process_id == process_id and one.member_id not in before for one in fresh.members)
    if not new:
        return evidence(Shown.NOT_YET, Sees.NO_SUCH_CLIENT, process_id)
    if new < threads:
        return evidence(Shown.NOT_YET, Sees.FEWER_THREADS, process_id, count=new, wanted=threads)
    return evidence(Shown.HAPPENED, Sees.RUNS, process_id, count=new)


def still_listed(basis: StreamsGroupSnapshot, process_id: str, fresh: StreamsGroupSnapshot) -> int:
    """How many members of a client of the plan's snapshot the group still has."""
    there = {one.member_id for one in fresh.members}
    return sum(one.process_id == process_id and one.member_id in there for one in basis.members)


def new_clients(basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], fresh: StreamsGroupSnapshot) -> tuple[str, ...]:
    """The process IDs of clients that neither the plan's snapshot nor the plan itself has."""
    known = {one.process_id for one in basis.members} | _came([item for item in items if not isinstance(item, Then)])
    return tuple(dict.fromkeys(one.process_id for one in fresh.members if one.process_id and one.process_id not in known))


def _threads(basis: StreamsGroupSnapshot, process_id: str | None) -> int:
    return sum(one.process_id == process_id for one in basis.members) or 1


def _came(events: Sequence[BrokerEvent]) -> set[str]:
    """The process IDs of clients that these events bring, those that are given."""
    return {process_id for event in events if (process_id := _process_of(event)) is not None}


def _process_of(event: BrokerEvent) -> str | None:
    comes = event.comes()
    return None if comes is None else comes[0].process_id
