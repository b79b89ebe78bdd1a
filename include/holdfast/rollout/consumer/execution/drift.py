"""The drift of a consumer group since its plan, and which part of it the plan's own steps explain."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.change.change import ConsumerItem
from holdfast.rollout.consumer.snapshot.member_order import name_of
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.execution.drift import Drift, DriftKind
from holdfast.rollout.text.format import listed, many, printable

_WHY_MEMBERS = "The forecast goes by who is in the group, with which list and which subscription."
_WHY_OWNED = "What a member owns is what it keeps."


@dataclass(frozen=True, slots=True)
class Expected:
    """Where some events leave a group: `gone`, IDs of the plan's members that are no more; `new`, how many others have come."""

    gone: frozenset[str]
    new: int
    topics: frozenset[str]
    """Those that another number of partitions is explained of."""


def expected(basis: ConsumerSnapshot, items: Sequence[ConsumerItem]) -> Expected:
    """After these events, if every member that joins has an unused ID."""
    present = {member.member_id: None for member in basis.members}
    came: dict[str, None] = {}
    topics: dict[str, None] = {}

    def swap(old: str | None, new: str | None) -> None:
        if old is not None and came.pop(old, 0) == 0:
            present.pop(old, None)
        if new is not None:
            came[new] = None

    for item in items:
        if isinstance(item, Then):
            continue
        for old, new in item.swaps():
            swap(old, new)
        topic = item.topic_changed()
        if topic is not None:
            topics[topic] = None
    gone = frozenset(member.member_id for member in basis.members) - frozenset(present)
    return Expected(gone, len(came), frozenset(topics))


def drifts(basis: ConsumerSnapshot, fresh: ConsumerSnapshot, in_progress: Sequence[ConsumerItem] = ()) -> tuple[Drift, ...]:
    """Every difference that matters for the plan, and the others. `in_progress`: events that are done, or being done: what they
    bring about is no drift, and from the first of them on partitions may be migrating."""
    if (fresh.cluster, fresh.group_id) != (basis.cluster, basis.group_id):
        return (Drift(DriftKind.GROUP, "The snapshot is of another group.", True, "Another group has other members and topics."),)
    allowed = expected(basis, in_progress)
    return (
        *_facts(basis, fresh),
        *_members(basis, fresh, allowed),
        *(() if in_progress or _assumed(fresh) else _owned(basis, fresh)),
        *_topics(basis, fresh, allowed),
    )


def _assumed(fresh: ConsumerSnapshot) -> bool:
    """Whether the members' assignors are not given, on which what they own depends: that contradicts nothing."""
    return any(one.what == "consumers.assignors" for one in fresh.unknown)


def _facts(basis: ConsumerSnapshot, fresh: ConsumerSnapshot) -> Iterator[Drift]:
    """A broker does not provide these, operators do: what is not given this time is no drift."""
    was, now = basis.kafka_release, fresh.kafka_release
    if was != now and now is not None:
        found = f"The clients' Kafka release was {printable(was or 'unknown')}, it is now {printable(now)}."
        yield Drift(DriftKind.FACT, found, True, "Releases assign differently.")
    before, after = dict(basis.config), dict(fresh.config)
    for key in sorted(after):
        if before.get(key) != after[key]:
            found = f"{printable(key)} was {printable(str(before.get(key, 'not given')))}, it is now {printable(str(after[key]))}."
            yield Drift(DriftKind.SETTING, found, True, "Session timeouts and start offsets depend on it.")


def _members(basis: ConsumerSnapshot, fresh: ConsumerSnapshot, allowed: Expected) -> Iterator[Drift]:
    present = {member.member_id: member for member in fresh.members}
    back = {name_of(member): member for member in fresh.members if member.group_instance_id is not None}
    known = frozenset(member.member_id for member in basis.members)
    returned: dict[str, None] = {}
    for was in basis.members:
        now = present.get(was.member_id) or back.get(name_of(was))
        if now is None:
            if was.member_id not in allowed.gone:
                yield Drift(DriftKind.MEMBERS, f"{_named(was)} is not in the group any more.", True, _WHY_MEMBERS)
            continue
        if now.member_id != was.member_id:
            returned[now.member_id] = None
            if was.member_id not in allowed.gone:
                yield Drift(
                    DriftKind.MEMBERS, f"{_named(was)} is back under another member ID.", False, "A static one is the same."
                )
        yield from _changed(was, now if not _assumed(fresh) else replace(now, assignors=was.assignors), allowed)
    strangers = [member for member in fresh.members if member.member_id not in known and member.member_id not in returned]
    if len(strangers) > allowed.new:
        names = listed([_named(member) for member in strangers])
        planned = f"; {allowed.new} were planned" if allowed.new else ""
        yield Drift(
            DriftKind.MEMBERS,
            f"{many(len(strangers), 'consumer')} joined since the plan was made ({names}){planned}.",
            True,
            _WHY_MEMBERS,
        )


def _changed(was: Member, now: Member, allowed: Expected) -> Iterator[Drift]:
    if was.member_id in allowed.gone:
        return
    for what, before, after in (
        ("subscription", sorted(was.subscription), sorted(now.subscription)),
        ("list of assignors", list(map(str, was.assignors)), list(map(str, now.assignors))),
        ("rack", [was.rack or "none"], [now.rack or "none"]),
    ):
        if before != after:
            change = f"{listed(list(map(printable, before)))}, it is now {listed(list(map(printable, after)))}"
            yield Drift(DriftKind.MEMBERS, f"The {what} of {_named(was)} was {change}.", True, _WHY_MEMBERS)
    if was.host != now.host:
        yield Drift(
            DriftKind.HOST, f"{_named(was)} runs on {printable(now.host or 'an unknown host')} now.", False, "It is the same one."
        )


def _owned(basis: ConsumerSnapshot, fresh: ConsumerSnapshot) -> Iterator[Drift]:
    now = {name_of(member): frozenset(member.owned) for member in fresh.members}
    for was in basis.members:
        name = name_of(was)
        if name in now and now[name] != frozenset(was.owned):
            yield Drift(DriftKind.OWNER, f"{_named(was)} owns other partitions than when the plan was made.", True, _WHY_OWNED)


def _topics(basis: ConsumerSnapshot, fresh: ConsumerSnapshot, allowed: Expected) -> Iterator[Drift]:
    before, after = ({topic.name: topic for topic in one.topics} for one in (basis, fresh))
    for name in sorted({**before, **after}):
        if name in allowed.topics:
            continue
        was, now = (len(one[name].partitions) if name in one else 0 for one in (before, after))
        racks = tuple(tuple(each.replica_racks for each in one[name].partitions) if name in one else () for one in (before, after))
        if was != now:
            found = f"{printable(name)} had {many(was, 'partition')}, it now has {now:,}."
            yield Drift(DriftKind.TASKS, found, True, "The group assigns partitions.")
        elif racks[0] != racks[1] and any(member.rack for member in fresh.members):
            yield Drift(
                DriftKind.PLACE, f"Replicas of {printable(name)} are in other racks.", True, "The assignment depends on racks."
            )


def _named(member: Member) -> str:
    return printable(name_of(member), 80)
