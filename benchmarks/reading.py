"""Reading documents: JSON to a value, checked, against Python's own parser on the same text, in the same run.

    python -m benchmarks.reading           Snapshots of the synthetic fleet, and the answers to them
    python -m benchmarks.reading --json    for machines

`snapshot`: as tables read them. `careful`: `snapshot_from_json(loads(text))`. `assign`: a line of
`holdfast assign --jsonl`, without the start. The baseline is `json.loads` of the same text.
Processor time, in blocks that alternate.
"""

import gc
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from rich.table import Table

from benchmarks import report, synthetic_fleet
from benchmarks.alternating import compared
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds import any_document
from holdfast.rollout.streams.snapshot.json import snapshot_from_json, snapshot_to_json
from holdfast.workflows.deciding import assign_text

GROUPS = 14
SEED = 7
RUNS = 4


def texts() -> list[str]:
    """Snapshots of groups of usual sizes."""
    return [dumps(snapshot_to_json(synthetic_fleet.group(number, SEED).after)) for number in range(GROUPS)]


PARTS: dict[str, tuple[str, Callable[[str], object]]] = {
    "snapshot": ("read and check", any_document.snapshot_from_text),
    "careful": ("the same with care", lambda text: snapshot_from_json(loads(text))),
    "assign": ("a line of assign --jsonl", lambda text: assign_text(text, None, ())),
}


def measure(name: str) -> Iterator[dict[str, Any]]:
    what, part = PARTS[name]
    given = texts()
    for text in given:
        part(text)
    found = compared(lambda: _milliseconds(json.loads, given), lambda: _milliseconds(part, given))
    yield {
        "shape": name,
        "what": f"{what}: {len(given)} Snapshots, {sum(map(len, given)) // 1024:,} KiB",
        "state": "",
        "baseline_ms": found.baseline,
        "holdfast_ms": found.holdfast,
        "ratio": found.ratio,
        "equal": True,
    }


def _milliseconds(part: Callable[[str], object], given: list[str]) -> float:
    """For all texts once."""
    gc.collect()
    began = time.thread_time()
    for _ in range(RUNS):
        for text in given:
            part(text)
    return (time.thread_time() - began) * 1e3 / RUNS


def table_of(found: list[dict[str, Any]]) -> Table:
    table = Table("part", "json.loads, ms", "Holdfast, ms", "times as long", box=None)
    for one in found:
        table.add_row(one["what"], f"{one['baseline_ms']:,.2f}", f"{one['holdfast_ms']:,.2f}", f"{1 / one['ratio']:,.1f}")
    return table


def main() -> int:
    given = report.arguments(__doc__, PARTS).parse_args()
    found = [row for name in given.shapes or PARTS for row in measure(name)]
    return report.tell(found, table_of(found), given, what="Reading documents; groups of Kafka")


if __name__ == "__main__":
    raise SystemExit(main())
