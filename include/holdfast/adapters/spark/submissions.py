"""The newest submission of a job: a driver that outlives the airflow task that submitted it replaces nothing any more.

Where the process of an airflow task is killed, its spark-submit runs on, and Airflow tries the task again, on another worker. So
before Airflow submits a job it writes a new ID into the lake (`tables/submissions/<job>`) and gives the job the same one as a
setting. Before a job replaces what is there, it looks whether it is the newest still (docs/decisions/0082). A job that was
submitted by hand has no such setting, and replaces what is there.
"""

import re
import secrets
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdfast.ports import LakePath

SETTING = "spark.holdfast.submission"
_OWN = re.compile(r"(?P<job>[a-z_]{1,60}):(?P<id>[0-9a-f]{32})", re.ASCII)


class Outlived(HoldfastError):
    """The job was submitted again: this run of it replaces nothing."""


def place(job: str) -> "LakePath":
    return ("tables", "submissions", job)


def new_id() -> str:
    return secrets.token_hex(16)


def setting(job: str, submission: str) -> dict[str, str]:
    return {SETTING: f"{job}:{submission}"}


def refuse_outlived(spark: "SparkSession", lake: str) -> None:
    """Raise Outlived."""
    from holdfast.adapters.spark import hadoop_files

    own = _OWN.fullmatch(spark.conf.get(SETTING, "") or "")
    if own is None:
        return
    newest = hadoop_files.read_text(spark, "/".join((lake, *place(own["job"]))))
    if newest not in (None, own["id"]):
        raise Outlived(f"{own['job']} was submitted again, so this run of it replaces nothing")
