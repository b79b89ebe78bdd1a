"""A real broker that admits clients with a token, and a token endpoint as OAuth 2.0 has it."""

import base64
import json
import logging
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from tests.harness.kafka.broker import Broker

from holdfast.adapters.broker import sasl
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.broker.kafka_cluster import KafkaCluster
from holdfast.adapters.broker.session import KafkaSession
from holdfast.adapters.deadline import Deadline
from holdfast.errors import ClusterTrouble, HoldfastError, InvalidInput, Unsupported

LOGIN = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
CLIENT, CLIENT_SECRET = "holdfast", "s3cr/et+4711"


class Endpoint(BaseHTTPRequestHandler):
    """Grants unsigned tokens, to the one client that it knows."""

    asked: list[dict[str, list[str]]]

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        wanted = "Basic " + base64.b64encode(f"{CLIENT}:{CLIENT_SECRET}".encode()).decode()
        self.asked.append(form)
        allowed = self.headers["Authorization"] == wanted and form["grant_type"] == ["client_credentials"]
        answers: dict[str, tuple[int, object]] = {
            "/token": (200, {"access_token": sasl._unsecured("reader")[0], "expires_in": 300, "token_type": "Bearer"}),
            "/none": (200, {}),
            "/foreign": (200, {"access_token": "bm8tdG9rZW4", "expires_in": 300}),
            "/split": (200, {"access_token": "a\x01auth=Bearer b"}),
            "/text": (200, "x" * 300_000),
        }
        status, document = answers.get(self.path, (302, {})) if allowed else (401, {"error": "invalid_client"})
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/token")
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    Endpoint.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        serving.join()


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    properties = {
        "sasl.enabled.mechanisms": "OAUTHBEARER",
        "listener.name.sasl_plaintext.oauthbearer.sasl.jaas.config": f'{LOGIN} required unsecuredLoginStringClaim_sub="broker";',
    }
    folder: Path = tmp_path_factory.mktemp("oauth")
    with Broker(folder, listeners=("PLAINTEXT", "SASL_PLAINTEXT"), properties=properties) as broker:
        yield broker.address("SASL_PLAINTEXT")


def properties_of(url: str, secret: str = CLIENT_SECRET) -> dict[str, str]:
    """As Kafka's own tools take them."""
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url": url,
        "sasl.login.callback.handler.class": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
        "sasl.jaas.config": f'{LOGIN} required clientId="{CLIENT}" clientSecret="{secret}" scope="kafka";',
    }


@pytest.mark.jvm
def test_a_client_s_credentials_open_the_door(door: str, endpoint: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    connection = ClusterConnection.of(door, properties_of(f"{endpoint}/token"))
    with KafkaSession(connection, Deadline(60)) as session:
        assert KafkaCluster(session).info().cluster_id

    assert Endpoint.asked[-1]["scope"] == ["kafka"]
    assert "SASL_PLAINTEXT: a listener" in caplog.text
    assert CLIENT_SECRET not in caplog.text + repr(connection) + repr(connection.settings())


@pytest.mark.jvm
def test_a_token_that_nobody_signed_opens_the_door_of_a_broker_that_checks_none(door: str) -> None:
    login = {"sasl.jaas.config": f'{LOGIN} required unsecuredLoginStringClaim_sub="reader";'}
    own = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "OAUTHBEARER"} | login
    with KafkaSession(ClusterConnection.of(door, own), Deadline(60)) as session:
        assert KafkaCluster(session).info().cluster_id


@pytest.mark.jvm
def test_a_token_that_the_broker_refuses_is_not_called_a_password(door: str, endpoint: str) -> None:
    with pytest.raises(ClusterTrouble, match="credentials were refused: check the token's scope") as refused:
        KafkaSession(ClusterConnection.of(door, properties_of(f"{endpoint}/foreign")), Deadline(60))
    assert refused.value.lasting


@pytest.mark.parametrize(
    ("path", "secret", "said"),
    [
        ("/token", "wrong", "HTTP 401"),
        ("/moved", CLIENT_SECRET, "HTTP 302"),
        ("/none", CLIENT_SECRET, "no access_token"),
        ("/split", CLIENT_SECRET, "no access_token"),
        ("/text", CLIENT_SECRET, "no access_token"),
    ],
)
def test_no_token_is_said_without_the_secret(endpoint: str, path: str, secret: str, said: str) -> None:
    settings = ClusterConnection.of("a:1", properties_of(endpoint + path, secret)).settings()
    with pytest.raises(ClusterTrouble, match=said) as refused:
        settings["sasl_oauth_token_provider"].token()  # type: ignore[attr-defined]
    assert secret not in str(refused.value)


def test_one_token_serves_until_most_of_its_life_is_over(endpoint: str) -> None:
    now = len(Endpoint.asked)
    provider = ClusterConnection.of("a:1", properties_of(f"{endpoint}/token")).settings()["sasl_oauth_token_provider"]
    assert provider.token() == provider.token()  # type: ignore[attr-defined]
    assert len(Endpoint.asked) == now + 1


def test_a_token_that_is_old_is_asked_for_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    granted = iter([(sasl.Secret("a"), 100.0), (sasl.Secret("b"), 100.0)])
    tokens = sasl.Tokens(lambda: next(granted))
    assert tokens.token() == "a"
    later = time.monotonic() + 81
    monkeypatch.setattr(sasl.time, "monotonic", lambda: later)
    assert tokens.token() == "b"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"sasl.oauthbearer.token.endpoint.url": "http://login.example.com/token"}, "https URL is needed"),
        ({"sasl.oauthbearer.token.endpoint.url": "file:///etc/passwd"}, "https URL is needed"),
        ({"sasl.oauthbearer.token.endpoint.url": "https://[::1"}, "malformed"),
        ({"sasl.jaas.config": ""}, "clientId and clientSecret"),
        ({"sasl.jaas.config": "", "sasl.oauthbearer.token.endpoint.url": ""}, "OAUTHBEARER needs"),
        ({"sasl.mechanism": "GSSAPI"}, r"GSSAPI needs the package gssapi.*holdfast\[gssapi\]"),
        ({"sasl.mechanism": "AWS_MSK_IAM"}, r"AWS_MSK_IAM needs the package botocore.*holdfast\[msk\]"),
        ({"sasl.mechanism": "DIGEST-MD5"}, "DIGEST-MD5"),
    ],
)
def test_what_cannot_be_is_refused_by_name(given: dict[str, str], named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sasl.importlib.util, "find_spec", lambda _: None)
    with pytest.raises((InvalidInput, Unsupported), match=named) as refused:
        ClusterConnection.of("a:1", properties_of("https://login.example.com/token") | given)
    assert CLIENT_SECRET not in str(refused.value)
    assert isinstance(refused.value, HoldfastError)
