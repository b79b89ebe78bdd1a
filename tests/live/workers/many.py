"""An Airflow of several workers: two API servers, two schedulers, three workers, PostgreSQL, Celery; and a Kafka cluster to read.

Each worker seems a machine of its own to its processes: another host name, other process numbers, another temporary folder.
They share the lake's folder, as over NFS. What ends is started again, as a service manager does.
"""

import json
import secrets
import shlex
import threading
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from kafka import KafkaConsumer
from kafka.admin import KafkaAdminClient, NewTopic
from tests.harness.group_in_files import GroupInFiles, dag_files
from tests.harness.kafka.broker import Broker
from tests.harness.pages.airflow_server import ROOT, Server, serving
from tests.harness.process import free_ports
from tests.harness.workers import servers
from tests.live.running import airflow_processes

from holdfast.adapters.lake.lake import FsspecLake

CLUSTER, GROUP, TOPIC = "live", "readers", "orders"
DAGS = ("collect_groups", "forecast_fleet", "backtest_groups", "plan_rollout", "apply_rollout", "verify_rollout")
IN_FILES = ("apply_rollout", "verify_rollout")
"""About the group in files, whose restarts can be counted."""
WORKERS, SCHEDULERS = 3, 2
API_SERVERS = ("api-server", "api-server-2")
VICTIMS = (
    "task",
    "job",
    *(f"worker-{number}" for number in range(1, WORKERS + 1)),
    *(f"scheduler-{number}" for number in range(1, SCHEDULERS + 1)),
    "triggerer",
    *API_SERVERS,
    "messages",
    "database",
    "kafka",
)
POLICY = {"format_version": "1.0", "acts": ["restart_client"], "exclude": ["relabel"]}
SMALL_JOBS = """
spark.ui.enabled false
spark.sql.shuffle.partitions 2
spark.sql.codegen.wholeStage false
spark.sql.codegen.factoryMode NO_CODEGEN
spark.driver.memory 1g
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
"""
"""Of Spark: to compile a query takes longer than to run it over a few rows."""


class Readers:
    """Two members of a consumer group, each in a thread of this process."""

    def __init__(self, bootstrap: str) -> None:
        admin = KafkaAdminClient(bootstrap_servers=bootstrap)
        admin.create_topics([NewTopic(TOPIC, 4, 1)])
        admin.close()
        self._ends = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=(bootstrap,), name=f"reader {number}") for number in range(2)]
        for one in self._threads:
            one.start()

    def _read(self, bootstrap: str) -> None:
        consumer = KafkaConsumer(TOPIC, bootstrap_servers=bootstrap, group_id=GROUP, enable_auto_commit=False)
        while not self._ends.is_set():
            consumer.poll(timeout_ms=500)
        with suppress(Exception):  # the broker may be gone
            consumer.close(autocommit=False)

    def close(self) -> None:
        self._ends.set()
        for one in self._threads:
            one.join()


@dataclass
class Many:
    server: Server
    lake: FsspecLake
    world: GroupInFiles
    database: servers.Server
    messages: servers.Server
    kafka: Broker

    def kill(self, victim: str) -> bool:
        """kill -9. False: there is nothing of the kind now."""
        if victim == "kafka":
            self.kafka.crash()
            self.kafka.start_again()
            return True
        if victim in ("database", "messages"):
            one = self.database if victim == "database" else self.messages
            one.kill()
            one.start()
            return True
        if victim == "job":
            return self._kill_job()
        return airflow_processes.kill(self.server, victim)

    def _kill_job(self) -> bool:
        """The JVM that runs a Spark job, on whichever machine."""
        jobs = []
        for one in psutil.process_iter():
            with suppress(psutil.Error):
                if one.cwd().startswith(str(self.server.home)) and "org.apache.spark.deploy.SparkSubmit" in one.cmdline():
                    jobs.append(one)
        for one in jobs:
            with suppress(psutil.Error):
                one.kill()
        return bool(jobs)

    def keep_up(self) -> list[str]:
        """Start again what has ended by itself, such as a scheduler that has lost its database. Their names."""
        ended = [name for name, one in self.server.components.items() if one.poll() is not None]
        for name in ended:
            self.server.start(name)
        return ended


