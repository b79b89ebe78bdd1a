"""The archive of classes that Spark's JVMs load, made once for each installation of Spark.

With it a small job takes less than half of the processor time.
"""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.harness.kafka import class_data
from tests.harness.kafka.maven import CACHE

KIND = "spark-"
MOST = 5
"""Archives that are kept, of 170 MB each: one for each checkout, as a JVM takes one only for jars of the same paths."""
_HOME = Path(sysconfig.get_path("purelib")) / "pyspark"
_JOB = """
from pyspark.sql import SparkSession
spark = (
    SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1").config("spark.sql.shuffle.partitions", "1").getOrCreate()
)
numbers = spark.range(50).selectExpr("id % 7 as key", "id", "cast(id as string) as text")
found = numbers.mapInPandas(lambda frames: frames, numbers.schema).groupBy("key").count().orderBy("key")
found.write.mode("overwrite").partitionBy("key").parquet({place!r})
assert spark.read.parquet({place!r}).count() == 7
spark.stop()
"""
"""What the jobs do: Python over Arrow, a shuffle, partitioned Parquet."""


def java_options() -> str:
    """What JDK_JAVA_OPTIONS has in addition, for drivers, executors, masters and workers."""
    jars = sorted((_HOME / "jars").glob("*.jar"))
    of_them = "".join(f":{jar}={jar.stat().st_size}={jar.stat().st_mtime_ns}" for jar in jars)
    return " ".join(_quoted(one) for one in class_data.options(of_them, _load, KIND))


def _load(options: Sequence[str]) -> None:
    """Run a small job whose JVM has these options; the one that `spark-submit` starts first has them not."""
    place = CACHE / "classes"
    for old in sorted(place.glob(f"{KIND}*.jsa"), key=lambda path: path.stat().st_mtime)[: 1 - MOST]:
        with suppress(OSError):
            old.unlink()
    (archive,) = (Path(one.partition("=")[2]) for one in options if one.startswith("-XX:ArchiveClassesAtExit="))
    script = archive.parent / "job.py"
    script.write_text(_JOB.format(place=str(archive.parent / "rows")))
    environment = os.environ | {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(_HOME),  # spark-submit's own search for it does not bear spaces
        "SPARK_SUBMIT_OPTS": " ".join(_quoted(one) for one in options),
    }
    command = [sysconfig.get_path("scripts") + "/spark-submit", str(script)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1_200, check=False)
    if done.returncode != 0:  # the tests take more time then, and say themselves what does not work
        archive.unlink(missing_ok=True)


def _quoted(option: str) -> str:
    return f'"{option}"' if " " in option else option
