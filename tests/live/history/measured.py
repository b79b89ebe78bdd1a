"""Plans of the changes that `tests.live.history.campaign` recorded, each made with what was recorded before it: is the duration
within the range, and how wide is the range?

    python -m tests.live.history.measured OUT [--without]

`--without`: without the past. A line for each group and change: how many, within, and by how much the highest exceeds the lowest.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from holdfast.rollout.backtest import past_file
from holdfast.rollout.backtest.coordinated import CoordinatorRecord, PastEntry
from holdfast.rollout.backtest.learnt import FEWEST
from holdfast.rollout.backtest.results import Backtest
from holdfast.rollout.json import instants
from holdfast.rollout.kinds import any_document, backtests
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import plan

Document = dict[str, Any]


def plans(folder: Path, *, with_past: bool) -> Iterator[tuple[Document, list[int], int]]:
    """Each change, the range of its baseline, and of how many restarts the past had."""
    pasts = {header.group_id: (header, entries) for header, entries, _ in map(_read, sorted(folder.rglob("*.records")))}
    for line in (folder / "changes.jsonl").read_text(encoding="utf-8").splitlines():
        change = json.loads(line)
        header, entries = pasts[change["group"]]
        known = [one for one in entries() if _at(one) < change["began"]]
        group = backtests.backtest(header.group_id, lambda known=known: known, header.given, lambda *_: None)
        assert group is not None, change["group"]
        captured = datetime.fromisoformat(change["snapshot"]["captured_at"])
        found = Backtest("", instants.to_second(captured), None, group.score, (group,))
        made = plan.make_from(
            ("snapshot", change["snapshot"]),
            ("change", change["change"]),
            Policy(),
            captured.astimezone(UTC) + timedelta(seconds=1),
            found=found if with_past else None,
        )
        seen = 0 if group.learnt is None else group.learnt.start_up.seen
        yield change, _range(any_document.plan_to_json(made)), seen


def _read(path: Path) -> Any:
    return past_file.read(path.read_bytes())


def _at(entry: PastEntry) -> float:
    if isinstance(entry, CoordinatorRecord):
        return entry.written_at_ms / 1000
    return datetime.fromisoformat(entry.completed_at).timestamp()


def _range(made: Mapping[str, Any]) -> list[int]:
    baseline = next(one for one in made["candidates"] if one["name"] == "baseline")
    outcomes = baseline["summary"] if isinstance(baseline["summary"], list) else [baseline]
    ends = [one["times"]["rebalancing_ends"] for one in outcomes]
    return [min(one[0] for one in ends), max(one[2] for one in ends)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without", action="store_true")
    parser.add_argument("--each", action="store_true", help="a line for each change, too")
    given = parser.parse_args()
    rows: dict[tuple[str, str, bool], list[tuple[bool, float]]] = {}
    for change, (low, high), seen in plans(given.folder, with_past=not given.without):
        within = low <= change["ended_s"] <= high
        rows.setdefault((change["group"], change["name"], seen >= FEWEST), []).append((within, high / max(1, low)))
        if given.each:
            print(change["group"], change["name"], f"{seen} restarts, {change['ended_s']} s, range {low} to {high}")
    for (group, name, known), found in rows.items():
        past = f"{FEWEST} restarts or more" if known else f"fewer than {FEWEST} restarts"
        widths = sorted(width for _, width in found)
        print(f"{group}, {name}, {past}: {sum(one for one, _ in found)} of {len(found)} within, {median(widths):.1f} times wide")


if __name__ == "__main__":
    main()
