"""What is killed while a job computes, and when."""

import random
import subprocess
import time

from tests.harness.spark_cluster import submitting
from tests.harness.spark_cluster.standalone import EXECUTOR, Standalone
from tests.spark.test_on_s3 import staged

from holdfast.adapters.lake.lake import FsspecLake

DRIVER = "driver"
_PYTHON = "pyspark.daemon"
_LATEST_S = 3.0
"""After it was seen that the victim computes."""


class Killer:
    """One of `victims`, once in a job: an executor or a machine whose Python computes; or the driver, which has begun to write."""

    def __init__(self, cluster: Standalone, chance: random.Random, victims: tuple[str, ...], lake: FsspecLake) -> None:
        self._cluster, self._chance, self._lake = cluster, chance, lake
        self._victim: str | None = chance.choice(victims)
        self._at: float | None = None
        self._left = set(staged(lake)) if DRIVER in victims else set[str]()

    def look(self, run: "subprocess.Popen[bytes]") -> str | None:
        """What was killed now."""
        if self._victim is None:
            return None
        if self._victim == DRIVER:
            if set(staged(self._lake)) <= self._left:
                return None
            submitting.kill(run)
            self._victim = None
            return DRIVER
        computing = [one for one in self._cluster.machines if one.processes(_PYTHON)]
        if not computing:
            return None
        self._at = self._at or time.monotonic() + self._chance.uniform(0, _LATEST_S)
        if time.monotonic() < self._at:
            return None
        machine, what, self._victim = self._chance.choice(computing), self._victim, None
        if what == "machine":
            self._cluster.kill_machine(machine)
            return machine.name
        for executor in machine.processes(EXECUTOR):
            executor.kill()
        return f"executor on {machine.name}"
