"""A lake with the recorded group, as Airflow's tasks find it."""

from pathlib import Path

import pytest

from holdfast.adapters.lake import FsspecLake
from holdfast.rollout import codec
from holdfast.workflows import snapshots

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "streams-wordcount"


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FsspecLake:
    monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_LAKE", str(tmp_path / "lake"))
    return FsspecLake(str(tmp_path / "lake"))


@pytest.fixture
def recorded(lake: FsspecLake) -> str:
    return snapshots.keep(lake, codec.snapshot_from_json(codec.loads((EXAMPLE / "snapshot.json").read_bytes())))
