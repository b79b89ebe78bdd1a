"""Requests from a form with a few fields: the values, and the fields that each change type needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from holdfast.errors import InvalidInput
from holdfast.kafka.release import behaviour
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.text.wording import printable


class Disk(StrEnum):
    """What a replacement finds on its disk."""

    EMPTY = "empty"
    KEPT = "kept"
    COPIED = "copied_from"


MOST_NAMED = 20


class What(StrEnum):
    REPLACE = "replace a host"
    SCALE = "scale"
    RESTART = "rolling restart"
    SETTINGS = "change settings"
    UPGRADE = "upgrade Kafka Streams"
    STOP = "stop and start all"


@dataclass(frozen=True, slots=True)
class Request:
    """None, or nothing: not said. `hosts`: by name, or one client by another name; `minutes`: how long everybody is stopped."""

    what: What
    hosts: tuple[str, ...] = ()
    new_host: str | None = None
    disk: Disk | None = None
    clients: int | None = None
    threads: int | None = None
    settings: tuple[tuple[str, ConfigValue], ...] = ()
    kafka_release: str | None = None
    at_once: int | None = None
    minutes: float | None = None


FIELDS = {
    What.REPLACE: ("hosts", "new_host", "disk", "threads"),
    What.SCALE: ("clients", "hosts", "threads"),
    What.RESTART: ("hosts", "at_once"),
    What.SETTINGS: ("settings", "hosts", "at_once"),
    What.UPGRADE: ("kafka_release", "hosts", "at_once"),
    What.STOP: ("minutes",),
}
"""What each asks for; the first one must be there, except for a rolling restart, which is of all hosts then."""


def refuse_incomplete(request: Request) -> None:
    """Raise InvalidInput for what can be said without looking at the group: a field that is missing, or is not asked for."""
    asked = FIELDS[request.what]
    if request.what is not What.RESTART and not getattr(request, asked[0]):
        raise InvalidInput(f"nothing was found, and '{request.what}' needs {_NEEDS[asked[0]]}", asked[0])
    for field in ("hosts", "new_host", "disk", "clients", "threads", "settings", "kafka_release", "at_once", "minutes"):
        if getattr(request, field) and field not in asked:
            raise InvalidInput(
                f"a value was given, and '{request.what}' does not use it: clear it, or select another change type", field
            )
    if request.kafka_release is not None:
        behaviour(request.kafka_release)
    if request.what is What.REPLACE and len(request.hosts) != 1:
        raise InvalidInput(f"{len(request.hosts)} were found; '{request.what}' is for one at a time", "hosts")


_NEEDS = {
    "hosts": "the host that is to be replaced, by its name or its client's process ID",
    "clients": "how many clients there are to be",
    "settings": "one or more, a line each, such as max.warmup.replicas=6",
    "kafka_release": "the release to go to, such as 3.9.1",
    "minutes": "for how many minutes",
}


def named(names: Sequence[str]) -> str:
    """The first of them, and how many more."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(printable(one) for one in names[:MOST_NAMED]) + more
