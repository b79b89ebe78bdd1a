"""A broker with two doors: PLAINTEXT for the test itself, and SASL/SCRAM over TLS for users who may do only what they were granted.

with SecuredBroker(folder, users=("reader",)) as broker:
    broker.grant("reader", ACLOperation.DESCRIBE, ResourceType.GROUP, "wordcount")
    ClusterConnection.of(broker.secured, broker.client_properties("reader"))
"""

import datetime
import ipaddress
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from kafka.admin import (
    ACL,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    KafkaAdminClient,
    ResourcePattern,
    ResourceType,
)
from tests.harness.kafka.broker import Broker

_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"


class SecuredBroker:
    """A broker while the context is open. Clients of the PLAINTEXT listener may do everything."""

    @property
    def log(self) -> Path:
        """What the broker logs, from the coordinators in full."""
        return self._folder / "broker" / "broker.log"

    def __init__(self, folder: Path, *, users: tuple[str, ...], properties: Mapping[str, str] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.ca = folder / "ca.pem"
        _write_certificates(self.ca, folder / "broker.pem")
        security = {
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "sasl.enabled.mechanisms": "SCRAM-SHA-256",
            "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config": f"{_SCRAM} required;",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(folder / "broker.pem"),
        }
        self._broker = Broker(
            folder / "broker",
            listeners=("PLAINTEXT", "SASL_SSL"),
            properties=security | dict(properties or {}),
            scram_users={user: password(user) for user in users},
        )

    @property
    def bootstrap(self) -> str:
        return self._broker.bootstrap

    @property
    def secured(self) -> str:
        return self._broker.address("SASL_SSL")

    def client_properties(self, user: str, secret: str | None = None) -> dict[str, str]:
        """What a client configures, under Kafka's own names."""
        return {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-256",
            "sasl.jaas.config": f'{_SCRAM} required username="{user}" password="{secret or password(user)}";',
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.ca),
        }

    def grant(self, user: str, operation: ACLOperation, kind: ResourceType, name: str, *, prefixed: bool = False) -> None:
        how = ACLResourcePatternType.PREFIXED if prefixed else ACLResourcePatternType.LITERAL
        acl = ACL(f"User:{user}", "*", operation, ACLPermissionType.ALLOW, ResourcePattern(kind, name, how))
        admin = KafkaAdminClient(bootstrap_servers=self.bootstrap)
        try:
            admin.create_acls([acl])
        finally:
            admin.close()

    def __enter__(self) -> Self:
        self._broker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._broker.stop()


def password(user: str) -> str:
    """Easy to search for, where it must not be."""
    return f"Very-Secret-{user}-4711"


def _write_certificates(ca_file: Path, broker_file: Path) -> None:
    ca_key = ec.generate_private_key(ec.SECP256R1())
    ca = _certificate("holdfast test CA", ca_key, None, None)
    key = ec.generate_private_key(ec.SECP256R1())
    broker = _certificate("broker", key, ca, ca_key)
    ca_file.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    broker_file.write_bytes(private + broker.public_bytes(serialization.Encoding.PEM))


def _certificate(
    name: str, key: ec.EllipticCurvePrivateKey, issuer: x509.Certificate | None, issuer_key: ec.EllipticCurvePrivateKey | None
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    if issuer:
        address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
    else:
        usage = x509.KeyUsage(
            digital_signature=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=True,
            crl_sign=True,
            encipher_only=False,
            decipher_only=False,
        )
        builder = builder.add_extension(usage, critical=True)
    return builder.sign(issuer_key or key, hashes.SHA256())
