"""Who owned what, of what the members of a sticky group claim. Java: `AbstractStickyAssignor.allSubscriptionsEqual`."""

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.kafka.consumer.release import Behaviour
from holdfast.kafka.consumer.reports import NO_GENERATION, Report
from holdfast.kafka.consumer.space import Space


@dataclass(slots=True)
class Claims:
    """`owned`: by report, in order. `contested`: what two members claim with the same right, so that it belongs to neither.

    `disjoint`: nothing is claimed twice, and every claim holds.
    """

    owned: list[list[int]]
    contested: dict[int, None]
    max_generation: int
    disjoint: bool = False


def settled(reports: Sequence[Report], space: Space, line: Behaviour) -> Claims:
    """What each member is assumed to have owned. Partitions of topics without a subscriber, or that are gone, are not in it."""
    claimed = [space.codes(report.owned) for report in reports]
    if line.all_generations_claim:
        return _of_all_generations(reports, claimed, line)
    return _of_the_newest(reports, claimed, line)


def _of_all_generations(reports: Sequence[Report], claimed: list[list[int]], line: Behaviour) -> Claims:
    generations = [_number(report) for report in reports]
    claims = Claims([], {}, max([NO_GENERATION, *generations]))
    if sum(map(len, claimed)) == len(frozenset().union(*claimed)):
        claims.owned, claims.disjoint = claimed, True
        return claims
    owner: dict[int, int] = {}
    for index, codes in enumerate(claimed):
        own: list[int] = []
        claims.owned.append(own)
        generation = generations[index]
        for code in codes:
            other = owner.get(code)
            if other is None:
                owner[code] = index
                own.append(code)
                continue
            others_generation = reports[other].envelope_generation
            if generation == others_generation:
                claims.contested[code] = None
                _drop(claims.owned[other], code)
                owner[code] = index
            elif generation > others_generation:
                own.append(code)
                _drop(claims.owned[other], code)
                owner[code] = index
            elif line.older_claim_replaces_owner:
                owner[code] = index
    return claims


def _of_the_newest(reports: Sequence[Report], claimed: list[list[int]], line: Behaviour) -> Claims:
    """Up to 3.4.0. Members without any generation count until one with a generation is read."""
    claims = Claims([], {}, NO_GENERATION)
    owner: dict[int, int] = {}
    newest: list[int] = []
    for index, report in enumerate(reports):
        own: list[int] = []
        claims.owned.append(own)
        generation = report.generation
        if generation is None:
            counts = claims.max_generation == NO_GENERATION
        else:
            counts = generation >= claims.max_generation
            if generation > claims.max_generation:
                for dropped in newest:
                    claims.owned[dropped].clear()
                newest.clear()
                owner.clear()
                claims.contested.clear()
                claims.max_generation = generation
        if not counts:
            continue
        newest.append(index)
        if not line.conflicts_invalidate:
            own += claimed[index]
            continue
        for code in claimed[index]:
            other = owner.get(code)
            if other is None:
                owner[code] = index
                own.append(code)
            else:
                _drop(claims.owned[other], code)
                claims.contested[code] = None
                if line.claims_replace_owner:
                    owner[code] = index
    return claims


def _number(report: Report) -> int:
    return NO_GENERATION if report.generation is None else report.generation


def _drop(codes: list[int], code: int) -> None:
    if code in codes:
        codes.remove(code)
