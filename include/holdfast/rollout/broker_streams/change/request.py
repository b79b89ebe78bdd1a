"""A request from a form with a few fields, as a Change to a streams group whose broker assigns: hosts instead of process IDs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.add_client import AddClient
from holdfast.rollout.broker_streams.events.parts.fields import EMPTY, DiskState
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.broker_streams.events.remove_client import RemoveClient
from holdfast.rollout.broker_streams.events.replace_client import ReplaceClient
from holdfast.rollout.broker_streams.events.restart_client import RestartClient
from holdfast.rollout.broker_streams.events.set_config import SetConfig
from holdfast.rollout.broker_streams.snapshot.processes import processes
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.requests import Request, What, named
from holdfast.rollout.group import requested
from holdfast.rollout.group.requested import Requested
from holdfast.rollout.text.format import printable

ASKABLE = (What.REPLACE, What.SCALE, What.RESTART, What.SETTINGS, What.STOP)
"""The release of Kafka Streams has no effect: the coordinator's has."""


@dataclass(frozen=True, slots=True)
class _Client:
    process_id: str
    host: str | None
    threads: int


def broker_change_of(request: Request, snapshot: StreamsGroupSnapshot) -> BrokerChange:
    """Raise InvalidInput for a request that the group cannot be asked for."""
    if request.what is What.SETTINGS:
        return BrokerChange((requested.configs(request, SetConfig),))
    return BrokerChange(tuple(requested.items(_Requested(snapshot), request)))


class _Requested(Requested[_Client, BrokerItem]):
    member: ClassVar[str] = "client"
    asks: ClassVar[tuple[What, ...]] = ASKABLE
    refusal: ClassVar[str] = "is a Streams group whose broker assigns"
    events_page: ClassVar[str] = "docs/streams-groups.md"

    def __init__(self, snapshot: StreamsGroupSnapshot) -> None:
        super().__init__(snapshot.group_id)
        self.clients = tuple(
            _Client(one.process_id, one.host, len(one.members)) for one in processes(snapshot) if one.process_id is not None
        )

    def members(self) -> Sequence[_Client]:
        return self.clients

    def names(self) -> list[str]:
        return sorted((one.host or one.process_id for one in self.clients), key=printable)

    def on(self, hosts: tuple[str, ...]) -> tuple[_Client, ...]:
        found: dict[str, _Client] = {}
        for host in hosts:
            on_it = [one for one in self.clients if host in (one.host, one.process_id)]
            if not on_it:
                known = named(self.names())
                raise InvalidInput(f"no client of the group runs on '{printable(host)}'. The group has {known}", "hosts")
            found |= {one.process_id: one for one in on_it}
        return tuple(found.values())

    def replace(self, member: _Client, request: Request) -> BrokerItem:
        state = EMPTY if request.disk is None else DiskState(request.disk)
        by = NewClient(threads=request.threads or member.threads, host=request.new_host or member.host)
        return ReplaceClient(member.process_id, by, state)

    def add(self, request: Request, more: int) -> Iterator[BrokerItem]:
        ((usual, _),) = Counter(one.threads for one in self.clients).most_common(1)
        for host in request.hosts or (None,) * more:
            yield AddClient(NewClient(threads=request.threads or usual, host=host))

    def remove(self, member: _Client) -> BrokerItem:
        return RemoveClient(member.process_id)

    def restart(self, chosen: tuple[_Client, ...], request: Request) -> Iterator[BrokerItem]:
        at_once = request.at_once or 1
        for number, member in enumerate(chosen or self.clients):
            if number and number % at_once == 0:
                yield Then(Wait.STABLE)
            yield RestartClient(member.process_id)

    def stop(self, minutes: float) -> Iterator[BrokerItem]:  # noqa: ARG002 - how long has no effect on what is assigned
        yield from (RestartClient(one.process_id) for one in self.clients)
