"""Requests from a form with a few fields: the value, how its fields are read, and the fields that each change type needs."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from holdfast.errors import InvalidInput
from holdfast.kafka import properties
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams import config_check
from holdfast.rollout.contract.batches_json import LONGEST_STOP, MOST_EVENTS, MOST_THREADS
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import NAME, NAMES, TEXT, Codec, as_it_is, choice, integer, number
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import RELEASE
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.text.format import printable


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
    MOVE = "move to the streams protocol"
    CONVERT = "move to the consumer protocol"


MOST_CLIENTS = 1_000
MAY_BE_EMPTY = ("rack.aware.assignment.tags",)
"""Lists: nothing is a value of theirs."""
_RELEASE = re.compile(r"[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})?", re.ASCII)
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)


def _hosts(value: object) -> tuple[str, ...]:
    """A list, or text with a host a line or between commas."""
    found = re.split(r"[,\n]", value) if isinstance(value, str) else NAMES.read(value)
    return tuple(dict.fromkeys(one.strip() for one in found if one.strip()))


def _disk(value: object) -> Disk:
    if value in (Disk.EMPTY.value, Disk.KEPT.value):
        return Disk(strict.text(value))
    raise strict.mismatch('"empty" or "kept"', value)


def _settings(text: str) -> tuple[tuple[str, ConfigValue], ...]:
    """As in a properties file. Raise InvalidInput for a line that sets nothing."""
    read = properties.parse(text)
    config_check.refuse_secrets(read)
    for key, setting in read.items():
        if not setting and key not in MAY_BE_EMPTY:
            raise InvalidInput(f"{strict.shown(key)} is set to nothing; a line is KEY=VALUE, such as max.warmup.replicas=6")
    return tuple((key, int(value) if _NUMBER.fullmatch(value) else value or ()) for key, value in sorted(read.items()))


def _lines(settings: tuple[tuple[str, ConfigValue], ...]) -> str:
    return "\n".join(properties.line(key, "" if value == () else str(value)) for key, value in settings)


FIELDS = {
    What.REPLACE: ("hosts", "new_host", "disk", "threads"),
    What.SCALE: ("clients", "hosts", "threads"),
    What.RESTART: ("hosts", "at_once"),
    What.SETTINGS: ("settings", "hosts", "at_once"),
    What.UPGRADE: ("kafka_release", "hosts", "at_once"),
    What.STOP: ("minutes",),
    What.MOVE: ("broker_release", "kafka_release"),
    What.CONVERT: ("hosts",),
}
"""What each asks for; the first one must be there, except for those of ALL_HOSTS."""
ALL_HOSTS = (What.RESTART, What.CONVERT)
"""Without any they are for all hosts."""
_NEEDS = {
    "hosts": "the host that is to be replaced, by its name or its client's process ID",
    "clients": "how many clients there are to be",
    "settings": "one or more, a line each, such as max.warmup.replicas=6",
    "kafka_release": "the release to go to, such as 3.9.1",
    "minutes": "for how many minutes",
    "broker_release": "the Kafka release of the group's brokers, such as 4.3.1",
}


def refuse_incomplete(request: "Request") -> None:
    """Raise InvalidInput for what can be checked without the group: a field that is missing, or not part of the form."""
    fields = FIELDS[request.what]
    if request.what not in ALL_HOSTS and not getattr(request, fields[0]):
        raise InvalidInput(f"nothing was found, and '{request.what}' needs {_NEEDS[fields[0]]}", fields[0])
    for field in FORM[1:]:
        if getattr(request, field) and field not in fields:
            raise InvalidInput(
                f"a value was given, and '{request.what}' does not use it: clear it, or select another change type", field
            )
    if request.kafka_release is not None:
        behaviour(request.kafka_release)
    if request.broker_release is not None and not _RELEASE.fullmatch(request.broker_release):
        raise InvalidInput(f"a release such as 4.3.1 is needed, {strict.shown(request.broker_release)} was found", "broker_release")
    if request.what is What.REPLACE and len(request.hosts) != 1:
        raise InvalidInput(f"{len(request.hosts)} were found; '{request.what}' is for one at a time", "hosts")


@record(check=refuse_incomplete)
class Request:
    """None, or nothing: not given. `hosts`: by name, or one client by another name; `minutes`: how long all clients are stopped.
    `kafka_release`: that clients are upgraded to, or start with after a move; `broker_release`: that their brokers run."""

    what: What = member(choice(What))
    hosts: tuple[str, ...] = member(Codec(_hosts, list, lambda: shapes.either(TEXT.shape(), NAMES.shape())), default=())
    new_host: str | None = member(NAME, default=None)
    disk: Disk | None = member(Codec(_disk, as_it_is, lambda: shapes.one_of((Disk.EMPTY, Disk.KEPT))), default=None)
    clients: int | None = member(integer(1, MOST_CLIENTS), default=None)
    threads: int | None = member(integer(1, MOST_THREADS), default=None)
    settings: tuple[tuple[str, ConfigValue], ...] = member(TEXT.to(_settings, _lines), default=())
    kafka_release: str | None = member(NAME, default=None)
    broker_release: str | None = member(RELEASE, default=None)
    at_once: int | None = member(integer(1, MOST_EVENTS), default=None)
    minutes: float | None = member(
        number(f"a number of minutes above 0, {LONGEST_STOP:,} at most", 0, LONGEST_STOP, above=True), default=None
    )


REQUEST = codec_of(Request)
FORM = REQUEST.names
"""The form's fields."""


def request_from_form(form: Mapping[str, object]) -> Request:
    """What is empty was not given. Raise InvalidInput with the name of every field that is wrong, missing, or not part of the
    form."""
    strict.refuse_secrets({name: form.get(name) for name in FORM if name != "settings"})
    return REQUEST.read({name: form[name] for name in FORM if form.get(name) not in (None, "", [], {})})


def named(names: Sequence[str]) -> str:
    """The first of them, and how many more."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(printable(one) for one in names[:MOST_NAMED]) + more
