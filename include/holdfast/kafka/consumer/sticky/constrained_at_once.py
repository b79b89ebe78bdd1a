"""`Constrained` for very many partitions that the members remember, all of them in order: the same steps on arrays.

A settled group reports in order: every partition exists, no member claims another's, racks play no part, and the
order of a report does not count (from 3.7.1). Then what each member keeps is a slice of one sorted array, and what no member keeps
is what a table of flags says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from holdfast.kafka.consumer.arrays import Array, Standing, standing
from holdfast.kafka.consumer.claims import Claims
from holdfast.kafka.consumer.racks import RackInfo
from holdfast.kafka.consumer.release import Behaviour
from holdfast.kafka.consumer.reports import NO_GENERATION, Report
from holdfast.kafka.consumer.space import Space
from holdfast.kafka.consumer.sticky.constrained import Constrained
from holdfast.kafka.vocabulary import TopicPartition

_LARGEST_KEY = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Owned:
    """What all members own, member by member in the order of the reports, each's by number and topic.

    `values`: the partitions; `places`: the index of each among all partitions.
    """

    values: Array
    places: Array
    standing: Standing


def owned_in_order(reports: Sequence[Report], space: Space) -> Owned | None:
    """None: something is claimed twice, or is not there."""
    most = max(space.counts, default=0) + 1
    if len(reports) * most * len(space.counts) > _LARGEST_KEY:
        return None
    found = standing(reports, space)
    if found is None:
        return None
    lengths = [len(report.owned) for report in reports]
    members = np.repeat(np.arange(len(reports), dtype=np.int64), lengths)
    order = np.argsort((members * most + found.numbers) * len(space.counts) + found.topics)
    values = np.fromiter(chain.from_iterable(report.owned for report in reports), np.object_, sum(lengths))
    return Owned(values[order], found.places[order], found)


class ConstrainedAtOnce(Constrained):
    """`parts` holds what each is given in addition to what it keeps, which is in `kept`."""

    def __init__(self, reports: Sequence[Report], owned: Owned, space: Space, line: Behaviour) -> None:
        super().__init__(reports, Claims([], {}, NO_GENERATION), space, RackInfo((), space, {}), line)
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
                owned.standing.taken[left] = False
                self._given_up.update(dict.fromkeys(owned.standing.codes(left), report.rank))
            start = end

    def _unassigned(self) -> list[int]:
        return self._owned.standing.free()
