"""What a campaign has found so far: a file of JSON lines, one a round, and one for the tables of a sitting; and both as a text."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

Document = dict[str, Any]


def keep(into: Path, found: Document) -> None:
    into.parent.mkdir(parents=True, exist_ok=True)
    with into.open("a") as out:
        out.write(json.dumps(found) + "\n")
    print(json.dumps(found), flush=True)


def _all(into: Path) -> list[Document]:
    return [json.loads(line) for line in into.read_text().splitlines()] if into.exists() else []


def rounds(into: Path) -> list[Document]:
    return [one for one in _all(into) if "round" in one]


def table(into: Path) -> str:
    lines = ["| round | broker | seconds | killed | started again | cleared | wrong |", "|---|---|---|---|---|---|---|"]
    for one in rounds(into):
        killed = ", ".join(f"{count} {name}" for name, count in sorted(Counter(one["killed"]).items()))
        wrong = "; ".join(one["wrong"]) or "nothing"
        again = len(one["started_again"])
        lines.append(f"| {one['round']} | {one['messages']} | {one['seconds']} | {killed} | {again} | {one['cleared']} | {wrong} |")
    found, tables = rounds(into), [one for one in _all(into) if "tables" in one]
    fine, kills = sum(not one["wrong"] for one in found), sum(len(one["killed"]) for one in found)
    early = sum(one.get("killed_in_rollout", 0) for one in found)
    equal, rows = sum(not one["wrong"] for one in tables), sum(one["rows"] for one in tables)
    told = f"{len(found)} rounds, {fine} with nothing wrong, {kills} kills, {early} of them while a change was planned or done; "
    told += f"{equal} of {len(tables)} comparisons equal, {rows} rows."
    return "\n".join([*lines, "", told])
