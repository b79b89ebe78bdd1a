"""All Spark jobs on a cluster whose machines share nothing but the network, compared with `local[2]`, row by row.

    python -m tests.live.spark_cluster.campaign [--kills] [--groups 20] [--workers 3] [--begin JOB]

As root, for each machine has namespaces of its own (tests/harness/spark_cluster/machine.py). The lake is on S3 (S3Proxy); the
executors' Python comes as an archive, made by the commands of docs/spark-clusters.md. With `--kills`, in each job an executor
or a whole machine is killed (`kill -9`) while it computes, and in two jobs the driver: these are submitted again. One line a
job. It ends with status 1 where a table differs from that of `local[2]`, or a killed job has left a part of a day. With
`--begin` the jobs before that one are not submitted: the tables that `local[2]` made are put into the bucket.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from tests.harness.s3 import servers
from tests.harness.spark_cluster import archive, installed, machine, submitting
from tests.harness.spark_cluster.standalone import Standalone, standalone
from tests.harness.spark_cluster.submitting import Submitter
from tests.live.spark_cluster import lakes
from tests.live.spark_cluster.killing import DRIVER, Killer
from tests.spark.conftest import loaded

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import s3a
from holdfast.adapters.spark import spark as lake_tables
from holdfast.adapters.spark.package_zip import package_zip

ENDS_WITHIN_S = 900.0
KILLED_DRIVERS = ("decode_snapshots", "blast_radius")
Rows = dict[str, list[str]]


def locally(lake: FsspecLake, jobs: Iterable[str]) -> Iterator[tuple[str, Rows]]:
    """Each job on `local[2]`, and what is in the lake after it."""
    local = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    os.environ["PYSPARK_PYTHON"] = sys.executable  # a setting reaches only what spark-submit starts
    spark = SparkSession.builder.master("local[2]").config(map=local).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    lake_tables.settle(spark)
    for name in jobs:
        job, (option, value) = loaded(name), lakes.JOBS[name]
        if option == "--draft":
            job.work(spark, f"{lake.url}/{value}")
        else:
            job.work(spark, lake.url, value.split(","))
        yield name, lakes.rows(lake)
    spark.stop()


def locally_from(begin: str, most: int, local: FsspecLake, lake: FsspecLake) -> dict[str, Rows]:
    """At most `most` jobs. What those before `begin` make is put into the other lake, too."""
    names = list(lakes.JOBS)
    first = names.index(begin)
    made = locally(local, names[: first + most])
    for _earlier in range(first):
        next(made)
    lakes.copy_made(local, lake)
    return dict(made)


def submitted(by: Submitter, folder: Path, name: str, lake_url: str, killer: Killer | None) -> dict[str, Any]:
    """One job, to its end or to its driver's."""
    log = folder / f"{name}-{time.monotonic_ns()}.log"
    began = time.monotonic()
    run = by.submit(log, name, "--lake", lake_url, *lakes.JOBS[name])
    killed = []
    while run.poll() is None:
        if time.monotonic() - began > ENDS_WITHIN_S:
            submitting.kill(run)
            raise SystemExit(f"{name} has not ended after {ENDS_WITHIN_S:.0f} s:\n{_tail(log)}")
        if killer is not None and (victim := killer.look(run)):
            killed.append(victim)
        time.sleep(0.1)
    text = log.read_text(errors="replace")
    found = {"job": name, "status": run.returncode, "seconds": round(time.monotonic() - began), "killed": killed}
    found["lost_executors"] = text.count("Lost executor")
    if servers.SECRET in text:
        raise SystemExit(f"{name} has printed the lake's secret: {log}")
    if run.returncode and DRIVER not in killed:
        raise SystemExit(f"{json.dumps(found)}\n{_tail(log)}")
    return found


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-60:])


@contextmanager
def prepared(given: argparse.Namespace) -> Iterator[tuple[Path, Path, Path]]:
    """A folder for all of it, the installation of the machines, and the archive; those two are kept with `--keep`."""
    with tempfile.TemporaryDirectory(prefix="holdfast-cluster-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        kept = Path(given.keep) if given.keep else folder / "kept"
        kept.mkdir(exist_ok=True)
        if not (kept / "installed").exists():
            installed.spark(kept / "installed")
        packed = kept / "archive" / archive.NAME
        yield folder, kept / "installed", packed if packed.exists() else archive.made(kept / "archive")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--kills", action="store_true")
    arguments.add_argument("--groups", type=int, default=20, help="of the fleet that does not exist")
    arguments.add_argument("--workers", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--begin", choices=lakes.JOBS, default=next(iter(lakes.JOBS)), metavar="JOB", help="with this job")
    arguments.add_argument("--jobs", type=int, default=len(lakes.JOBS), help="so many of them at most, from there")
    arguments.add_argument("--keep", help="a folder in which the installation and the archive are kept for the next time")
    given = arguments.parse_args()
    machine.refuse_without_rights()
    began = time.monotonic()
    with prepared(given) as (folder, installation, packed), servers.s3proxy(folder / "s3") as store:
        local, lake = FsspecLake(str(folder / "local")), FsspecLake(store.address())
        lakes.fill(local, given.groups, folder / "disk")
        lakes.fill(lake, given.groups, folder / "other disk")
        name, content = package_zip()
        (folder / name).write_bytes(content)
        wanted = locally_from(given.begin, given.jobs, local, lake)
        print(f"local[2]: {time.monotonic() - began:.0f} s", flush=True)
        with standalone(folder / "machines", installation, given.workers) as cluster:
            print(f"{cluster.master} is there after {time.monotonic() - began:.0f} s", flush=True)
            by = cluster.submitter(packed, str(folder / name), store.address())
            wrong = all_jobs(by, cluster, lake, wanted, given, folder)
    print(json.dumps({"wrong": wrong, "seconds": round(time.monotonic() - began)}))
    sys.exit(1 if wrong else 0)


def all_jobs(
    by: Submitter, cluster: Standalone, lake: FsspecLake, wanted: dict[str, Rows], given: argparse.Namespace, folder: Path
) -> list[str]:
    chance, wrong = random.Random(given.seed), list[str]()
    url = s3a.url_of(lake.url)
    before = lakes.rows(lake)
    for name, after in wanted.items():
        if given.kills and name in KILLED_DRIVERS:
            print(json.dumps(submitted(by, folder, name, url, Killer(cluster, chance, (DRIVER,), lake))), flush=True)
            wrong += lakes.wrong_in_part(lakes.rows(lake), before, after)
        killer = Killer(cluster, chance, ("executor", "machine"), lake) if given.kills else None
        said = submitted(by, folder, name, url, killer)
        before = lakes.rows(lake)
        differ = lakes.differences(before, after)
        print(json.dumps(said | {"rows": sum(map(len, before.values())), "differences": len(differ)}), flush=True)
        wrong += [f"after {name}: {one}" for one in differ]
        if differ:
            break
    return wrong


if __name__ == "__main__":
    main()
