"""What the clients of a group are called: the host where it distinguishes them, else the first characters of the process ID."""

from collections.abc import Callable

from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.text.format import printable


def named(snapshot: StreamsGroupSnapshot) -> Callable[[str], str]:
    """By process ID; one that the group does not have is named by its ID."""
    hosts = {one.process_id: one.host for one in snapshot.members if one.process_id is not None}
    known = list(hosts.values())

    def name(process_id: str) -> str:
        host = hosts.get(process_id)
        return printable(host, 40) if host and known.count(host) == 1 else printable(process_id[:8])

    return name
