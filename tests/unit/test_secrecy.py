"""Secrets in every disguise: seen, refused by every reader of what people write, and never repeated in a message."""

import contextlib
import io
import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.harness.article import AFTER, C, change, group, just_now
from tests.harness.plans import REPLACE_FIRST, without_client
from tests.harness.sshd import Sshd

from holdfast import secrecy
from holdfast.adapters import yaml_text
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.state_dirs.process_metadata import FILE_NAME
from holdfast.cli.main import main
from holdfast.errors import HoldfastError, InvalidDocument, InvalidInput
from holdfast.kafka import properties
from holdfast.kafka.streams import config_check
from holdfast.rollout.consumer.change.json import consumer_change_from_json
from holdfast.rollout.contract.requests import request_from_form
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.workflows.naming import read_named

OPEN_SESAME = "oPen-5esame"


def wide(text: str) -> str:
    """In letters that only look alike."""
    return "".join(chr(ord(letter) + 0xFEE0) for letter in text)


NAMES = (
    "password",
    "sasl.jaas.config",
    "ssl.key.password",
    "SSL.KEYSTORE.PASSWORD",
    "main.consumer.ssl.truststore.password",
    "confluent.monitoring.interceptor.sasl.jaas.config",
    "basic.auth.user.info",
    "schema.registry.basic.auth.user.info",
    "sasl.oauthbearer.client.credentials.client.secret",
    "sasl.oauthbearer.assertion.private.key.passphrase",
    "ssl.keystore.key",
    "my.api-key",
    "aws_secret_access_key",
    "accessToken",
    "db_passwd",
    wide("PASSWORD"),
    "pass\u200bword",
    "\u0073ecret",
    "credentials",
)
INNOCENT = (
    "max.warmup.replicas",
    "sasl.oauthbearer.token.endpoint.url",
    "sasl.login.refresh.window.factor",
    "num.standby.replicas",
    "ssl.keystore.location",
    "sasl.mechanism",
    "partition.assignment.strategy",
    "",
)
TEXTS = (
    f"password={OPEN_SESAME}",
    f"ssl.key.password : {OPEN_SESAME}",
    f'{{"\\u0070assword": "{OPEN_SESAME}"}}',
    f"\\u0070assword={OPEN_SESAME}",
    f"\\uu0070assword={OPEN_SESAME}",
    f"pass\\word={OPEN_SESAME}",
    f"ssl.key.pass\\\n   word={OPEN_SESAME}",
    f"ssl.key.password=\\\r\n   {OPEN_SESAME}",
    f'"\\x70assword": "{OPEN_SESAME}"',
    f'"\\U00000070assword": "{OPEN_SESAME}"',
    wide("password:") + OPEN_SESAME,
    f"p\u00adassword={OPEN_SESAME}",
    f"x?pass%77ord={OPEN_SESAME}",
    f"x?p%2561ssword={OPEN_SESAME}",
    f"user:{OPEN_SESAME}@broker-1:9092,broker-2:9092",
    f"SASL_SSL://user:{OPEN_SESAME}@broker-1:9092",
    f"s3://AKIA:{OPEN_SESAME}@bucket/lake",
    f"s3://AKIA:{OPEN_SESAME}/with/slash@bucket/lake",
    f"simplecache::s3://key:{OPEN_SESAME}@bucket/lake",
    f"zip://x.zip::sftp://me:{OPEN_SESAME}@host:22/x",
    f"https://{OPEN_SESAME}@example.com/x",
    f"https://h/x?token={OPEN_SESAME}&y=1",
    f"https://h/x?X-Amz-Signature={OPEN_SESAME}",
    f"https://h/x?sv=1&sig={OPEN_SESAME}",
    f'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="{OPEN_SESAME} two";',
    f"sasl.jaas.config=X required clientId='a' clientSecret='{OPEN_SESAME}';",
    f"Authorization: Bearer {OPEN_SESAME}{OPEN_SESAME}",
    f"-----BEGIN ENCRYPTED PRIVATE KEY-----\n{OPEN_SESAME}\n-----END ENCRYPTED PRIVATE KEY-----",
    f"-----BEGIN PRIVATE KEY-----\\n{OPEN_SESAME}",
    f"eyJhbGciOiJub25lIn0.{OPEN_SESAME.replace('-', '_')}.",
)
NO_SECRETS = (
    "check the username and password in sasl.jaas.config",
    "https://host:9092/a@b",
    "file:///var/state/w@c",
    "s3://bucket/lake",
    "broker-1:9092,broker-2:9092",
    "[::1]:9092",
    'needs the login module: PlainLoginModule required username="…" password="…";',
    "2026-11-22T07:59:43Z",
    "C:\\state\\orders",
    "100 % of the tasks",
    "streams-4b61083e-57d0-457d-951f-d06556c148ca-StreamThread-1-consumer",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_secret_s_name_is_known(name: str) -> None:
    assert secrecy.is_secret_name(name)


@pytest.mark.parametrize("name", INNOCENT)
def test_other_names_are_not(name: str) -> None:
    assert not secrecy.is_secret_name(name)


def test_all_that_kafka_keeps_secret_is_refused_among_settings() -> None:
    for key in config_check.secret_keys():
        with pytest.raises(InvalidInput, match="holds a secret"):
            config_check.refuse_secrets({key: OPEN_SESAME})


@pytest.mark.parametrize("text", TEXTS)
def test_a_secret_is_seen_and_never_repeated(text: str) -> None:
    assert secrecy.holds_secret(text)
    for said in (secrecy.redact(text), secrecy.redact(f"found {text!r}: why"), str(HoldfastError(f"before\n{text}\nafter"))):
        assert OPEN_SESAME not in said
        assert OPEN_SESAME.replace("-", "_") not in said


@pytest.mark.parametrize("text", NO_SECRETS)
def test_what_holds_none_stays_as_it_is(text: str) -> None:
    assert not secrecy.holds_secret(text)
    assert secrecy.redact(text) == text


def test_an_error_says_where_and_keeps_its_words() -> None:
    problem = InvalidInput("names no username or no password", "sasl.jaas.config")
    assert str(problem) == "sasl.jaas.config: names no username or no password"
    both = InvalidDocument((problem, InvalidInput(f"'password={OPEN_SESAME}' is no number", "x")))
    assert "sasl.jaas.config: names no username" in str(both)
    assert OPEN_SESAME not in str(both)
    assert OPEN_SESAME not in both.problems[1].problem


def test_a_document_that_names_a_secret_is_refused_in_a_sentence() -> None:
    name = "consumer.sasl.jaas.config"
    change = {"format_version": "1.0", "events": [{"set_config": {name: OPEN_SESAME}}]}
    with pytest.raises(InvalidInput) as refused:
        read_named(("change.json", change), change_from_json)

    assert str(refused.value).startswith(f"change.json: events[0].set_config.{name}: is the name of a secret")
    with pytest.raises(InvalidInput) as refused:
        read_named((f"password={OPEN_SESAME}", {"format_version": "1.0", "events": 4711}), change_from_json)
    assert OPEN_SESAME not in str(refused.value)


def refusals(text: str) -> list[object]:
    """Everything that reads what people write, each with the secret somewhere."""
    change = {"format_version": "1.0", "events": [{"set_config": {"client.tag.zone": text}}]}
    host = {"format_version": "1.0", "events": [{"add_client": {"process_id": None, "threads": 1, "host": text}}]}
    plain = {
        "format_version": "1.0",
        "events": [{"add_consumer": {"member_id": text, "assignors": ["range"], "subscription": ["t"]}}],
    }
    policy = {"format_version": "1.0", "untouchable_hosts": [text]}
    return [
        lambda: change_from_json(change),
        lambda: change_from_json(host),
        lambda: change_from_json({"format_version": "1.0", "events": text}),
        lambda: consumer_change_from_json(plain),
        lambda: policy_from_json(policy),
        lambda: policy_from_json(yaml_text.loads(json.dumps(policy))),
        lambda: request_from_form({"what": "replace a host", "hosts": [text]}),
        lambda: request_from_form({"what": "replace a host", "hosts": ["a"], "new_host": text}),
        lambda: FsspecLake(text if "://" in text else f"s3://bucket/{text}"),
        lambda: ClusterConnection.of(text),
    ]


@pytest.mark.parametrize("text", TEXTS)
def test_every_reader_refuses_it_without_repeating_it(text: str) -> None:
    for number, read in enumerate(refusals(text)):
        with pytest.raises(HoldfastError) as refused:
            read()  # type: ignore[operator]
        assert OPEN_SESAME not in str(refused.value), number


@pytest.mark.parametrize("name", NAMES)
def test_a_setting_of_that_name_is_refused(name: str) -> None:
    readers = (
        lambda: change_from_json({"format_version": "1.0", "events": [{"set_config": {name: OPEN_SESAME}}]}),
        lambda: change_from_json({"format_version": "1.0", "events": [], "later": {name: OPEN_SESAME}}),
        lambda: request_from_form({"what": "change settings", "settings": f"num.standby.replicas=1\n{name}={OPEN_SESAME}"}),
        lambda: request_from_form({"what": "change settings", "settings": f"{name[0]}\\\n  {name[1:]} {OPEN_SESAME}"}),
        lambda: config_check.refuse_secrets(properties.parse(f"  {name} : {OPEN_SESAME}")),
    )
    for read in readers:
        with pytest.raises(InvalidInput) as refused:
            read()
        assert OPEN_SESAME not in str(refused.value)


@pytest.mark.parametrize("text", [TEXTS[0], TEXTS[2], TEXTS[5], TEXTS[18]])
def test_the_command_refuses_it_and_keeps_nothing(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from holdfast.cli.main import holdfast

    change = tmp_path / "change.json"
    change.write_text(json.dumps({"format_version": "1.0", "events": [{"set_config": {"x": text}}]}))
    snapshot = tmp_path / "snapshot.json"
    snapshot.write_text("{}")
    monkeypatch.chdir(tmp_path)
    for command in (["forecast", str(snapshot), str(change)], ["plan", str(snapshot), str(change)]):
        done = CliRunner().invoke(holdfast, command, standalone_mode=False)
        assert done.exit_code != 0
        assert OPEN_SESAME not in done.output + str(done.exception)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path != change and OPEN_SESAME in path.read_text()] == []


@pytest.mark.parametrize(
    "part",
    ["a", "password", "://", "a:", "\\u0070", "?key", "-----BEGIN PRIVATE KEY-----", "eyJ", "://a:", 'password:"', "%25", "x,"],
)
def test_hostile_text_takes_little_time(part: str) -> None:
    text = part * (100_000 // len(part))
    began = time.process_time()
    secrecy.holds_secret(text)
    secrecy.redact(text)
    assert time.process_time() - began < 8


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What `plan` reads and writes: the plan is made once for all tests."""
    folder = tmp_path_factory.mktemp("planned")
    found = {
        "snapshot.json": json.dumps(just_now(group(AFTER))),
        "gone.json": json.dumps(just_now(without_client(group(AFTER), C))),
        "change.json": json.dumps(change(REPLACE_FIRST)),
    }
    for name, text in found.items():
        (folder / name).write_text(text)
    with contextlib.redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit):
        main(("plan", str(folder / "snapshot.json"), str(folder / "change.json"), "--json"))
    return found | {"plan.json": out.getvalue()}


@pytest.fixture
def planned(documents: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Files that `plan` and `apply` read, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for name, text in documents.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "approval.json").write_text(json.dumps(approved(tmp_path / "plan.json")))
    return {name: str(tmp_path / name) for name in (*documents, "approval.json")}


def approved(plan: Path, **other: object) -> dict[str, object]:
    plan_id = json.loads(plan.read_bytes())["plan_id"]
    at = datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    return {"format_version": "1.0", "plan_id": plan_id, "approved": True, "by": "ann", "reason": "", "at": at} | other


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(str(ended.value.code)), *capsys.readouterr()


@pytest.mark.thorough
@pytest.mark.parametrize("text", [TEXTS[0], TEXTS[2], TEXTS[8], TEXTS[13], TEXTS[18], TEXTS[25], TEXTS[26]])
@pytest.mark.parametrize("where", ["reason", "by", "by_id", "asked_by"])
def test_an_approval_with_one_is_refused_and_not_kept(
    planned: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, where: str
) -> None:
    (tmp_path / "approval.json").write_text(json.dumps(approved(tmp_path / "plan.json", **{where: text})))
    status, out, err = ran(
        capsys, "apply", planned["plan.json"], "--snapshot", planned["gone.json"], "--approval", planned["approval.json"]
    )

    assert (status, out) == (1, "")
    assert f"approval.{where}" in err
    assert OPEN_SESAME not in err
    assert not (tmp_path / ".holdfast").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--approved-by", TEXTS[0], "--reason", "seen"),
        ("--approved-by", "ann", "--reason", TEXTS[1]),
        ("--approved-by", "ann", "--reason", "seen", "--confirm", TEXTS[0]),
        ("--approved-by", "ann", "--reason", "seen", "--state-dir-of", f"{C}=/var/{TEXTS[0]}"),
        ("--approved-by", "ann", "--reason", "seen", "--state-dir-of", f"{C}=ssh://ann:{OPEN_SESAME}@app-3/var/wc"),
        ("--approved-by", "ann", "--reason", "seen", "--state-dir-of", f"{C}=ssh://ann%3A{OPEN_SESAME}@app-3/var/wc"),
        ("--approved-by", "ann", "--reason", "seen", "--state-dir-of", f"{C}=ssh://ann@b:{OPEN_SESAME}@app-3/var/wc"),
    ],
    ids=str,
)
def test_what_is_typed_for_apply_holds_none(
    planned: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    status, out, err = ran(capsys, "apply", planned["plan.json"], "--snapshot", planned["gone.json"], *arguments)

    assert (status, out) == (1, "")
    assert "secret" in err
    assert OPEN_SESAME not in err
    assert not (tmp_path / ".holdfast").exists()


def test_who_logs_in_to_a_host_is_no_secret(planned: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As `holdfast disk` and `holdfast seed` have it; a run that continues compares the URL with the one that it began with."""
    with Sshd(tmp_path / "sshd") as host:
        (tmp_path / "wc").mkdir()
        where = f"ssh://{host.user}@127.0.0.1:{host.port}{tmp_path}/wc"
        login = ("--ssh-key", str(host.client), "--ssh-known-hosts", str(host.folder / "known_hosts"))
        status, out, err = ran(
            capsys, "apply", planned["plan.json"], "--snapshot", planned["gone.json"], "--approved-by", "ann", "--reason", "seen",
            "--state-dir-of", f"{C}={where}", *login,
        )  # fmt: skip

    assert status == 0, err
    assert json.loads((tmp_path / "wc" / FILE_NAME).read_text()) == {"processId": C}
    assert [entry["directory"] for entry in json.loads(out)["entries"] if "directory" in entry] == [where]


def test_who_asked_is_not_named_by_a_secret(planned: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = ran(
        capsys, "plan", planned["snapshot.json"], planned["change.json"], "--lake", "lake", "--requested-by", TEXTS[0]
    )

    assert (status, out) == (1, "")
    assert "--requested-by" in err
    assert OPEN_SESAME not in err
    assert not (tmp_path / "lake").exists()
