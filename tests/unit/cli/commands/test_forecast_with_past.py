"""`holdfast forecast --backtest`: the score of the group, and how long such changes took in its past."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from tests.harness.article import just_now
from tests.harness.plain_groups import change, group
from tests.unit.cli.commands.test_plan_with_past import EXAMPLE, LEARNT, SENTENCE, backtested
from tests.unit.rollout.broker_streams.forecast.test_disk_reports import C, D, start
from tests.unit.rollout.broker_streams.forecast.test_disk_reports import group as broker_group
from tests.unit.rollout.consumer.forecast.test_forecast import TWO, joins

from holdfast.cli.main import holdfast
from holdfast.rollout.backtest.learnt import Learnt, Quantity, Span
from holdfast.rollout.kinds.schemas import schema_of

COURSES = replace(LEARNT, took=Quantity(25, Span(0.5, 1, 2)), took_probing=Quantity(30, Span(0.9, 1, 1.8)))


class Files:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, name: str, document: object) -> str:
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(document))
        return str(path)

    def forecast(self, snapshot: Any, requested: object, learnt: Learnt | None, *more: str, protocol: str = "") -> str:
        past: Any = backtested(snapshot["group_id"], learnt)
        past["groups"][0]["protocol"] = protocol or past["groups"][0]["protocol"]
        paths = [self.put("snapshot", snapshot), self.put("change", requested), "--backtest", self.put("backtest", past)]
        done = CliRunner().invoke(holdfast, ["forecast", *paths, *more], standalone_mode=False)
        assert done.exception is None, done.exception
        return done.stdout


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def example() -> tuple[dict[str, Any], object]:
    return just_now(json.loads((EXAMPLE / "snapshot.json").read_text())), json.loads((EXAMPLE / "change.json").read_text())


def test_a_person_reads_the_score_and_the_range_that_was_learnt(files: Files) -> None:
    shown = files.forecast(*example(), COURSES)

    assert SENTENCE in shown.replace("\n", " ")
    assert "Until the group is stable: 1 min 57 s to 3 min 54 s in nine of ten such changes" in shown
    assert "Restore speed: 800 to 2,400 records/s, learnt from 41 restores of this group" in shown
    assert "and 1,200 records/s" in shown


def test_scripts_read_the_same(files: Files) -> None:
    document = json.loads(files.forecast(*example(), COURSES, "--json"))

    assert document["past"]["seconds"] == {"low": 117.0, "usual": 130.0, "high": 234.0}
    assert document["past"]["score"]["score"]["equal"] == 412
    assert Draft202012Validator(schema_of("forecast")).is_valid(document)


def test_with_few_courses_there_is_no_range(files: Files) -> None:
    few = replace(COURSES, took_probing=Quantity(18))
    document = json.loads(files.forecast(*example(), few, "--json"))

    assert "seconds" not in document["past"]
    assert "Until the group is stable" not in files.forecast(*example(), few)


def test_without_a_backtest_nothing_is_said(files: Files) -> None:
    snapshot, requested = example()
    paths = [files.put("s", snapshot), files.put("c", requested)]
    assert "past" not in json.loads(CliRunner().invoke(holdfast, ["forecast", *paths, "--json"], standalone_mode=False).stdout)


def test_of_a_consumer_group(files: Files) -> None:
    document = json.loads(files.forecast(group(TWO), change(joins()), COURSES, "--json", protocol="consumer-classic"))

    assert document["past"]["seconds"] == {"low": 1.0, "usual": 2.0, "high": 4.0}
    assert Draft202012Validator(schema_of("consumer-forecast")).is_valid(document)


def test_of_a_group_whose_broker_assigns(files: Files) -> None:
    def asked(event: object) -> dict[str, Any]:
        requested = {"format_version": "1.0", "events": [event]}
        document: dict[str, Any] = json.loads(files.forecast(broker_group(), requested, COURSES, "--json", protocol="streams"))
        return document

    document = asked(start(D))
    usual = document["outcomes"][0]["summary"]["seconds_to_stable"][1]
    assert document["past"]["seconds"]["low"] == pytest.approx(0.5 * usual, abs=0.002)
    assert document["past"]["seconds"]["high"] == pytest.approx(2 * usual, abs=0.002)
    assert Draft202012Validator(schema_of("streams-group-forecast")).is_valid(document)
    assert "seconds" not in asked({"remove_client": {"process_id": C, "leaves": False}})["past"]  # a session comes before it


def test_many_forecasts_have_no_backtest(files: Files) -> None:
    path = files.put("cases", {})
    done = CliRunner().invoke(holdfast, ["forecast", path, "--jsonl", "--backtest", path], standalone_mode=False)
    assert "--backtest is for one forecast" in str(done.exception)
