"""A lake with the recorded group, and plans for it, as Airflow's tasks find and make them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.lake import FsspecLake
from holdfast.airflow_wiring import decisions, planning
from holdfast.rollout import codec
from holdfast.rollout.codec.policy import policy_from_json
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "streams-wordcount"
CHANGE = codec.loads((EXAMPLE / "change.json").read_bytes())
PLAIN_FORM = {"cluster": "local", "group": "streams-wordcount", "change": CHANGE, "policy": None}


def decided(plan_id: str, answer: Mapping[str, Any]) -> str:
    """As the airflow tasks `approve` and `record` do it, one after the other."""
    decisions.keep_decision(plan_id, answer)
    return decisions.go_by_decision(plan_id)


def policy(**fields: object) -> dict[str, object]:
    return {"format_version": "1.0"} | fields


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FsspecLake:
    monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_LAKE", str(tmp_path / "lake"))
    return FsspecLake(str(tmp_path / "lake"))


@pytest.fixture
def recorded(lake: FsspecLake) -> str:
    return snapshots.keep(lake, codec.snapshot_from_json(codec.loads((EXAMPLE / "snapshot.json").read_bytes())))


@pytest.fixture
def make(lake: FsspecLake, recorded: str) -> Any:
    """A plan of the recorded group and its draft, by the form's policy and the team's, as plan_rollout makes them."""

    def made(policy: object = None, change: object = CHANGE, minutes_ago: int = 0) -> tuple[str, str]:
        draft = planning.draft("run", PLAIN_FORM | {"snapshot": recorded, "policy": policy, "change": change})
        limits = codec.loads(lake.read((*draft.split("/"), "policy.json"), 10**6))
        plan = plans.make(
            snapshots.load(lake, recorded),
            codec.change_from_json(change),
            policy_from_json(limits),
            datetime.now(UTC) - timedelta(minutes=minutes_ago),
        )
        return plans.keep(lake, plan), draft

    return made
