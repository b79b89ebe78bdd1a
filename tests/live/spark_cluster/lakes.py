"""A lake with something for every job to do, and what the jobs made of it, to be compared."""

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks import synthetic_fleet
from tests.recorded.lake import KEYS, carry_out, decision, made_plans
from tests.spark import kinds_of_group, test_judged_past

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.parquet_tables import ParquetTables
from holdfast.adapters.lake.table_schemas import TABLES
from holdfast.workflows import plan as plans
from holdfast.workflows import searching, snapshots

DAYS = ",".join(synthetic_fleet.DAYS)
DRAFT = ("drafts", "one")
FINDINGS = ("fleet", f"day={synthetic_fleet.DAYS[1]}", "findings")
JOBS: dict[str, tuple[str, ...]] = {
    "decode_snapshots": ("--days", DAYS),
    "compute_targets": ("--days", DAYS),
    "detect_order_changes": ("--days", DAYS),
    "blast_radius": ("--days", DAYS),
    "score_forecasts": ("--days", "2026-11-20,2026-11-23"),
    "backtest_groups": ("--days", DAYS),
    "examine_settings": ("--days", DAYS),
    "summarize_fleet": ("--days", DAYS),
    "search_candidates": ("--draft", "/".join(DRAFT)),
}
"""In their order, each with its parameters."""
_POISON = ('{"format_version": "2.0"}', "\x00", '{"format_version": "1.0", "protocol": "streams-classic"}')


def fill(lake: FsspecLake, groups: int, disk: Path) -> None:
    """Groups of every kind, a fleet on two days, what is no snapshot, plans and a verdict, past rebalances, and a draft."""
    kinds_of_group.keep(lake)
    for pair in synthetic_fleet.fleet(groups, 7):
        snapshots.keep(lake, pair.before)
        snapshots.keep(lake, pair.after)
    for number, poison in enumerate(_POISON):
        lake.write(
            ("snapshots", "cluster=cluster-0", f"day={synthetic_fleet.DAYS[1]}", f"group=poison-{number}", "1.json"),
            poison.encode(),
        )
    disk.mkdir()
    for state, plan in made_plans():
        plans.keep(lake, plan, KEYS)
        if state == "applied":
            plans.keep_approval(lake, decision(plan, approved=True), KEYS)
            carry_out(lake, plan, disk)
    for day in synthetic_fleet.DAYS:
        for name, swaps in (("falls", 1), ("stays", 2)):
            test_judged_past.keep(lake, day, name, test_judged_past.of_leader(swaps))
        lake.write(("past", "cluster=here", f"day={day}", "group=broken", "1.records"), b"no past")
    for name in ("snapshot.json", "change.json"):
        lake.write((*DRAFT, name), (kinds_of_group.EXAMPLES / "streams-wordcount" / name).read_bytes())


def copy_made(source: FsspecLake, into: FsspecLake) -> None:
    """What jobs have made so far in a lake on this disk; also tables without rows, which are there on S3 by what is in them."""
    home = Path(source.url)
    for one in (*home.glob("tables/v1/**/part-*"), *home.glob("fleet/**/part-*")):
        into.write(one.relative_to(home).parts, one.read_bytes())
    for table in home.glob("tables/v1/*"):
        into.write((*table.relative_to(home).parts, "_made"), b"")  # Spark takes no notice of such a name


def rows(lake: FsspecLake) -> dict[str, list[str]]:
    """All rows of all tables, the lines of the report on the fleet, and the evaluations of the draft; in order."""
    tables = ParquetTables(lake.address)
    found = {name: sorted(_rows(tables, name)) for name in TABLES}
    found["findings"] = _lines(lake, FINDINGS)
    found["evaluations"] = _lines(lake, (*DRAFT, "evaluations")) if searching.is_done(lake, DRAFT) else []
    return found


def _rows(tables: ParquetTables, name: str) -> Iterator[str]:
    for day in tables.days(name):
        for row in tables.rows(name, [day], [one for one in TABLES[name].names if one not in ("cluster", "day")]):
            yield f"{row['cluster']}, {day}\t{json.dumps(row, sort_keys=True, default=str)}"


def _lines(lake: FsspecLake, folder: tuple[str, ...]) -> list[str]:
    names = [name for name in lake.names(folder) if name.startswith("part-")]
    return [line for name in sorted(names) for line in lake.read((*folder, name), 100_000_000).decode().splitlines()]


def differences(found: dict[str, list[str]], wanted: dict[str, list[str]]) -> list[str]:
    """What is not equal, row by row; one sentence a table."""
    said = []
    for name, lines in wanted.items():
        theirs = found[name]
        if theirs != lines:
            missing, more = set(lines) - set(theirs), set(theirs) - set(lines)
            twice = len(theirs) - len(set(theirs)) - (len(lines) - len(set(lines)))
            example = next(iter(sorted(missing | more)), "the order")[:300]
            said.append(
                f"{name}: {len(theirs)} rows for {len(lines)}; {len(missing)} missing, {len(more)} more, {twice} twice: {example}"
            )
    return said


def wrong_in_part(found: dict[str, list[str]], before: dict[str, list[str]], after: dict[str, list[str]]) -> list[str]:
    """Of a job that was killed: days of a cluster that are neither as before nor as after, in tables that are there."""
    said = []
    for name in TABLES:
        for part in {line.partition("\t")[0] for each in (found, before, after) for line in each[name]}:
            mine, old, new = ([one for one in each[name] if one.startswith(f"{part}\t")] for each in (found, before, after))
            if mine not in (old, new):
                said.append(f"{name} of {part}: {len(mine)} rows; {len(old)} before, {len(new)} after")
    return said
