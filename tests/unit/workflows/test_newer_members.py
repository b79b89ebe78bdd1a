"""A Snapshot with members newer than the leader's release: what `holdfast assign` says of it, and that a forecast refuses it."""

import json
from pathlib import Path

import pytest
from tests.conformance.streams.snapshots import snapshot_of

from holdfast.errors import CannotPredict
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.workflows.deciding import assign_document

RECORDED = Path(__file__).parents[2] / "conformance" / "streams" / "cases.jsonl"
JOINS = change_from_json(
    {"format_version": "1.0", "events": [{"add_client": {"process_id": "fb5a5a5a-5a5a-4a5a-9a5a-5a5a5a5a5a5a", "threads": 2}}]}
)


@pytest.fixture
def snapshot() -> dict[str, object]:
    cases = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    wanted = "members newer than the leader are one client under a random process ID"
    (case,) = [case for case in cases if case.get("why") == wanted]
    return snapshot_of(case, "3.9.1")


def test_assign_says_what_is_certain(snapshot: dict[str, object]) -> None:
    said = assign_document(json.loads(json.dumps(snapshot)), None, ())
    assert any("random process ID" in sentence for sentence in said["unknown"])
    given = {task for consumer in said["consumers"].values() for task in (*consumer["active"], *consumer["withheld"])}
    tasks = set(snapshot["tasks"])
    assert given | said["undetermined_tasks"].keys() == tasks
    assert 0 < len(given) < len(tasks)


def test_a_forecast_names_the_member(snapshot: dict[str, object]) -> None:
    with pytest.raises(CannotPredict, match="give the release of the newest member"):
        forecast(snapshot_from_json(json.loads(json.dumps(snapshot))), JOINS)
