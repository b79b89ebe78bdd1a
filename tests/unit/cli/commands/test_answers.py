"""What `verify`, `apply` and `doctor` print for people, and what a pipe gets."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.harness.article import AFTER, C, change, group, just_now
from tests.harness.plans import REPLACE_FIRST, restarted, without_client

from holdfast import wiring
from holdfast.cli import main
from holdfast.workflows.doctor import Check, CheckStatus

LONG = "kafka-acls.sh --bootstrap-server one:9092,two:9092 --add --allow-principal User:PRINCIPAL --operation Describe " + " ".join(
    f"--topic topic-with-a-long-name-{number}" for number in range(10)
)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main.holdfast, [str(one) for one in arguments], standalone_mode=False)


def kept(folder: Path, name: str, document: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(document))
    return path


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    snapshot = kept(tmp_path, "snapshot.json", just_now(group(AFTER)))
    made = run("plan", snapshot, kept(tmp_path, "change.json", change(REPLACE_FIRST)), "--json")
    return kept(tmp_path, "plan.json", json.loads(made.stdout))


@pytest.mark.thorough
def test_a_verdict_has_its_figures_first_and_what_shows_each_step(tmp_path: Path, plan: Path) -> None:
    done = run("verify", plan, "--snapshot", kept(tmp_path, "now.json", just_now(group(AFTER))), "--format", "text")
    lines = done.stdout.splitlines()

    assert done.return_value == 2
    assert lines[0].endswith("for streams-wordcount on local: steps pending")
    assert any("Rebalances: unknown, forecast 1" in line for line in lines)
    assert [line.split()[0] for line in lines if "not yet  " in line] == ["1", "3", "4"]


@pytest.mark.thorough
def test_what_is_elsewhere_is_listed_with_both_owners(tmp_path: Path, plan: Path) -> None:
    first, second = (one for one in AFTER if one != C)
    other = group(AFTER | {first: AFTER[second], second: AFTER[first]})
    done = run("verify", plan, "--snapshot", kept(tmp_path, "other.json", just_now(restarted(other, C))), "--format", "text")

    assert done.return_value == 3
    assert "DIFFERENCES FROM THE FORECAST" in done.stdout
    assert f"1_1   active  {first}" in done.stdout


@pytest.mark.thorough
def test_json_is_what_a_pipe_gets(tmp_path: Path, plan: Path) -> None:
    now = kept(tmp_path, "now.json", just_now(group(AFTER)))

    for how in ((), ("--json",), ("--format", "json")):
        assert json.loads(run("verify", plan, "--snapshot", now, *how).stdout)["result"] == "not yet"
    assert run("verify", plan, "--snapshot", now, "--json", "--format", "text").exception is not None


@pytest.mark.thorough
def test_apply_says_how_far_it_is_and_what_it_waits_for(tmp_path: Path, plan: Path) -> None:
    gone = kept(tmp_path, "gone.json", just_now(without_client(group(AFTER), C)))
    by = ("--approved-by", "ann", "--reason", "seen", "--lake", tmp_path / "lake")
    done = run("apply", plan, "--snapshot", gone, *by, "--format", "text")

    assert done.exception is None
    assert "streams-wordcount on local: 1 of 4 steps done" in done.stdout
    assert "Waiting for step 2:" in done.stdout
    assert "--confirm 2" in done.stdout
    assert json.loads(run("apply", plan, "--snapshot", gone, *by).stdout)["waiting_for"]["step"] == "2"


@pytest.mark.parametrize("columns", ["40", "80", "500"])
def test_the_doctors_commands_are_never_cut_or_wrapped(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    checks = (
        Check("right", CheckStatus.MISSING, "not granted", f"{LONG}\n{LONG} --cluster"),
        Check("fine", CheckStatus.OK, "granted"),
    )
    monkeypatch.setattr(wiring, "examine", lambda *_: checks)
    lines = run("doctor", "--bootstrap-server", "one:9092", "--group", "wc").stdout.splitlines()

    assert f"  {LONG}" in lines
    assert f"  {LONG} --cluster" in lines
