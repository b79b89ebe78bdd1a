"""A request from a form with a few fields, as a Change to a consumer group: hosts instead of member IDs.

The broker makes the ID of a member that joins, of its client.id and a random UUID. The Change holds one at the likeliest rank in
the order of the members (`new_id_ranks`); `verify` puts the real ones in its place.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.change.change import ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.events.add_consumer import AddConsumer
from holdfast.rollout.consumer.events.convert_consumer import CONSUMER, ConvertConsumer
from holdfast.rollout.consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.consumer.events.replace_consumer import ReplaceConsumer
from holdfast.rollout.consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.consumer.snapshot.new_id_ranks import new_id_ranks
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.requests import Request, What, named
from holdfast.rollout.group import requested
from holdfast.rollout.group.requested import Requested
from holdfast.rollout.text.format import printable

ASKABLE = (What.REPLACE, What.SCALE, What.RESTART, What.CONVERT)
"""What makes sense without tasks, settings and releases of Kafka Streams."""
UNUSED_FIELDS = frozenset({"disk", "threads"})
"""A consumer has no state directory and no stream threads."""


def consumer_change_of(request: Request, snapshot: ConsumerSnapshot) -> ConsumerChange:
    """Raise InvalidInput for a request that the group cannot be asked for."""
    return ConsumerChange(tuple(requested.items(_Requested(snapshot), request)))


class _Requested(Requested[Member, ConsumerItem]):
    member: ClassVar[str] = "consumer"
    asks: ClassVar[tuple[What, ...]] = ASKABLE
    unused_fields: ClassVar[frozenset[str]] = UNUSED_FIELDS
    refusal: ClassVar[str] = "is a consumer group without Kafka Streams"
    events_page: ClassVar[str] = "docs/consumer-groups.md"

    def __init__(self, snapshot: ConsumerSnapshot) -> None:
        super().__init__(snapshot.group_id)
        self.snapshot = snapshot
        self.ids = _NewMemberIds(snapshot.members)

    def members(self) -> Sequence[Member]:
        return self.snapshot.members

    def names(self) -> list[str]:
        return sorted((one.host or one.member_id for one in self.snapshot.members), key=printable)

    def on(self, hosts: tuple[str, ...]) -> tuple[Member, ...]:
        called: dict[str | None, list[Member]] = {}
        for member in self.snapshot.members:
            for name in dict.fromkeys((member.host, member.member_id, member.group_instance_id)):
                called.setdefault(name, []).append(member)
        found: dict[str, Member] = {}
        for host in hosts:
            on_it = called.get(host)
            if not on_it:
                known = named(self.names())
                raise InvalidInput(f"no consumer of the group runs on '{printable(host)}'. The group has {known}", "hosts")
            found |= {one.member_id: one for one in on_it}
        return tuple(found.values())

    def replace(self, member: Member, request: Request) -> ConsumerItem:
        return ReplaceConsumer(member.member_id, NewConsumer(self.ids.like(member), host=request.new_host or member.host))

    def add(self, request: Request, more: int) -> Iterator[ConsumerItem]:
        """They read what most read, with the assignors that most have."""
        members = self.snapshot.members
        ((assignors, subscription), _), *_ = Counter((one.assignors, one.subscription) for one in members).most_common(1)
        usual = next(one for one in members if (one.assignors, one.subscription) == (assignors, subscription))
        for host in request.hosts or (None,) * more:
            yield AddConsumer(NewConsumer(self.ids.like(usual), assignors, subscription, usual.client_id, host, None, None))

    def remove(self, member: Member) -> ConsumerItem:
        return RemoveConsumer(member.member_id)

    def restart(self, chosen: tuple[Member, ...], request: Request) -> Iterator[ConsumerItem]:
        at_once = request.at_once or 1
        for number, member in enumerate(chosen or self.snapshot.members):
            if number and number % at_once == 0:
                yield Then(Wait.STABLE)
            yield RestartConsumer(member.member_id, NewConsumer(self.ids.like(member)))

    def convert(self, chosen: tuple[Member, ...]) -> Iterator[ConsumerItem]:
        for number, member in enumerate(chosen or self.snapshot.members):
            if number:
                yield Then(Wait.STABLE)
            yield ConvertConsumer(member.member_id, CONSUMER)


class _NewMemberIds:
    """Member IDs as the broker might make them, no two alike."""

    def __init__(self, members: tuple[Member, ...]) -> None:
        self._taken = list(members)

    def like(self, member: Member) -> str:
        """For a consumer with this one's client.id."""
        places = new_id_ranks(member, self._taken)
        likeliest = max(places, key=lambda one: (one.probability, -one.place)).member_id
        self._taken.append(Member(likeliest, (), ()))
        return likeliest
