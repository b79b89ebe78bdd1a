"""Executors whose Python is not what a job needs are refused in words."""

import re
import tomllib
from pathlib import Path

import pytest

from holdfast.adapters.spark import executors
from holdfast.adapters.spark.executors import Found

ROOT = Path(__file__).resolve().parents[4]
FIT = (("pyarrow", "22.0.0"), ("numpy", "2.3.1"))


def found(*packages: tuple[str, str]) -> Found:
    return Found("3.11.2", "/usr/bin/python3", packages)


def test_the_python_of_this_process_is_fit() -> None:
    (own,) = executors.answer([0])
    assert executors.unfit(own) is None
    assert executors.unfit(found(*FIT)) is None


@pytest.mark.parametrize(
    ("packages", "says"),
    [
        (
            (("pyarrow", "!No module named 'pyarrow'"), FIT[1]),
            r"python3, 3\.11\.2\) cannot import pyarrow .*pyarrow 22 or newer is needed",
        ),
        ((("pyarrow", "9.0.0"), FIT[1]), r"has pyarrow 9\.0\.0, and pyarrow 22 or newer is needed"),
        ((FIT[0], ("numpy", "2.2.9")), r"has numpy 2\.2\.9, and numpy 2\.3 or newer is needed"),
        ((FIT[0], ("numpy", "!libgfortran.so.5: cannot open")), r"cannot import numpy \(libgfortran"),
    ],
)
def test_what_is_lacking_is_named_with_what_to_do(packages: tuple[tuple[str, str], ...], says: str) -> None:
    reason = executors.unfit(found(*packages))
    assert reason is not None
    assert re.search(says, reason)
    assert "spark.archives and spark.pyspark.python" in reason


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            'java.io.IOException: Cannot run program "./environment/bin/python": error=2, No such file or directory',
            "they have no program ./environment/bin/python. The setting spark.pyspark.python",
        ),
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.10 than that in driver: 3.11, PySpark cannot run",
            "Spark's executors have Python 3.10, and this driver has 3.11",
        ),
        ("ModuleNotFoundError: No module named 'holdfast.adapters'", "have no package holdfast: submit the job with --py-files"),
        ("ModuleNotFoundError: No module named 'pyarrow'", "have no Python package pyarrow"),
    ],
)
def test_what_spark_says_where_no_python_answers_is_told_in_words(text: str, says: str) -> None:
    assert says in str(executors.told(f"Job aborted.\n{text}\n\tat java", "3.11.7"))


def test_other_troubles_are_left_as_they_are() -> None:
    assert executors.told("Could not commit job", "3.11.7") is None


def test_the_versions_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = {*project["dependencies"], *project["optional-dependencies"]["airflow"]}
    assert {f"{name}>={'.'.join(map(str, least))}" for name, least in executors.NEEDED.items()} <= stated
