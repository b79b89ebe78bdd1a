"""The `uniform` assignor for members that are subscribed to different topics.

Java: `org.apache.kafka.coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder`, 4.0.0 to 4.4.0. What is left over goes to
the least loaded subscribers, topic by topic; then partitions move from the most to the least loaded ones until a round moves none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.errors import CannotPredict
from holdfast.kafka import java
from holdfast.kafka.coordinator.consumer.balancer import Balancer
from holdfast.kafka.coordinator.consumer.group import Owned
from holdfast.kafka.coordinator.consumer.hash_tables import Copies, TopicTable

_MOST_ROUNDS = 16
_FREE = -1


@dataclass(frozen=True, slots=True)
class Question:
    """`had`: what each member had, in the order of the assignor's map of members; `subscribed`: the topics of each that exist.
    `counts`, `ids`: of all topics that exist."""

    had: Sequence[Owned]
    subscribed: Sequence[frozenset[str]]
    counts: Mapping[str, int]
    ids: Mapping[str, int]
    copies: Copies


def assign(question: Question) -> list[Owned]:
    """What each member is to own, in the same order. Raise CannotPredict where the assignor would throw."""
    if not any(question.subscribed):
        return [() for _ in question.had]
    builder = _Builder(question)
    builder.keep()
    builder.give_what_is_free()
    builder.balance()
    return builder.owned()


class _Builder:
    def __init__(self, question: Question) -> None:
        self._question = question
        self._copied: dict[int, TopicTable] = {}
        self._sizes = [0] * len(question.had)
        self._subscribers: dict[str, list[int]] = {}
        for member, topics in enumerate(question.subscribed):
            for topic in topics:
                self._subscribers.setdefault(topic, []).append(member)
        self._owners = {topic: [_FREE] * question.counts[topic] for topic in self._subscribers}
        self._topics = sorted(self._subscribers, key=self._rank)

    def _rank(self, topic: str) -> tuple[float, int, tuple[int, int]]:
        """The most partitions a subscriber first, then the fewest subscribers, then by ID."""
        subscribers = len(self._subscribers[topic])
        return -(self._question.counts[topic] / subscribers), subscribers, java.signed_halves(self._question.ids[topic])

    def _copy(self, member: int) -> TopicTable:
        found = self._copied.get(member)
        if found is None:
            found = self._copied[member] = TopicTable(self._question.had[member], self._question.ids, self._question.copies)
        return found

    def keep(self) -> None:
        """Every member keeps what it had of topics that it is still subscribed to."""
        for member, owned in enumerate(self._question.had):
            for topic, numbers in owned:
                if topic not in self._question.subscribed[member]:
                    self._copy(member).drop(topic)
                    continue
                owners = self._owners[topic]
                if max(numbers, default=0) >= len(owners):
                    raise CannotPredict(
                        f"partition {max(numbers)} of topic {topic!r} was assigned, and the topic has {len(owners)} partitions:"
                        " with members that are subscribed to different topics the coordinator would fail to assign"
                    )
                self._sizes[member] += len(numbers)
                for number in numbers:
                    owners[number] = member

    def give_what_is_free(self) -> None:
        balancer = Balancer(self._sizes)
        for topic in self._topics:
            free = [number for number, owner in enumerate(self._owners[topic]) if owner == _FREE]
            if free:
                balancer.begin(self._subscribers[topic])
                for number in free:
                    self._give(topic, number, balancer.next_least_loaded())

    def _give(self, topic: str, number: int, member: int) -> None:
        owners = self._owners[topic]
        before = owners[number]
        if before != _FREE:
            self._copy(before).remove(topic, number)
            self._sizes[before] -= 1
        share = -(-len(owners) // len(self._subscribers[topic]))
        self._copy(member).add(topic, number, 1 << (share * 4 // 3).bit_length())
        owners[number] = member
        self._sizes[member] += 1

    def balance(self) -> None:
        """Until every topic has been gone through since the last one of which something moved."""
        topics = [topic for topic in self._topics if len(self._subscribers[topic]) > 1]
        balancer = Balancer(self._sizes)
        last = -1
        for _ in range(_MOST_ROUNDS):
            for place, topic in enumerate(topics):
                if place == last:
                    return
                if self._balance_topic(topic, balancer) or last < 0:
                    last = place

    def _balance_topic(self, topic: str, balancer: Balancer) -> int:
        """Move partitions of one topic from its most to its least loaded subscribers. Return how many."""
        moved = 0
        if balancer.begin(self._subscribers[topic]) <= 1:
            return moved
        owned: dict[int, list[int]] = {}
        for number, owner in enumerate(self._owners[topic]):
            owned.setdefault(owner, []).append(number)
        while not balancer.is_balanced():
            giver = balancer.next_most_loaded()
            while giver is not None and not owned.get(giver):
                balancer.exclude_most_loaded()
                giver = balancer.next_most_loaded()
            if giver is None:
                break
            number = owned[giver].pop()
            taker = balancer.next_least_loaded()
            if balancer.is_balanced():
                break
            self._give(topic, number, taker)
            moved += 1
        return moved

    def owned(self) -> list[Owned]:
        return [
            self._copied[member].recorded() if member in self._copied else owned for member, owned in enumerate(self._question.had)
        ]
