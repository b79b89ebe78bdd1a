"""A request from a form with a few fields, as a Change to a consumer group whose broker assigns: hosts instead of member IDs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.group import MemberType
from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.events.add_consumer import AddConsumer
from holdfast.rollout.broker_consumer.events.convert_consumer import ConvertConsumer
from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.broker_consumer.events.replace_consumer import ReplaceConsumer
from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.broker_consumer.events.set_config import SetConfig
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import INHERITED, Then, Wait
from holdfast.rollout.contract.requests import Request, What, named
from holdfast.rollout.group import requested
from holdfast.rollout.group.requested import Requested
from holdfast.rollout.text.format import printable

ASKABLE = (What.REPLACE, What.SCALE, What.RESTART, What.SETTINGS, What.CONVERT)
"""What makes sense without tasks and releases of clients: the coordinator's release decides."""
UNUSED_FIELDS = frozenset({"disk", "threads"})
"""A consumer has no state directory and no stream threads."""


def group_change_of(request: Request, snapshot: BrokerConsumerSnapshot) -> GroupChange:
    """Raise InvalidInput for a request that the group cannot be asked for."""
    if request.what is What.SETTINGS:
        return GroupChange((requested.configs(request, SetConfig),))
    return GroupChange(tuple(requested.items(_Requested(snapshot), request)))


class _Requested(Requested[BrokerConsumer, Item]):
    member: ClassVar[str] = "consumer"
    asks: ClassVar[tuple[What, ...]] = ASKABLE
    unused_fields: ClassVar[frozenset[str]] = UNUSED_FIELDS
    refusal: ClassVar[str] = "is a consumer group whose broker assigns"
    events_page: ClassVar[str] = "docs/consumer-groups.md"

    def __init__(self, snapshot: BrokerConsumerSnapshot) -> None:
        super().__init__(snapshot.group_id)
        self._members = snapshot.members

    def members(self) -> Sequence[BrokerConsumer]:
        return self._members

    def names(self) -> list[str]:
        return sorted((one.host or one.member_id for one in self._members), key=printable)

    def on(self, hosts: tuple[str, ...]) -> tuple[BrokerConsumer, ...]:
        found: dict[str, BrokerConsumer] = {}
        for host in hosts:
            on_it = [one for one in self._members if host in (one.host, one.member_id, one.instance_id)]
            if not on_it:
                known = named(self.names())
                raise InvalidInput(f"no consumer of the group runs on '{printable(host)}'. The group has {known}", "hosts")
            found |= {one.member_id: one for one in on_it}
        return tuple(found.values())

    def replace(self, member: BrokerConsumer, request: Request) -> Item:
        """A static member that is replaced where it runs keeps its instance ID; elsewhere another consumer has another one."""
        instance = INHERITED if request.new_host in (None, member.host) else None
        return ReplaceConsumer(member.member_id, NewConsumer(instance_id=instance, host=request.new_host or member.host))

    def add(self, request: Request, more: int) -> Iterator[Item]:
        """They read what most read."""
        ((subscription, regex), _), *_ = Counter((one.subscription, one.subscription_regex) for one in self._members).most_common(1)
        for host in request.hosts or (None,) * more:
            yield AddConsumer(NewConsumer(None, subscription, regex, None, "", host, None))

    def remove(self, member: BrokerConsumer) -> Item:
        return RemoveConsumer(member.member_id)

    def restart(self, chosen: tuple[BrokerConsumer, ...], request: Request) -> Iterator[Item]:
        at_once = request.at_once or 1
        for number, member in enumerate(chosen or self._members):
            if number and number % at_once == 0:
                yield Then(Wait.STABLE)
            yield RestartConsumer.codec().read({"member_id": member.member_id})

    def convert(self, chosen: tuple[BrokerConsumer, ...]) -> Iterator[Item]:
        """Those that are classic still."""
        classic = [one for one in chosen or self._members if one.member_type == MemberType.CLASSIC]
        if not classic:
            raise InvalidInput(
                "all consumers that are asked for are of the consumer protocol already", "hosts" if chosen else "what"
            )
        for number, member in enumerate(classic):
            if number:
                yield Then(Wait.STABLE)
            yield ConvertConsumer.codec().read({"member_id": member.member_id, "to": str(MemberType.CONSUMER)})
