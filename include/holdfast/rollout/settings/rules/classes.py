"""Classes that a setting names: those of Kafka's own that this release does not have, or that are of another type."""

import difflib
import re
from collections.abc import Iterator

from holdfast.kafka.clients import config_classes
from holdfast.kafka.streams import config_check
from holdfast.rollout.settings.rule import Fix, Hit, Rule, java, page, text
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import EVERY, Kind

_NOT_TAKEN_BY_STREAMS = (
    "key.deserializer",
    "value.deserializer",
    "key.serializer",
    "value.serializer",
    "partition.assignment.strategy",
)
"""Streams has its own, whatever the application says."""
_OF_ANOTHER_LIBRARY = ("range", "roundrobin", "cooperative-sticky")
"""What clients without a JVM take as strategies."""
_ALIKE = 0.8
_MOST_CLASSES = 20
_WORDS = re.compile(r"[.$]")


def _unknown(subject: Subject) -> tuple[Hit, ...]:
    return tuple(_unknown_classes(subject))


def _unknown_classes(subject: Subject) -> Iterator[Hit]:
    """Kafka prints a class with the word before it: the last word is the name."""
    for given_as, value in subject.settings.properties.items():
        prefix = next((one for one in config_check.PREFIXES if given_as.startswith(one)), "")
        key = given_as.removeprefix(prefix)
        if key not in config_classes.TYPES or not config_check.is_known(given_as):
            continue
        if subject.kind is not Kind.CONSUMERS and key in _NOT_TAKEN_BY_STREAMS:
            continue
        names = [each.split()[-1] for each in str(value).split(",")[:_MOST_CLASSES] if each.strip()]
        fitting = config_classes.fitting(key, subject.settings.release and subject.settings.read_as)
        better = {one: _nearest(one, fitting) for one in names if _is_missing(one, fitting)}
        if better:
            fixed = [new for one in names if (new := better.get(one, one)) is not None]
            wrong = next(iter(better))
            yield Hit(
                (shown(given_as, value),),
                (Fix(given_as, ",".join(fixed) or None),),
                (text("key", key), text("class", wrong)),
            )


def _is_missing(name: str, fitting: tuple[str, ...]) -> bool:
    """A name without a package is none of an application either."""
    if name in fitting or name in _OF_ANOTHER_LIBRARY:
        return False
    return config_classes.is_kafkas(name) or "." not in name


def _nearest(name: str, fitting: tuple[str, ...]) -> str | None:
    by_last = {_WORDS.split(one)[-1].lower(): one for one in fitting}
    near = difflib.get_close_matches(_WORDS.split(name)[-1].lower(), by_last, n=1, cutoff=_ALIKE)
    return by_last[near[0]] if near else None


RULES = (
    Rule(
        "class-unknown",
        "The application does not start (ConfigException, KafkaException): {class} is no class of this release that {key} takes.",
        tuple(sorted(config_classes.TYPES)),
        (java("AbstractConfig"), page("Streams Configs"), page("Consumer Configs")),
        _unknown,
        EVERY,
    ),
)
