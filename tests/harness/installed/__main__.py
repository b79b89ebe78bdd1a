"""`bin/test-install`: the wheel in the lowest and the newest Airflow that it allows, and next to constraints like Airflow's own."""

import argparse
import re
import time
from pathlib import Path

from tests.harness.installed import environments, running
from tests.harness.installed.environments import ROOT, Case

LOWEST = "3.3.0"
RELEASED = {"3.3.0": "2026-07-08", "3.3.2": "2026-10-01"}
"""A day by which each release was published, and not much else after it."""


def cases(given: Path | None, airflow: str | None) -> list[Case]:
    """The lowest of everything; and both ends of Airflow, each next to constraints."""
    locked = re.search(r"^apache-airflow==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert locked
    newest = locked[1]
    if given is not None:
        return [Case("given", airflow or newest, None, given)]
    assert newest in RELEASED, f"the day by which Airflow {newest} was published belongs into {__file__}"
    ends = [Case(version, version, RELEASED[version]) for version in (LOWEST, newest)]
    return [one for one in (Case("lowest", LOWEST, None), *ends) if airflow in (None, one.name)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bin/test-install", description=__doc__)
    parser.add_argument("--only", metavar="CASE", help=f"lowest, {', '.join(RELEASED)}; with --constraints: the version of Airflow")
    parser.add_argument("--constraints", type=Path, metavar="FILE", help="Airflow's own for its version and this Python")
    given = parser.parse_args()
    for case in cases(given.constraints, given.only):
        began = time.monotonic()
        with environments.scratch() as name:
            folder = Path(name)
            programs = environments.environment(case, environments.wheel(folder), folder)
            what = f"Airflow {case.airflow}, Python {environments.PYTHON}"
            print(f"{case.name}: installed with {what} after {time.monotonic() - began:.0f} s", flush=True)
            running.look(programs, folder, by_bundle=case.airflow == LOWEST)  # else by one line
            print(f"{case.name}: planned, approved and forecast after {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
