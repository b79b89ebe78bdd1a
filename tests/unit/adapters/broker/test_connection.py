"""Connection properties in Kafka's own words: what is taken, what is refused by name, and that no secret shows."""

import logging
import ssl
from pathlib import Path

import pytest
from tests.harness.kafka.secured_broker import _write_certificates

from holdfast.adapters.broker import session
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.errors import HoldfastError, InvalidInput, Unsupported

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"


@pytest.fixture
def certificates(tmp_path: Path) -> tuple[Path, Path]:
    _write_certificates(tmp_path / "ca.pem", tmp_path / "own.pem")
    return tmp_path / "ca.pem", tmp_path / "own.pem"


def sasl(mechanism: str, jaas: str) -> dict[str, str]:
    return {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": mechanism, "sasl.jaas.config": jaas}


class TestAddresses:
    def test_several_servers_and_ipv6(self) -> None:
        connection = ClusterConnection.of(" a:9092, [::1]:9093 ,PLAINTEXT://b:1")
        assert connection.bootstrap_servers == ("a:9092", "[::1]:9093", "b:1")

    def test_the_option_wins_over_the_property(self) -> None:
        assert ClusterConnection.of("", {"bootstrap.servers": "b:1"}).bootstrap_servers == ("b:1",)
        assert ClusterConnection.of("a:1", {"bootstrap.servers": "b:1"}).bootstrap_servers == ("a:1",)

    @pytest.mark.parametrize("text", ["", "host", "host:", "host:0", "host:65536", "user:secret@host:1", "a b:1", "host:1x"])
    def test_what_is_no_address_is_refused(self, text: str) -> None:
        with pytest.raises(InvalidInput, match=r"bootstrap\.servers"):
            ClusterConnection.of(text)


class TestSasl:
    @pytest.mark.parametrize(
        ("mechanism", "module", "options", "password"),
        [
            ("PLAIN", PLAIN, 'username="me" password="p;a=s\\"s"', 'p;a=s"s'),
            ("SCRAM-SHA-256", SCRAM, "username='me' password='pa ss'", "pa ss"),
            ("SCRAM-SHA-512", SCRAM, "\n  password=pass\n  username=me", "pass"),
        ],
    )
    def test_a_login_module_is_read_as_jaas(self, mechanism: str, module: str, options: str, password: str) -> None:
        settings = ClusterConnection.of("a:1", sasl(mechanism, f"{module} required {options};")).settings()
        assert (settings["sasl_mechanism"], settings["sasl_plain_username"]) == (mechanism, "me")
        assert settings["sasl_plain_password"] == password

    @pytest.mark.parametrize(
        ("given", "named"),
        [
            (sasl("GSSAPI", ""), "GSSAPI"),
            (sasl("OAUTHBEARER", ""), "OAUTHBEARER"),
            (sasl("PLAIN", ""), r"sasl\.jaas\.config"),
            (sasl("PLAIN", f'{SCRAM} required username="me" password="topsecret";'), r"sasl\.jaas\.config"),
            (sasl("PLAIN", f'{PLAIN} required password="topsecret";'), r"sasl\.jaas\.config"),
            ({"security.protocol": "SASL"}, r"security\.protocol"),
            ({"request.timeout.ms": "soon"}, r"request\.timeout\.ms"),
            ({"ssl.truststore.pasword": "topsecret"}, r"ssl\.truststore\.pasword"),
            ({"interceptor.classes": "x"}, r"interceptor\.classes"),
        ],
    )
    def test_what_cannot_be_honoured_is_refused_by_name(self, given: dict[str, str], named: str) -> None:
        with pytest.raises(HoldfastError, match=named) as refused:
            ClusterConnection.of("a:1", given).request_timeout_ms(1000)
        assert "topsecret" not in str(refused.value)

    def test_no_secret_shows(self) -> None:
        connection = ClusterConnection.of("a:1", sasl("PLAIN", f'{PLAIN} required username="me" password="topsecret";'))
        settings = connection.settings()
        for text in (repr(connection), str(connection), repr(settings), f"{settings}", "%s" % settings):  # noqa: UP031 - as loggers do
            assert "topsecret" not in text


class TestTls:
    def test_host_names_are_checked_unless_told_otherwise(self, certificates: tuple[Path, Path]) -> None:
        given = {"security.protocol": "SSL", "ssl.truststore.type": "PEM", "ssl.truststore.location": str(certificates[0])}
        checking = ClusterConnection.of("a:1", given).settings()["ssl_context"]
        trusting = ClusterConnection.of("a:1", given | {"ssl.endpoint.identification.algorithm": ""}).settings()["ssl_context"]
        assert isinstance(checking, ssl.SSLContext)
        assert isinstance(trusting, ssl.SSLContext)
        assert (checking.check_hostname, checking.verify_mode) == (True, ssl.CERT_REQUIRED)
        assert (trusting.check_hostname, trusting.verify_mode) == (False, ssl.CERT_REQUIRED)
        assert len(checking.get_ca_certs()) == 1

    def test_certificates_may_stand_in_the_properties(self, certificates: tuple[Path, Path]) -> None:
        ca, own = (path.read_text() for path in certificates)
        key, _, chain = own.partition("-----BEGIN CERTIFICATE")
        given = {
            "security.protocol": "SSL",
            "ssl.truststore.certificates": ca,
            "ssl.keystore.key": key,
            "ssl.keystore.certificate.chain": f"-----BEGIN CERTIFICATE{chain}",
        }
        context = ClusterConnection.of("a:1", given).settings()["ssl_context"]
        assert isinstance(context, ssl.SSLContext)
        assert len(context.get_ca_certs()) == 1

    def test_an_own_certificate_is_read_from_a_file(self, certificates: tuple[Path, Path]) -> None:
        given = {"security.protocol": "SSL", "ssl.ca.location": str(certificates[0]), "ssl.keystore.location": str(certificates[1])}
        assert ClusterConnection.of("a:1", given).settings()["ssl_context"]
        with pytest.raises(InvalidInput, match=r"ssl\.keystore"):
            ClusterConnection.of("a:1", given | {"ssl.keystore.location": str(certificates[0])})

    @pytest.mark.parametrize("kind", ["JKS", "PKCS12"])
    def test_other_stores_are_refused_by_name(self, kind: str, tmp_path: Path) -> None:
        with pytest.raises(Unsupported, match=rf"ssl\.truststore\.type is {kind}"):
            ClusterConnection.of("a:1", {"security.protocol": "SSL", "ssl.truststore.type": kind})
        store = tmp_path / "store.jks"
        store.write_bytes(b"\xfe\xed\xfe\xed")
        with pytest.raises(Unsupported, match=r"ssl\.truststore\.location"):
            ClusterConnection.of("a:1", {"security.protocol": "SSL", "ssl.truststore.location": str(store)})

    def test_a_file_that_is_not_there_is_said(self) -> None:
        with pytest.raises(InvalidInput, match=r"ssl\.truststore\.location: cannot read '/no/such'"):
            ClusterConnection.of("a:1", {"security.protocol": "SSL", "ssl.truststore.location": "/no/such"})


def test_the_client_library_logs_no_line_for_each_connection() -> None:
    """Twenty of them a look hid what a run did in the log of its airflow task."""
    assert session.KafkaSession
    assert not logging.getLogger("kafka.net.manager").isEnabledFor(logging.INFO)
    assert logging.getLogger("kafka.net.manager").isEnabledFor(logging.WARNING)
