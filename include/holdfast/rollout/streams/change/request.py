"""A request from a form with a few fields, as a Change to a Kafka Streams group: hosts instead of process IDs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from holdfast.errors import InvalidInput
from holdfast.kafka.release import RELEASES
from holdfast.kafka.release_lines import is_older
from holdfast.kafka.streams import config_check
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.requests import Disk, Request
from holdfast.rollout.group import requested
from holdfast.rollout.group.requested import Requested
from holdfast.rollout.streams.change.change import Change, Item
from holdfast.rollout.streams.events.add_client import AddClient
from holdfast.rollout.streams.events.move_to_streams_protocol import MoveToStreamsProtocol
from holdfast.rollout.streams.events.parts.new_client import NewClient
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.replace_client import ReplaceClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.events.stop_application import StopApplication
from holdfast.rollout.streams.snapshot import named_clients
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


def change_of(request: Request, snapshot: Snapshot) -> Change:
    """Raise InvalidInput for a request that the group cannot be asked for."""
    return Change(tuple(requested.items(_Requested(snapshot), request)))


class _Requested(Requested[Client, Item]):
    member: ClassVar[str] = "client"

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot.group_id)
        self.snapshot = snapshot

    def members(self) -> Sequence[Client]:
        return self.snapshot.clients

    def names(self) -> list[str]:
        """In the order of their process IDs."""
        return [client.host or str(client.process_id) for client in sorted(self.snapshot.clients, key=lambda one: one.process_id)]

    def on(self, hosts: tuple[str, ...]) -> tuple[Client, ...]:
        return _clients(hosts, self.snapshot)

    def replace(self, member: Client, request: Request) -> Item:
        by = NewClient(None, request.threads, request.new_host or member.host)
        return ReplaceClient(member.process_id, by, request.disk or Disk.EMPTY)

    def add(self, request: Request, more: int) -> Iterator[Item]:
        """With as many threads as most clients have. They generate their process IDs."""
        usual = Counter(len(client.consumers) for client in self.snapshot.clients).most_common(1)[0][0]
        for host in request.hosts or (None,) * more:
            yield AddClient(NewClient(None, request.threads or usual, host, None, ()))

    def remove(self, member: Client) -> Item:
        return RemoveClient(member.process_id, leaves=False)

    def restart(self, chosen: tuple[Client, ...], request: Request) -> Iterator[Item]:
        _refuse_settings(request, self.snapshot)
        _refuse_no_upgrade(request, self.snapshot)
        yield RollingRestart(
            process_ids=tuple(client.process_id for client in chosen) or None,
            at_once=request.at_once or 1,
            settings=request.settings,
            kafka_release=request.kafka_release,
        )

    def stop(self, minutes: float) -> Iterator[Item]:
        yield StopApplication(minutes)

    def move(self, request: Request) -> Iterator[Item]:
        assert request.broker_release is not None, "refused before"
        yield MoveToStreamsProtocol(request.broker_release, kafka_release=request.kafka_release)


def _refuse_no_upgrade(request: Request, snapshot: Snapshot) -> None:
    """Of the release that runs, or an older one: a restart without effect, or a downgrade that `upgrade` does not mean."""
    wanted, running = request.kafka_release, snapshot.kafka_release
    if wanted is None or running is None:
        return
    if wanted == running:
        raise InvalidInput(f"the group runs {running} already; choose a newer release", "kafka_release")
    if is_older(wanted, running):
        raise InvalidInput(
            f"{wanted} is older than {running}, which the group runs: an upgrade goes to a newer release. To go back, give a Change"
            " document with a rolling_restart and its kafka_release",
            "kafka_release",
        )


def _refuse_settings(request: Request, snapshot: Snapshot) -> None:
    try:
        config_check.check(snapshot.kafka_release or RELEASES[-1], dict(request.settings))
    except InvalidInput as problem:
        raise InvalidInput(str(problem), "settings") from None


def _clients(hosts: tuple[str, ...], snapshot: Snapshot) -> tuple[Client, ...]:
    """All clients on these hosts, in the order in which they are named; or one, by another of its names (`named_clients`)."""
    on: dict[str | None, list[Client]] = {}
    for client in snapshot.clients:
        on.setdefault(client.host, []).append(client)
    by_id = {client.process_id: client for client in snapshot.clients}
    all_clients = tuple(map(named_clients.known, snapshot.clients))
    found: dict[ProcessId, Client] = {}
    for host in hosts:
        try:
            on_it = on.get(host) or [by_id[named_clients.requested(host, all_clients)]]
        except InvalidInput as problem:
            raise InvalidInput(str(problem), "hosts") from None
        found |= {client.process_id: client for client in on_it}
    return tuple(found.values())
