"""One api-server and one lake for all tests of the pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness import web_lake
from tests.harness.airflow_server import Server, serving

from holdfast.rollout.plan_value import Plan


@pytest.fixture(scope="session")
def lake_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lake")


@pytest.fixture(scope="session")
def made(lake_folder: Path) -> dict[str, Plan]:
    return web_lake.fill(lake_folder)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, lake_folder: Path, made: dict[str, Plan]) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("airflow"), lake_folder, scheduling=True) as running:
        yield running
