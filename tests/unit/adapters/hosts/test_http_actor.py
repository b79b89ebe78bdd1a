"""Calls that act on clients, and what a service may answer, against a real HTTPS server."""

import json
import re
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event

import pytest
from tests.harness.deployer import TOKEN, Deployer, send

from holdfast.actor import Actor
from holdfast.adapters.hosts import actors_file, http_actor
from holdfast.errors import HostTrouble, InvalidInput
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState

RESTART = Act(Does.RESTART, "id-1", "/app-1")
ONE = ClientProcess(ProcessState.RUNNING, "b1/1")
Answer = Callable[[BaseHTTPRequestHandler, Callable[[], None]], None]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployer]:
    with Deployer(tmp_path_factory.mktemp("deployer")) as running:
        yield running


@pytest.fixture
def deployer(server: Deployer, monkeypatch: pytest.MonkeyPatch) -> Deployer:
    monkeypatch.setenv("DEPLOYER_TOKEN", TOKEN)
    monkeypatch.setattr(http_actor, "_PAUSE_S", 0.05)
    server.processes, server.begun, server.answers = {"app-1": 1}, 1, None
    server.asked.clear()
    server.tokens.clear()
    return server


def actor(deployer: Deployer, **others: str) -> Actor:
    text = deployer.actors().decode()
    for old, new in others.items():
        assert old in text
        text = text.replace(old, new)
    return actors_file.read(text.encode(), "orders")


def test_names_become_parts_of_a_path_a_value_and_a_string(deployer: Deployer) -> None:
    deployer.processes["fe80::1@x+y"] = 7
    act = Act(Does.RESTART, "id-1", "/fe80::1@x+y")
    assert actor(deployer).perform(Does.RESTART, act) is None

    encoded = "fe80%3A%3A1%40x%2By"
    body = {"client": ["fe80::1@x+y", 1, None], "why": "plan"}
    assert deployer.asked == [("restart", f"/api/clients/{encoded}/restart?who={encoded}", body)]
    assert set(deployer.tokens) == {TOKEN}


@pytest.mark.parametrize(
    "host",
    [
        "..",
        ".",
        ".env",
        "../admin",
        "a/b",
        "a\\b",
        "a%2fb",
        "a?x=1",
        "a#b",
        "a b",
        "a\r\nX: y",
        "é",
        "",
        "{other}",
        "-x",
        "a" * 300,
    ],
)
def test_a_name_that_cannot_be_one_is_refused_by_name_and_nothing_is_sent(deployer: Deployer, host: str) -> None:
    found, act = actor(deployer), Act(Does.RESTART, "id-1", f"/{host}")

    lacking = found.lacks(act)
    assert lacking is not None
    assert "cannot be part of a call" in lacking or "is not given" in lacking
    for call in (lambda: found.process(act), lambda: found.perform(Does.RESTART, act)):
        with pytest.raises(HostTrouble) as refused:
            call()
        assert (refused.value.begun, refused.value.lasting) == (False, True)
    assert deployer.tokens == []


# What a service may answer.


def huge(handler: BaseHTTPRequestHandler, _: Callable[[], None]) -> None:
    send(handler, 200, b" " * (http_actor.MOST_ANSWER + 10))


def truncated(handler: BaseHTTPRequestHandler, _: Callable[[], None]) -> None:
    send(handler, 200, b'{"process": {"state": "UP", "boot": 1, "number": 1}}', Content_Length="5000")


def elsewhere(handler: BaseHTTPRequestHandler, _: Callable[[], None]) -> None:
    send(handler, 307, b"", Location=f"/api/clients/{TOKEN.split()[1]}")


def no_json(handler: BaseHTTPRequestHandler, _: Callable[[], None]) -> None:
    send(handler, 200, b"[" * 100_000)


def nothing(handler: BaseHTTPRequestHandler, _: Callable[[], None]) -> None:
    handler.close_connection = True


