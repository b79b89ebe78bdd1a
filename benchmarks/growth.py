"""How time and memory grow with the size of a group, of a fleet, and of a plan on its page.

    python -m benchmarks.growth                    all; some minutes
    python -m benchmarks.growth assign pages       some
    python -m benchmarks.growth --json             for machines

Each size is a process of its own, which reads its input from a file, does the work, and says what that took: processor time (the
least of some runs), and the most memory above what it held before (Linux; elsewhere of the process as a whole). The exponent is
that of a straight line through the logarithms of both, by least squares: 1 is linear, 1.1 about n log n over these ranges, 2
quadratic. `last`: the same between the two largest sizes only, where a term that grows faster would show.
"""

import argparse
import gc
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from tests.conformance.streams.snapshots import snapshot_of

from benchmarks import forecast, synthetic_fleet
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.forecast import forecast as forecast_of
from holdfast.rollout.streams.snapshot.json import snapshot_from_json, snapshot_to_json
from holdfast.rollout.tables import group_rows, loss_rows
from holdfast.web import templating
from holdfast.web.plan import stages
from holdfast.web.plan.comments_view import CommentsView
from holdfast.web.plan.plan_page import PlanPages
from holdfast.workflows import plan as plans
from holdfast.workflows.comments import Comments
from holdfast.workflows.deciding import assign_text

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
KAFKA = "3.9.1"
TASKS_A_CLIENT = 20
ENOUGH_S = 1.0
"""Runs are repeated up to this long, and `RUNS` times at most."""
RUNS = 5


@dataclass(frozen=True)
class Subject:
    """What grows. `prepare` writes the input of a size into a folder, `work` reads and answers it; what it returns is how large the
    answer is."""

    what: str
    sizes: tuple[int, ...]
    prepare: Callable[[Path, int], None]
    work: Callable[[Path], int]


def _settled(tasks: int, clients: int) -> dict[str, Any]:
    shape = forecast.Shape("", "", tasks, clients, forecast.JOINS)
    document: dict[str, Any] = snapshot_of(forecast.settled(shape, KAFKA), KAFKA)
    return document


