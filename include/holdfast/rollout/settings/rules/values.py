"""Values that Kafka refuses, keys that it does not know or that this release does not have."""

import difflib
import re
from collections.abc import Iterator, Mapping
from itertools import islice

from holdfast.errors import InvalidInput
from holdfast.kafka.clients import configs as client_configs
from holdfast.kafka.clients.configs import Client
from holdfast.kafka.coordinator.config_keys import NUMBERS
from holdfast.kafka.streams import config_check
from holdfast.rollout.settings.predicates import first, given_as
from holdfast.rollout.settings.rule import Fix, Hit, Rule, Where, java, kip, page, text
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import EVERY, STREAMS, Kind

OPTIMIZATION, RESET = "topology.optimization", "auto.offset.reset"
_OPTIMIZATIONS = ("reuse.ktable.source.topics", "merge.repartition.topics", "single.store.self.join")
_BY_DURATION = "by_duration:"
_DURATION = re.compile(
    r"P(?=[0-9]|T[0-9])(?:[0-9]+D)?(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]{1,9})?S)?)?", re.IGNORECASE
)
_ALIKE = 0.9
_LONGEST_KEY = 100
"""No key of Kafka is longer: what is, is not compared."""
_SEPARATOR = re.compile("[_-]")
_CONSUMER = "C"
"""A client of a group without Streams, as `config_keys` has it."""
_DECIDED_BY_STREAMS: Mapping[str, tuple[str, ...] | None] = {"group.id": None, "allow.auto.create.topics": ("true",)}
"""Of its main consumer, with the values that would change something; None: any."""
_MOST_COMPARED = 200
"""Keys that Kafka does not know: each is compared with all that it knows."""


def _refused(subject: Subject) -> tuple[Hit, ...]:
    return tuple(_refused_values(subject))


def _refused_values(subject: Subject) -> Iterator[Hit]:
    release, home = subject.settings.read_as, _CONSUMER if subject.kind is Kind.CONSUMERS else None
    for key, value in subject.settings.properties.items():
        if not config_check.is_known(key) or config_check.is_secret(key):
            continue
        try:
            config_check.check(release, {key: value}, home)
        except InvalidInput:
            wanted = config_check.takes(release, key, home)
            yield Hit((shown(key, value),), (Fix(key, None),), (text("key", key), text("wanted", wanted)))


def _optimization(subject: Subject) -> Hit | None:
    found = subject.settings.given(Client.STREAMS, OPTIMIZATION)
    value = "" if found is None else str(found.value).strip()
    if not value or value in ("all", "none") or all(one.strip() in _OPTIMIZATIONS for one in value.split(",")):
        return None
    figures = (text("key", OPTIMIZATION), text("wanted", f"all, none, or a list of {', '.join(_OPTIMIZATIONS)}"))
    return Hit((shown(OPTIMIZATION, value),), (Fix(OPTIMIZATION, "all"),), figures)


def _since(subject: Subject) -> Hit | None:
    found = subject.settings.given(subject.consumer, RESET)
    duration = "" if found is None else str(found.value).strip()
    if not duration.startswith(_BY_DURATION) or _DURATION.fullmatch(duration.removeprefix(_BY_DURATION)):
        return None
    figures = (text("key", RESET), text("wanted", f"{_BY_DURATION} and a duration of ISO 8601, such as PT1H"))
    return Hit(
        (subject.settings.shown(subject.consumer, RESET),), (Fix(given_as(subject, subject.consumer, RESET), "earliest"),), figures
    )


def _misspelt(subject: Subject) -> tuple[Hit, ...]:
    return tuple(_misspelt_keys(subject))


def _misspelt_keys(subject: Subject) -> Iterator[Hit]:
    unknown = (key for key in subject.settings.properties if not config_check.is_known(key) and len(key) <= _LONGEST_KEY)
    for key in islice(unknown, _MOST_COMPARED):
        near = _nearest(key)
        if near is not None:
            value = shown(near, subject.settings.properties[key]).value
            yield Hit((shown(key, value),), (Fix(key, None), Fix(near, value)), (text("key", key), text("near", near)))


def _nearest(key: str) -> str | None:
    """The key of Kafka that is almost the same, behind the same prefix; or has small letters, or dots where this one has something
    else."""
    prefix = next((one for one in config_check.PREFIXES if key.startswith(one)), "")
    if key.lower() != key and config_check.is_known(key.lower()):
        return key.lower()
    dotted = _SEPARATOR.sub(".", key)
    if dotted != key and dotted.removeprefix(prefix).count(".") > 1 and config_check.is_known(dotted):
        return dotted
    near = difflib.get_close_matches(key.removeprefix(prefix), config_check.known_keys(), n=1, cutoff=_ALIKE)
    return f"{prefix}{near[0]}" if near and config_check.is_known(f"{prefix}{near[0]}") else None


