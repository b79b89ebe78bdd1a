"""The archive with the executors' Python, made by the commands of docs/spark-clusters.md themselves."""

import os
import re
import subprocess
from pathlib import Path

from tests.harness.spark_cluster.installed import ROOT

PAGE = ROOT / "docs" / "spark-clusters.md"
NAME = "environment.tar.gz"
ARCHIVES_FOR = "python3.11"
"""The Python that all machines of a cluster have: `/usr` is all that they see of this one."""


def recipe() -> str:
    """The commands, as the page has them."""
    found = re.search(rf"```sh\n((?:(?!```).)*-o {re.escape(NAME)}\n)```", PAGE.read_text(), re.DOTALL)
    assert found is not None, f"{PAGE} has no block of commands that makes {NAME}"
    return found[1]


def made(folder: Path) -> Path:
    """The archive, of the versions that this environment has. It asks the package registry."""
    folder.mkdir()
    own = ROOT / ".venv" / "bin"
    path = f"{folder}/programs:/usr/bin:/bin"
    (folder / "programs").mkdir()
    listing = folder / "programs" / "pip"  # this environment has no pip of its own; `list` is all that the recipe asks of it
    listing.write_text(f'#!/bin/sh\nexec "{own}/python" -c "{_FREEZE}"\n')
    listing.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        ["sh", "-e", "-c", recipe()], cwd=folder, env=environment | {"PATH": path}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"the commands of {PAGE} failed:\n{(done.stdout + done.stderr)[-3_000:]}")
    (folder / NAME).chmod(0o644)
    return folder / NAME


_FREEZE = "from importlib.metadata import distributions as d;print(*sorted(x.name + '==' + x.version for x in d()), sep=chr(10))"
