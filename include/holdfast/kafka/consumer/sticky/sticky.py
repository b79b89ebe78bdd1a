"""The two sticky assignors. Java: `AbstractStickyAssignor`, `StickyAssignor`, `CooperativeStickyAssignor`, 2.6 to 4.3."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.kafka import java
from holdfast.kafka.consumer import claims
from holdfast.kafka.consumer.group import LeaderThrows, Member
from holdfast.kafka.consumer.racks import RackInfo
from holdfast.kafka.consumer.range_racks import Racks
from holdfast.kafka.consumer.release import Behaviour
from holdfast.kafka.consumer.reports import Report, in_hash_order, in_sent_order, subscribed_alike
from holdfast.kafka.consumer.space import Space, numbered_together
from holdfast.kafka.consumer.sticky import general_start
from holdfast.kafka.consumer.sticky.constrained import Constrained
from holdfast.kafka.consumer.sticky.constrained_until_2_8 import ConstrainedUntil28
from holdfast.kafka.consumer.sticky.general import General
from holdfast.kafka.vocabulary import TopicPartition


@dataclass(frozen=True, slots=True)
class Handed:
    """What a member is handed, in the leader's order, and what it would be handed if no other member still owned it.

    `keeps_all`: whatever it owned is in `partitions`, as is known already (False: look).
    """

    partitions: tuple[TopicPartition, ...]
    withheld: tuple[TopicPartition, ...] = ()
    keeps_all: bool = False


MANY_OWNED = 20_000
"""Partitions that members remember: from then on arrays are worth their trouble."""
MANY_OWNED_UNEQUALLY = 2_000
"""The same where subscriptions differ."""


def assign(members: Sequence[Member], topics: Mapping[str, Racks], line: Behaviour, *, cooperative: bool) -> dict[str, Handed]:
    """By member ID. `topics`: those that exist and have a subscriber. Raise LeaderThrows where Kafka's class throws."""
    reports = in_hash_order(members, line, cooperative=cooperative)
    space = Space(sorted(topics, key=java.string_order), {topic: len(racks) for topic, racks in topics.items()})
    racks = RackInfo(reports if line.racks else (), space, topics)
    alike, read_before = subscribed_alike(reports)
    handed = None if racks.in_use else _shorter(reports, topics, space, line, alike=alike, cooperative=cooperative)
    if handed is not None:
        return handed
    if not (alike and line.kept_in_partition_order):
        reports = in_sent_order(reports, line, cooperative=cooperative)
    parts: Sequence[Sequence[int]]
    if alike:
        settled = claims.settled(reports, space, line)
        builder = (
            Constrained(reports, settled, space, racks, line) if line.exact_quotas else ConstrainedUntil28(reports, settled, space)
        )
        builder.assign()
        parts, transferring = builder.parts, builder.transferring
    else:
        start = (
            general_start.since_3_0(reports, claims.settled(reports, space, line), space, racks)
            if line.one_reading_of_user_data
            else general_start.until_2_8(reports, space, line, read_before, cooperative=cooperative)
        )
        general = General(reports, start, space, racks, line)
        general.assign()
        parts = general.parts
        transferring = _changing_hands(reports, parts, space) if cooperative else {}
    if not cooperative:
        return {report.member_id: Handed(space.partitions(parts[report.rank])) for report in reports}
    return _without(transferring, reports, parts, space)


def _shorter(
    reports: Sequence[Report], topics: Mapping[str, Racks], space: Space, line: Behaviour, *, alike: bool, cooperative: bool
) -> dict[str, Handed] | None:
    """The same by a shorter computation, where racks play no part and there is one; None: there is none."""
    owned = sum(len(report.owned) for report in reports)
    if alike and line.exact_quotas and not owned:
        return _from_scratch(reports, topics)
    if alike and line.kept_in_partition_order and owned >= MANY_OWNED:
        return _at_once(reports, space, line, cooperative=cooperative)
    if not alike and line.all_generations_claim and owned >= MANY_OWNED_UNEQUALLY:
        return _settled(reports, space, line, cooperative=cooperative)
    return None


