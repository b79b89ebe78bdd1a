"""How to reach a cluster: Kafka's own property names, as its tools take them, turned into what kafka-python takes.

A property that would change what Holdfast connects to or trusts, and that it cannot honour, is refused by its name. Secrets
never show: they are `sasl.Secret`s, whose `repr` is three stars (kafka-python logs its settings), and a connection's `repr` has no
settings.
"""

import re
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from holdfast.adapters.broker import sasl
from holdfast.errors import InvalidInput, Unsupported

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
HONOURED = frozenset(
    {
        "bootstrap.servers",
        "client.id",
        "request.timeout.ms",
        "security.protocol",
        "sasl.mechanism",
        "sasl.jaas.config",
        "sasl.kerberos.service.name",
        "sasl.oauthbearer.client.credentials.client.id",
        "sasl.oauthbearer.client.credentials.client.secret",
        "sasl.oauthbearer.scope",
        "sasl.oauthbearer.token.endpoint.url",
        "ssl.ca.location",
        "ssl.truststore.type",
        "ssl.truststore.location",
        "ssl.truststore.certificates",
        "ssl.keystore.type",
        "ssl.keystore.location",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.key.password",
        "ssl.endpoint.identification.algorithm",
    }
)
IGNORED = frozenset(
    {
        "api.version.request",
        "auto.offset.reset",
        "client.dns.lookup",
        "connections.max.idle.ms",
        "default.api.timeout.ms",
        "enable.auto.commit",
        "group.id",
        "metadata.max.age.ms",
        "reconnect.backoff.max.ms",
        "reconnect.backoff.ms",
        "retries",
        "retry.backoff.max.ms",
        "retry.backoff.ms",
        "sasl.client.callback.handler.class",
        "sasl.login.callback.handler.class",
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.login.refresh.buffer.seconds",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "socket.connection.setup.timeout.max.ms",
        "socket.connection.setup.timeout.ms",
    }
)
"""They change neither what is read nor whom Holdfast trusts."""

_ADDRESS = re.compile(r"(?:[A-Z_]+://)?(\[[0-9a-fA-F:.%]+\]|[^:/\s\[\]@]+):([0-9]{1,5})")
_BEGIN = "-----BEGIN "


@dataclass(frozen=True, slots=True)
class ClusterConnection:
    """A cluster to read. `name` is what a snapshot calls it; None: the cluster's own ID."""

    bootstrap_servers: tuple[str, ...]
    name: str | None = None
    properties: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, bootstrap_servers: str, properties: Mapping[str, str] | None = None, name: str | None = None) -> Self:
        """Raise InvalidInput or Unsupported, naming the property. `bootstrap_servers` wins over `bootstrap.servers`."""
        given = {key: str(value).strip() for key, value in (properties or {}).items()}
        addresses = bootstrap_servers.strip() or given.get("bootstrap.servers", "")
        for key in given:
            if key not in HONOURED and key not in IGNORED:
                raise Unsupported(
                    f"the connection property {key!r} is not supported. Remove it, or use one of {', '.join(sorted(HONOURED))}"
                )
        connection = cls(tuple(_addresses(addresses)), name, tuple(sorted(given.items())))
        connection.settings()
        return connection

    def settings(self) -> dict[str, object]:
        """What kafka-python's clients take. Reads the certificate files that the properties name."""
        given = dict(self.properties)
        protocol = given.get("security.protocol", "PLAINTEXT").upper()
        if protocol not in PROTOCOLS:
            raise InvalidInput(f"unknown protocol {protocol!r}; one of {', '.join(PROTOCOLS)}", "security.protocol")
        settings: dict[str, object] = {
            "bootstrap_servers": list(self.bootstrap_servers),
            "client_id": given.get("client.id", "holdfast"),
            "security_protocol": protocol,
        }
        if protocol.endswith("SSL"):
            settings["ssl_context"] = _ssl_context(given)
        if protocol.startswith("SASL"):
            settings |= sasl.settings(given)
        return settings

    def shows_credentials(self) -> bool:
        """Whether eavesdroppers on the network can read Holdfast's credentials, or take over its connection."""
        return dict(self.properties).get("security.protocol", "").upper() == "SASL_PLAINTEXT"

    def request_timeout_ms(self, default: int) -> int:
        """How long one request may take. Raise InvalidInput for what is not a number of milliseconds."""
        text = dict(self.properties).get("request.timeout.ms")
        if text is None:
            return default
        if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
            raise InvalidInput(f"{text!r} is not a number of milliseconds", "request.timeout.ms")
        return min(default, int(text))


def _addresses(text: str) -> list[str]:
    found = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        match = _ADDRESS.fullmatch(part)
        if not match or not 0 < int(match[2]) < 65_536:
            raise InvalidInput(f"{part!r} is not HOST:PORT", "bootstrap.servers")
        found.append(f"{match[1]}:{match[2]}")
    if not found:
        raise InvalidInput("no address given; HOST:PORT is needed, several separated by commas", "bootstrap.servers")
    return found


def _ssl_context(given: Mapping[str, str]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    algorithm = given.get("ssl.endpoint.identification.algorithm", "https").lower()
    if algorithm not in ("", "https"):
        raise Unsupported(f"ssl.endpoint.identification.algorithm is {algorithm!r}; 'https' and '' (no host names) are supported")
    context.check_hostname = algorithm == "https"
    trusted = given.get("ssl.truststore.certificates") or _pem_file(given, "ssl.ca.location") or _pem_store(given, "ssl.truststore")
    try:
        if trusted:
            context.load_verify_locations(cadata=trusted)
        else:
            context.load_default_certs()
    except ssl.SSLError:
        raise InvalidInput("holds no certificate that can be read; PEM is needed", "ssl.truststore") from None
    chain = given.get("ssl.keystore.certificate.chain")
    own = f"{given.get('ssl.keystore.key', '')}\n{chain}" if chain else _pem_store(given, "ssl.keystore")
    if own:
        _load_own_certificate(context, own, given.get("ssl.key.password"))
    return context


def _load_own_certificate(context: ssl.SSLContext, pem: str, password: str | None) -> None:
    """Python reads a certificate with its key from a file only: one that no other user may read, removed at once."""
    with tempfile.NamedTemporaryFile("w", encoding="ascii", suffix=".pem") as file:
        file.write(pem)
        file.flush()
        try:
            context.load_cert_chain(file.name, password=password or "")
        except (ssl.SSLError, OSError):
            raise InvalidInput(
                "the certificate or its key cannot be read; both are needed as PEM, with the right ssl.key.password", "ssl.keystore"
            ) from None


def _pem_store(given: Mapping[str, str], store: str) -> str | None:
    kind = given.get(f"{store}.type", "PEM").upper()
    if kind != "PEM":
        raise Unsupported(f"{store}.type is {kind}: only PEM is supported. Export the certificates as PEM and set {store}.type=PEM")
    return _pem_file(given, f"{store}.location")


def _pem_file(given: Mapping[str, str], key: str) -> str | None:
    location = given.get(key)
    if not location:
        return None
    try:
        data = Path(location).read_bytes()
    except OSError as trouble:
        raise InvalidInput(f"cannot read {location!r}: {trouble.strerror or trouble}", key) from None
    text = data.decode("ascii", "replace")
    if _BEGIN not in text:
        raise Unsupported(
            f"{key} names {location!r}, which is not PEM (a JKS or PKCS12 store?): export it as PEM and set the type to PEM"
        )
    return text
