"""How clients authenticate: what is sent in the clear, or not at all, and what is not verified."""

import re

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import given_as
from holdfast.rollout.settings.rule import Fix, Hit, Rule, kip, page, text
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import EVERY

PROTOCOL, MECHANISM = "security.protocol", "sasl.mechanism"
HOST_NAMES, VERSIONS = "ssl.endpoint.identification.algorithm", "ssl.enabled.protocols"
_PLAINTEXT, _SASL_PLAINTEXT, _SASL_SSL, _PLAIN = "PLAINTEXT", "SASL_PLAINTEXT", "SASL_SSL", "PLAIN"
_MECHANISMS = ("GSSAPI", _PLAIN, "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
_SCRAM = "SCRAM"
_NEW_VERSIONS = ("TLSv1.2", "TLSv1.3")
_KEY_STORES = ("ssl.truststore.location", "ssl.keystore.location")
_NOT_A_LETTER = re.compile(r"[^A-Z0-9]")
_CLIENTS = (Client.MAIN, Client.PRODUCER, Client.ADMIN, Client.RESTORE, Client.PLAIN)


def _protocol(subject: Subject, client: Client) -> str | None:
    """None: unknown."""
    found = subject.settings.given(client, PROTOCOL)
    if found is not None:
        return str(found.value).upper()
    return _PLAINTEXT if subject.settings.complete and not subject.settings.fills_in(PROTOCOL) else None


def _text(subject: Subject, client: Client, key: str) -> str | None:
    found = subject.settings.given(client, key)
    return None if found is None else str(found.value).strip()


def _without_effect(subject: Subject) -> Hit | None:
    for client in _CLIENTS:
        protocol = _protocol(subject, client)
        ignored: tuple[str, ...] = ()
        if protocol is not None:
            ignored += (MECHANISM,) if not protocol.startswith("SASL") else ()
            ignored += _KEY_STORES if not protocol.endswith("SSL") else ()
        found = [key for key in ignored if subject.settings.given(client, key) is not None]
        if found and protocol is not None:
            with_them = _SASL_SSL if MECHANISM in found or protocol.startswith("SASL") else "SSL"
            given = [given_as(subject, client, key) for key in found]
            settings = tuple(shown(one, subject.settings.properties[one]) for one in given)
            fix = Fix(given_as(subject, client, PROTOCOL), with_them)
            figures = (text("keys", ", ".join(given)), text("protocol", protocol))
            removed = tuple(Fix(one, None) for one in given)
            return Hit((*settings, subject.settings.shown(client, PROTOCOL)), (fix,), figures, (), removed)
    return None


def _in_the_clear(subject: Subject) -> Hit | None:
    for client in _CLIENTS:
        if _protocol(subject, client) == _SASL_PLAINTEXT and _text(subject, client, MECHANISM) == _PLAIN:
            settings = tuple(subject.settings.shown(client, key) for key in (PROTOCOL, MECHANISM))
            return Hit(settings, (Fix(given_as(subject, client, PROTOCOL), _SASL_SSL),))
    return None


def _misspelt(subject: Subject) -> Hit | None:
    for client in _CLIENTS:
        value = _text(subject, client, MECHANISM)
        if value is None or value in _MECHANISMS:
            continue
        letters = _NOT_A_LETTER.sub("", value.upper())
        near = next((one for one in _MECHANISMS if _NOT_A_LETTER.sub("", one) == letters), None)
        if near is None and not letters.startswith(_SCRAM):
            continue  # a mechanism of a provider's own
        fix = Fix(given_as(subject, client, MECHANISM), near or "SCRAM-SHA-512")
        return Hit((subject.settings.shown(client, MECHANISM),), (fix,), (text("value", value),))
    return None


def _any_host(subject: Subject) -> Hit | None:
    for client in _CLIENTS:
        if _text(subject, client, HOST_NAMES) == "" and (_protocol(subject, client) or "").endswith("SSL"):
            fix = Fix(given_as(subject, client, HOST_NAMES), None)
            return Hit((subject.settings.shown(client, HOST_NAMES),), (fix,))
    return None


def _old_versions(subject: Subject) -> Hit | None:
    for client in _CLIENTS:
        found = subject.settings.given(client, VERSIONS)
        versions = found.value if found is not None and isinstance(found.value, tuple) else ()
        if versions and not any(one in _NEW_VERSIONS for one in versions):
            return Hit((subject.settings.shown(client, VERSIONS),), (Fix(given_as(subject, client, VERSIONS), None),))
    return None


RULES = (
    Rule(
        "credentials-without-effect",
        "With security.protocol={protocol} clients do not use {keys}: they connect without.",
        (PROTOCOL, MECHANISM, *_KEY_STORES),
        (page("Consumer Configs: security.protocol"),),
        _without_effect,
        EVERY,
    ),
    Rule(
        "password-in-the-clear",
        "Each connection sends the user's password without encryption.",
        (PROTOCOL, MECHANISM),
        (page("Security: Authentication using SASL/PLAIN"),),
        _in_the_clear,
        EVERY,
    ),
    Rule(
        "mechanism-unknown",
        "No client connects: {value} is no mechanism of SASL that Kafka has.",
        (MECHANISM,),
        (page("Security: Authentication using SASL"), kip(84)),
        _misspelt,
        EVERY,
    ),
    Rule(
        "host-names-not-verified",
        "Any certificate that the trust store takes is good for any broker: who has one can pass for a broker.",
        (HOST_NAMES,),
        (page("Consumer Configs: ssl.endpoint.identification.algorithm"), kip(294)),
        _any_host,
        EVERY,
    ),
    Rule(
        "tls-versions-disabled",
        "Neither TLS 1.2 nor 1.3 is enabled: JVMs and brokers of today refuse what is left, and no client connects.",
        (VERSIONS,),
        (page("Consumer Configs: ssl.enabled.protocols"), kip(553)),
        _old_versions,
        EVERY,
    ),
)
