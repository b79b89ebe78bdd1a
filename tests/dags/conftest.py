"""A lake with the recorded group, and plans for it, as Airflow's tasks find and make them."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.table_schemas import PARTITION, TABLES
from holdfast.airflow_wiring import airflow_objects, decisions, planning, runs
from holdfast.airflow_wiring.signing import signing_keys
from holdfast.rollout.backtest.learnt import Learnt
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds.approval import NOBODY
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "streams-wordcount"
CHANGE = loads((EXAMPLE / "change.json").read_bytes())
PLAIN_FORM = {"cluster": "local", "group": "streams-wordcount", "change": CHANGE, "policy": None}


def decided(plan_id: str, answer: Mapping[str, Any]) -> str:
    """As the airflow tasks `approve` and `record` of the plan's run do it, one after the other."""
    run_id = plans.run_of(airflow_objects.lake(), plan_id)
    assert run_id is not None
    decisions.keep_decision(run_id, answer)
    return decisions.go_by_decision(run_id)


def question(_plan_id: str, run_id: str) -> decisions.Question:
    """About what `make` made."""
    return decisions.question(run_id)


def fallen_score(lake: Path, group: Snapshot, days: tuple[str, str], learnt: Learnt | None = None) -> Path:
    """Two nights of the table `backtests`: 410 past rebalances of the group were decided alike, and 2 otherwise in the
    second. Return the folder of the cluster."""
    place = lake / "tables" / "v1" / "backtests" / f"cluster={group.cluster}"
    schema = pa.schema([one for one in TABLES["backtests"] if one.name not in PARTITION])
    of_group = {"group_id": group.group_id, "protocol": kind_of(group).protocol, "releases": [group.kafka_release], "equal": 410}
    for day, different in zip(days, (0, 2), strict=True):
        (place / f"day={day}").mkdir(parents=True)
        row = of_group | {
            "captured_at": f"{day}T01:00:00Z",
            "different": different,
            "learnt": None if learnt is None else dumps(codec_of(Learnt).write(learnt)),
        }
        pq.write_table(pa.Table.from_pylist([row], schema=schema), place / f"day={day}" / "part-0.parquet")
    return place


def policy(**fields: object) -> dict[str, object]:
    return {"format_version": "1.0"} | fields


def just_taken(lake: FsspecLake, snapshot_id: str) -> str:
    """The same group, as its snapshot would be that is taken now: what a plan is applied by."""
    now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    return snapshots.keep(lake, replace(snapshots.load(lake, snapshot_id), captured_at=now))


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FsspecLake:
    monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_LAKE", str(tmp_path / "lake"))
    monkeypatch.setenv("AIRFLOW__CORE__FERNET_KEY", "")  # test_signing has the tests with keys
    return FsspecLake(str(tmp_path / "lake"))


@pytest.fixture
def recorded(lake: FsspecLake) -> str:
    """Dated a minute ago: a plan's validity counts from its snapshot."""
    snapshot = snapshot_from_json(loads((EXAMPLE / "snapshot.json").read_bytes()))
    taken = (datetime.now(UTC) - timedelta(minutes=1)).isoformat().replace("+00:00", "Z")
    return snapshots.keep(lake, replace(snapshot, captured_at=taken))


@pytest.fixture
def make(lake: FsspecLake, recorded: str) -> Any:
    """A plan of the recorded group and its run, by the form's policy and the team's, as plan_rollout makes them."""
    number = itertools.count()

    def made(
        policy: object = None, change: object = CHANGE, minutes_ago: int = 0, requested_by: str | None = "ann"
    ) -> tuple[str, str]:
        run_id = f"run {next(number)}"
        draft = planning.draft(run_id, PLAIN_FORM | {"snapshot": recorded, "policy": policy, "change": change}, requested_by)
        limits = loads(lake.read((*draft.split("/"), "policy.json"), 10**6))
        plan = plans.make(
            snapshots.load(lake, recorded),
            change_from_json(change),
            policy_from_json(limits),
            datetime.now(UTC) - timedelta(minutes=minutes_ago),
            requested_by=requested_by or NOBODY,
        )
        plans.keep_run(lake, plan.plan_id, run_id)
        plans.keep(lake, plan)
        runs.keep_made(lake, run_id, plan, signing_keys())
        return plan.plan_id, run_id

    return made
