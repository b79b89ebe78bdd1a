"""Fresh environments with the wheel of this checkout in them, by uv, which knows the exact resolution that each is for."""

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""That of this checkout's environment: the fresh ones have the same."""
OTHERS = ("amazon", "celery", "cncf-kubernetes", "databricks", "fab", "google", "postgres", "snowflake", "ssh")
"""Providers of other teams: what they ask for counts in Airflow's constraints, too."""


@dataclass(frozen=True, slots=True)
class Case:
    """`released`: the day after which nothing counts, for constraints like Airflow's own; None: the lowest of all that
    pyproject.toml allows."""

    name: str
    airflow: str
    released: str | None
    constraints: Path | None = None


def uv(*arguments: str, inside: Path) -> str:
    """`inside`: outside of the checkout, whose settings for uv would count otherwise."""
    program = ROOT / ".holdfast" / "uv" / "bin" / "uv"
    command = [str(program) if program.exists() else "uv", *arguments]
    done = subprocess.run(command, cwd=inside, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr[-6000:]}")
    return done.stdout


def wheel(folder: Path, source: Path = ROOT) -> Path:
    """Built into `folder` from the files of this checkout, or those of `source`."""
    by = ("--no-build-isolation", "--python", str(ROOT / ".venv" / "bin" / "python"))
    uv("build", "--quiet", "--wheel", *by, "--out-dir", str(folder), str(source), inside=folder)
    (built,) = folder.glob("*.whl")
    return built


def constraints(case: Case, folder: Path) -> Path:
    """Those given; else what Airflow's own job resolves, the newest of everything on the day of the release; or the lowest."""
    if case.constraints is not None:
        return case.constraints
    asked, made = folder / "asked.txt", folder / "constraints.txt"
    if case.released is None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        wanted = [*project["dependencies"], *project["optional-dependencies"]["airflow"], "pyspark-client>=4.1"]
        by = ("--resolution", "lowest-direct")
    else:
        wanted = [f"apache-airflow-providers-{name}" for name in ("apache-spark", "standard", *OTHERS)]
        by = ("--exclude-newer", case.released)
    asked.write_text("\n".join((f"apache-airflow=={case.airflow}", *wanted)) + "\n")
    uv("pip", "compile", "--quiet", "--python-version", PYTHON, *by, "--output-file", str(made), str(asked), inside=folder)
    return made


def environment(case: Case, built: Path, folder: Path, providers: Sequence[str] = ()) -> Path:
    """A Python that has the wheel, Airflow and Spark, and more of Airflow's `providers` (`celery`). Its `bin` folder."""
    place = folder / "environment"
    uv("venv", "--quiet", "--python", PYTHON, str(place), inside=folder)
    install(case, built, place, folder, providers)
    return place / "bin"


def install(case: Case, built: Path, place: Path, folder: Path, providers: Sequence[str] = ()) -> None:
    """The wheel `built`, with what `case` says, into the environment `place`, whatever of it was there before."""
    limits = constraints(case, folder)
    client = re.search(r"^pyspark-client==(\S+)", limits.read_text(), re.MULTILINE)
    assert client, f"{limits} has no pyspark-client"
    wanted = (f"holdfast[airflow] @ {built.as_uri()}", f"apache-airflow=={case.airflow}", f"pyspark=={client[1]}", client[0])
    more = [f"apache-airflow-providers-{name}" for name in providers]
    python = str(place / "bin" / "python")
    own = ("--reinstall-package", "holdfast")  # another wheel of the same version
    uv("pip", "install", "--quiet", "--python", python, *own, "--constraint", str(limits), *wanted, *more, inside=folder)


def scratch() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="holdfast-installed-")
