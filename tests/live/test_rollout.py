"""The whole line on a real group, by the commands alone: snapshot, plan, approve, apply, verify.

The first client in process-ID order is replaced by one with an empty disk. The plan is to give it the old process ID; Holdfast
writes that file; the group does what was forecast, and the verdict says so.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.maven import kafka_streams
from tests.harness.kafka.streams_app import StreamsClient
from tests.live.experiment import Experiment, Run

from holdfast.rollout.streams.snapshot.json import snapshot_to_json

pytestmark = pytest.mark.live

RELEASE = "3.9.1"
CLIENTS = ("4b61083e-57d0-457d-951f-d06556c148ca", "7156cef1-307e-49c0-a5bb-0f11d26a4933", "bbb83e43-b1af-4b2d-a60a-94a7091684d0")
FIRST = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"


class Desk:
    """An operator's folder, and the command in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def holdfast(self, *arguments: str | Path, status: int = 0) -> Any:
        command = [sys.executable, "-m", "holdfast.cli.main", *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == status, f"holdfast {arguments[0]} ended with {done.returncode}, not {status}:\n{done.stderr}"
        return json.loads(done.stdout)

    def keep(self, name: str, document: object) -> Path:
        path = self.folder / name
        path.write_text(json.dumps(document))
        return path

    def look(self, run: Run, name: str) -> Path:
        """A snapshot as an operator takes it."""
        return self.keep(name, snapshot_to_json(run.snapshot()))


def test_the_plan_is_carried_out_and_the_group_does_what_was_forecast(tmp_path: Path) -> None:
    kafka_streams(RELEASE)
    desk = Desk(tmp_path)
    with Broker(tmp_path / "broker", properties={"group.initial.rebalance.delay.ms": "3000"}) as broker:
        run = Run(Experiment(RELEASE, first=CLIENTS), broker.bootstrap, tmp_path / "clients")
        try:
            run.start()
            plan = _plan(desk, run)
            since = run.generations()[-1].number
            _replace(desk, run, plan)
            run._settled(since)
            _verify(desk, run, plan, broker.bootstrap)
        finally:
            run.stop()


def _plan(desk: Desk, run: Run) -> Path:
    by = {"process_id": None, "threads": run.experiment.threads, "host": "app-new"}
    change = {"format_version": "1.0", "events": [{"replace_client": {"process_id": FIRST, "by": by, "state": "empty"}}]}
    document = desk.holdfast("plan", desk.look(run, "before.json"), desk.keep("change.json", change), "--json", status=2)

    assert document["chosen"] == "copy-process-metadata"
    return desk.keep("plan.json", document)


def _replace(desk: Desk, run: Run, plan: Path) -> None:
    """Stop the old client, let Holdfast write its process ID into the new one's empty state directory, start that."""
    newcomer = StreamsClient(run.application, run.folder / "newcomer", threads=run.experiment.threads, process_id=None)
    newcomer.state_directory.mkdir(parents=True)
    newcomer.load()
    newcomer.wait_loaded()
    where = ("--state-dir-of", f"{FIRST}={newcomer.state_directory}")
    approval = ("--approved-by", "ann", "--reason", "reviewed")

    _is_refused(desk, "apply", plan, "--snapshot", desk.folder / "before.json", *approval, *where)
    still = desk.look(run, "still.json")
    run.clients.pop(FIRST).stop()
    applied = desk.holdfast("apply", plan, "--snapshot", still, *where, "--confirm", "1")
    newcomer.go()
    run.clients[FIRST] = newcomer

    assert applied["waiting_for"]["step"] == "3"


def _is_refused(desk: Desk, *arguments: str | Path) -> None:
    """The old client still runs: nothing is written."""
    command = [sys.executable, "-m", "holdfast.cli.main", *map(str, arguments)]
    done = subprocess.run(command, cwd=desk.folder, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "still in the group" in done.stderr


def _verify(desk: Desk, run: Run, plan: Path, bootstrap: str) -> None:
    applied = desk.holdfast("apply", plan, "--snapshot", desk.look(run, "after.json"))
    assert applied["done"] is True
    verdict = desk.holdfast("verify", plan, "--bootstrap-server", bootstrap, "--lake", desk.folder / ".holdfast" / "lake")
    assert verdict["result"] == "as forecast", verdict
    assert verdict["rebalances"]["found"] == 1
