"""The wheel: all that an Airflow needs of the project is in it, and nothing of it lands elsewhere (docs/install.md)."""

import importlib
import importlib.metadata
import re
import zipfile
from pathlib import Path

import pytest
from tests.harness.installed import environments

from holdfast import project_files
from holdfast.airflow_provider import get_provider_info
from holdfast.airflow_provider.bundle import HoldfastDagBundle
from holdfast.airflow_provider.connection_form import CONNECTION_TYPE, FIELDS
from holdfast.airflow_wiring import airflow_objects

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environments.wheel(tmp_path_factory.mktemp("wheel"))


@pytest.mark.starts
class TestTheWheel:
    def test_has_every_file_of_the_package_and_of_the_project(self, wheel: Path) -> None:
        inside = f"holdfast/{project_files.IN_WHEEL}"
        places = {"include/holdfast": "holdfast", "dags": f"{inside}/dags", "spark_jobs": f"{inside}/spark_jobs"}
        of_ours = {
            f"{to}/{path.relative_to(ROOT / at).as_posix()}"
            for at, to in places.items()
            for path in (ROOT / at).rglob("*")
            if path.is_file() and path.suffix != ".pyc"
        }

        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())

        assert {name for name in names if ".dist-info/" not in name} == of_ours

    def test_finds_its_dags_and_jobs_where_it_is_unpacked(
        self, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(tmp_path)
        monkeypatch.setattr("holdfast.__path__", [str(tmp_path / "holdfast")])

        assert project_files.folder("dags") == tmp_path / "holdfast" / "airflow_project" / "dags"
        assert HoldfastDagBundle(name="holdfast").path == project_files.folder("dags")
        assert sorted(path.name for path in project_files.folder("spark_jobs").glob("*.py")) == sorted(
            path.name for path in (ROOT / "spark_jobs").glob("*.py")
        )


class TestWhatAirflowFinds:
    @pytest.mark.parametrize("group", ["apache_airflow_provider", "airflow.plugins"])
    def test_its_entry_points_are_there(self, group: str) -> None:
        (found,) = [one for one in importlib.metadata.entry_points(group=group) if one.value.startswith("holdfast.")]
        assert callable(found.load())

    def test_one_line_brings_every_dag(self) -> None:
        found = importlib.import_module("holdfast.airflow_provider.dags")

        assert sorted(found.__all__) == sorted(path.stem for path in (ROOT / "dags").glob("*.py"))
        assert all(getattr(found, name).dag_id == name for name in found.__all__)

    def test_the_provider_is_the_distribution(self) -> None:
        """No process of Airflow starts with one that says another name."""
        assert get_provider_info()["package-name"] == importlib.metadata.distribution("holdfast").name

    def test_the_form_asks_for_properties_that_a_connection_takes(self) -> None:
        from holdfast.adapters.broker.connection import HONOURED

        assert set(FIELDS) - {"groups", "ssh_connection", "collect_seconds"} <= HONOURED
        assert f"{CONNECTION_TYPE['connection-type']}_" == airflow_objects.KAFKA_CONNECTION

    def test_no_secret_is_asked_for_that_airflow_would_show(self) -> None:
        """It hides what is called like a secret, and the password."""
        from airflow._shared.secrets_masker import should_hide_value_for_key

        from holdfast.secrecy import is_secret_name

        secret = {name for name in FIELDS if is_secret_name(name)}
        assert secret == {name for name, field in FIELDS.items() if field["schema"].get("format") == "password"}
        assert all(should_hide_value_for_key(name) for name in secret)

    def test_the_page_for_administrators_says_the_range_of_airflow(self) -> None:
        asked = re.search(r'"apache-airflow>=([0-9.]+),<([0-9.]+)"', (ROOT / "pyproject.toml").read_text())
        assert asked
        page = (ROOT / "docs" / "install.md").read_text()
        assert f"Airflow {asked[1]} " in page
        assert f"below {asked[2]}" in page
