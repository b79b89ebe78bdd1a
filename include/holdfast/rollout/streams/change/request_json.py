"""From the fields of a form to a Request. What is empty was not said; text is what people type."""

import re
from collections.abc import Mapping

from holdfast.errors import InvalidInput
from holdfast.kafka import properties
from holdfast.kafka.streams import config_check
from holdfast.rollout.contract.batches_json import LONGEST_STOP, MOST_EVENTS, MOST_THREADS
from holdfast.rollout.contract.requests import Disk, Request, What, refuse_incomplete
from holdfast.rollout.json import strict
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.strict import Fields, nullable, one_of

MOST_CLIENTS = 1_000
MAY_BE_EMPTY = ("rack.aware.assignment.tags",)
"""Lists: nothing is a value of theirs."""
NAMES = ("what", "hosts", "new_host", "disk", "clients", "threads", "settings", "kafka_release", "at_once", "minutes")
"""The form's fields."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)


def request_from_form(form: Mapping[str, object]) -> Request:
    """Raise InvalidInput with the name of every field that is wrong, is missing, or is not asked for."""
    strict.refuse_secrets({name: form.get(name) for name in NAMES if name != "settings"})
    fields = Fields({name: form[name] for name in NAMES if form.get(name) not in (None, "", [], {})})
    request = Request(
        what=fields.need("what", one_of(What)),
        hosts=fields.optional("hosts", _hosts, ()),
        new_host=fields.optional("new_host", strict.name, None),
        disk=fields.optional("disk", nullable(_disk), None),
        clients=fields.optional("clients", lambda count: strict.integer(count, 1, MOST_CLIENTS), None),
        threads=fields.optional("threads", lambda count: strict.integer(count, 1, MOST_THREADS), None),
        settings=fields.optional("settings", _settings, ()),
        kafka_release=fields.optional("kafka_release", strict.name, None),
        at_once=fields.optional("at_once", lambda count: strict.integer(count, 1, MOST_EVENTS), None),
        minutes=fields.optional("minutes", _minutes, None),
    )
    fields.finish(closed=True)
    refuse_incomplete(request)
    return request


def _hosts(value: object) -> tuple[str, ...]:
    """A list, or text with a host a line or between commas."""
    named = re.split(r"[,\n]", value) if isinstance(value, str) else strict.each(value, strict.name)
    return tuple(dict.fromkeys(one.strip() for one in named if one.strip()))


def _disk(value: object) -> Disk:
    if value in (Disk.EMPTY.value, Disk.KEPT.value):
        return Disk(strict.text(value))
    raise strict.mismatch('"empty" or "kept"', value)


def _settings(value: object) -> tuple[tuple[str, ConfigValue], ...]:
    """As in a properties file. Raise InvalidInput for a line that sets nothing."""
    read = properties.parse(strict.text(value))
    config_check.refuse_secrets(read)
    for key, setting in read.items():
        if not setting and key not in MAY_BE_EMPTY:
            raise InvalidInput(f"{strict.shown(key)} is set to nothing; a line is KEY=VALUE, such as max.warmup.replicas=6")
    return tuple((key, int(text) if _NUMBER.fullmatch(text) else text or ()) for key, text in sorted(read.items()))


def _minutes(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LONGEST_STOP:
        raise strict.mismatch(f"a number of minutes above 0, {LONGEST_STOP:,} at most", value)
    return value
