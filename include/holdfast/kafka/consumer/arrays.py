"""Partitions that members remember, as arrays, for very many of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from holdfast.kafka.consumer.reports import Report
from holdfast.kafka.consumer.space import Space
from holdfast.kafka.vocabulary import TopicPartition

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Report by report, in order: of each partition its topic's place, its number, and its place among all that there are.

    `taken`: of all that there are, by topic and number, whether any member remembers it. `starts`: where each topic begins there;
    `bases`: the code of each topic's first partition.
    """

    topics: Array
    numbers: Array
    places: Array
    taken: Array
    starts: Array
    bases: Array

    def codes(self, places: Array) -> list[int]:
        topics = np.searchsorted(self.starts, places, side="right") - 1
        found: list[int] = (self.bases[topics] + places - self.starts[topics]).tolist()
        return found

    def free(self) -> list[int]:
        """What no member owned before, by topic and number."""
        return self.codes(np.flatnonzero(~self.taken))


def standing(reports: Sequence[Report], space: Space) -> Standing | None:
    """None: something is claimed twice, or is not there."""

    def everything() -> Iterator[TopicPartition]:
        return chain.from_iterable(report.owned for report in reports)

    total, counts = sum(len(report.owned) for report in reports), np.array(space.counts, np.int64)
    number_of = {topic: place for place, topic in enumerate(space.topics)}
    try:
        topics = np.fromiter(map(number_of.__getitem__, map(itemgetter(0), everything())), np.int64, total)
    except KeyError:
        return None
    numbers = np.fromiter(map(itemgetter(1), everything()), np.int64, total)
    if (numbers >= counts[topics]).any():
        return None
    starts = np.cumsum(counts) - counts
    places = starts[topics] + numbers
    taken = np.zeros(space.total, np.bool_)
    taken[places] = True
    if np.count_nonzero(taken) != total:
        return None
    return Standing(topics, numbers, places, taken, starts, np.array([space.base[topic] for topic in space.topics], np.int64))
