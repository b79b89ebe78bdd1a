"""How clients reach the brokers: addresses, connections, and what they do where one does not answer."""

import re

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import any_above, any_below, equal, first
from holdfast.rollout.settings.rule import Fix, Hit, Releases, Rule, java, kip, page, text
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import EVERY

REQUEST = "request.timeout.ms"
BACKOFFS = ("retry.backoff.ms", "reconnect.backoff.ms")
_ADDRESSES = ("bootstrap.servers", "application.server")
_ADDRESS = re.compile(r".*[^:\s]:([0-9]{1,5})")
_LAST_PORT = 65_535
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
)
