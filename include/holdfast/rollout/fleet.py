"""The night's summary of the whole fleet: what a person reads in the morning, and what is worth waking somebody for.

Made of `Findings`, which the Spark job `summarize_fleet` picks from the tables; values and text only.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.rollout.codec import document
from holdfast.rollout.wording import amount_of_bytes, duration, many, markdown, printable

MOST_SHOWN = 20
"""Rows of one table in the summary; the tables in the lake have all."""
MOST_ALERTS = 50

Finding = Mapping[str, Any]
"""A row of a table, as JSON has it."""


@dataclass(frozen=True, slots=True)
class FleetPolicy:
    """From where on somebody is told. None: never.

    `moved_percent_most`: of a group's stateful tasks, by the loss of one host, where a fresh ID most likely falls.
    `hours_most`: until the group is stable after any loss. `without_copy_most`: stateful tasks of a host that stand still without
    it. `moved_between_survivors_most`: by one change in the order of process IDs.
    """

    moved_percent_most: int | None = 80
    hours_most: int | None = 48
    without_copy_most: int | None = None
    moved_between_survivors_most: int | None = 0


def policy_from_json(value: object) -> FleetPolicy:
    """Limits that are not given are the defaults. Raise InvalidInput for one that is not known, or no number."""
    if not isinstance(value, dict):
        raise document.mismatch("an object of limits", value)
    known = [one.name for one in fields(FleetPolicy)]
    for name, limit in value.items():
        if name not in known:
            raise InvalidInput(f"{document.shown(name)} is no limit of a fleet; there are {', '.join(known)}")
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise InvalidInput("a whole number from 0 on is needed, or null for no limit", name)
    return FleetPolicy(**value)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was picked from the tables of one day, the worst first."""

    day: str
    clusters: tuple[Finding, ...] = ()
    hosts: tuple[Finding, ...] = ()
    """By host over all groups: `groups`, `moved`, `without_copy`, `hours`, if it is lost and not replaced."""
    groups: tuple[Finding, ...] = ()
    """Of each group the loss that moves most, where a fresh ID most likely falls: rows of `blast_radius`."""
    slow: tuple[Finding, ...] = ()
    """Of each group the loss that takes longest."""
    order_changes: tuple[Finding, ...] = ()
    plain_losses: tuple[Finding, ...] = ()
    """Of each plain group the loss by which its partitions stand still longest, all together."""
    member_changes: tuple[Finding, ...] = ()
    """Of plain groups: who came and went, where that moved what others read."""
    quarantined: tuple[Finding, ...] = ()
    """`table`, `count`, and one `problem` of them."""


def findings_from_lines(day: str, lines: Iterable[str | bytes]) -> Findings:
    """From the job's lines, `{"kind": …, "row": {…}}` each, the worst of each kind first. Raise InvalidInput."""
    found: dict[str, list[Finding]] = {}
    for line in lines:
        one = document.loads(line)
        if not isinstance(one, dict) or not isinstance(one.get("kind"), str) or not isinstance(one.get("row"), dict):
            raise InvalidInput("a line of the summary is not an object with `kind` and `row`")
        found.setdefault(one["kind"], []).append(one["row"])
    kinds = [one.name for one in fields(Findings) if one.name != "day"]
    return Findings(day, **{kind: tuple(found.get(kind, ())) for kind in kinds})


def alerts(findings: Findings, policy: FleetPolicy) -> tuple[str, ...]:
    """What is above the policy, a sentence each, without markup."""
    return tuple(_alerts(findings, policy))[:MOST_ALERTS]


def _alerts(findings: Findings, policy: FleetPolicy) -> Iterator[str]:
    for row in findings.order_changes:
        if _above(row["moved_between_survivors"], policy.moved_between_survivors_most):
            tasks = many(row["moved_between_survivors"], "stateful task")
            yield f"{_group(row)}: process IDs changed their order; {tasks} of clients that did nothing will move"
    for row in findings.groups:
        if row["stateful_tasks"] and _above(100 * row["moved"] / row["stateful_tasks"], policy.moved_percent_most):
            yield (
                f"{_group(row)}: losing {_host(row)} moves {row['moved']} of {many(row['stateful_tasks'], 'stateful task')}, unless"
                " its replacement keeps its process ID"
            )
    for row in findings.slow:
        if _above(row["hours"], policy.hours_most):
            yield f"{_group(row)}: losing {_host(row)} ({row['scenario']}) keeps it moving for {_hours(row['hours'])}"
    for row in findings.hosts:
        if _above(row["without_copy"], policy.without_copy_most):
            tasks = many(row["without_copy"], "stateful task")
            yield f"host {_host(row)} of {printable(row['cluster'])}: {tasks} stand still without it, for want of a copy"


