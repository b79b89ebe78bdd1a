"""A standalone cluster: a master, and workers of one core each, every one on a machine of its own."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.harness.process import TetheredProcess
from tests.harness.spark_cluster.machine import DISK, INSTALLED, Machine
from tests.harness.spark_cluster.submitting import SMALL, Submitter

from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.spark import s3a

STARTS_IN_S = 300.0
EXECUTOR = "CoarseGrainedExecutorBackend"
_DEPLOY = "org.apache.spark.deploy"


@dataclass
class Standalone:
    master: str
    machines: list[Machine]

    installed: Path

    def submitter(self, archive: Path, package: str, lake: LakeAddress) -> Submitter:
        """Keys are in the environment alone, as `SparkJob` gives them."""
        settings = {"spark.executor.memory": "600m", "spark.executor.cores": "1", **s3a.settings(lake), **s3a.provider(lake)}
        home = self.installed / "spark"
        return Submitter(self.master, home, archive, package, settings, s3a.environment(lake))

    def kill_machine(self, machine: Machine) -> None:
        """The worker and its executors, at once; then it is there again, with an empty memory."""
        machine.kill("worker")
        _worker(machine, self.master)


def _spark(machine: Machine, what: str, *arguments: str) -> TetheredProcess:
    environment = {
        "SPARK_HOME": f"{INSTALLED}/spark",
        "SPARK_CONF_DIR": f"{DISK}/conf",
        "SPARK_LOCAL_DIRS": f"{DISK}/local",
        "SPARK_LOCAL_IP": machine.address,
        "SPARK_DAEMON_MEMORY": "300m",
        "SPARK_NO_DAEMONIZE": "1",
        "JDK_JAVA_OPTIONS": SMALL,
    }
    return machine.start(what, [f"{INSTALLED}/spark/bin/spark-class", *arguments], environment)


def _worker(machine: Machine, master: str) -> None:
    (machine.folder / "worker.log").unlink(missing_ok=True)
    at = ("--host", machine.address, "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", "1g")
    worker = _spark(machine, "worker", f"{_DEPLOY}.worker.Worker", *at, "--work-dir", f"{DISK}/work", master)
    worker.wait_until(lambda: worker.logged("Successfully registered with master"), "registered", STARTS_IN_S)


@contextmanager
def standalone(folder: Path, installed: Path, workers: int) -> Iterator[Standalone]:
    machines = [Machine(folder, f"machine-{number}", number + 1, installed) for number in range(1, workers + 1)]
    head = Machine(folder, "master", 1, installed)
    try:
        at = ("--host", head.address, "--port", "0", "--webui-port", "0")
        master = _spark(head, "master", f"{_DEPLOY}.master.Master", *at)
        master.wait_until(lambda: master.logged("Starting Spark master at"), "listening", STARTS_IN_S)
        url = re.search(r"Starting Spark master at (\S+)", master.log_text())
        assert url is not None
        for machine in machines:
            _worker(machine, url[1])
        yield Standalone(url[1], machines, installed)
    finally:
        for machine in (*machines, head):
            machine.stop()
