"""The long run: very many random groups for one release of each line, against the published jars.

    python -m tests.conformance.streams.long --cases 100000 --release-lines all --into build/long

It goes on where it stopped, records a mismatch and goes on, and writes its table as it goes. Started several times with the same
folder, the processes share the lines among them. What is in the folder:

    <release>.json      how far it is: seeds, commit, counts
    mismatches.jsonl    release, seed, what differs, and the case made small
    results.md          the table
"""

import argparse
import collections
import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import groups, random_groups
from tests.conformance.streams.groups import Case
from tests.conformance.streams.smaller import smaller

from holdfast.kafka.release import LINES

EACH = 500
"""Cases between two notes of how far it is."""
MADE_SMALL = 20
"""Mismatches of a release that are made small; of later ones only the seed is kept."""
FIRST_SEED = 1_000_000_000
"""Beyond what a run in CI draws."""


class Progress:
    """How far one release is, in `<release>.json`."""

    def __init__(self, folder: Path, release: str, cases: int, first_seed: int) -> None:
        self.file = folder / f"{release}.json"
        self.state: dict[str, Any] = {
            "release": release,
            "first_seed": first_seed,
            "done": 0,
            "mismatches": 0,
            "thrown": 0,
            "seconds": 0.0,
        }
        if self.file.exists():
            self.state = json.loads(self.file.read_text(encoding="utf-8"))
        self.state["cases"] = cases

    def __getitem__(self, key: str) -> Any:
        return self.state[key]

    @property
    def left(self) -> range:
        start = self["first_seed"]
        return range(start + self["done"], start + self["cases"])

    def note(self, **values: Any) -> None:
        self.state |= values
        self.state["commit"] = _commit()
        self.state["last"] = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
        next_to_it = self.file.with_suffix(".new")
        next_to_it.write_text(json.dumps(self.state, indent=1), encoding="utf-8")
        next_to_it.replace(self.file)


def run(folder: Path, release: str, cases: int, first_seed: int) -> None:
    """Whatever is left of this release."""
    progress = Progress(folder, release, cases, first_seed)
    with LeaderJvm(release, "-XX:TieredStopAtLevel=4") as jvm:  # the better compiler pays over that number of groups
        while progress.left:
            seeds = progress.left[:EACH]
            began = time.monotonic()
            mismatches, thrown = _compare(jvm, seeds)
            for seed, difference, case in mismatches:
                _record(folder, release, seed, difference, case if progress["mismatches"] < MADE_SMALL else None)
                progress.state["mismatches"] += 1
            progress.note(
                done=progress["done"] + len(seeds),
                thrown=progress["thrown"] + thrown,
                seconds=round(progress["seconds"] + time.monotonic() - began, 1),
            )
            _write_table(folder)
            each = 1000 * progress["seconds"] / progress["done"]
            print(f"{release}: {progress['done']} of {cases}, {progress['mismatches']} differ, {each:.1f} ms each", flush=True)


def _compare(jvm: LeaderJvm, seeds: range) -> tuple[list[tuple[int, str, Case | None]], int]:
    """What differs, with its seed, and how often the leader throws. Every failure of Holdfast counts as a difference, and the run
    continues."""
    mismatches: list[tuple[int, str, Case | None]] = []
    drawn: collections.deque[int] = collections.deque()
    thrown = 0

    def cases() -> Iterator[Case]:
        for seed in seeds:
            try:
                case = random_groups.random_case(seed, jvm.release)
            except Exception as broken:  # noqa: BLE001
                mismatches.append((seed, f"the case cannot be drawn: {type(broken).__name__}: {broken}", None))
            else:
                drawn.append(seed)
                yield case

    for case, answer in jvm.answers(cases()):
        seed = drawn.popleft()
        thrown += "error" in answer
        difference = _difference(case, jvm.release, answer)
        if difference:
            mismatches.append((seed, difference, case))
    return [_made_small(jvm, *mismatch) if number < MADE_SMALL else mismatch for number, mismatch in enumerate(mismatches)], thrown


def _made_small(jvm: LeaderJvm, seed: int, difference: str, case: Case | None) -> tuple[int, str, Case | None]:
    if case is None:
        return seed, difference, None
    small = smaller(case, lambda candidate: bool(_difference(candidate, jvm.release, jvm.ask([candidate])[0])))
    return seed, _difference(small, jvm.release, jvm.ask([small])[0]), small


def _difference(case: Case, release: str, theirs: Case) -> str:
    try:
        return groups.difference(case, release, theirs)
    except Exception as broken:  # noqa: BLE001
        return f"ours: {type(broken).__name__}: {broken}"


def _record(folder: Path, release: str, seed: int, difference: str, case: Case | None) -> None:
    with (folder / "mismatches.jsonl").open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(
            json.dumps({"release": release, "seed": seed, "commit": _commit(), "difference": difference, "case": case}) + "\n"
        )
    print(f"{release}, seed {seed}: {difference.splitlines()[0]}", flush=True)


def _write_table(folder: Path) -> None:
    lines = [
        "| line | judged by | groups | seeds | leader throws | mismatches | commit | last |",
        "|---|---|---:|---|---:|---:|---|---|",
    ]
    for line in LINES:
        for release in reversed(line.releases):
            file = folder / f"{release}.json"
            if file.exists():
                state = json.loads(file.read_text(encoding="utf-8"))
                seeds = f"{state['first_seed']} to {state['first_seed'] + state['done'] - 1}"
                lines.append(
                    f"| {line.releases[0]} to {line.releases[-1]} | {release} | {state['done']:,} | {seeds} | {state['thrown']:,} "
                    f"| {state['mismatches']} | {state['commit']} | {state['last']} |"
                )
    next_to_it = folder / f"results.{os.getpid()}"
    next_to_it.write_text("\n".join(lines) + "\n", encoding="utf-8")
    next_to_it.replace(folder / "results.md")


def _commit() -> str:
    said = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return said.stdout.strip() or "unknown"


@contextmanager
def _mine(folder: Path, release: str) -> Iterator[bool]:
    """Whether no other process has this release now."""
    with (folder / f"{release}.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000, help="groups a release")
    parser.add_argument("--release-lines", default="all", help="all: the newest release of every line; or releases with commas")
    parser.add_argument("--into", type=Path, required=True, help="the folder of the results; a run goes on where it stopped")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    asked = parser.parse_args()
    asked.into.mkdir(parents=True, exist_ok=True)
    newest = [line.releases[-1] for line in LINES]
    for release in newest if asked.release_lines == "all" else asked.release_lines.split(","):
        with _mine(asked.into, release) as mine:
            if mine:
                run(asked.into, release, asked.cases, asked.first_seed)
    mismatches = asked.into / "mismatches.jsonl"
    return 1 if mismatches.exists() else 0


if __name__ == "__main__":
    sys.exit(main())
