"""The clients that started since a plan was made, with the IDs that they really got.

Every start makes new member IDs. The recorded targets show them in the order of the starts; the group itself shows those that are
there now.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then


@dataclass(slots=True)
class Start:
    """A client that started: the members of its threads, in the order in which they joined. `first_alone`: its first thread made a
    target without the others. `after`: the clients of the target before it."""

    process_id: str
    member_ids: list[str]
    first_alone: bool = False
    after: frozenset[str] = frozenset()


def since(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> list[Start]:
    """In the order in which they were first seen."""
    known = {one.member_id for one in basis.members}
    found: list[Start] = []
    newest: dict[str, Start] = {}
    there = frozenset(one.process_id or "" for one in basis.members)
    listed = {one.member_id: number for number, one in enumerate(fresh.members)}
    for members in _seen(basis, fresh):
        before = {id(one): len(one.member_ids) for one in found}
        for member_id, process_id in members.items():
            if member_id in known:
                continue
            known.add(member_id)
            start = newest.get(process_id)
            if start is None or any(one not in members for one in start.member_ids):
                start = newest[process_id] = Start(process_id, [], after=there)
                found.append(start)
            start.member_ids.append(member_id)
        for start in found:
            had = before.get(id(start), 0)
            start.first_alone = start.first_alone or had == 1 < len(start.member_ids)
            # A member that joins is listed before those that share its place in the coordinator's table.
            start.member_ids[had:] = sorted(start.member_ids[had:], key=lambda one: -listed.get(one, -1))
        there = frozenset(members.values())
    return found


def _seen(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> Iterator[Mapping[str, str]]:
    """The members of each target since the plan, and of the group now: their process IDs, by member ID."""
    for target in recorded_since(basis, fresh):
        yield {one.member_id: one.process_id for one in target.members if one.process_id is not None}
    yield {one.member_id: one.process_id for one in fresh.members if one.process_id is not None}


def recorded_since(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> tuple[RecordedTarget, ...]:
    """The targets that the coordinator recorded after the one of the plan, oldest first."""
    epoch = basis.assignment_epoch
    return () if epoch is None else tuple(one for one in fresh.recorded_targets if one.assignment_epoch > epoch)


def named(
    basis: StreamsGroupSnapshot, change: BrokerChange, fresh: StreamsGroupSnapshot
) -> tuple[BrokerChange, tuple[str | None, ...]]:
    """The change with the IDs that its clients got, and the process IDs of those that have not started (None: a new random one).

    Which course the targets took, the records show; where they do not reach back to the plan it is the planned one.
    """
    free, gone = since(basis, fresh), _Gone(basis, fresh)
    known = {one.process_id for one in basis.members} | {one.process_id for one in change.starts()}
    events: list[BrokerItem] = []
    missing: list[str | None] = []
    for item in map(gone.with_groups, change.events):
        comes = None if isinstance(item, Then) else item.comes()
        if isinstance(item, Then) or comes is None:
            events.append(item)
            continue
        wanted = comes[0].process_id
        start = next((one for one in free if _is_it(one, wanted, known)), None)
        if start is None:
            missing.append(wanted)
            continue
        free.remove(start)
        gone.started(start)
        ids = tuple(start.member_ids)
        client = replace(comes[0], process_id=start.process_id, threads=len(ids), member_ids=ids)
        whole = _whole(basis, fresh)
        alone = start.first_alone or (not whole and client.first_thread_alone)
        event = item.drawn(replace(client, first_thread_alone=alone))
        unnoticed = whole and start.after.intersection(event.stops())
        events.append(event.taken_within_interval() if unnoticed else event)
    return replace(change, events=tuple(events)), tuple(missing)


class _Gone:
    """In which groups the members of clients were gone, where the records show targets between them: those of the plan's snapshot,
    and those of clients that started since."""

    def __init__(self, basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> None:
        self._members: dict[str, list[str]] = {}
        for one in basis.members:
            self._members.setdefault(one.process_id or "", []).append(one.member_id)
        self._seen: list[Collection[str]] = []
        if _whole(basis, fresh):
            self._seen = [{one.member_id for one in basis.members}, *(members.keys() for members in _seen(basis, fresh))]

    def started(self, start: Start) -> None:
        self._members[start.process_id] = list(start.member_ids)

    def with_groups(self, item: BrokerItem) -> BrokerItem:
        """The same where they were gone at once, or not all of them are."""
        if isinstance(item, Then) or len(item.stops()) != 1:
            return item
        there = self._members.pop(item.stops()[0], [])
        groups: list[tuple[str, ...]] = []
        joined = next((number for number, members in enumerate(self._seen) if all(one in members for one in there)), 0)
        for members in self._seen[joined:]:
            if gone := tuple(one for one in there if one not in members):
                groups.append(gone)
                there = [one for one in there if one in members]
        return item.gone_apart(tuple(groups)) if len(groups) > 1 and not there else item


def _whole(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> bool:
    """Whether the records reach back to the plan's own target."""
    epoch = basis.assignment_epoch
    return epoch is not None and any(one.assignment_epoch <= epoch for one in fresh.recorded_targets)


def _is_it(start: Start, wanted: str | None, known: Collection[str | None]) -> bool:
    """Whether this is the client that is to start under that process ID; None: under a random one, which the plan does not know."""
    return start.process_id == wanted if wanted is not None else start.process_id not in known
