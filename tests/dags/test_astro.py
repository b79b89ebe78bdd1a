"""Astro's files. The image cannot be built here and no Deployment is made: their keys and pins are what is held."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT_VARIABLE = {"is_secret", "key", "value", "updated_at"}
CONFIGURATION = {
    "name", "description", "runtime_version", "dag_deploy_enabled", "ci_cd_enforcement", "scheduler_size", "is_high_availability",
    "is_development_mode", "executor", "scheduler_count", "workspace_name", "deployment_type", "cloud_provider", "region",
    "cluster_name", "default_task_pod_cpu", "default_task_pod_memory", "resource_quota_cpu", "resource_quota_memory",
    "workload_identity", "default_worker_type", "scheduler_au", "remote_execution",
}  # fmt: skip
WORKER_QUEUE = {"name", "max_worker_count", "min_worker_count", "worker_concurrency", "worker_type", "pod_cpu", "pod_ram"}
HIBERNATION = {"hibernate_at", "wake_at", "description", "enabled"}
DEPLOYMENT = {"environment_variables", "configuration", "worker_queues", "alert_emails", "hibernation_schedules"}
"""The keys that the Astro CLI writes and reads (cloud/deployment/inspect/inspect.go of astro-cli 1.45)."""


@pytest.fixture(scope="module")
def deployment() -> dict[str, object]:
    document = yaml.safe_load((ROOT / "astro.yaml").read_text())

    assert set(document) == {"deployment"}
    return document["deployment"]


class TestTheDeploymentFile:
    def test_says_which_command_reads_it(self) -> None:
        assert "astro deployment create --deployment-file astro.yaml" in (ROOT / "astro.yaml").read_text().split("\ndeployment:")[0]

    def test_has_no_key_that_the_cli_does_not_know(self, deployment: dict) -> None:
        assert set(deployment) <= DEPLOYMENT
        assert set(deployment["configuration"]) <= CONFIGURATION
        assert all(set(variable) <= ENVIRONMENT_VARIABLE for variable in deployment["environment_variables"])
        assert all(set(queue) <= WORKER_QUEUE for queue in deployment["worker_queues"])
        assert all(set(schedule) <= HIBERNATION for schedule in deployment["hibernation_schedules"])

    def test_has_what_the_cli_requires(self, deployment: dict) -> None:
        assert {"name", "executor"} <= set(deployment["configuration"])
        assert "default" in [queue["name"] for queue in deployment["worker_queues"]]
        assert all(queue["worker_type"] for queue in deployment["worker_queues"])

    def test_names_the_runtime_of_the_image(self, deployment: dict) -> None:
        assert f"runtime:{deployment['configuration']['runtime_version']}-" in (ROOT / "Dockerfile").read_text()

    def test_holds_no_secret(self, deployment: dict) -> None:
        assert [variable["key"] for variable in deployment["environment_variables"] if variable["is_secret"]] == []

    def test_sets_what_the_dags_need(self, deployment: dict) -> None:
        assert {"AIRFLOW_VAR_HOLDFAST_LAKE", "AIRFLOW_CONN_SPARK_DEFAULT"} <= {
            one["key"] for one in deployment["environment_variables"]
        }


class TestTheImage:
    def test_starts_from_a_runtime_of_this_airflow(self) -> None:
        base = re.search(r"^FROM \S+/runtime:(\d+\.\d+)-\d+-python-(\d+\.\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)

        assert base
        assert base[1] == "3.3"
        assert base[2] == "3.11"

    def test_writes_pyspark_last(self) -> None:
        lines = [line for line in (ROOT / "Dockerfile").read_text().splitlines() if line and not line.startswith("#")]
        asked = re.search(r"^pyspark==(.+)$", (ROOT / "requirements.txt").read_text(), re.MULTILINE)

        assert asked
        assert lines[-1] == f"RUN pip install --no-cache-dir --no-deps --force-reinstall pyspark=={asked[1]}"

    def test_adds_what_is_locked(self) -> None:
        added = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
        lock = (ROOT / "requirements.lock").read_text()

        assert added
        assert [line for line in added if not re.search(rf"^{re.escape(line)}( \\)?$", lock, re.MULTILINE)] == []

    def test_adds_every_direct_requirement(self) -> None:
        project = re.findall(
            r'^  "([a-z0-9-]+)[=<>]', (ROOT / "pyproject.toml").read_text().split("[dependency-groups]")[0], re.MULTILINE
        )
        added = re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
        locked_extras = {"asyncssh", "kubernetes", "numba"}
        comes_with_airflow = {"apache-airflow", "fastapi", "jinja2", "itsdangerous", "httpx"}

        assert comes_with_airflow < set(project)
        assert set(project) - comes_with_airflow | locked_extras == set(added)

    def test_refuses_a_runtime_with_another_airflow(self) -> None:
        """The runtime brings Airflow itself: asking pip for it again would replace Astronomer's build."""
        locked = re.search(r"^apache-airflow==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
        assert locked

        assert f"RUN airflow version | grep -q '^{re.escape(locked[1])}'" in (ROOT / "Dockerfile").read_text()

    def test_names_no_folder_astro_that_its_cli_would_ignore(self) -> None:
        assert not (ROOT / "astro").exists()

    def test_finds_the_package_with_its_path_alone(self, tmp_path: Path) -> None:
        """As the image does: no installation, the project and include/ on PYTHONPATH, started elsewhere."""
        paths = re.search(r"^ENV PYTHONPATH=(.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        assert paths
        (tmp_path / "airflow").mkdir()
        for name in ("include", "dags", "plugins", "spark_jobs"):
            (tmp_path / "airflow" / name).symlink_to(ROOT / name)
        path = paths[1].replace("/usr/local/airflow", str(tmp_path / "airflow"))
        code = (
            "import sys, os, holdfast; from holdfast.airflow_wiring.spark import script\n"
            "assert holdfast.__file__.startswith(sys.argv[1]), holdfast.__file__\n"
            "assert os.path.exists(script('decode_snapshots'))\n"
            "import importlib.metadata as installed, runpy\n"
            "plugin = lambda: runpy.run_path(sys.argv[1] + '/airflow/plugins/holdfast_plugin.py')\n"
            "assert 'HoldfastPlugin' not in plugin()\n"  # this checkout is installed, and its entry point brings the plugin
            "installed.entry_points = lambda **_: ()\n"
            "assert plugin()['HoldfastPlugin'].name == 'holdfast'\n"
        )

        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            check=True,
            cwd=tmp_path,
            env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin", "AIRFLOW_HOME": str(tmp_path)},
        )


def test_what_astro_dev_parse_runs_passes() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ".astro/test_dag_integrity_default.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    assert f"{len(list((ROOT / 'dags').glob('[!_]*.py')))} passed" in done.stdout


def test_the_command_that_parses_dags_knows_no_exception() -> None:
    lines = (ROOT / ".astro" / "dag_integrity_exceptions.txt").read_text().splitlines()

    assert [line for line in lines if line and not line.startswith("#")] == []
