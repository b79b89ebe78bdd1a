"""`holdfast backtest` without a cluster: its options, and a mismatch judged again from its file."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from tests.harness.plans import restarted_in_lake
from tests.unit.rollout.kinds.test_mismatch_file import streams_mismatch
from tests.unit.rollout.streams.backtest.test_judge import asked, recorded

from holdfast import wiring
from holdfast.adapters.broker import kafka_cluster, recorded_groups, session
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.cli.main import holdfast
from holdfast.errors import InvalidInput, Unsupported
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.kinds import mismatch_file
from holdfast.rollout.kinds.backtests import AnyQuestion
from holdfast.workflows import backtest as workflow
from holdfast.workflows.backtest import About


def run(*arguments: str) -> Result:
    return CliRunner().invoke(holdfast, ["backtest", *arguments], standalone_mode=False)


def written(folder: Path, question: AnyQuestion) -> str:
    file = folder / "mismatch.json"
    file.write_text(json.dumps(mismatch_file.to_json(question)), encoding="utf-8")
    return str(file)


def test_a_mismatch_is_judged_again_from_its_file(tmp_path: Path) -> None:
    sent = mismatch_file.sendable(streams_mismatch())
    assert sent is not None
    file = written(tmp_path, sent.question)

    document = run("--mismatch", file, "--json")
    text = run("--mismatch", file, "--format", "text")

    assert (document.return_value, text.return_value) == (3, 3)
    found = json.loads(document.stdout)
    assert found["judged"] == "different"
    assert found["differences"][0]["holdfast"] != found["differences"][0]["recorded"]
    assert "different" in text.stdout
    assert "member-0" in text.stdout


def test_one_that_is_equal_now_says_so(tmp_path: Path) -> None:
    """As after Holdfast was corrected."""
    snapshot = recorded()
    done = run("--mismatch", written(tmp_path, asked(snapshot, snapshot.generations[-1])), "--json")

    assert json.loads(done.stdout)["judged"] == "equal"
    assert done.return_value == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--bootstrap-server", "here:1"), "Give either --group or --all."),
        (("--bootstrap-server", "here:1", "--all", "--group", "a"), "Give either --group or --all."),
        (("--bootstrap-server", "here:1", "--all", "--set", "a=b"), "--app-config and --set are of one group; give --group."),
    ],
)
def test_options_that_contradict_are_refused(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)

    assert isinstance(done.exception, click.UsageError)
    assert message in done.exception.message


@pytest.mark.parametrize(
    ("said", "judged_as"), [("4.2", "4.2.1"), ("4.1", "4.1"), ("4.0.2", "4.0.2"), ("4.0", "4.0.0, 4.0.1"), ("3.9", "not covered")]
)
def test_a_release_of_brokers_is_one_that_some_kind_of_group_is_covered_of(
    said: str, judged_as: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def backtest(_: object, __: str, given: Given, *___: object) -> None:
        raise Unsupported(f"read as of {given.broker_release}")

    monkeypatch.setattr(wiring, "backtest", backtest)
    done = run("--bootstrap-server", "here:1", "--group", "a", "--broker-release", said)

    assert isinstance(done.exception, Unsupported)
    assert judged_as in str(done.exception)


def test_a_moment_that_is_none_is_refused_with_what_is_needed() -> None:
    done = run("--bootstrap-server", "here:1", "--group", "a", "--since", "yesterday")

    assert isinstance(done.exception, InvalidInput)
    assert "a moment such as 2026-11-20T00:00:00Z is needed" in str(done.exception)


class Nothing:
    """A cluster without groups, topics or records."""

    def __init__(self, *_: object) -> None: ...

    def newest_release(self) -> str:
        return "4.3"

    def topic_names(self) -> tuple[str, ...]:
        return ()

    def topics(self, _: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (), ()

    def end_offsets(self, _: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (), ()

    def configs(self, _: object) -> dict[str, object]:
        return {}


@pytest.mark.parametrize(("lake", "name", "members"), [(False, "here", []), (True, "here", ["m-3"]), (True, "other", [])])
def test_journals_of_a_lake_say_when_members_were_stopped(
    lake: bool, name: str, members: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restarted_in_lake(FsspecLake(str(tmp_path)), "3ab16d9280bf5305", ("here", "app"), "m-3")
    asked: list[str] = []

    def judged(_: object, given_of: Callable[[str], Given], about: About, *__: object) -> None:
        asked.extend(member for member, _ in given_of("app").stopped)
        raise Unsupported(about.cluster)

    monkeypatch.setattr(session, "KafkaSession", lambda *_: nullcontext())
    monkeypatch.setattr(kafka_cluster, "KafkaCluster", Nothing)
    monkeypatch.setattr(recorded_groups, "read", lambda *_: None)
    monkeypatch.setattr(workflow, "run", judged)
    of_lake = ("--lake", str(tmp_path)) if lake else ()
    done = run("--bootstrap-server", "here:1", "--group", "app", "--cluster", name, *of_lake)

    assert isinstance(done.exception, Unsupported), done.exception
    assert str(done.exception) == name
    assert asked == members
    assert ("the lake has no rollout of a cluster 'other'" in done.stderr) == (name == "other")
