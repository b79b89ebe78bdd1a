"""The partitions of a group as numbers that sort by topic and partition: a million of them are compared and hashed at once."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice, repeat

from holdfast.kafka.vocabulary import TopicPartition

_BITS = 31
_PARTITION = 0x7FFFFFFF


_new = partial(tuple.__new__, TopicPartition)


def numbered(topic: str, count: int) -> list[TopicPartition]:
    """The partitions of a topic. Not by the class's own constructor, which takes several times as long."""
    return list(map(_new, zip(repeat(topic), range(count), strict=False)))


def numbered_together(counts: Sequence[tuple[str, int]]) -> list[TopicPartition]:
    """The partitions of topics, one topic after the other; they share their numbers."""
    shared = list(range(max((count for _, count in counts), default=0)))
    found: list[TopicPartition] = []
    for topic, count in counts:
        found += map(_new, zip(repeat(topic), islice(shared, count), strict=False))
    return found


class Space:
    """Topics in a given order; the code of a partition is the topic's place and the partition's number side by side.

    A code may name a partition that the topic has not: members report what has vanished.
    """

    def __init__(self, topics: Sequence[str], counts: Mapping[str, int]) -> None:
        self.topics = tuple(topics)
        self.counts = tuple(counts[topic] for topic in topics)
        self.total = sum(self.counts)
        self.base = {topic: place << _BITS for place, topic in enumerate(topics)}
        self._values: dict[int, TopicPartition] = {}

    def place(self, code: int) -> int:
        """The topic's place."""
        return code >> _BITS

    def number(self, code: int) -> int:
        return code & _PARTITION

    def of_topic(self, place: int) -> range:
        """The codes of a topic's partitions."""
        return range(place << _BITS, (place << _BITS) + self.counts[place])

    def everything(self) -> list[int]:
        """Every partition there is, in order."""
        return [code for place in range(len(self.topics)) for code in self.of_topic(place)]

    def without(self, gone: frozenset[int], places: Iterable[int] | None = None) -> list[int]:
        """Everything there is but those, topic by topic: in order, or in the order of `places`."""
        left: list[int] = []
        for place in range(len(self.topics)) if places is None else places:
            rest = frozenset(self.of_topic(place)).difference(gone)
            if rest:
                left += sorted(rest)
        return left

    def exists(self, code: int) -> bool:
        return code & _PARTITION < self.counts[code >> _BITS]

    def codes(self, partitions: Iterable[TopicPartition]) -> list[int]:
        """Those whose topic is here, in their order."""
        base = self.base
        here: Sequence[TopicPartition] = partitions if isinstance(partitions, tuple) else tuple(partitions)
        try:
            codes = [base[topic] + number for topic, number in here]
        except KeyError:
            here = [partition for partition in here if partition[0] in base]
            codes = [base[topic] + number for topic, number in here]
        self._values.update(zip(codes, here, strict=True))
        return codes

    def partitions(self, codes: Sequence[int]) -> tuple[TopicPartition, ...]:
        """The same values as came in, where they came in."""
        values, topics = self._values, self.topics
        try:
            return tuple(map(values.__getitem__, codes))
        except KeyError:
            missing = [code for code in codes if code not in values]
        named = [(topics[code >> _BITS], code & _PARTITION) for code in missing]
        values.update(zip(missing, map(_new, named), strict=True))
        return tuple(map(values.__getitem__, codes))

    def by_number(self, codes: Iterable[int]) -> list[int]:
        """Sorted by number, then by topic."""
        turned = [(code & _PARTITION) << _BITS | code >> _BITS for code in codes]
        turned.sort()
        return [(code & _PARTITION) << _BITS | code >> _BITS for code in turned]
