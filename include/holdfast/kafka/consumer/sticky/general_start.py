"""What members bring into the general algorithm of the sticky assignors, from 3.0 on and before.

Java: `AbstractStickyAssignor.prepopulateCurrentAssignments` and what follows it, up to `balance`.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter

from holdfast.kafka import java, java_hash
from holdfast.kafka.consumer.claims import Claims
from holdfast.kafka.consumer.racks import RackInfo
from holdfast.kafka.consumer.release import Behaviour
from holdfast.kafka.consumer.reports import NO_GENERATION, Report
from holdfast.kafka.consumer.space import Space
from holdfast.kafka.consumer.sticky.constrained import not_in_order
from holdfast.kafka.consumer.sticky.general import Start
from holdfast.kafka.vocabulary import TopicPartition


def in_order(reports: Sequence[Report], space: Space) -> list[int]:
    """Every partition, those with the fewest subscribers first, then by topic and number."""
    return [code for place in _places_in_order(reports, space) for code in space.of_topic(place)]


def _places_in_order(reports: Sequence[Report], space: Space) -> list[int]:
    subscribers = Counter(chain.from_iterable(report.topics for report in reports))
    return sorted(range(len(space.topics)), key=lambda place: (subscribers[space.topics[place]], place))


def since_3_0(reports: Sequence[Report], claims: Claims, space: Space, racks: RackInfo) -> Start:
    """Members keep what they are taken to have owned, where they still subscribe to it and it is in their rack."""
    kept: list[list[int]] = []
    revocation_required = False
    for report, owned in zip(reports, claims.owned, strict=True):
        own = owned
        if racks.in_use or not report.topics.issuperset(map(itemgetter(0), report.owned)):
            subscribed = [topic in report.topics for topic in space.topics]
            own = [code for code in owned if subscribed[space.place(code)] and not racks.mismatch(report.rank, code)]
        revocation_required = revocation_required or len(own) < len(owned)
        kept.append(own)
    owner: dict[int, int] = {}
    for report, owned in zip(reports, claims.owned, strict=True):
        owner.update(dict.fromkeys(owned, report.rank))
    previous: dict[int, tuple[int, int]] = {}
    for report in reports:
        generation = NO_GENERATION if report.generation is None else report.generation
        if generation < claims.max_generation:
            for code in space.codes(report.owned):
                if code not in previous or generation > previous[code][0]:
                    previous[code] = generation, report.rank
    before = {code: rank for code, (_, rank) in previous.items()}
    unassigned, in_order = _unassigned(reports, kept, space)
    orderly = in_order and claims.disjoint and not revocation_required
    return Start(kept, owner, unassigned, before, revocation_required, orderly)


def _unassigned(reports: Sequence[Report], kept: Sequence[Sequence[int]], space: Space) -> tuple[list[int], bool]:
    """What no member keeps; and whether everything that is kept exists, and is kept once."""
    gone = frozenset().union(*kept)
    places = _places_in_order(reports, space)
    left = space.without(gone, places)
    together = sum(map(len, kept))
    if len(left) == space.total - together:
        return left, True
    # As they are in `everything`; what does not exist is behind its topic's last partition.
    rank = {place: number for number, place in enumerate(places)}
    in_their_order = sorted(chain.from_iterable(kept), key=lambda code: (rank[space.place(code)], code))
    return not_in_order(in_order(reports, space), in_their_order), False


def until_2_8(reports: Sequence[Report], space: Space, line: Behaviour, read_before: int, *, cooperative: bool) -> Start:
    """For each partition the claimants by generation: the newest has it, the one before had it.

    The user data of the first `read_before` members has been read once already and is not rewound: a sticky member then says
    nothing, a cooperative one no generation.
    """
    claimants: dict[TopicPartition, dict[int, int]] = {}
    rank_to_index = {report.rank: index for index, report in enumerate(reports)}
    for index, report in enumerate(reports):
        owned, generation = report.owned, report.generation
        if index < read_before:
            owned = report.owned if cooperative else ()
            generation = NO_GENERATION if cooperative and line.cooperative_generation else None
        for partition in owned:
            by_generation = claimants.setdefault(partition, {})
            if generation is None:
                by_generation[NO_GENERATION] = report.rank
            else:
                by_generation.setdefault(generation, report.rank)
    kept: list[list[int]] = [[] for _ in reports]
    previous: dict[int, int] = {}
    revocation_required = False
    for partition in java_hash.hash_order(claimants, lambda one: java.topic_partition_hash(one.topic, one.partition), lambda _: 0):
        codes = [code for code in space.codes([partition]) if space.exists(code)]
        generations = sorted(claimants[partition], reverse=True)
        owner = claimants[partition][generations[0]]
        for code in codes:
            if len(generations) > 1:
                previous[code] = claimants[partition][generations[1]]
            if partition.topic in reports[rank_to_index[owner]].topics:
                kept[rank_to_index[owner]].append(code)
            else:
                revocation_required = True
    owned_by = {code: report.rank for report, own in zip(reports, kept, strict=True) for code in own}
    unassigned = [code for code in in_order(reports, space) if code not in owned_by]
    return Start(kept, owned_by, unassigned, previous, revocation_required)
