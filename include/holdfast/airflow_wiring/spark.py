"""What the DAGs need to submit a Spark job."""

import base64
import hashlib
import importlib.metadata
import logging
import re
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from holdfast import project_files
from holdfast.airflow_wiring.airflow_objects import SPARK_CONNECTION, lake, lake_address
from holdfast.errors import ClusterTrouble, InvalidInput, StatePathTrouble
from holdfast.ports import Lake, LakePath

log = logging.getLogger(__name__)


def script(job: str) -> str:
    """Where the job's script is."""
    return str(project_files.folder("spark_jobs") / f"{job}.py")


def begin_submission(job: str) -> dict[str, str]:
    """The setting that this submission of a job has. Every earlier one replaces nothing from now on."""
    from holdfast.adapters.spark import submissions

    submission = submissions.new_id()
    lake().write(submissions.place(job), submission.encode())
    return submissions.setting(job, submission)


_STANDALONE = re.compile(r"(?:spark://)?([^:/,]+):([0-9]{1,5})")
_PATIENCE_S = 10
_OWNED_BY_BOTH = "pyspark/version.py"


def prepare_spark() -> str:
    """Check that Spark can be reached at all, and put the package's zip into the lake, for jobs submitted by hand. Return its URL.

    The stored package equals the installed one, byte for byte: it is read back and compared, every time. Raise what
    `refuse_unready` raises, StatePathTrouble where the lake cannot be written to or holds something else.
    """
    from holdfast.adapters.spark.package_zip import package_zip

    refuse_unready()
    name, content = package_zip()
    store, place = lake(), ("packages", name)
    if not _holds(store, place, content):
        store.write(place, content)
        if not _holds(store, place, content):
            raise StatePathTrouble(
                f"packages/{name} in the lake {store.url} differs from what was just written: another program writes there."
                " Only Holdfast may write to the lake"
            )
    return f"{lake_for_spark().url}/packages/{name}"


@contextmanager
def package_file() -> Iterator[str]:
    """The package's zip on this worker's disk, while the job runs: Spark hands it to the executors over its own connections.

    By its URL in the lake each executor would fetch it, before it has the lake's keys from the driver.
    """
    from holdfast.adapters.spark.package_zip import package_zip

    name, content = package_zip()
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        place = Path(folder) / name
        place.write_bytes(content)
        yield str(place)


@dataclass(frozen=True, slots=True)
class LakeForSpark:
    """Settings for the command line, none of them secret, and variables of spark-submit's environment, which are.

    Airflow writes such variables into the command line where the master has `yarn` or `k8s` in it, be it in the name of its
    host: there Spark needs its own configuration, or the machines' role, and gets no keys from here.
    """

    url: str
    settings: dict[str, str]
    environment: dict[str, str] = field(repr=False)


def lake_for_spark() -> LakeForSpark:
    from airflow.sdk import BaseHook

    from holdfast.adapters.spark import s3a

    address, master = lake_address(), _master(BaseHook.get_connection(SPARK_CONNECTION))
    if "yarn" in master or "k8s" in master:
        return LakeForSpark(s3a.url_of(address.url), s3a.settings(address), {})
    return LakeForSpark(s3a.url_of(address.url), s3a.settings(address) | s3a.provider(address), s3a.environment(address))


def _master(connection: Any) -> str:
    """As Airflow gives it to Spark: the type of a connection in URI form is the first part of it."""
    host, port = str(connection.host or ""), connection.port
    whole = connection.conn_type == "spark" and ("://" in host or not port)
    return (host if whole else f"{connection.conn_type}://{host}") + (f":{port}" if port else "")


def _holds(store: Lake, place: LakePath, content: bytes) -> bool:
    try:
        return store.exists(place) and store.read(place, len(content)) == content
    except StatePathTrouble:
        return False


def refuse_unready() -> None:
    """Without its connection SparkSubmitOperator would quietly submit to YARN. Raise InvalidInput for what is set up wrongly,
    ClusterTrouble for a master that does not answer.
    """
    from airflow.sdk import BaseHook
    from airflow.sdk.exceptions import AirflowNotFoundException

    try:
        connection = BaseHook.get_connection(SPARK_CONNECTION)
    except AirflowNotFoundException:
        connection = None
    if connection is None or not connection.host:
        raise InvalidInput(
            f"Airflow has no connection {SPARK_CONNECTION} with a host. Set one of type spark whose host is the master, like "
            """AIRFLOW_CONN_SPARK_DEFAULT='{"conn_type": "spark", "host": "local[*]"}'. Without it Spark would submit to YARN"""
        )
    _refuse_driver_in_cluster(connection)
    _refuse_without_java()
    _refuse_mixed_pyspark()
    _refuse_silent_master(connection.host, connection.port)


def _refuse_driver_in_cluster(connection: Any) -> None:
    """Spark would, too, after Airflow, and neither says what to do."""
    master = _master(connection)
    if connection.extra_dejson.get("deploy-mode") == "cluster" and not master.startswith(("yarn", "k8s://")):
        raise InvalidInput(
            f"the connection {SPARK_CONNECTION} has deploy-mode cluster and the master {master}: Spark runs the drivers of Python"
            " jobs in the cluster on YARN and Kubernetes only. Set deploy-mode to client: the driver then runs on the Airflow"
            " worker"
        )


def _refuse_without_java() -> None:
    from holdfast.adapters.machine import ThisMachine
    from holdfast.workflows.doctor import LEAST_JAVA

    java = ThisMachine().java_major()
    if java is None or java < LEAST_JAVA:
        found = "Java was not found" if java is None else f"Java {java} was found"
        raise InvalidInput(
            f"Spark needs Java {LEAST_JAVA} or newer, and {found} on the machine of this Airflow worker: install one (Debian:"
            " default-jre-headless), or set JAVA_HOME"
        )


def _refuse_mixed_pyspark() -> None:
    """Airflow's Spark provider brings pyspark-client, which owns files of pyspark (decision 3): another version replaces them."""
    try:
        installed = importlib.metadata.distribution("pyspark")
    except importlib.metadata.PackageNotFoundError:
        return  # Spark's own folder, or none at all
    digests = dict(line.split(",")[:2] for line in (installed.read_text("RECORD") or "").splitlines())
    if digests.get(_OWNED_BY_BOTH) not in (None, _digest(Path(str(installed.locate_file(_OWNED_BY_BOTH))))):
        raise InvalidInput(
            f"files of pyspark {installed.version} on this Airflow worker are of another version: pyspark-client has replaced them."
            " Install both in one version, such as `pip install pyspark==4.2.0 pyspark-client==4.2.0`"
        )


def _digest(file: Path) -> str:
    """In the form of a package's RECORD; empty: there is no such file."""
    if not file.is_file():
        return ""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()


def _refuse_silent_master(host: str, port: int | None) -> None:
    """Of a standalone cluster: `local[…]` is here, and others are found by Spark by its own means."""
    place = _STANDALONE.fullmatch(f"{host}:{port}" if port else host)
    if place is None or not (host.startswith("spark://") or port):
        return
    try:
        socket.create_connection((place[1], int(place[2])), _PATIENCE_S).close()
    except OSError as error:
        raise ClusterTrouble(
            f"the Spark master of the connection {SPARK_CONNECTION}, {place[1]}:{place[2]}, does not answer ({error}): start it, or"
            " correct the connection"
        ) from None
