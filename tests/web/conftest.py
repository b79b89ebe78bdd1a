"""One api-server and one lake for all tests of the pages; they end with the last of them, not with the suite."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.harness.article import LAST, C, change
from tests.harness.pages import web_lake
from tests.harness.pages.airflow_server import Server, serving
from tests.harness.pages.browser import chromium
from tests.harness.pages.web_lake import WebLake, article, replacement

from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.workflows import snapshots


@pytest.fixture(scope="package")
def lake_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lake")


@pytest.fixture(scope="package")
def made(lake_folder: Path) -> dict[str, Plan]:
    return web_lake.fill(lake_folder)


def start(server: Server, group: str) -> str:
    """Trigger plan_rollout for a recorded group, as bob and by a policy that wants four eyes; the run's ID."""
    lake = WebLake(server.lake)
    snapshot = snapshot_from_json(lake.snapshot(article(group)))
    server.wait("the DAG", lambda: server.rest("GET", "/api/v2/dags/plan_rollout"))
    server.rest("PATCH", "/api/v2/dags/plan_rollout?update_mask=is_paused", {"is_paused": False})
    conf = {
        "cluster": snapshot.cluster,
        "group": group,
        "change": change(replacement(C, LAST, "app-3")),
        "snapshot": snapshots.keep(lake.lake, snapshot),
        "policy": {"format_version": "1.0", "four_eyes": True},
    }
    return str(server.rest("POST", "/api/v2/dags/plan_rollout/dagRuns", {"logical_date": None, "conf": conf}, "bob")["dag_run_id"])


@pytest.fixture(scope="package")
def runs(server: Server) -> dict[str, str]:
    """Runs of plan_rollout by what is to be decided. They get going while other tests read pages."""
    return {name: start(server, f"decided-{name}") for name in ("approve", "reject", "airflow")}


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory, lake_folder: Path, made: dict[str, Plan]) -> Iterator[Server]:
    """Below a path, as behind a proxy that others share: whatever forgets the path is not found."""
    with serving(tmp_path_factory.mktemp("airflow"), lake_folder, below="/airflow", scheduling=True) as running:
        yield running
