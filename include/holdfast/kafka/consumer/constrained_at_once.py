"""`Constrained` for very many partitions that the members remember, all of them in order: the same steps on arrays.

In order is what a group that has settled reports: every partition exists, nobody claims another's, racks play no part, and the
order of a report does not count (from 3.7.1). Then what each member keeps is a slice of one sorted array, and what nobody keeps is
what a table of flags says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from holdfast.kafka.consumer.claims import Claims
from holdfast.kafka.consumer.constrained import Constrained
from holdfast.kafka.consumer.racks import RackInfo
from holdfast.kafka.consumer.release import Behaviour
from holdfast.kafka.consumer.reports import NO_GENERATION, Report
from holdfast.kafka.consumer.space import Space
from holdfast.kafka.vocabulary import TopicPartition

Array = np.ndarray[Any, np.dtype[Any]]
_LARGEST_KEY = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Owned:
    """What all members own, member by member in the order of the reports, each's by number and topic.

    `values`: the partitions; `places`: where each stands among all that there are, by topic and number; `taken`: by that place,
    whether anybody owns it; `starts`: where each topic begins.
    """

    values: Array
    places: Array
    taken: Array
    starts: Array


def owned_in_order(reports: Sequence[Report], space: Space) -> Owned | None:
    """None: something is claimed twice, or is not there."""

    def everything() -> Iterator[TopicPartition]:
        return chain.from_iterable(report.owned for report in reports)

    lengths = [len(report.owned) for report in reports]
    total, counts = sum(lengths), np.array(space.counts, np.int64)
    most = int(counts.max(initial=0))
    if len(reports) * (most + 1) * len(counts) > _LARGEST_KEY:
        return None
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
    members = np.repeat(np.arange(len(reports), dtype=np.int64), lengths)
    order = np.argsort((members * (most + 1) + numbers) * len(counts) + topics)
    return Owned(np.fromiter(everything(), np.object_, total)[order], places[order], taken, starts)


class ConstrainedAtOnce(Constrained):
    """`parts` holds what each is given beside what it keeps, which is in `kept`."""

    def __init__(self, reports: Sequence[Report], owned: Owned, space: Space, racks: RackInfo, line: Behaviour) -> None:
        super().__init__(reports, Claims([], {}, NO_GENERATION), space, racks, line)
        self._owned = owned
        self.kept: list[tuple[TopicPartition, ...]] = [()] * len(reports)

    def _keep(self) -> None:
        owned = self._owned
        start = 0
        for report in self._reports:
            end = start + len(report.owned)
            cut = start + self._keeps(report.rank, end - start)
            self.kept[report.rank] = tuple(owned.values[start:cut].tolist())
            if cut < end:
                left = owned.places[cut:end]
                owned.taken[left] = False
                self._given_up.update(dict.fromkeys(self._codes(left), report.rank))
            start = end

    def _unassigned(self) -> list[int]:
        return self._codes(np.flatnonzero(~self._owned.taken))

    def _codes(self, places: Array) -> list[int]:
        topics = np.searchsorted(self._owned.starts, places, side="right") - 1
        base = np.array(list(self._space.base.values()), np.int64)
        found: list[int] = (base[topics] + places - self._owned.starts[topics]).tolist()
        return found
