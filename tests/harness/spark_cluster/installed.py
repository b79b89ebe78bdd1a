"""What is installed on every machine of a cluster: Spark as pyspark has it, and the jars that a lake on S3 needs."""

import shutil
import sysconfig
from pathlib import Path

from tests.harness.kafka import maven

ROOT = Path(__file__).resolve().parents[3]
_PYSPARK = Path(sysconfig.get_path("purelib")) / "pyspark"


def s3a_jars() -> str:
    """As a class path."""
    return maven.of_pom(ROOT / "spark_jobs" / "s3a" / "pom.xml")


def spark(folder: Path) -> Path:
    """Spark's own layout: `bin`, `jars`, and `python/lib` with its zips. The files are hard links, or copies on another disk."""
    home = folder / "spark"
    home.mkdir(parents=True)
    for name in ("bin", "sbin", "jars", "python/lib"):
        shutil.copytree(_PYSPARK / name, home / name, copy_function=linked)
    for jar in s3a_jars().split(":"):
        linked(jar, str(home / "jars" / Path(jar).name))
    return home


def linked(source: str, place: str) -> None:
    try:
        Path(place).hardlink_to(source)
    except OSError:
        shutil.copy2(source, place)
