"""Branch coverage of `holdfast.kafka` and `holdfast.rollout`, by the tests that compute little.

    HOLDFAST_COVERAGE=folder pytest …          # each process of the run leaves its data in that folder
    python -m tests.harness.suite.measured           # the tests that are watched, as arguments of pytest, a line each
    python -m tests.harness.suite.measured folder    # what was found; status 1 where a package is below what is held

Up to Python 3.13 measuring branches costs time at every line, so the watch is on only while modules are imported (collection, in
the first process of the run) and while a test of `WATCHED` runs that is not `thorough`: what the JVM judges, which computes most,
is not slowed down, nor are the tests that take most of the time.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest
    from coverage import Coverage

PACKAGES = ("holdfast.kafka", "holdfast.rollout")
LEAST = 95.0
"""Per cent of lines and branches, of each package."""
_THOROUGH_TOO = (
    *("tests/property/fuzz/test_wire.py", "tests/property/test_consumer_at_once.py"),
    "tests/property/test_queue_on_arrays.py",
)
"""Reached by nothing else: what decodes, the assignors of consumers and the queue of clients on arrays."""
WATCHED = ("tests/unit/", "tests/property/test_blast_radius.py", "tests/property/test_consumer_schema.py", *_THOROUGH_TOO)
NOT_WATCHED = (
    *(f"tests/unit/workflows/running/test_{one}.py" for one in ("answers", "back_after_others", "going_back", "kills", "rounds")),
    *(f"tests/unit/workflows/running/test_{one}.py" for one in ("run", "setting")),
    *(f"tests/unit/workflows/test_{one}.py" for one in ("apply_restarts", "backtest", "leases", "tampering")),
    *(f"tests/unit/cli/commands/test_{one}.py" for one in ("apply_run", "plan", "plan_with_past")),
    *(f"tests/unit/{one}.py" for one in ("web/plan/test_live", "web/test_plans")),
    *(
        f"tests/unit/rollout/{one}.py"
        for one in ("policy/test_policy", "settings/test_healthy", "streams/forecast/test_assignment_text")
    ),
)
"""Together they reach 0.15 % of `holdfast.rollout` that no other test does, and took a fifth of the time."""


def watched(test: "pytest.Item") -> bool:
    """Whether a line that this test reaches counts as tested."""
    if not test.nodeid.startswith(WATCHED) or test.nodeid.startswith(NOT_WATCHED):
        return False
    return test.get_closest_marker("thorough") is None or test.nodeid.startswith(_THOROUGH_TOO)


class Watch:
    """Of this process; without HOLDFAST_COVERAGE it does nothing."""

    def __init__(self) -> None:
        folder = os.environ.get("HOLDFAST_COVERAGE")
        self._measuring = _coverage(Path(folder), suffix=str(os.getpid())) if folder else None
        self._on = False

    def switch(self, on: bool) -> None:
        """Begin or stop to watch; nothing where it is so already."""
        if self._measuring is None or self._on is on:
            return
        self._on = on
        (self._measuring.start if on else self._measuring.stop)()

    def for_test(self, test: "pytest.Item") -> None:
        self.switch(watched(test))

    def end(self) -> None:
        """Keep what was found."""
        self.switch(False)
        if self._measuring is not None:
            self._measuring.save()


def _coverage(folder: Path, suffix: str | None = None) -> "Coverage":
    from coverage import Coverage  # most runs do not measure

    return Coverage(
        data_file=str(folder / "data"), data_suffix=suffix, config_file="pyproject.toml", branch=True, source_pkgs=list(PACKAGES)
    )


def report(folder: Path) -> int:
    """Print what each package has, and its lines that no test reached; 1 where that is less than `LEAST`."""
    measured = _coverage(folder)
    measured.combine([str(folder)])
    found = {}
    for package in PACKAGES:
        inside = f"*/{package.replace('.', '/')}/*"
        found[package] = measured.report(include=[inside], show_missing=True, skip_covered=True)
    for package, percent in found.items():
        print(f"{package}: {percent:.2f} % of lines and branches; held at {LEAST:g} %")
    return int(any(percent < LEAST for percent in found.values()))


if __name__ == "__main__":
    if not sys.argv[1:]:
        print("\n".join((*WATCHED, *(f"--ignore={file}" for file in NOT_WATCHED))))
        sys.exit()
    sys.exit(report(Path(sys.argv[1])))