def no_http(handler: BaseHTTPRequestHandler, _: Callable[[], None]) -> None:
    handler.wfile.write(b"220 " + TOKEN.encode() + b"\r\n\r\n")
    handler.close_connection = True


def echoes(handler: BaseHTTPRequestHandler, _: Callable[[], None]) -> None:
    said = handler.headers["Authorization"]
    handler.send_response(403, said)
    handler.end_headers()
    handler.wfile.write(said.encode())
    handler.close_connection = True


def echoes_as_state(handler: BaseHTTPRequestHandler, _: Callable[[], None]) -> None:
    send(handler, 200, json.dumps({"process": {"state": TOKEN.split()[1], "boot": 1, "number": 1}}).encode())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (huge, "is larger than"),
        (truncated, "bytes too early"),
        (elsewhere, "307 Temporary Redirect: redirects are not followed"),
        (no_json, "no JSON"),
        (nothing, "was not reached"),
        (no_http, "was not reached: BadStatusLine"),
        (echoes, "403 Forbidden"),
        (echoes_as_state, "is another value; one of DOWN, MOVING, UP is needed"),
    ],
)
def test_a_bad_answer_to_the_status_is_unknown_and_tells_no_secret(deployer: Deployer, answer: Answer, said: str) -> None:
    deployer.answers = answer
    with pytest.raises(HostTrouble, match=re.escape(said)) as trouble:
        actor(deployer).process(RESTART)

    assert not trouble.value.begun
    assert "sesame" not in str(trouble.value)
    assert len(deployer.tokens) == 1, "no redirect is followed, and who asks decides whether to ask again"


@pytest.mark.parametrize("answer", [huge, truncated, nothing, no_http])
def test_after_a_bad_answer_to_an_act_it_may_have_been_done(deployer: Deployer, answer: Answer) -> None:
    found = actor(deployer)
    assert found.process(RESTART) == ONE
    deployer.answers = answer
    with pytest.raises(HostTrouble) as trouble:
        found.perform(Does.RESTART, RESTART)
    assert trouble.value.begun
    assert len(deployer.asked) == 1, "an act is never repeated here"


def test_a_failure_after_acting_is_no_failure_of_the_act(deployer: Deployer) -> None:
    """The next look finds another process."""

    def fails(handler: BaseHTTPRequestHandler, usual: Callable[[], None]) -> None:
        deployer.act("app-1", "restart")
        send(handler, 500, TOKEN.encode())

    found = actor(deployer)
    assert found.process(RESTART) == ONE
    deployer.answers = fails
    with pytest.raises(HostTrouble, match="500 Internal Server Error") as trouble:
        found.perform(Does.RESTART, RESTART)
    assert trouble.value.begun
    deployer.answers = None
    assert found.process(RESTART) == ClientProcess(ProcessState.RUNNING, "b1/2")


@pytest.mark.parametrize(("answer", "said"), [(elsewhere, "redirects are not followed"), (echoes, "403 Forbidden")])
def test_a_refusal_of_an_act_says_so(deployer: Deployer, answer: Answer, said: str) -> None:
    found = actor(deployer)
    found.process(RESTART)
    deployer.answers = answer

    failed = found.perform(Does.RESTART, RESTART)
    assert failed is not None
    assert said in failed
    assert "sesame" not in failed


def test_an_act_is_over_when_the_process_shows_it(deployer: Deployer) -> None:
    looks = iter((False, False, True))

    def later(handler: BaseHTTPRequestHandler, usual: Callable[[], None]) -> None:
        if handler.command == "POST":
            send(handler, 202, b"")
        else:
            if next(looks):
                deployer.act("app-1", "restart")
            deployer.answers = later
            usual()

    found = actor(deployer)
    assert found.process(RESTART) == ONE
    deployer.answers = later
    assert found.perform(Does.RESTART, RESTART) is None
    assert next(looks, None) is None


