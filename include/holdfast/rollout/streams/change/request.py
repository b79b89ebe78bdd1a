"""What somebody in a hurry asks for in a few fields, and the Change that it means for a group: hosts instead of process IDs.

Every refusal names the field, says what was found and what is needed.
"""

from collections import Counter
from collections.abc import Iterator
from typing import assert_never

from holdfast.errors import InvalidInput
from holdfast.kafka.release import RELEASES
from holdfast.kafka.release_table import is_older
from holdfast.kafka.streams import config_check
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.requests import Disk, Request, What, named, refuse_incomplete
from holdfast.rollout.streams.change.change import Change, Item
from holdfast.rollout.streams.events.add_client import AddClient
from holdfast.rollout.streams.events.new_client import NewClient
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.replace_client import ReplaceClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.events.stop_application import StopApplication
from holdfast.rollout.streams.snapshot import named_clients
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.wording import many


def change_of(request: Request, snapshot: Snapshot) -> Change:
    """Raise InvalidInput for a request that the group cannot be asked for."""
    refuse_incomplete(request)
    return Change(tuple(_items(request, snapshot)))


def _items(request: Request, snapshot: Snapshot) -> Iterator[Item]:
    match request.what:
        case What.REPLACE:
            for client in _clients(request.hosts, snapshot):
                by = NewClient(None, request.threads, request.new_host or client.host)
                yield ReplaceClient(client.process_id, by, request.disk or Disk.EMPTY)
        case What.SCALE:
            yield from _scaled(request, snapshot)
        case What.RESTART | What.SETTINGS | What.UPGRADE:
            _refuse_settings(request, snapshot)
            _refuse_no_upgrade(request, snapshot)
            chosen = tuple(client.process_id for client in _clients(request.hosts, snapshot))
            yield RollingRestart(
                process_ids=chosen or None,
                at_once=request.at_once or 1,
                settings=request.settings,
                kafka_release=request.kafka_release,
            )
        case What.STOP:
            assert request.minutes is not None, "refused before"
            yield StopApplication(request.minutes)
        case _:
            assert_never(request.what)


def _refuse_no_upgrade(request: Request, snapshot: Snapshot) -> None:
    """Of the release that runs, or an older one: that is a restart for nothing, or a way back that nobody meant by `upgrade`."""
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


def _scaled(request: Request, snapshot: Snapshot) -> Iterator[Item]:
    there, wanted = len(snapshot.clients), request.clients or 0
    if wanted == there:
        raise InvalidInput(f"the group has {many(there, 'client')} already", "clients")
    if wanted > there:
        yield from _more(request, snapshot, wanted - there)
        return
    leaving = _clients(request.hosts, snapshot)
    if len(leaving) != there - wanted:
        raise InvalidInput(
            f"{many(len(leaving), 'client')} on {many(len(request.hosts), 'host')} found, and {there - wanted} must go: say which."
            f" The group has {_known(snapshot)}",
            "hosts",
        )
    yield from (RemoveClient(client.process_id, leaves=False) for client in leaving)


def _more(request: Request, snapshot: Snapshot, more: int) -> Iterator[Item]:
    """New clients have as many threads as most have. They draw their process IDs."""
    if len(request.hosts) not in (0, more):
        raise InvalidInput(
            f"{len(request.hosts)} were found, and {more} come: name the host of each new client, or none of them", "hosts"
        )
    usual = Counter(len(client.consumers) for client in snapshot.clients).most_common(1)[0][0]
    for host in request.hosts or (None,) * more:
        yield AddClient(NewClient(None, request.threads or usual, host, None, ()))


def _clients(hosts: tuple[str, ...], snapshot: Snapshot) -> tuple[Client, ...]:
    """All clients on these hosts, in the order in which they are named; or one, by another of its names (`named_clients`)."""
    on: dict[str | None, list[Client]] = {}
    for client in snapshot.clients:
        on.setdefault(client.host, []).append(client)
    by_id = {client.process_id: client for client in snapshot.clients}
    everybody = tuple(map(named_clients.known, snapshot.clients))
    found: dict[ProcessId, Client] = {}
    for host in hosts:
        try:
            on_it = on.get(host) or [by_id[named_clients.meant(host, everybody)]]
        except InvalidInput as problem:
            raise InvalidInput(str(problem), "hosts") from None
        found |= {client.process_id: client for client in on_it}
    return tuple(found.values())


def _known(snapshot: Snapshot) -> str:
    """The group's clients by host, in the order of their process IDs."""
    return named([client.host or str(client.process_id) for client in sorted(snapshot.clients, key=lambda one: one.process_id)])
