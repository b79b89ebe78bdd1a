"""How clients reach the brokers: addresses, connections, and what they do where one does not answer."""

import re

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import any_above, any_below, equal, first, given_as, given_number
from holdfast.rollout.settings.rule import Fix, Hit, Releases, Rule, java, kip, ms, page, text
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import EVERY, STREAMS

REQUEST = "request.timeout.ms"
BACKOFFS = ("retry.backoff.ms", "reconnect.backoff.ms")
MOST_BACKOFF, RETRIES, TRIGGER = "retry.backoff.max.ms", "retries", "metadata.recovery.rebootstrap.trigger.ms"
_ADDRESSES = ("bootstrap.servers", "application.server")
_ADDRESS = re.compile(r".*[^:\s]:([0-9]{1,5})")
_LAST_PORT = 65_535
_SHORT_TRIGGER_MS = 5_000
_FEW_RETRIES = 5
"""From 100 ms on, with exponential back-off: a new leader takes longer."""
_LONG_REQUEST_MS, _SHORT_BACKOFF_MS, _SHORT_SET_UP_MS = 600_000, 5, 1_000
_EVERY_CLIENT = (Client.MAIN, Client.RESTORE, Client.PRODUCER, Client.ADMIN, Client.PLAIN)


def _without_port(subject: Subject) -> Hit | None:
    for key in _ADDRESSES:
        value = str(subject.settings.properties.get(key) or "").strip()
        wrong = [one for each in value.split(",") if (one := each.strip()) and not _is_address(one)]
        if wrong:
            return Hit(
                (shown(key, value),), (Fix(key, "host:port, for each of them"),), (text("key", key), text("wrong", wrong[0]))
            )
    return None


def _is_address(value: str) -> bool:
    found = _ADDRESS.fullmatch(value)
    return found is not None and int(found[1]) <= _LAST_PORT


def _static_backoff(subject: Subject) -> Hit | None:
    for client in _EVERY_CLIENT:
        first_, most = given_number(subject, client, BACKOFFS[0]), subject.settings.assumed(client, MOST_BACKOFF)
        if first_ is not None and most is not None and first_ > most:
            shown_ = tuple(subject.settings.shown(client, key) for key in (BACKOFFS[0], MOST_BACKOFF))
            if subject.settings.given(client, MOST_BACKOFF) is None:
                fix = Fix(given_as(subject, client, BACKOFFS[0]), "100")
            else:
                fix = Fix(given_as(subject, client, MOST_BACKOFF), str(first_))
            return Hit(shown_, (fix,), (ms("first", first_), ms("most", most)))
    return None


def _gives_up(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.ADMIN, RETRIES)
    if value is None or value >= _FEW_RETRIES:
        return None
    return Hit((subject.settings.shown(Client.ADMIN, RETRIES),), (Fix(given_as(subject, Client.ADMIN, RETRIES), None),), ())


_BACKOFF_PAGE = page("Consumer Configs: reconnect.backoff.ms")
RULES = (
    Rule(
        "address-without-port",
        "The application does not start (ConfigException): {key} takes host:port, and {wrong} is none.",
        _ADDRESSES,
        (page("Consumer Configs: bootstrap.servers"), page("Streams Configs: application.server"), java("ClientUtils")),
        _without_port,
        EVERY,
    ),
    Rule(
        "retries-without-a-pause",
        "What failed is tried again after {value}: while a broker is away, its clients ask in a tight loop.",
        BACKOFFS,
        (page("Consumer Configs: retry.backoff.ms"), _BACKOFF_PAGE),
        first(
            any_below(_EVERY_CLIENT, BACKOFFS[0], _SHORT_BACKOFF_MS, "100"),
            any_below(_EVERY_CLIENT, BACKOFFS[1], _SHORT_BACKOFF_MS, "50"),
        ),
        EVERY,
    ),
    Rule(
        "backoff-over-its-maximum",
        "retry.backoff.ms is {first}, and retry.backoff.max.ms {most}: clients wait for the maximum each time, and no longer from"
        " retry to retry.",
        (BACKOFFS[0], MOST_BACKOFF),
        (kip(580), page("Consumer Configs: retry.backoff.max.ms")),
        _static_backoff,
        EVERY,
        Releases("3.7"),
    ),
    Rule(
        "admin-gives-up-early",
        "While a broker restarts, calls of the admin client fail instead of being tried again: without end offsets of"
        " changelogs the leader assigns as before and asks for another rebalance, and internal topics are not purged.",
        (RETRIES,),
        (kip(441), page("Admin Configs: retries"), java("StreamsPartitionAssignor")),
        _gives_up,
        STREAMS,
    ),
    Rule(
        "connections-given-up-early",
        "A connection that is not there after {value} is given up: a TLS handshake, or a broker that starts, takes longer.",
        ("socket.connection.setup.timeout.ms",),
        (kip(601), page("Consumer Configs: socket.connection.setup.timeout.ms")),
        any_below(_EVERY_CLIENT, "socket.connection.setup.timeout.ms", _SHORT_SET_UP_MS, None),
        EVERY,
        Releases("2.7"),
    ),
    Rule(
        "request-timeout-long",
        "A request to a broker that is gone without a word is waited for up to {value}: nothing is read of its partitions until"
        " then.",
        (REQUEST,),
        (page("Consumer Configs: request.timeout.ms"),),
        any_above(_EVERY_CLIENT, REQUEST, _LONG_REQUEST_MS, "30000"),
        EVERY,
    ),
    Rule(
        "brokers-not-found-again",
        "A client that can reach none of the brokers that it knows does not ask those of bootstrap.servers again: once all have"
        " other addresses, it has to be restarted.",
        ("metadata.recovery.strategy",),
        (kip(899), kip(1102)),
        first(*(equal(one, "metadata.recovery.strategy", ("none",), None) for one in _EVERY_CLIENT)),
        EVERY,
        Releases("3.8"),
    ),
    Rule(
        "bootstraps-again-early",
        "A client that has no answer from any broker for {value} drops what it knows of them, and its connections, and begins"
        " anew: the election of a controller takes longer.",
        (TRIGGER,),
        (kip(1102), page("Consumer Configs: metadata.recovery.rebootstrap.trigger.ms")),
        any_below(_EVERY_CLIENT, TRIGGER, _SHORT_TRIGGER_MS, None),
        EVERY,
        Releases("4.0"),
    ),
)
