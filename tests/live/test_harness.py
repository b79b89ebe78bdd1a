"""What the harness starts, ends: whether it is stopped, killed, or abandoned by a test run that died."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from tests.harness.kafka import broker
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.streams_app import Application, StreamsClient
from tests.harness.process import ProcessTrouble, TetheredProcess

pytestmark = pytest.mark.live

CHECKOUT = Path(__file__).resolve().parents[2]
_ABANDON = """
import sys, time
from pathlib import Path
from tests.harness.process import TetheredProcess
TetheredProcess("a sleeper", ["sleep", sys.argv[1]], Path(sys.argv[2]))
print("started", flush=True)
time.sleep(600)
"""


def test_a_broker_and_its_clients_leave_no_process_behind(tmp_path: Path) -> None:
    with Broker(tmp_path / "broker") as broker:
        application = Application("3.9.1", "left-behind", broker.bootstrap, "no-such-topic")
        with StreamsClient(application, tmp_path / "stopped", threads=1, process_id=None) as stopped:
            stopped.wait_loaded()
            killed = StreamsClient(application, tmp_path / "killed", threads=1, process_id=None)
            killed.load()
            killed.wait_loaded()
            assert len(_processes_of(tmp_path)) >= 3
            killed.kill()
    assert _processes_of(tmp_path) == []


def test_what_a_dying_test_run_started_ends_with_it(tmp_path: Path) -> None:
    seconds = f"600.{os.getpid()}"  # a duration that no other process sleeps
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, "-c", _ABANDON, seconds, str(tmp_path / "log")]
    starter = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert starter.stdout is not None
    assert starter.stdout.readline() == "started\n"
    _wait_until(lambda: len(_sleepers(seconds)) == 1)
    starter.send_signal(signal.SIGKILL)
    starter.wait(120)
    starter.stdout.close()
    _wait_until(lambda: not _sleepers(seconds))


def test_a_process_that_ends_early_shows_its_log(tmp_path: Path) -> None:
    with (
        TetheredProcess("a failure", ["sh", "-c", "echo the reason; exit 3"], tmp_path / "log") as failing,
        pytest.raises(ProcessTrouble, match=r"status 3 before ready(.|\n)*the reason"),
    ):
        failing.wait_until(lambda: False, "ready", 30)


def test_a_broker_starts_with_the_archive_of_its_classes() -> None:
    java, *options = broker.java(broker.RELEASE)
    done = subprocess.run([java, "-Xlog:class+load", *options, "kafka.Kafka"], capture_output=True, text=True, check=False)

    assert "kafka.Kafka source: shared objects file (top)" in done.stdout


def _processes_of(folder: Path) -> list[str]:
    """The command lines that name the folder."""
    found = (process.info["cmdline"] for process in psutil.process_iter(["cmdline"]))
    return [" ".join(command) for command in found if command and any(str(folder) in word for word in command)]


def _sleepers(seconds: str) -> list[int]:
    return [process.pid for process in psutil.process_iter(["cmdline"]) if process.info["cmdline"] == ["sleep", seconds]]


def _wait_until(true: Callable[[], bool], timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline, "the processes are still as they were"
        time.sleep(0.1)