def _prepare_group(into: Path, tasks: int) -> None:
    """A group at rest, and a client that joins."""
    into.joinpath("snapshot.json").write_text(dumps(_settled(tasks, tasks // TASKS_A_CLIENT)))


def _assign(given: Path) -> int:
    return len(assign_text(given.joinpath("snapshot.json").read_bytes(), None, ()))


JOINS = {"format_version": "1.0", "events": list(forecast.JOINS)}


def _forecast(given: Path) -> int:
    snapshot = snapshot_from_json(loads(given.joinpath("snapshot.json").read_bytes()))
    return sum(len(outcome.rounds) for outcome in forecast_of(snapshot, change_from_json(JOINS)).outcomes)


def _plan(given: Path) -> int:
    document = loads(given.joinpath("snapshot.json").read_bytes())
    plan = plans.make_from(("snapshot", document), ("change", JOINS), Policy(), NOON)
    return len(plan.candidates)


def _prepare_fleet(into: Path, groups: int) -> None:
    for number in range(groups):
        pair = synthetic_fleet.group(number, 7)
        for day, snapshot in zip(synthetic_fleet.DAYS, (pair.before, pair.after), strict=True):
            into.joinpath(f"{number:05}-{day}.json").write_text(dumps(snapshot_to_json(snapshot)))


def _fleet(given: Path) -> int:
    """As the nightly jobs do, group by group (`benchmarks.fleet`); what has to be forecast is left out, as without a budget."""
    losses = 0
    paths = sorted(given.glob("*.json"))
    for before, after in zip(paths[::2], paths[1::2], strict=True):
        documents = [str(group_rows.decode(path.name, path.read_bytes())["document"]) for path in (before, after)]
        group_rows.targets(documents[1])
        group_rows.order_change(*documents)
        rows = loss_rows.whole(documents[1], budget_ms=0)["losses"]
        losses += len(rows) if isinstance(rows, list) else 0
    return losses


def _prepare_plan(into: Path, tasks: int) -> None:
    plan = plans.make_from(("snapshot", _settled(tasks, tasks // TASKS_A_CLIENT)), ("change", JOINS), Policy(), NOON)
    plans.keep(FsspecLake(str(into)), plan)
    into.joinpath("plan_id").write_text(plan.plan_id)


def _page(given: Path) -> int:
    """The whole page of a plan that waits for a decision, when it is first shown."""
    shown = PlanPages(FsspecLake(str(given))).page(given.joinpath("plan_id").read_text(), NOON)
    said: dict[str, Any] = {"asked": None, "may": False, "own": False, "signed": None, "paused": False, "problem": None}
    said |= {"next_step": stages.next_step(shown.view.plan, shown.done, shown.in_a_run), "what_next": stages.what_next(shown)}
    said |= {"stages": stages.stages(shown), "comments_view": CommentsView(Comments((), 0)), "live": None}
    said |= {"root": "", "airflow": "", "user": "ann", "token": "t", "may_ask": True}
    return len(templating.render("plan.html", page=shown, view=shown.view, **said))


SUBJECTS = {
    "assign": Subject("a line of assign --jsonl, by tasks", (500, 1_000, 2_000, 4_000, 8_000, 16_000), _prepare_group, _assign),
    "forecast": Subject("a client joins, by tasks", (100, 200, 400, 800, 1_600), _prepare_group, _forecast),
    "plan": Subject("a whole plan of the same, by tasks", (60, 120, 240, 480), _prepare_group, _plan),
    "fleet": Subject("a night of a fleet without forecasts, by groups", (10, 20, 40, 80, 160), _prepare_fleet, _fleet),
    "pages": Subject("the page of such a plan, by tasks", (60, 120, 240, 480), _prepare_plan, _page),
}


class Measured(NamedTuple):
    """`kib`: the most memory above what was held before. `answer`: characters, rebalances, options, losses: see the works."""

    size: int
    seconds: float
    kib: int
    answer: int


def one(name: str, given: Path, size: int) -> Measured:
    """In this process."""
    work = SUBJECTS[name].work
    gc.collect()
    before = _held()
    began = time.process_time()
    answer = work(given)
    times = [time.process_time() - began]
    kib = _peak() - before
    while len(times) < RUNS and sum(times) < ENOUGH_S:
        began = time.process_time()
        work(given)
        times.append(time.process_time() - began)
    return Measured(size, min(times), kib, answer)


_CLEAR = Path("/proc/self/clear_refs")


def _held() -> int:
    """KiB now; from now on the peak counts."""
    if not _CLEAR.exists():
        return 0
    _CLEAR.write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM") if _CLEAR.exists() else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


def measure(name: str) -> list[Measured]:
    """Every size, each in a process of its own."""
    found = []
    for size in SUBJECTS[name].sizes:
        with tempfile.TemporaryDirectory() as folder:
            SUBJECTS[name].prepare(Path(folder), size)
            command = [sys.executable, "-m", "benchmarks.growth", name, "--one", str(size), "--given", folder]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, cwd=Path(__file__).resolve().parents[1])
            found.append(Measured(*json.loads(done.stdout)))
    return found


def exponent(sizes: Sequence[float], figures: Sequence[float]) -> float:
    """Of the straight line through the logarithms, by least squares."""
    xs, ys = ([math.log(one) for one in ones] for ones in (sizes, figures))
    middle, height = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - middle) * (y - height) for x, y in zip(xs, ys, strict=True)) / sum((x - middle) ** 2 for x in xs)


def table_of(found: dict[str, list[Measured]]) -> Table:
    table = Table("what", "sizes", "seconds", "exponent (last)", "memory, MiB", "exponent (last)", "answer", box=None)
    for name, ones in found.items():
        sizes = [each.size for each in ones]
        seconds, memory = [each.seconds for each in ones], [max(1, each.kib) for each in ones]
        table.add_row(
            SUBJECTS[name].what,
            f"{sizes[0]:,} to {sizes[-1]:,}",
            f"{seconds[0]:.3g} to {seconds[-1]:.3g}",
            f"{exponent(sizes, seconds):.2f} ({exponent(sizes[-2:], seconds[-2:]):.2f})",
            f"{memory[0] / 1024:.3g} to {memory[-1] / 1024:.3g}",
            f"{exponent(sizes, memory):.2f} ({exponent(sizes[-2:], memory[-2:]):.2f})",
            f"{ones[0].answer:,} to {ones[-1].answer:,}",
        )
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", choices=[*SUBJECTS, []])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--given", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        sys.stdout.write(json.dumps(one(given.subjects[0], given.given, given.one)))
        return 0
    found = {name: measure(name) for name in given.subjects or SUBJECTS}
    if given.json:
        sys.stdout.write(json.dumps({name: [each._asdict() for each in ones] for name, ones in found.items()}) + "\n")
    else:
        Console(width=150).print(table_of(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
