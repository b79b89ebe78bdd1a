"""`General` for groups that have settled, in which little is to be done.

Every member keeps what it has, what is left over goes to the least loaded subscriber, and then no two members are further apart
than one partition: nothing moves. Of any other group this says nothing, and the long computation decides.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter

import numpy as np

from holdfast.kafka.consumer.arrays import Standing, standing
from holdfast.kafka.consumer.reports import Report
from holdfast.kafka.consumer.space import Space
from holdfast.kafka.vocabulary import TopicPartition

Parts = list[tuple[TopicPartition, ...]]
"""By rank."""


def settled(reports: Sequence[Report], space: Space, *, sort: bool) -> tuple[Parts, list[list[int]]] | None:
    """By rank: what each member keeps, in the order of its report or sorted by topic and number, and the codes that it is given.

    None: it is no such group.
    """
    if not all(report.topics.issuperset(map(itemgetter(0), report.owned)) for report in reports):
        return None
    found = standing(reports, space)
    if found is None:
        return None
    subscribers = Counter(chain.from_iterable(report.topics for report in reports))
    fewest = min((subscribers[topic] for topic in space.topics), default=0)
    if fewest < 2 or any(report.topics.isdisjoint(space.base) for report in reports):
        return None
    width = len(reports)
    topics_of = {report.rank: report.topics for report in reports}
    loads = sorted(len(report.owned) * width + report.rank for report in reports)
    given: list[list[int]] = [[] for _ in reports]
    by_place: dict[int, list[int]] = {}
    for code in found.free():
        by_place.setdefault(space.place(code), []).append(code)
    for place in sorted(by_place, key=lambda place: (subscribers[space.topics[place]], place)):
        topic = space.topics[place]
        for code in by_place[place]:
            load = next(load for load in loads if topic in topics_of[load % width])
            given[load % width].append(code)
            del loads[bisect_left(loads, load)]
            insort(loads, load + width)
    if loads[0] // width < loads[-1] // width - 1:
        return None
    return _sorted(reports, found) if sort else _as_they_are(reports), given


def _as_they_are(reports: Sequence[Report]) -> Parts:
    kept: Parts = [()] * len(reports)
    for report in reports:
        kept[report.rank] = report.owned
    return kept


def _sorted(reports: Sequence[Report], found: Standing) -> Parts:
    lengths = [len(report.owned) for report in reports]
    members = np.repeat(np.arange(len(reports), dtype=np.int64), lengths)
    order = np.lexsort((found.places, members))
    values = np.fromiter(chain.from_iterable(report.owned for report in reports), np.object_, len(members))[order]
    kept: Parts = [()] * len(reports)
    start = 0
    for report, length in zip(reports, lengths, strict=True):
        kept[report.rank] = tuple(values[start : start + length].tolist())
        start += length
    return kept