def _environment(folder: Path, programs: Path, database: str, messages: str, kafka: str) -> dict[str, str]:
    (folder / "spark").mkdir()
    (folder / "spark" / "spark-defaults.conf").write_text(SMALL_JOBS)
    (package,) = programs.parent.glob("lib/python3*/site-packages/holdfast")
    own = {
        "PYTHONPATH": str(ROOT),  # for the group in files; the package itself is the installed one
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": f"{programs}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PYSPARK_PYTHON": str(programs / "python"),
        "SPARK_HOME": str(package.parent / "pyspark"),
        "SPARK_CONF_DIR": str(folder / "spark"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "AIRFLOW__CORE__FERNET_KEY": urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        "AIRFLOW__CORE__DAGS_FOLDER": str(folder / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(folder / "plugins"),
        "AIRFLOW__CORE__EXECUTOR": "CeleryExecutor",
        "AIRFLOW__CORE__PARALLELISM": "12",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"postgresql+psycopg2://{database}",
        "AIRFLOW__CELERY__BROKER_URL": messages,
        "AIRFLOW__CELERY__RESULT_BACKEND": f"db+postgresql://{database}",
        "AIRFLOW__CELERY__WORKER_CONCURRENCY": "2",
        "AIRFLOW__CELERY__WORKER_PREFETCH_MULTIPLIER": "1",
        "AIRFLOW__CELERY_BROKER_TRANSPORT_OPTIONS__VISIBILITY_TIMEOUT": "60",
        "AIRFLOW__SCHEDULER__TASK_QUEUED_TIMEOUT": "60",
        "AIRFLOW__SCHEDULER__TASK_QUEUED_TIMEOUT_CHECK_INTERVAL": "15",
        "AIRFLOW_VAR_HOLDFAST_CLUSTERS": json.dumps([CLUSTER]),
        "AIRFLOW_VAR_HOLDFAST_POLICY": json.dumps(POLICY),
        f"AIRFLOW_CONN_HOLDFAST_KAFKA_{CLUSTER.upper()}": json.dumps(
            {"conn_type": "generic", "extra": {"bootstrap.servers": kafka, "groups": {"*": {}}}}
        ),
    }
    return airflow_processes.short_heartbeats() | {"AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "30"} | own


def _machine(folder: Path, programs: Path, name: str) -> list[str]:
    """A worker of Celery, on a machine called `name`: by namespaces of its own, which end with its first process."""
    place = folder / "machines" / name
    place.mkdir(parents=True)
    celery = shlex.join([str(programs / "airflow"), "celery", "worker", "--skip-serve-logs", "--celery-hostname", name])
    begun = f"hostname {name}; cd {shlex.quote(str(folder / 'airflow'))}; exec env TMPDIR={shlex.quote(str(place))} {celery}"
    apart = ["--uts", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child"]
    return [servers.program("unshare"), *apart, "sh", "-c", begun]


@contextmanager
def brought_up(folder: Path, programs: Path, messages: str) -> Iterator[Many]:
    """`programs`: of the environment that the wheel is in. `messages`: redis or rabbitmq."""
    port, *api_ports = free_ports(1 + len(API_SERVERS))
    (folder / "plugins").mkdir()
    world = GroupInFiles(folder / "group")
    dag_files(folder / "dags", folder / "group", *IN_FILES)
    for name in set(DAGS) - set(IN_FILES):
        (folder / "dags" / f"{name}.py").symlink_to(ROOT / "dags" / f"{name}.py")
    airflow = str(programs / "airflow")
    others = {name: [airflow, "api-server", "--port", str(one)] for name, one in zip(API_SERVERS, api_ports, strict=True)}
    others |= {f"scheduler-{number}": [airflow, "scheduler", "--skip-serve-logs"] for number in range(1, SCHEDULERS + 1)}
    others |= {"dag-processor": [airflow, "dag-processor"], "triggerer": [airflow, "triggerer", "--skip-serve-logs"]}
    others |= {f"worker-{number}": _machine(folder, programs, f"worker-{number}") for number in range(1, WORKERS + 1)}
    with (
        servers.postgresql(folder / "postgresql") as (database, database_address),
        servers.BROKERS[messages](folder / messages) as (queue, queue_address),
        servers.load_balancer(folder / "haproxy", port, api_ports),
        Broker(folder / "kafka") as kafka,
    ):
        environment = _environment(folder, programs, database_address, queue_address, kafka.bootstrap)
        with serving(folder / "airflow", folder / "lake", more=environment, airflow=(airflow,), others=others, port=port) as server:
            readers = Readers(kafka.bootstrap)
            many = Many(server, FsspecLake(str(folder / "lake")), world, database, queue, kafka)
            try:
                for dag in DAGS:
                    server.wait(f"the DAG {dag}", lambda dag=dag: server.rest("GET", f"/api/v2/dags/{dag}"))
                    server.rest("PATCH", f"/api/v2/dags/{dag}?update_mask=is_paused", {"is_paused": False})
                yield many
            finally:
                readers.close()
