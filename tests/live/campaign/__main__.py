"""The unceasing trial: random applications of random releases on real brokers, random changes and faults, forecast against reality.

    python -m tests.live.campaign --minutes 60 --seed 1 --into build/trial [--at-once 2] [--cases 4,5] [--page docs/trial.md]

Each case is a line of `<into>/journal.jsonl` when it is done. The same command goes on with the next case; one that was interrupted
is done again. A difference is kept as a file, with the snapshots, the change and the settings of each client. `--page` adds what is
in the journal to the cases next to the page (`trial.jsonl`) and writes the table of all; with `--minutes 0` it does nothing else.
`--cases` are done alone, those that the page has as refused too: they take the place of what it has.
"""

import argparse
import itertools
import json
import shutil
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from tests.live.campaign import cases, drawing, page
from tests.live.campaign.judging import Record

_OF_PROCESSES = ("broker", "group")
"""Folders of a case that are of no use when it has agreed."""


class Trial:
    """The cases of a seed in a folder, and its journal."""

    def __init__(self, seed: int, into: Path, seconds: float, only: Iterable[int] | None = None) -> None:
        self._seed, self._into = seed, into
        self._ends_at = time.monotonic() + seconds
        self._one_at_a_time = threading.Lock()
        done = {one["case"] for one in read(into / page.JOURNAL) if one["seed"] == seed}
        self._numbers: Iterator[int] = (number for number in only or itertools.count(1) if number not in done)

    def work(self) -> None:
        """One case after the other, until the time is over."""
        while self._goes_on():
            with self._one_at_a_time:
                number = next(self._numbers, None)
            if number is None:
                return
            folder = self._into / f"{self._seed}-{number}"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            began = time.monotonic()
            found = cases.perform(drawing.draw(self._seed, number), folder, self._goes_on)
            if found["changes"] or "trouble" in found or "refused" in found:
                self._keep(found | {"seconds": round(time.monotonic() - began)}, folder)
            else:
                shutil.rmtree(folder)  # the time was over before its first change: it is done again

    def _goes_on(self) -> bool:
        return time.monotonic() < self._ends_at

    def _keep(self, found: Record, folder: Path) -> None:
        with self._one_at_a_time:
            write(self._into / page.JOURNAL, found)
        if not page.differs(found):
            for name in _OF_PROCESSES:
                shutil.rmtree(folder / name, ignore_errors=True)
            if not any(folder.iterdir()):
                folder.rmdir()
        print(page.line(found), flush=True)


def read(path: Path) -> list[Record]:
    """A journal's whole lines: a killed trial may leave a part of one."""
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        with suppress(json.JSONDecodeError):
            found.append(json.loads(line))
    return found


def write(path: Path, found: Record) -> None:
    """As a line of its own, behind what may be a part of one."""
    known = path.read_text(encoding="utf-8") if path.exists() else ""
    with path.open("a", encoding="utf-8") as file:
        file.write(("" if known.endswith("\n") or not known else "\n") + json.dumps(found) + "\n")


def add(journal: Path, to: Path) -> None:
    """Cases that the page does not have yet, or has as refused; and the table of all."""
    kept = to.with_suffix(".jsonl")
    known = {_of_seed(one): one for one in read(kept)}
    for one in read(journal):
        if "refused" in known.get(_of_seed(one), {"refused": ""}):
            known[_of_seed(one)] = page.short(one)
    kept.write_text("".join(json.dumps(one) + "\n" for one in known.values()), encoding="utf-8")
    to.write_text(page.written(list(known.values())), encoding="utf-8")


def _of_seed(found: Record) -> tuple[int, int]:
    return found["seed"], found["case"]


def _numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path, default=Path("build/trial"))
    parser.add_argument("--at-once", type=int, default=2, help="cases side by side, each with a broker of its own")
    parser.add_argument("--cases", type=_numbers, help="of the seed, these alone: 4,5")
    parser.add_argument("--page", type=Path, help="where the table is written")
    given = parser.parse_args()
    given.into.mkdir(parents=True, exist_ok=True)
    if given.minutes > 0:
        trial = Trial(given.seed, given.into.resolve(), given.minutes * 60, given.cases)
        with ThreadPoolExecutor(given.at_once) as pool:
            for one in [pool.submit(trial.work) for _ in range(given.at_once)]:
                one.result()
    if given.page:
        add(given.into / page.JOURNAL, given.page)


if __name__ == "__main__":
    main()
