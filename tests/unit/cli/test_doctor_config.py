"""The command `holdfast doctor --config`."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.harness import command_line
from tests.harness.groups_at_rest import by_broker, consumers, streams

from holdfast.cli import doctor_config
from holdfast.rollout.kinds import any_document


def run(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return command_line.run(["doctor", *arguments])


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    path = tmp_path / "snapshot.json"
    path.write_text(json.dumps(any_document.snapshot_to_json(streams())))
    return path


def test_a_healthy_group_has_no_finding(snapshot: Path) -> None:
    done = run("--config", snapshot)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "Settings of app: no finding"


def test_findings_are_listed_with_price_fix_and_source(snapshot: Path, tmp_path: Path) -> None:
    (tmp_path / "app.properties").write_text("state.dir = /tmp/state\n")
    done = run("--config", snapshot, "--app-config", tmp_path / "app.properties")

    assert done.returncode == 1
    assert "state.dir = /var/lib/kafka-streams, in the application's properties" in done.stdout
    assert "When the busiest client restarts: records restored 20,000; once fixed: 0" in done.stdout
    assert "KAFKA-10716" in done.stdout


def test_the_policy_silences_and_the_document_says_so(snapshot: Path, tmp_path: Path) -> None:
    (tmp_path / "app.properties").write_text("state.dir=/tmp/state\n")
    (tmp_path / "policy.yaml").write_text('format_version: "1.0"\nsilenced:\n  - {rule: state-dir-temporary, reason: a test bed}\n')
    done = run("--config", snapshot, "--app-config", tmp_path / "app.properties", "--policy", tmp_path / "policy.yaml", "--json")
    document = json.loads(done.stdout)

    assert done.returncode == 0
    assert document["findings"] == []
    assert [(one["rule"], one["reason"]) for one in document["silenced"]] == [("state-dir-temporary", "a test bed")]


@pytest.mark.parametrize("group", [by_broker, consumers])
def test_any_kind_of_group_is_judged(group: object, tmp_path: Path) -> None:
    path = tmp_path / "snapshot.json"
    path.write_text(json.dumps(any_document.snapshot_to_json(group())))  # type: ignore[operator]

    assert json.loads(run("--config", path, "--json").stdout)["findings"] == []


def test_the_release_can_be_given(snapshot: Path) -> None:
    document = json.loads(run("--config", snapshot, "--kafka-release", "4.3.0", "--json").stdout)

    assert [one["rule"] for one in document["findings"]] == ["rocksdb-leaks-memory"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"x" * 1_100_000, "larger than"), (b"state.dir=\\uzzzz", "escape")],
)
def test_a_file_that_cannot_be_used_is_refused_by_name(snapshot: Path, tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "app.properties").write_bytes(content)
    done = run("--config", snapshot, "--app-config", tmp_path / "app.properties")

    assert (done.returncode, done.stdout) == (1, "")
    assert problem in done.stderr


def test_bytes_in_another_encoding_do_not_stop_it(snapshot: Path, tmp_path: Path) -> None:
    (tmp_path / "app.properties").write_bytes(b"\xff\xfe\x00my.name=\xe9\nproducer.acks=1\r\n")
    done = run("--config", snapshot, "--app-config", tmp_path / "app.properties")

    assert "acks-of-the-leader-alone" in done.stdout.lower()


def test_what_a_collection_would_refuse_is_left_out_of_it() -> None:
    given = {"max.warmup.replicas": "abc", "session.timeout.ms": "1000", "num.standby.replicas": "1", "orders": "x"}
    stated = doctor_config._stated(given, doctor_config.Given(None, None, "3.9.1"))

    assert dict(stated.application) == {"num.standby.replicas": "1"}


@pytest.mark.parametrize(
    "arguments",
    [("--config",), ("--policy", "p.yaml", "--group", "g"), ("--bootstrap-server", "127.0.0.1:1"), ("x.json", "--group", "g")],
)
def test_what_does_not_fit_together_is_refused(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)

    assert done.returncode != 0
    assert done.stdout == ""
