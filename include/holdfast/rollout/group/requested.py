"""A request from a form with a few fields, as events for a group: once, for every kind of group. Hosts stand for members.

Every refusal names the field, says what was found and what is needed.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, Generic, Protocol, Self, TypeVar, assert_never

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.requests import Request, What, named, refuse_incomplete
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.text.format import many

M = TypeVar("M")
"""A member of the group, or a client."""
I = TypeVar("I")  # noqa: E741
"""An item of a Change: an event, or a wait."""


class Requested(ABC, Generic[M, I]):
    """What a kind of group makes of a request for one of its groups. Methods raise InvalidInput for what the group cannot do."""

    member: ClassVar[str]
    """What a member is called."""
    asks: ClassVar[tuple[What, ...]] = tuple(one for one in What if one is not What.CONVERT)
    """The change types that apply."""
    unused_fields: ClassVar[frozenset[str]] = frozenset()
    """Those fields that mean nothing for it."""
    refusal: ClassVar[str] = ""
    """Why the others do not apply, after the group's name."""
    events_page: ClassVar[str] = "docs/changes.md"
    """Where its events are listed."""

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id

    @abstractmethod
    def members(self) -> Sequence[M]: ...

    @abstractmethod
    def names(self) -> list[str]:
        """Of the members, by host, sorted."""

    @abstractmethod
    def on(self, hosts: tuple[str, ...]) -> tuple[M, ...]:
        """All members on these hosts, in the order in which they are named."""

    @abstractmethod
    def replace(self, member: M, request: Request) -> I: ...

    @abstractmethod
    def add(self, request: Request, more: int) -> Iterator[I]:
        """New members like most of those that are there. `hosts` of the request: none, or one for each."""

    @abstractmethod
    def remove(self, member: M) -> I: ...

    @abstractmethod
    def restart(self, chosen: tuple[M, ...], request: Request) -> Iterator[I]:
        """`chosen`: on the hosts of the request; none: all members."""

    def stop(self, minutes: float) -> Iterator[I]:
        raise AssertionError(f"{What.STOP} is not one of {self.asks}, which stops {minutes} minutes")

    def move(self, request: Request) -> Iterator[I]:
        raise AssertionError(f"{What.MOVE} is not one of {self.asks}, which moves to brokers of {request.broker_release}")

    def convert(self, chosen: tuple[M, ...]) -> Iterator[I]:
        """One after the other. `chosen`: as for `restart`."""
        raise AssertionError(f"{What.CONVERT} is not one of {self.asks}, which converts {chosen}")


def items(group: Requested[M, I], request: Request) -> Iterator[I]:
    """Raise InvalidInput for a request that the group cannot be asked for."""
    refuse_incomplete(request)
    if request.what not in group.asks:
        raise InvalidInput(f"{group.group_id!r} {group.refusal}: '{request.what}' does not apply. {_offered(group)}", "what")
    for field in sorted(group.unused_fields):
        if getattr(request, field):
            raise InvalidInput(f"a {group.member} of this group has none; leave it empty", field)
    yield from _items(group, request)


def _offered(group: Requested[M, I]) -> str:
    return f"Give one of {', '.join(group.asks)}, or a Change document ({group.events_page})"


def _items(group: Requested[M, I], request: Request) -> Iterator[I]:
    match request.what:
        case What.REPLACE:
            yield from (group.replace(member, request) for member in group.on(request.hosts))
        case What.SCALE:
            yield from _scaled(group, request)
        case What.RESTART | What.SETTINGS | What.UPGRADE:
            yield from group.restart(group.on(request.hosts), request)
        case What.STOP:
            assert request.minutes is not None, "refused before"
            yield from group.stop(request.minutes)
        case What.MOVE:
            yield from group.move(request)
        case What.CONVERT:
            yield from group.convert(group.on(request.hosts))
        case _:
            assert_never(request.what)


def _scaled(group: Requested[M, I], request: Request) -> Iterator[I]:
    now, wanted = len(group.members()), request.clients or 0
    if wanted == now:
        raise InvalidInput(f"the group has {many(now, group.member)} already", "clients")
    if wanted > now:
        yield from _added(group, request, wanted - now)
        return
    leaving = group.on(request.hosts)
    if len(leaving) != now - wanted:
        raise InvalidInput(
            f"{many(len(leaving), group.member)} on {many(len(request.hosts), 'host')} found, and {now - wanted} must be removed:"
            f" name their hosts. The group has {named(group.names())}",
            "hosts",
        )
    yield from (group.remove(member) for member in leaving)


def _added(group: Requested[M, I], request: Request, more: int) -> Iterator[I]:
    if not group.members():
        raise InvalidInput(f"the group has no {group.member} that new ones could be like: give a Change document", "clients")
    if len(request.hosts) not in (0, more):
        raise InvalidInput(
            f"{len(request.hosts)} were found, and {more} come: name the host of each new {group.member}, or none of them", "hosts"
        )
    yield from group.add(request, more)


class _Configs(Protocol):
    """An event that sets configs of a group."""

    @classmethod
    def codec(cls) -> Codec[Self]: ...


G = TypeVar("G", bound=_Configs)


def configs(request: Request, event: type[G]) -> G:
    """Configs of the group, which take effect without a restart. Raise InvalidInput for those of clients."""
    for field in ("hosts", "at_once"):
        if getattr(request, field):
            raise InvalidInput("configs of the group apply to all clients, without a restart; leave it empty", field)
    try:
        return event.codec().read(dict(request.settings))
    except InvalidInput as problem:
        raise InvalidInput(str(problem), "settings") from None
