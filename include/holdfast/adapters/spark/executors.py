"""What Python the executors have: one is asked at the start of each job, before anything is computed.

Else a job on a cluster whose machines have another Python, or not the packages, ends after minutes with a stack trace of pickle or
Arrow. They are assumed to be alike. What is asked travels in the zip, and needs nothing but the standard library.
"""

import importlib
import platform
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NEEDED = {"pyarrow": (22,), "numpy": (2, 3)}
"""By the executors, from these versions on, as the package itself says."""
PAGE = "docs/spark-clusters.md has the commands that make an archive with it"
_NO_PROGRAM = re.compile(r'Cannot run program "([^"]+)"')
_OTHER_VERSION = re.compile(r"Python in worker[^:]*: ([0-9.]+) than that in driver:? ([0-9.]+)")
_NO_MODULE = re.compile(r"No module named '([\w.]+)'")


class Found(NamedTuple):
    """An executor's Python. `packages`: name and version of those NEEDED that can be imported, or `!` and why one cannot be."""

    python: str
    program: str
    packages: tuple[tuple[str, str], ...]


def answer(_rows: Iterable[int]) -> Iterator[Found]:
    """On an executor."""
    yield Found(platform.python_version(), sys.executable, tuple((name, _version(name)) for name in NEEDED))


def _version(name: str) -> str:
    try:
        return str(importlib.import_module(name).__version__)
    except ImportError as missing:  # one for another system, too
        return f"!{missing}"


def refuse_unfit(spark: "SparkSession") -> None:
    """Raise InvalidInput: what was found, and what to do. Another failure of Spark is raised unchanged."""
    try:
        (found,) = spark.sparkContext.parallelize([0], 1).mapPartitions(answer).collect()
    except Exception as trouble:
        reason = told(str(trouble), platform.python_version())
        if reason is None:
            raise
        raise InvalidInput(reason) from None
    reason = unfit(found)
    if reason is not None:
        raise InvalidInput(reason)


def told(text: str, own: str) -> str | None:
    """Why no Python answered, of what Spark says. `own`: the driver's version. None: it is something else."""
    if no_program := _NO_PROGRAM.search(text):
        return (
            f"no Python runs on Spark's executors: they have no program {no_program[1]}. The setting spark.pyspark.python (or"
            f" PYSPARK_PYTHON) must name a Python {_minor(own)} that each of them has, or one in the archive of"
            f" spark.archives; {PAGE}"
        )
    if other := _OTHER_VERSION.search(text):
        return (
            f"Spark's executors have Python {other[1]}, and this driver has {other[2]}: both must be the same, as functions are"
            f" sent from one to the other. Set spark.pyspark.python to a Python {other[2]}; {PAGE}"
        )
    if missing := _NO_MODULE.search(text):
        if missing[1].partition(".")[0] == "holdfast":
            return "Spark's executors have no package holdfast: submit the job with --py-files and the zip of the lake's packages/"
        return f"Spark's executors have no Python package {missing[1]}; {PAGE}"
    return None


def unfit(found: Found) -> str | None:
    """What the executors' Python lacks; None: nothing."""
    for name, version in found.packages:
        needed = ".".join(map(str, NEEDED[name]))
        if version.startswith("!"):
            lacks = f"cannot import {name} ({version[1:]})"
        elif _numbers(version) < NEEDED[name]:
            lacks = f"has {name} {version}"
        else:
            continue
        return (
            f"the Python of Spark's executors ({found.program}, {found.python}) {lacks}, and {name} {needed} or newer is needed:"
            f" set spark.archives and spark.pyspark.python to a Python that has it; {PAGE}"
        )
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in re.findall(r"\d+", version)[:3])


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])
