"""The `uniform` assignor for members that are subscribed alike.

Java: `org.apache.kafka.coordinator.group.assignor.UniformHomogeneousAssignmentBuilder`, 4.0.0 to 4.4.0. Members keep what they had
up to an equal share; what is left over goes to those who lack some, in the order of the assignor's map.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.consumer.group import Owned
from holdfast.kafka.coordinator.consumer.hash_tables import Copies, TopicTable
from holdfast.kafka.coordinator.consumer.release import Behaviour


@dataclass(frozen=True, slots=True)
class Question:
    """`had`: what each member had, in the order of the assignor's map of members. `topics`: those that all are subscribed to, in
    the order of their IDs' set. `counts`, `ids`: of all topics that exist."""

    had: Sequence[Owned]
    topics: Sequence[str]
    counts: Mapping[str, int]
    ids: Mapping[str, int]
    copies: Copies


def assign(question: Question, facts: Behaviour) -> list[Owned]:
    """What each member is to own, in the same order."""
    if not question.topics:
        return [() for _ in question.had]
    return list(_Builder(question, facts).build())


class _Builder:
    def __init__(self, question: Question, facts: Behaviour) -> None:
        self._question = question
        self._facts = facts
        self._subscribed = frozenset(question.topics)
        self._copied: dict[int, TopicTable] = {}
        self._free = self._never_assigned()
        self._quota, self._extras = divmod(sum(question.counts[topic] for topic in question.topics), len(question.had))

    def _never_assigned(self) -> list[tuple[str, int]]:
        assigned: dict[str, set[int]] = {}
        for owned in self._question.had:
            for topic, numbers in owned:
                assigned.setdefault(topic, set()).update(numbers)
        return [
            (topic, number)
            for topic in self._question.topics
            for gone in (assigned.get(topic, frozenset[int]()),)
            for number in range(self._question.counts[topic])
            if number not in gone
        ]

    def build(self) -> Iterator[Owned]:
        room = [self._room_of(member) for member in range(len(self._question.had))]
        free = iter(self._free)
        left = len(self._free)
        for member, places in enumerate(room):
            if places:
                taken = min(places, left)
                left -= taken
                copy = self._copy(member)
                for _ in range(taken):
                    copy.add(*next(free))
        if left:
            raise CannotPredict(
                "partitions were assigned that their topics do not have: the coordinator would fail to assign the others"
            )
        for member, owned in enumerate(self._question.had):
            yield self._copied[member].recorded() if member in self._copied else owned

    def _copy(self, member: int) -> TopicTable:
        found = self._copied.get(member)
        if found is None:
            found = self._copied[member] = TopicTable(self._question.had[member], self._question.ids, self._question.copies)
        return found

    def _room_of(self, member: int) -> int:
        """Take from a member what exceeds its share; return how many more it may have."""
        has_extra = self._extras > 0
        if has_extra and self._facts.extra_goes_to_the_first:
            self._extras -= 1
        room = self._keep(member, self._quota + has_extra)
        if not has_extra or self._facts.extra_goes_to_the_first:
            return room
        if room and len(self._question.had) - member > self._extras:
            return room - 1
        self._extras -= 1
        return room

    def _keep(self, member: int, room: int) -> int:
        for topic, numbers in self._question.had[member]:
            if topic not in self._subscribed:
                self._copy(member).drop(topic)
            elif len(numbers) <= room:
                room -= len(numbers)
            else:
                for number in numbers[room:]:
                    self._copy(member).remove(topic, number)
                    self._free.append((topic, number))
                room = 0
        return room
