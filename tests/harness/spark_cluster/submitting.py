"""Jobs submitted to a cluster as Airflow submits them: by spark-submit, with Holdfast's own settings for a lake on S3."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from tests.harness.spark_cluster.installed import ROOT

SMALL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
IN_THE_ARCHIVE = "./environment/bin/python"


@dataclass(frozen=True)
class Submitter:
    """`settings`: of the cluster and the lake. `environment`: what spark-submit has in addition, the lake's keys among it."""

    master: str
    home: Path
    archive: Path
    package: str
    settings: Mapping[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)

    def command(self, job: str, *arguments: str) -> list[str]:
        given = {
            "spark.ui.enabled": "false",
            "spark.driver.memory": "1g",
            "spark.archives": f"{self.archive}#environment",
            "spark.pyspark.python": IN_THE_ARCHIVE,
            "spark.pyspark.driver.python": sys.executable,
            "spark.driver.host": "127.0.0.1",
            **self.settings,
        }
        command = [str(self.home / "bin" / "spark-submit"), "--master", self.master]
        command += [f"--conf={name}={value}" for name, value in given.items()]
        return [*command, "--py-files", self.package, str(ROOT / "spark_jobs" / f"{job}.py"), *arguments]

    def submit(self, log: Path, job: str, *arguments: str) -> "subprocess.Popen[bytes]":
        """What it prints goes to `log`. It ends with this process."""
        clean = {name: os.environ[name] for name in ("PATH", "HOME", "JAVA_HOME") if name in os.environ}
        programs = f"{sysconfig.get_path('scripts')}:{clean['PATH']}"
        own = {"PATH": programs, "SPARK_HOME": str(self.home), "JDK_JAVA_OPTIONS": SMALL, "SPARK_LOCAL_IP": "127.0.0.1"}
        with log.open("wb") as output:
            return subprocess.Popen(
                [sys.executable, "-S", "-E", str(ROOT / "tests" / "harness" / "tether.py"), *self.command(job, *arguments)],
                stdin=subprocess.PIPE,
                env={**clean, **own, **self.environment},
                cwd=log.parent,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )


def kill(run: "subprocess.Popen[bytes]") -> None:
    """The driver of a job in client mode, and all that it started."""
    for one in (*psutil.Process(run.pid).children(recursive=True), psutil.Process(run.pid)):
        one.kill()
    run.wait(60)
