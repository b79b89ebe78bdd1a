"""The client that a name refers to: host or pod, client ID, group.instance.id, or the beginning of its process ID."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.text.format import printable

SHORTEST_PREFIX = 4
"""Digits of a process ID that are enough, if they are one client's."""
MOST_NAMED = 20
_THREAD = re.compile(r"-StreamThread-[0-9]{1,9}-consumer\Z", re.ASCII)
_OF_A_THREAD = re.compile(r"-[0-9]{1,9}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Known:
    """A client that can be named. `process_id` None: a new random one, so that it can be shown but not selected. `digits`: the ID
    as text. `names`: what else it is called, its host among it, and the client and instance IDs of its threads."""

    process_id: ProcessId | None
    host: str | None
    digits: str
    names: frozenset[str]


def known(client: Client) -> Known:
    called: set[str] = set()
    for one in client.consumers:
        called |= {one.client_id, _THREAD.sub("", one.client_id)}
        if one.group_instance_id is not None:
            called |= {one.group_instance_id, _OF_A_THREAD.sub("", one.group_instance_id)}
    return coming(client.process_id, client.host, called)


def coming(process_id: ProcessId | None, host: str | None, names: Iterable[str] = ()) -> Known:
    """One that a change brings."""
    called = frozenset(name for name in (host, *names) if name)
    return Known(process_id, host, "" if process_id is None else str(process_id), called)


def requested(name: str, clients: Iterable[Known]) -> ProcessId:
    """The client of this name. Raise InvalidInput where no client or more than one has it, and name what distinguishes them."""
    all_clients = tuple(clients)
    found = _called(name, all_clients)
    if not found:
        raise InvalidInput(
            f"no client of the group is called '{printable(name)}': by host, client ID, instance ID, or {SHORTEST_PREFIX} or more"
            f" digits that one process ID begins with. The group has {described(all_clients)}"
        )
    if len(found) > 1:
        raise InvalidInput(
            f"'{printable(name)}' matches {len(found)} clients: {described(found)}. Name one by the beginning of its process ID"
        )
    if found[0].process_id is None:
        raise InvalidInput(f"the process ID of '{printable(name)}' is random: give it one, so that it can be named again")
    return found[0].process_id


def _called(name: str, all_clients: tuple[Known, ...]) -> tuple[Known, ...]:
    """The clients with exactly this name; if there is none, those whose process ID begins with it."""
    digits = name.removesuffix("…").removesuffix("...").lower()
    exact = tuple(one for one in all_clients if name in one.names or digits == one.digits)
    if exact or len(digits) < SHORTEST_PREFIX:
        return exact
    return tuple(one for one in all_clients if one.digits.startswith(digits))


def described(clients: Iterable[Known]) -> str:
    """The first of them, each by its host and the part of its process ID that distinguishes it."""
    all_clients = tuple(clients)
    length = _digits_that_differ([one.digits for one in all_clients if one.digits])
    shown = [
        f"{printable(one.host) if one.host else 'host unknown'} ({_short(one, length)})"
        for one in sorted(all_clients, key=lambda one: (one.host or "", one.digits))
    ]
    more = f" and {len(shown) - MOST_NAMED} more" if len(shown) > MOST_NAMED else ""
    return ", ".join(shown[:MOST_NAMED]) + more if shown else "no client"


def _short(one: Known, length: int) -> str:
    return (
        "a new random process ID" if one.process_id is None else f"{one.digits[:length]}{'…' if length < len(one.digits) else ''}"
    )


def _digits_that_differ(ids: list[str]) -> int:
    distinct = len(set(ids))
    return next(length for length in range(8, 37) if length == 36 or len({one[:length] for one in ids}) == distinct)
