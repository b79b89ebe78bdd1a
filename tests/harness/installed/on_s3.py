"""An Airflow of this checkout with its lake on S3: a plan from its form to its approval, and every job of the night on Spark.

`python -m tests.harness.installed.on_s3`: some minutes, and not part of bin/test. The connection `holdfast_lake` alone has the
keys. That the tables equal a local lake's is in tests/spark/test_tables_on_s3.py.
"""

import json
import os
import tempfile
import time
from pathlib import Path

from tests.harness.installed import running
from tests.harness.kafka import maven
from tests.harness.pages.airflow_server import ROOT, serving
from tests.harness.s3 import servers
from tests.harness.s3.servers import KEY, SECRET, S3Server

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.parquet_tables import ParquetTables
from holdfast.adapters.lake.table_schemas import TABLES
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots


def main() -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="holdfast-on-s3-") as name, servers.s3proxy(Path(name) / "s3") as store:
        folder = Path(name)
        address = store.address()
        lake = FsspecLake(address)
        with serving(
            folder / "airflow", folder / "no lake", scheduling=True, more=_environment(folder, store, address.url)
        ) as server:
            server.wait("the DAGs", lambda: len(server.rest("GET", "/api/v2/dags?limit=100")["dags"]) >= len(running.DAGS) or None)
            plan_id = running.plans(server, lake)
            print(f"planned and approved after {time.monotonic() - began:.0f} s", flush=True)
            running.forecasts(server)
            print(f"forecast after {time.monotonic() - began:.0f} s", flush=True)
        approved = plans.approval_of(lake, plan_id)
        assert approved is not None
        assert approved.approved
        tables = ParquetTables(address)
        (day,) = snapshots.days(lake)
        rows = {
            table: len(tables.rows(table, [day], ["problem"] if "quarantine" in table else [TABLES[table].names[2]]))
            for table in TABLES
        }
        print(f"rows: {json.dumps({table: count for table, count in rows.items() if count})}")
        assert rows["groups"] == 1
        assert rows["blast_radius"] > 0
        assert not (folder / "no lake").exists(), "something was written to a disk"
        said = [path for path in (folder / "airflow").rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
        assert said == [], f"the secret is in {said}"


def _environment(folder: Path, store: S3Server, url: str) -> dict[str, str]:
    jars = maven.of_pom(ROOT / "spark_jobs" / "s3a" / "pom.xml")
    (folder / "spark").mkdir()
    (folder / "spark" / "spark-defaults.conf").write_text(f"{running.SMALL_JOBS}spark.driver.extraClassPath {jars}\n")
    extra = {"endpoint_url": store.endpoint, "region_name": "us-east-1"}
    connection = {"conn_type": "aws", "login": KEY, "password": SECRET, "extra": extra}
    return {
        "AIRFLOW_VAR_HOLDFAST_LAKE": url,
        "AIRFLOW_CONN_HOLDFAST_LAKE": json.dumps(connection),
        "SPARK_CONF_DIR": str(folder / "spark"),
        "AWS_EC2_METADATA_DISABLED": "true",
        "HOME": os.environ["HOME"],
    }


if __name__ == "__main__":
    main()
