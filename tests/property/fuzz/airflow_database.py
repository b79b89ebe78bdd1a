"""A new database for the fuzzer's Airflow: what `airflow db migrate` makes, made once for a version of Airflow and copied then.

It takes 7 s of processor time. `tests/web` and `tests/dags/test_try.py` migrate databases of their own, as people do.
"""

import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

NAME = "airflow.db"
"""Its place in an Airflow home, unless a setting names another."""


def made(home: Path, environment: Mapping[str, str]) -> None:
    """Put it into the home of an Airflow that is to run in this environment."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "holdfast"
    kept = folder / f"airflow-{importlib.metadata.version('apache-airflow-core')}.db"
    if not kept.exists():
        command = [sys.executable, "-m", "airflow", "db", "migrate"]
        subprocess.run(command, env=dict(environment), check=True, stdout=subprocess.DEVNULL, cwd=home)
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / f"{kept.name}.{os.getpid()}"
        shutil.copy(home / NAME, new)
        new.rename(kept)
    elif not (home / NAME).exists():
        shutil.copy(kept, home / NAME)