def test_a_service_that_drips_is_given_up(deployer: Deployer) -> None:
    def drips(handler: BaseHTTPRequestHandler, _: Callable[[], None]) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(200):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)

    deployer.answers = drips
    found = actor(deployer, **{"limit_s: 60": "limit_s: 1"})
    with pytest.raises(HostTrouble, match="did not answer within 1 s") as trouble:
        found.process(RESTART)
    assert not trouble.value.lasting


def test_a_service_that_answers_late_is_left_to_go_on(deployer: Deployer) -> None:
    """Nothing waits for its answer, and the status shows what it has done. The call is not sent again."""
    go_on = Event()

    def late(handler: BaseHTTPRequestHandler, usual: Callable[[], None]) -> None:
        if handler.command != "GET":
            assert go_on.wait(60)
        usual()

    deployer.answers = late
    found = actor(deployer, **{"      ca:": "      answers_within_s: 1\n      ca:"})
    assert found.process(RESTART) == ONE
    for give in (lambda: found.perform(Does.RESTART, RESTART), lambda: found.write_config(RESTART, {"a": "1"})):
        with pytest.raises(HostTrouble, match="did not answer within 1 s") as trouble:
            give()
        assert (trouble.value.begun, trouble.value.lasting) == (True, False)
    assert found.process(RESTART) == ONE
    go_on.set()
    ends_at = time.monotonic() + 60
    while found.process(RESTART) == ONE or deployer.settings["app-1"].get("a") != "1":
        assert time.monotonic() < ends_at
    assert [verb for verb, _, _ in deployer.asked] == ["restart", "config"]


def test_an_identity_that_is_a_secret_is_none(deployer: Deployer) -> None:
    def echo(handler: BaseHTTPRequestHandler, _: Callable[[], None]) -> None:
        send(handler, 200, json.dumps({"process": {"state": "UP", "boot": TOKEN.split()[1], "number": 1}}).encode())

    deployer.answers = echo
    assert actor(deployer).process(RESTART) == ClientProcess(ProcessState.RUNNING)


@pytest.mark.parametrize(
    "shown", [{"boot": "b1"}, {"boot": "b1", "number": ""}, {"boot": "a b", "number": 1}, {"boot": [1], "number": 1}]
)
def test_an_identity_that_is_not_whole_is_none(deployer: Deployer, shown: dict[str, object]) -> None:
    deployer.answers = lambda handler, _: send(handler, 200, json.dumps({"process": {"state": "UP", **shown}}).encode())
    assert actor(deployer).process(RESTART) == ClientProcess(ProcessState.RUNNING)


def test_a_certificate_is_checked_and_nothing_is_sent(deployer: Deployer) -> None:
    found = actor(deployer, **{f'ca: "{deployer.ca}"': "unencrypted: false"})
    with pytest.raises(HostTrouble, match="certificate was refused") as trouble:
        found.process(RESTART)

    assert (trouble.value.begun, trouble.value.lasting) == (False, True)
    assert deployer.tokens == []