def _of_another_client(subject: Subject) -> tuple[Hit, ...]:
    if subject.kind is Kind.CONSUMERS:
        return ()
    found = ((key, config_check.home_of(key)) for key in subject.settings.properties)
    return tuple(_moved(subject, key, home) for key, home in found if home is not None)


def _moved(subject: Subject, key: str, home: str) -> Hit:
    seen = shown(key, subject.settings.properties[key])
    return Hit((seen,), (Fix(key, None), Fix(home, seen.value)), (text("key", key), text("home", home)))


def _of_another_release(subject: Subject) -> tuple[Hit, ...]:
    return tuple(_keys_of_another_release(subject))


def _keys_of_another_release(subject: Subject) -> Iterator[Hit]:
    for key, value in subject.settings.properties.items():
        if not config_check.is_known(key) or config_check.in_release(subject.settings.read_as, key):
            continue
        if client_configs.is_a_default(key, value):
            continue
        releases = config_check.releases_of(key)
        yield Hit((shown(key, value),), (Fix(key, None),), (text("key", key), text("releases", releases)))


def _commits_itself(subject: Subject) -> Hit | None:
    for key in ("enable.auto.commit", "consumer.enable.auto.commit", "main.consumer.enable.auto.commit"):
        if str(subject.settings.properties.get(key, "")).strip().lower() == "true":
            return Hit((shown(key, "true"),), (Fix(key, None),))
    return None


def _left_out(subject: Subject) -> Hit | None:
    for prefix in ("consumer.", "main.consumer."):
        for key, values in _DECIDED_BY_STREAMS.items():
            value = str(subject.settings.properties.get(f"{prefix}{key}") or "").strip()
            if value and (values is None or value.lower() in values):
                return Hit((shown(f"{prefix}{key}", value),), (Fix(f"{prefix}{key}", None),), (text("key", key),))
    return None


def _group_number(subject: Subject) -> Hit | None:
    for key, value in subject.group_config.items():
        if key in NUMBERS and value is not None and not str(value).strip().isdecimal():
            return Hit((shown(key, value),), (Fix(key, None, Where.GROUP),), (text("key", key),))
    return None


_CHECKED = java("ConfigDef")
RULES = (
    Rule(
        "value-refused",
        "The application does not start (ConfigException): {key} takes {wanted}.",
        (),
        (_CHECKED, page("Streams Configs")),
        _refused,
        EVERY,
    ),
    Rule(
        "value-not-understood",
        "The application does not start: {key} takes {wanted}.",
        (OPTIMIZATION, RESET),
        (kip(862), kip(1106), java("StreamsConfig"), java("AutoOffsetResetStrategy")),
        first(_optimization, _since),
        EVERY,
    ),
    Rule(
        "key-misspelt",
        "No release of Kafka has {key}, and what it sets has no effect; {near} is meant, it seems.",
        (),
        (_CHECKED, page("Streams Configs")),
        _misspelt,
        EVERY,
    ),
    Rule(
        "key-of-another-client",
        "No client with this prefix has {key}, and it has no effect; {home} is meant, it seems.",
        (),
        (page("Streams developer guide: Kafka consumers, producer and admin client configuration parameters"),),
        _of_another_client,
        STREAMS,
    ),
    Rule(
        "key-of-another-release",
        "This release does not have {key} ({releases}): it has no effect.",
        (),
        (_CHECKED,),
        _of_another_release,
        EVERY,
    ),
    Rule(
        "commits-by-itself",
        "Streams commits by itself and leaves the setting out. Behind the prefix of one consumer it counts up to 4.1: offsets are"
        " committed of records that are not processed yet.",
        ("enable.auto.commit",),
        (java("StreamsConfig"), page("Streams Configs: enable.auto.commit")),
        _commits_itself,
        STREAMS,
    ),
    Rule(
        "decided-by-streams",
        "Streams decides {key} of its consumers (the application ID is the group's): what the application sets has no effect.",
        tuple(_DECIDED_BY_STREAMS),
        (
            java("StreamsConfig"),
            page("Streams developer guide: Kafka consumers, producer and admin client configuration parameters"),
        ),
        _left_out,
        STREAMS,
    ),
    Rule(
        "group-value-refused",
        "{key} takes a whole number: the brokers use their own default.",
        (),
        (kip(1071), java("GroupConfig")),
        _group_number,
        (Kind.BY_BROKER,),
    ),
)