def _from_scratch(reports: Sequence[Report], topics: Mapping[str, Racks]) -> dict[str, Handed]:
    """What `Constrained` does where no member owned anything: it assigns round robin, by member ID."""
    everything = numbered_together([(topic, len(topics[topic])) for topic in sorted(topics, key=java.string_order)])
    return {report.member_id: Handed(tuple(everything[report.rank :: len(reports)])) for report in reports}


def _at_once(reports: Sequence[Report], space: Space, line: Behaviour, *, cooperative: bool) -> dict[str, Handed] | None:
    """What `Constrained` does, on arrays; None where what is remembered is not in order."""
    from holdfast.kafka.consumer.sticky.constrained_at_once import ConstrainedAtOnce, owned_in_order

    owned = owned_in_order(reports, space)
    if owned is None:
        return None
    builder = ConstrainedAtOnce(reports, owned, space, line)
    builder.assign()
    given = _without(builder.transferring if cooperative else {}, reports, builder.parts, space)
    handed = {}
    for report in reports:
        kept, new = builder.kept[report.rank], given[report.member_id]
        keeps_all = len(kept) == len(report.owned)
        handed[report.member_id] = Handed(kept + new.partitions if new.partitions else kept, new.withheld, keeps_all)
    return handed


def _settled(reports: Sequence[Report], space: Space, line: Behaviour, *, cooperative: bool) -> dict[str, Handed] | None:
    """What `General` does in a group in which every member keeps what it has; None in another one."""
    from holdfast.kafka.consumer.sticky.general_settled import settled

    sort = cooperative and line.owned_sorted_on_wire
    found = settled(reports if sort else in_sent_order(reports, line, cooperative=cooperative), space, sort=sort)
    if found is None:
        return None
    kept, given = found
    return {
        report.member_id: Handed(kept[report.rank] + space.partitions(given[report.rank]), keeps_all=True) for report in reports
    }


def _changing_hands(reports: Sequence[Report], parts: Sequence[Sequence[int]], space: Space) -> dict[int, int]:
    """What is new for a member while another that owned it loses it, and whom it is for."""
    added: dict[int, int] = {}
    lost: dict[int, None] = {}
    for report in reports:
        part = parts[report.rank]
        had = space.codes(report.owned)
        if part[: len(had)] == had:  # most members keep all that they had, in order
            added.update((code, report.rank) for code in part[len(had) :] if code not in had)
            continue
        owned, given = frozenset(had), frozenset(part)
        added.update((code, report.rank) for code in part if code not in owned)
        lost.update((code, None) for code in had if code not in given)
    return {code: member for code, member in added.items() if code in lost}


def _without(
    transferring: Mapping[int, int], reports: Sequence[Report], parts: Sequence[Sequence[int]], space: Space
) -> dict[str, Handed]:
    """The cooperative protocol: what migrates has to be given up first."""
    leaving: list[dict[int, None]] = [{} for _ in reports]
    for code, member in transferring.items():
        leaving[member][code] = None
    handed = {}
    for report in reports:
        own = leaving[report.rank]
        kept, withheld = _first_removed(parts[report.rank], own)
        handed[report.member_id] = Handed(space.partitions(kept), space.partitions(sorted(withheld)))
    return handed


def _first_removed(codes: Sequence[int], leaving: dict[int, None]) -> tuple[list[int], list[int]]:
    """Java's `List.remove(Object)` for each: a code that is given twice stays once."""
    if not leaving:
        return list(codes), []
    still = dict(leaving)
    kept, removed = [], []
    for code in codes:
        if code in still:
            del still[code]
            removed.append(code)
        else:
            kept.append(code)
    return kept, removed


def check_cooperative(members: Sequence[Member], handed: Mapping[str, Handed]) -> None:
    """`ConsumerCoordinator.validateCooperativeAssignment`: raise LeaderThrows where one gets what another has to give up."""
    added: dict[TopicPartition, None] = {}
    lost: dict[TopicPartition, None] = {}
    for member in members:
        owned, given = frozenset(member.owned), frozenset(handed[member.member_id].partitions)
        added.update(dict.fromkeys(one for one in handed[member.member_id].partitions if one not in owned))
        lost.update(dict.fromkeys(one for one in member.owned if one not in given))
    if any(partition in lost for partition in added):
        raise LeaderThrows("IllegalStateException: a partition is handed over that another member still owns")