def test_a_secret_is_read_whenever_it_is_needed(deployer: Deployer, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("first-token\n")
    found = actor(deployer, **{"env:DEPLOYER_TOKEN": f"file:{tmp_path}/token"})
    found.process(RESTART)
    (tmp_path / "token").write_text("second-token\n")
    found.process(RESTART)
    assert deployer.tokens == ["first-token", "second-token"]

    (tmp_path / "token").write_text("a\nb")
    with pytest.raises(HostTrouble, match="no header may have"):
        found.process(RESTART)
    (tmp_path / "token").unlink()
    with pytest.raises(HostTrouble, match="cannot be read") as trouble:
        found.perform(Does.RESTART, RESTART)
    assert not trouble.value.begun


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("https://", "http://", "unencrypted: true"),
        ("https://127.0.0.1", "https://{host}", "no address of a service"),
        ("https://127", "https://me:secret-word@127", "no address of a service"),
        ("/api\n", "/api?token=secret-word\n", "no address of a service"),
        ("https://127.0.0.1", "https://127.0.0.1:port", "malformed"),
        ("env:DEPLOYER_TOKEN", "secret-word", "never its value here"),
        ("Authorization:", "Host:", "set by Holdfast itself"),
        ("/clients/{host}/start", "clients/{host}/start", "is no path"),
        ("/clients/{host}/start", "/clients/{host}/../start", "is no path"),
        ("/clients/{host}/start", "/clients/{host}?x=secret-word", "is no path"),
        ("state: /process/state", "state: process", "no JSON pointer"),
        ("[/process/boot, /process/number]", "[]", "`identity` is needed"),
        ("MOVING: changing", "MOVING: gone", "changing"),
        ("    limit_s: 60", "    limit_s: 60\n    ssh: {}", "services by their URL"),
        ("    limit_s: 60", "    limit_s: 60\n    systemd: {unit: x}", "one of `systemd`"),
        ("      url:", "      connection: x\n      url:", "names a connection of Airflow"),
        ("/server.crt", "/gone.crt", "cannot be read"),
    ],
)
def test_what_an_admin_wrote_is_checked(deployer: Deployer, old: str, new: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(said)) as refused:
        actor(deployer, **{old: new})
    assert "secret-word" not in str(refused.value)


def test_a_call_that_is_not_given_is_a_person_s(deployer: Deployer) -> None:
    found = actor(deployer, **{'      stop: {path: "/clients/{host}/stop"}\n': ""})
    assert found.lacks(Act(Does.STOP, "id-1", "/app-1")) == "No call to stop a client is given."
    assert found.lacks(RESTART) is None


class TestSettings:
    def test_are_a_member_of_the_body(self, deployer: Deployer) -> None:
        found = actor(deployer)
        assert found.lacks_config(RESTART, {"a": "1"}) is None
        assert found.write_config(RESTART, {"a": "1", "b": None}) is None
        assert deployer.asked == [("config", "/api/clients/app-1/config", {"by": "app-1", "settings": {"a": "1", "b": None}})]
        assert set(deployer.tokens) == {TOKEN}

    @pytest.mark.parametrize("answer", [huge, truncated, elsewhere, no_json, nothing, no_http, echoes])
    def test_that_no_answer_shows_are_unknown(self, deployer: Deployer, answer: Answer) -> None:
        deployer.answers = answer
        with pytest.raises(HostTrouble) as refused:
            actor(deployer).read_config(RESTART, ("a",))
        assert TOKEN.split()[1] not in str(refused.value)

    def test_that_hold_the_secret_that_was_sent_are_not_kept(self, deployer: Deployer) -> None:
        token = TOKEN.split()[1]
        deployer.answers = lambda handler, _: send(handler, 200, json.dumps({"deployed": {"config": {"a": f"x{token}"}}}).encode())
        with pytest.raises(HostTrouble, match="holds a secret") as refused:
            actor(deployer).read_config(RESTART, ("a",))
        assert token not in str(refused.value)

    def test_that_are_refused_say_how_and_that_may_be_written_are_open(self, deployer: Deployer) -> None:
        found = actor(deployer)
        deployer.answers = lambda handler, _: send(handler, 409, TOKEN.encode())
        assert found.write_config(RESTART, {"a": "1"}) == (
            "The call that writes the settings of id-1 on /app-1 was answered with 409 Conflict."
        )
        deployer.answers = lambda handler, _: send(handler, 503, b"")
        with pytest.raises(HostTrouble) as refused:
            found.write_config(RESTART, {"a": "1"})
        assert refused.value.begun

    def test_without_a_call_are_a_person_s(self, deployer: Deployer) -> None:
        lines = [one for one in deployer.actors().decode().splitlines() if "_config" not in one]
        found = actors_file.read("\n".join(lines).encode(), "orders")
        assert "`http.set_config`" in str(found.lacks_config(RESTART, {"a": "1"}))
        assert found.read_config(RESTART, ("a",)) is None