def _above(found: float | None, limit: int | None) -> bool:
    return found is not None and limit is not None and found > limit


def markdown_of(findings: Findings, above: Sequence[str]) -> str:
    """`fleet.md`. `above`: the alerts."""
    return "\n".join(_lines(findings, above)) + "\n"


def _lines(findings: Findings, above: Sequence[str]) -> Iterator[str]:
    counted = {name: sum(row[name] for row in findings.clusters) for name in ("groups", "clients", "stateful_tasks", "quarantined")}
    yield f"# The fleet on {findings.day}"
    yield ""
    yield (
        f"{many(counted['groups'], 'group')} of {many(len(findings.clusters), 'cluster')},"
        f" {many(counted['clients'], 'client')}, {many(counted['stateful_tasks'], 'stateful task')}."
        f" {many(len(above), 'finding')} above the policy."
    )
    if above:
        yield ""
        yield from (f"- **{markdown(one)}**" for one in above)
    yield from _table(
        "Whose order of process IDs changed",
        ("group", "left", "joined", "tasks that move", "of clients that did nothing"),
        (
            (_group(row), str(len(row["left"])), str(len(row["joined"])), str(row["moved"]), str(row["moved_between_survivors"]))
            for row in findings.order_changes
        ),
    )
    yield from _table(
        "Groups that one replacement reshuffles most",
        ("group", "host", "fresh ID moves, most likely", "on average", "of", "until stable"),
        (
            (_group(row), _host(row), str(row["moved"]), f"{row['expected_moved']:.0f}", str(row["stateful_tasks"]), _time(row))
            for row in findings.groups
        ),
    )
    yield from _table(
        "Losses that take longest",
        ("group", "host", "how", "until stable", "restored"),
        ((_group(row), _host(row), row["scenario"], _time(row), _bytes(row["restore_bytes"])) for row in findings.slow),
    )
    yield from _table(
        "Hosts that are dangerous to lose and not to replace",
        ("host", "cluster", "groups", "tasks without a copy", "tasks that move", "longest until stable"),
        (
            (_host(row), printable(row["cluster"]), str(row["groups"]), str(row["without_copy"]), str(row["moved"]), _time(row))
            for row in findings.hosts
        ),
    )
    yield from _table(
        "Plain consumer groups that one loss disturbs most",
        ("group", "consumer", "how", "partitions that move", "of others", "of", "one stands still up to"),
        (
            (
                _group(row),
                _host(row) if row["host"] else printable(row["member_id"]),
                row["scenario"],
                *("?" if row[name] is None else str(row[name]) for name in ("moved", "needless", "partitions")),
                "?" if row["longest_stop_seconds"] is None else f"{row['longest_stop_seconds']:g} s",
            )
            for row in findings.plain_losses
        ),
    )
    yield from _table(
        "Consumers that came or went, and what moved between the others",
        ("group", "left", "joined", "partitions that moved", "between consumers that did nothing"),
        (
            (_group(row), str(len(row["left"])), str(len(row["joined"])), str(row["moved"]), str(row["moved_between_survivors"]))
            for row in findings.member_changes
        ),
    )
    yield from _table(
        "What nobody could say",
        ("table", "how many", "one of the reasons"),
        ((row["table"], str(row["count"]), printable(row["problem"])) for row in findings.quarantined),
    )


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Nothing for a table without rows."""
    shown = list(rows)
    if not shown:
        return
    yield ""
    yield f"## {title}"
    yield ""
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---' for _ in head)}|"
    yield from (f"| {' | '.join(markdown(cell) for cell in row)} |" for row in shown[:MOST_SHOWN])
    if len(shown) > MOST_SHOWN:
        yield ""
        yield f"And {len(shown) - MOST_SHOWN} more."


def _group(row: Finding) -> str:
    return f"{printable(row['group_id'])} of {printable(row['cluster'])}"


def _host(row: Finding) -> str:
    return printable(row["host"] or row.get("process_id") or "unknown")


def _time(row: Finding) -> str:
    return "not forecast" if row["hours"] is None else _hours(row["hours"])


def _hours(hours: float) -> str:
    return duration(round(hours * 3600))


def _bytes(count: int | None) -> str:
    return "not known" if count is None else amount_of_bytes(count)
