"""The drift of a streams group since its plan, and which part of it the plan's own steps explain."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.errors import Unsupported
from holdfast.kafka.coordinator.config_keys import DEFAULTS, GROUP_KEYS
from holdfast.kafka.coordinator.release import behaviour
from holdfast.rollout.broker_streams.change.change import BrokerItem
from holdfast.rollout.broker_streams.snapshot.names import named
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot, StreamThread
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.plan_words import setting
from holdfast.rollout.execution.drift import Drift, DriftKind
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.text.format import listed, many, printable

_WHY_MEMBERS = "A target depends on the IDs of all members, and tasks stay with the members that have them."


@dataclass(frozen=True, slots=True)
class Explained:
    """What some events change: `touched`, process IDs of clients that they stop or bring; `new`, how many clients come under
    process IDs that the plan does not know; topics and config keys."""

    touched: frozenset[str]
    new: int
    topics: frozenset[str]
    configs: frozenset[str]


def explained(items: Sequence[BrokerItem]) -> Explained:
    touched: set[str] = set()
    topics: set[str] = set()
    configs: set[str] = set()
    new = 0
    for item in items:
        if isinstance(item, Then):
            continue
        touched.update(item.stops())
        configs.update(key for key, _ in item.configures())
        grows = item.grows()
        if grows is not None:
            topics.add(grows[0])
        comes = item.comes()
        if comes is not None and comes[0].process_id is None:
            new += 1
        elif comes is not None and comes[0].process_id is not None:
            touched.add(comes[0].process_id)
    return Explained(frozenset(touched), new, frozenset(topics), frozenset(configs))


def drifts(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot, in_progress: Sequence[BrokerItem] = ()) -> tuple[Drift, ...]:
    """Every difference that matters for the plan, and the others. `in_progress`: events that are done, or being done: what they
    bring about is no drift, and from the first of them on tasks may be migrating."""
    if (fresh.cluster, fresh.group_id) != (basis.cluster, basis.group_id):
        return (Drift(DriftKind.GROUP, "The snapshot is of another group.", True, "Another group has other members and topics."),)
    allowed = explained(in_progress)
    return (
        *_release(basis, fresh),
        *_configs(basis, fresh, allowed),
        *_topology(basis, fresh, allowed),
        *_members(basis, fresh, allowed),
        *(() if in_progress else _owned(basis, fresh)),
    )


def _release(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> Iterator[Drift]:
    was, now = basis.broker_release, fresh.broker_release
    if was == now or now is None:
        return
    found = f"The coordinator's Kafka release was {printable(was or 'unknown')}, it is now {printable(now)}."
    alike = was is not None and _alike(was, now)
    yield Drift(DriftKind.FACT, found, not alike, "Both assign alike." if alike else "Releases assign differently.")


def _alike(one: str, other: str) -> bool:
    try:
        return behaviour(one) == behaviour(other)
    except Unsupported:
        return False


def _configs(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot, allowed: Explained) -> Iterator[Drift]:
    if any(one.what == "config" for one in fresh.unknown):
        return  # what is not given this time is no drift
    before, after = dict(basis.config), dict(fresh.config)
    usual: dict[str, ConfigValue] = {key: str(value) for key, value in DEFAULTS.items() if key in after}
    if basis.classic is not None:  # the group had none: it is planned with Kafka's defaults
        before = usual | before
    for key in sorted({*before, *after}):
        if key in allowed.configs or key not in GROUP_KEYS or str(before.get(key)) == str(after.get(key)):
            continue
        found = f"{printable(key)} was {setting(before.get(key))}, it is now {setting(after.get(key))}."
        yield Drift(DriftKind.SETTING, found, True, "Targets and their times depend on the group's configs.")


def _topology(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot, allowed: Explained) -> Iterator[Drift]:
    alike = _as_coordinators_say(fresh) == _as_coordinators_say(basis) if basis.classic is not None else False
    if fresh.topology != basis.topology and not alike:
        yield Drift(DriftKind.TASKS, "The group's topology is another one.", True, "Its subtopologies are what is assigned.")
    before, after = ({topic.name: topic.partitions for topic in one.topics} for one in (basis, fresh))
    for name in sorted({*before, *after} - allowed.topics):
        was, now = before.get(name, 0), after.get(name, 0)
        if was != now:
            found = f"{printable(name)} had {many(was, 'partition')}, it now has {now:,}."
            yield Drift(DriftKind.TASKS, found, True, "Tasks follow from partitions.")


def _as_coordinators_say(snapshot: StreamsGroupSnapshot) -> object:
    """What tasks follow from: a classic group does not show which repartition topics a subtopology writes."""
    subtopologies = () if snapshot.topology is None else snapshot.topology.subtopologies
    return {
        one.subtopology: (sorted({*one.source_topics, *one.repartition_source_topics}), sorted(one.changelog_topics))
        for one in subtopologies
    }


def _members(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot, allowed: Explained) -> Iterator[Drift]:
    name = named(basis)
    was, now = _by_process(basis), _by_process(fresh)
    for process_id, members in was.items():
        if process_id in allowed.touched:
            continue
        there = now.get(process_id, {})
        if not there:
            yield Drift(DriftKind.MEMBERS, f"{name(process_id)} is not in the group any more.", True, _WHY_MEMBERS)
        elif there.keys() != members.keys():
            yield Drift(DriftKind.MEMBERS, f"{name(process_id)} has other members: it has restarted since.", True, _WHY_MEMBERS)
        elif {one.host for one in there.values()} != {one.host for one in members.values()}:
            yield Drift(DriftKind.HOST, f"{name(process_id)} is reported under another address.", False, "It is the same one.")
    strangers = [one for one in now if one not in was and one not in allowed.touched]
    if len(strangers) > allowed.new:
        planned = f"; {allowed.new} were planned" if allowed.new else ""
        names = listed([printable(one) for one in strangers])
        found = f"{many(len(strangers), 'client')} joined since the plan was made ({names}){planned}."
        yield Drift(DriftKind.MEMBERS, found, True, _WHY_MEMBERS)


def _by_process(snapshot: StreamsGroupSnapshot) -> dict[str, dict[str, StreamThread]]:
    found: dict[str, dict[str, StreamThread]] = {}
    for one in snapshot.members:
        found.setdefault(one.process_id or one.member_id, {})[one.member_id] = one
    return found


def _owned(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> Iterator[Drift]:
    """Up to 4.3 members stick to their targets, from 4.4 on to what they have: both count as long as nothing is in progress."""
    before = {one.member_id: one for one in basis.members}
    for one in fresh.members:
        was = before.get(one.member_id)
        if was is not None and (was.target, was.assignment) != (one.target, one.assignment):
            found = f"{printable(one.member_id)} has other tasks than when the plan was made."
            yield Drift(DriftKind.OWNER, found, True, "What a member has is what it keeps.")
