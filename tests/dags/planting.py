"""Secrets at every place where an operator or a user of bin/try's Airflow may put one, and the search for them when all has run."""

import configparser
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError

import pytest
from tests.dags.trying import Rest
from tests.harness.kafka.echoing_broker import echoing_broker
from tests.harness.planted import Planted, watched_processes

LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
KEPT_BY_AIRFLOW = {"log.extra", "dag_run.conf"}
"""What is sent over REST is kept there, whatever it is: docs/security.md says so."""
_OF_AIRFLOW = {"fernet_key": ("core", "fernet_key"), "jwt_secret": ("api_auth", "jwt_secret"), "secret_key": ("api", "secret_key")}
_ITS_OWN = ("airflow.cfg", "passwords.json", "airflow.db", "airflow.db-wal", "airflow.db-shm")
"""Where Airflow keeps its own secrets, and its database, whose cells are looked through one by one."""
_TOKEN = re.compile(rb"eyJ[A-Za-z0-9_-]{16,}\.eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}")


@dataclass
class Planting:
    """What was planted, and the command lines in which it was seen."""

    planted: Planted
    broker: str
    shown: set[tuple[str, str]]

    def environment(self) -> dict[str, str]:
        """Of bin/try: what an operator gives to the libraries that reach lakes and disks."""
        names = ("AWS_SECRET_ACCESS_KEY", "AZURE_STORAGE_KEY", "HOLDFAST_TEST_TOKEN")
        return {name: self.planted(name) for name in names}

    def sow(self, rest: Rest, airflow: Path) -> str:
        """Connections with secrets, and a run that sends some; Airflow's own are known. Return the run."""
        settings = configparser.ConfigParser(interpolation=None)
        settings.read(airflow / "airflow.cfg")
        for label, (section, key) in _OF_AIRFLOW.items():
            self.planted.know(label, settings.get(section, key))
        self.planted.know("the admin's password", json.loads((airflow / "passwords.json").read_text())["admin"])
        with (airflow / "spark" / "spark-defaults.conf").open("a") as spark:
            spark.write("spark.eventLog.enabled true\nspark.eventLog.compress false\n")
            spark.write(f"spark.eventLog.dir {events(airflow).as_uri()}\n")
        events(airflow).mkdir()
        rest.call("POST", "/api/v2/connections", self._connection())
        change = {"format_version": "1.0", "events": [{"set_config": {"ssl.key.password": self.planted("a Change's setting")}}]}
        setting = f"ssl.key.password={self.planted('a setting')}"
        policy = {"format_version": "1.0", "untouchable_hosts": [f"token={self.planted('a policy')}"]}
        for refused in ({"change": change}, {"what": "change settings", "settings": setting}, {"policy": policy}):
            with pytest.raises(HTTPError, match="400"):
                rest.trigger("plan_rollout", refused)
        return rest.trigger("plan_rollout", {"what": "rolling restart", "hosts": [f"password={self.planted('a host')}"]})

    def _connection(self) -> dict[str, object]:
        """As `holdfast_kafka_planted` is described in the README, with a broker that repeats the password it is sent."""
        password = self.planted("a broker's password")
        return {
            "connection_id": "holdfast_kafka_planted",
            "conn_type": "generic",
            "login": "reader",
            "password": self.planted("a connection's password"),
            "extra": json.dumps(
                {
                    "bootstrap.servers": self.broker,
                    "security.protocol": "SASL_PLAINTEXT",
                    "sasl.mechanism": "PLAIN",
                    "sasl.jaas.config": f'{LOGIN} required username="reader" password="{password}";',
                    "ssl.key.password": self.planted("a key's password"),
                    "sasl.oauthbearer.client.credentials.client.secret": self.planted("a client's secret"),
                    "groups": {"*": {}},
                }
            ),
        }

    def harvest(self, checkout: Path) -> None:
        """Fail for every secret that is anywhere but where Airflow keeps what it is sent."""
        state = checkout / ".holdfast"
        assert list(events(state / "airflow").iterdir()), "Spark wrote no event log"
        assert list((state / "airflow" / "logs").rglob("*.log")), "Airflow wrote no log"
        assert self.planted.found_in(state / "lake") == set()
        assert self.planted.found_in(state / "airflow", *_ITS_OWN) == set()
        cells = self.planted.found_in_database(state / "airflow" / "airflow.db")
        assert {(label, cell) for label, cell in cells if cell not in KEPT_BY_AIRFLOW} == set()
        assert {label for label, _ in cells} >= {"a policy", "a host"}, "Airflow keeps less than the docs say"
        assert {path.name for path in (state / "airflow").rglob("*.log") if _TOKEN.search(path.read_bytes())} == set()
        assert self.shown == set()


def events(airflow: Path) -> Path:
    """Where Spark writes its event logs."""
    return airflow / "spark-events"


@contextmanager
def planting() -> Iterator[Planting]:
    planted = Planted()
    with echoing_broker() as broker, watched_processes(planted) as shown:
        yield Planting(planted, f"127.0.0.1:{broker.server_address[1]}", shown)
