"""A request from a form with a few fields, as a Change to a consumer group: hosts instead of member IDs.

The broker makes the ID of a member that joins, of its client.id and a random UUID. The Change holds one at the likeliest place in
the order of the members (`losses.fresh_places`); `verify` puts the real ones in its place.
"""

from collections import Counter
from collections.abc import Iterator

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.change.change import ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.events.add_consumer import AddConsumer
from holdfast.rollout.consumer.events.new_consumer import NewConsumer
from holdfast.rollout.consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.consumer.events.replace_consumer import ReplaceConsumer
from holdfast.rollout.consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.consumer.snapshot.fresh_places import fresh_places
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.requests import Request, What, named, refuse_incomplete
from holdfast.rollout.text.wording import many, printable

ASKABLE = (What.REPLACE, What.SCALE, What.RESTART)
"""What makes sense without tasks, settings and releases of Kafka Streams."""
STREAMS_ONLY = ("disk", "threads")


def consumer_change_of(request: Request, snapshot: ConsumerSnapshot) -> ConsumerChange:
    """Raise InvalidInput for a request that the group cannot be asked for."""
    refuse_incomplete(request)
    if request.what not in ASKABLE:
        raise InvalidInput(
            f"{snapshot.group_id!r} is a consumer group without Kafka Streams: '{request.what}' does not apply. Give one of"
            f" {', '.join(ASKABLE)}, or a Change document (docs/consumer-groups.md)",
            "what",
        )
    for field in STREAMS_ONLY:
        if getattr(request, field):
            raise InvalidInput("a consumer without Kafka Streams has none; leave it empty", field)
    return ConsumerChange(tuple(_items(request, snapshot)))


def _items(request: Request, snapshot: ConsumerSnapshot) -> Iterator[ConsumerItem]:
    match request.what:
        case What.REPLACE:
            ids = _FreshIds(snapshot.members)
            for member in _members(request.hosts, snapshot):
                yield ReplaceConsumer(member.member_id, NewConsumer(ids.like(member), host=request.new_host or member.host))
        case What.SCALE:
            yield from _scaled(request, snapshot)
        case _:
            ids, at_once = _FreshIds(snapshot.members), request.at_once or 1
            for number, member in enumerate(_members(request.hosts, snapshot) or snapshot.members):
                if number and number % at_once == 0:
                    yield Then(Wait.STABLE)
                yield RestartConsumer(member.member_id, NewConsumer(ids.like(member)))


class _FreshIds:
    """Member IDs as the broker might make them, no two alike."""

    def __init__(self, members: tuple[Member, ...]) -> None:
        self._taken = list(members)

    def like(self, member: Member) -> str:
        """For a consumer with this one's client.id."""
        places = fresh_places(member, self._taken)
        likeliest = max(places, key=lambda one: (one.probability, -one.place)).member_id
        self._taken.append(Member(likeliest, (), ()))
        return likeliest


def _scaled(request: Request, snapshot: ConsumerSnapshot) -> Iterator[ConsumerItem]:
    there, wanted = len(snapshot.members), request.clients or 0
    if wanted == there:
        raise InvalidInput(f"the group has {many(there, 'consumer')} already", "clients")
    if wanted > there:
        yield from _more(request, snapshot, wanted - there)
        return
    leaving = _members(request.hosts, snapshot)
    if len(leaving) != there - wanted:
        raise InvalidInput(
            f"{many(len(leaving), 'consumer')} on {many(len(request.hosts), 'host')} found, and {there - wanted} must go: say"
            f" which. The group has {_known(snapshot)}",
            "hosts",
        )
    yield from (RemoveConsumer(member.member_id) for member in leaving)


def _more(request: Request, snapshot: ConsumerSnapshot, more: int) -> Iterator[ConsumerItem]:
    """New consumers read what most read, with the assignors that most have."""
    if not snapshot.members:
        raise InvalidInput("the group has no consumer that new ones could be like: say it as a Change document", "clients")
    if len(request.hosts) not in (0, more):
        raise InvalidInput(
            f"{len(request.hosts)} were found, and {more} come: name the host of each new consumer, or none of them", "hosts"
        )
    ((assignors, subscription), _), *_ = Counter((one.assignors, one.subscription) for one in snapshot.members).most_common(1)
    usual = next(one for one in snapshot.members if (one.assignors, one.subscription) == (assignors, subscription))
    ids = _FreshIds(snapshot.members)
    for host in request.hosts or (None,) * more:
        yield AddConsumer(NewConsumer(ids.like(usual), assignors, subscription, usual.client_id, host, None, None))


def _members(hosts: tuple[str, ...], snapshot: ConsumerSnapshot) -> tuple[Member, ...]:
    """All consumers on these hosts, in the order in which they are named."""
    called: dict[str | None, list[Member]] = {}
    for member in snapshot.members:
        for name in dict.fromkeys((member.host, member.member_id, member.group_instance_id)):
            called.setdefault(name, []).append(member)
    found: dict[str, Member] = {}
    for host in hosts:
        on_it = called.get(host)
        if not on_it:
            raise InvalidInput(f"no consumer of the group runs on '{printable(host)}'. The group has {_known(snapshot)}", "hosts")
        found |= {one.member_id: one for one in on_it}
    return tuple(found.values())


def _known(snapshot: ConsumerSnapshot) -> str:
    return named(sorted((one.host or one.member_id for one in snapshot.members), key=printable))
