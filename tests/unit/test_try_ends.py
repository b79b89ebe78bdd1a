"""`bin/try` ends what is its own and nothing else, by a process's environment, or by its title and folder."""

import importlib.util
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import psutil
import pytest

BIN = Path(__file__).resolve().parents[2] / "bin"
pytestmark = pytest.mark.starts


@pytest.fixture
def airflow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("holdfast_try_airflow", BIN / "try_airflow.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HOME", tmp_path / "airflow")
    module.HOME.mkdir()
    return module


@pytest.fixture
def running(airflow: ModuleType, tmp_path: Path) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Processes by what they are. A worker of Airflow's overwrites its environment with its title."""

    def start(title: str, folder: Path, **more: str) -> subprocess.Popen[bytes]:
        inherited = {name: value for name, value in os.environ.items() if name != airflow.MARK}
        return subprocess.Popen([title, "600"], executable="/bin/sleep", cwd=folder, env=inherited | more)

    home = airflow.HOME
    (home / "below").mkdir()
    found = {
        "marked": start("sleep", tmp_path, **{airflow.MARK: str(home)}),
        "titled": start("airflow worker -- LocalExecutor: 01a2", home),
        "marked by another checkout": start("sleep", tmp_path, **{airflow.MARK: str(tmp_path)}),
        "titled, of another home": start("airflow worker -- LocalExecutor: 01a2", tmp_path),
        "titled, below the home": start("airflow worker -- LocalExecutor: 01a2", home / "below"),
        "in the home, untitled": start("sleep", home),
    }
    yield found
    for process in found.values():
        process.kill()
        process.wait()


OURS = {"marked", "titled"}


def test_only_its_own_are_ended(airflow: ModuleType, running: dict[str, subprocess.Popen[bytes]]) -> None:
    names = {process.pid: name for name, process in running.items()}
    assert {names[process.pid] for process in airflow.ours()} == OURS

    airflow.end_all(10.0)

    assert {name for name, process in running.items() if process.poll() is not None} == OURS


def test_a_worker_whose_home_was_deleted_is_found(airflow: ModuleType) -> None:
    """The home is made anew while what an earlier bin/try left still runs in the old one."""
    with subprocess.Popen(["airflow worker -- LocalExecutor: 01a2", "600"], executable="/bin/sleep", cwd=airflow.HOME) as process:
        airflow.HOME.rmdir()
        seen = psutil.Process(process.pid)
        while not seen.cmdline():  # a program that has just begun has none yet
            time.sleep(0.01)
        found = airflow.is_ours(seen)
        process.kill()

    assert found
