"""Hostile documents, through every entry point: each command, page and reader gives an answer or a refusal.

    python -m tests.property.fuzz.documents --documents 20000 --seed 1 --into build/fuzz

For every case: no exception but a HoldfastError, an exit status of a command, a page below 500; nothing printed that steers a
terminal; no more than 10 s of processor time; no more than 2 GB beyond the program itself. The cases run in a child process with
these limits, which is started again behind a case that ended it. The documents of a finding are in the folder of `--into`, and

    python -m tests.property.fuzz.documents --seed 1 --only plan --at 123

runs that one again. The same seed gives the same cases. (`fuzz_wire` is the same for bytes from brokers and disks.)
"""

import argparse
import contextlib
import dataclasses
import faulthandler
import json
import os
import random
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from tests.harness.nasty import Document
from tests.property.fuzz import readers
from tests.property.fuzz.cases import ROOT, Case, real
from tests.property.fuzz.readers import WAYS_IN

from holdfast.errors import HoldfastError

SECONDS = 10
PATIENCE = 90
"""Seconds by the clock, where other work has the processors too."""
MEMORY = 2 * 1024**3


class TooLong(BaseException):
    """A case took longer than its limit."""


# The child: one case after the other, under limits.


def run_case(name: str, seed: int, number: int, folder: Path) -> tuple[int, str]:
    """How many documents it took, and what was found ("": nothing)."""
    case = Case(random.Random(f"{seed}/{name}/{number}"), folder)

    def late(*_: object) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    faulthandler.dump_traceback_later(PATIENCE, exit=True)  # where a native call never comes back
    try:
        with contextlib.suppress(HoldfastError):
            WAYS_IN[name](case)
    except (Exception, TooLong):  # noqa: BLE001 - every exception is a finding
        signal.setitimer(signal.ITIMER_PROF, 0)
        return case.documents, traceback.format_exc(limit=-12)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()
    return case.documents, ""


def child(name: str, seed: int, numbers: range) -> None:
    """Print a line of JSON for each case."""
    real()
    if name in ("pages", "form"):
        readers.client()
    virtual = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (virtual + MEMORY, virtual + MEMORY))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # other output is not needed
    answers.write("ready\n")
    for number in numbers:
        answers.flush()
        with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
            began = time.process_time()
            documents, found = run_case(name, seed, number, Path(folder))
            seconds = time.process_time() - began
            kept = {}
            if found:
                with contextlib.suppress(OSError):
                    files = (one for one in Path(folder).rglob("*") if one.is_file())
                    kept = {str(one.relative_to(folder)): one.read_bytes()[:300_000].decode(errors="replace") for one in files}
        answers.write(json.dumps([number, documents, round(seconds, 3), found, kept]) + "\n")
    answers.flush()


# The parent.


@dataclasses.dataclass(slots=True)
class Tally:
    cases: int = 0
    documents: int = 0
    longest: tuple[float, int] = (0.0, 0)
    found: list[tuple[int, str]] = dataclasses.field(default_factory=list)


def _lines(process: "subprocess.Popen[str]", patience: float) -> Iterator[str | None]:
    """The lines of a child; None where it says nothing for too long."""
    assert process.stdout is not None
    while True:
        ready, _, _ = select.select([process.stdout], [], [], patience)
        if not ready:
            yield None
            return
        line = process.stdout.readline()
        if not line:
            return
        yield line
        patience = 2 * PATIENCE


def run(name: str, seed: int, documents: int, into: Path | None = None, *, at: int = 0, cases: int = 10**9) -> Tally:
    """Cases until `documents` documents were taken, or `cases` cases were."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'include'}", "PYTHONWARNINGS": "ignore"}
    with tempfile.TemporaryDirectory(prefix="airflow") as home:
        if name in readers.IN_AIRFLOW:
            environment |= readers.airflow_in(home)
        return _run(name, seed, documents, into, environment, at=at, cases=cases)


def _run(name: str, seed: int, documents: int, into: Path | None, environment: dict[str, str], *, at: int, cases: int) -> Tally:
    tally, number = Tally(), at
    while tally.documents < documents and tally.cases < cases:
        few = min(cases - tally.cases, 5_000)
        arguments = [
            sys.executable,
            "-m",
            "tests.property.fuzz.documents",
            "--child",
            name,
            "--seed",
            str(seed),
            "--at",
            str(number),
        ]
        with (
            tempfile.TemporaryFile("w+") as errors,
            subprocess.Popen(
                [*arguments, "--cases", str(few)], stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT, env=environment
            ) as process,
        ):
            for line in _lines(process, 3 * PATIENCE):
                if line is None:
                    break
                if not line.startswith("["):
                    continue
                number, taken, seconds, found, kept = json.loads(line)
                _note(tally, name, seed, (number, taken, seconds, found, kept), into)
                number += 1
                few -= 1
                if tally.documents >= documents:
                    break
            process.kill()
            process.wait()
            if few and tally.documents < documents:
                errors.seek(0)
                _note(tally, name, seed, (number, 1, 0.0, f"the process ended\n{errors.read()[-3000:]}", {}), into)
                number += 1
    return tally


def _note(tally: Tally, name: str, seed: int, told: tuple[int, int, float, str, Document], into: Path | None) -> None:
    number, taken, seconds, found, kept = told
    tally.cases += 1
    tally.documents += max(taken, 1)
    tally.longest = max(tally.longest, (seconds, number))
    if not found:
        return
    tally.found.append((number, found))
    print(f"{name} --seed {seed} --at {number}: {found.strip().splitlines()[-1][:300]}", flush=True)
    if into is not None:
        place = into / f"{name}-{seed}-{number}"
        place.mkdir(parents=True, exist_ok=True)
        (place / "found.txt").write_text(found, encoding="utf-8", errors="replace")
        for file, content in kept.items():
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).write_text(content, encoding="utf-8", errors="replace")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000, help="of all ways in together")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--only", default="", help="one way in: " + ", ".join(WAYS_IN))
    parser.add_argument("--at", type=int, default=None, help="this one case")
    parser.add_argument("--into", type=Path, help="a folder for the documents of findings")
    parser.add_argument("--cases", type=int, default=10**9, help=argparse.SUPPRESS)
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        child(asked.child, asked.seed, range(asked.at, asked.at + asked.cases))
        return 0
    names = [name for name in WAYS_IN if asked.only in ("", name)]
    print(f"seed {asked.seed}, {asked.documents} documents through {', '.join(names)}", flush=True)
    found = 0
    for name in names:
        each = -(-asked.documents // len(names))
        tally = run(name, asked.seed, each, asked.into, at=asked.at or 0, cases=1 if asked.at is not None else 10**9)
        seconds, number = tally.longest
        print(f"{name}: {tally.documents} documents, {len(tally.found)} found; longest {seconds:.1f} s (--at {number})", flush=True)
        found += len(tally.found)
        if asked.at is not None:
            print(*(what for _, what in tally.found), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
