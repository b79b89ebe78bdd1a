"""`fleet.md`: the nightly report on the fleet, on one page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.tables.fleet_findings import Finding, Findings, alerts, hours, named_group, named_host
from holdfast.rollout.text.format import addressed_to_nobody, amount_of_bytes, many, markdown, printable

ABOUT = {
    "order_changes": ("Changes of process-ID order that move tasks of other clients", "{:,} tasks"),
    "groups": ("Groups with the most tasks moved by one replaced host", "{} % of its tasks"),
    "slow": ("Groups that take longest to become stable after a host loss", "{:,} h"),
    "backtests": ("Groups of which Kafka decided past rebalances otherwise", "{:,} rebalances"),
    "settings": ("Findings about settings", "{:,} of one rule in a group"),
    "hosts": ("Hosts whose loss makes tasks unavailable", "{:,} tasks"),
}
"""Of each kind that has a limit: what they are, and the limit."""

_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Section:
    """One kind of findings as a table: its columns, and the cells of a row."""

    title: str
    kind: str
    head: tuple[str, ...]
    cells: Callable[[Finding], tuple[str, ...]]


def _changed(row: Finding) -> tuple[str, ...]:
    return (
        named_group(row),
        f"{len(row['left']):,}",
        f"{len(row['joined']):,}",
        f"{row['moved']:,}",
        f"{row['moved_between_survivors']:,}",
    )


def _reshuffled(row: Finding) -> tuple[str, ...]:
    moved, of = f"{row['moved']:,}", f"{row['stateful_tasks']:,}"
    return named_group(row), named_host(row), moved, f"{row['expected_moved']:,.0f}", of, _time(row)


def _slow(row: Finding) -> tuple[str, ...]:
    return named_group(row), named_host(row), Scenario(row["scenario"]), _time(row), _bytes(row["restore_bytes"])


def _host(row: Finding) -> tuple[str, ...]:
    counts = (f"{row[name]:,}" for name in ("groups", "without_copy", "moved"))
    return (named_host(row), printable(row["cluster"]), *counts, _time(row))


def _otherwise(row: Finding) -> tuple[str, ...]:
    counts = (f"{row[name]:,}" for name in ("equal", "judged", "inferred", "not_judged"))
    return named_group(row), *counts, f"{row['ends_equal']:,} of {row['sequences']:,}"


def _setting(row: Finding) -> tuple[str, ...]:
    costs = row["costs"] or ("no forecast" if row["not_priced"] else "see its source")
    texts = (row["says"], costs, "; ".join(row["fixes"]), row["sources"])
    return named_group(row), row["rule"], *(printable(one, _LONGEST) for one in texts)


def _plain(row: Finding) -> tuple[str, ...]:
    return (
        named_group(row),
        named_host(row) if row["host"] else printable(row["member_id"]),
        Scenario(row["scenario"]),
        *("?" if row[name] is None else f"{row[name]:,}" for name in ("moved", "needless", "partitions")),
        "?" if row["longest_stop_seconds"] is None else f"{row['longest_stop_seconds']:g} s",
    )


def _quarantined(row: Finding) -> tuple[str, ...]:
    return row["table"], f"{row['count']:,}", printable(row["problem"])


SECTIONS = (
    Section(
        "Groups with a changed process-ID order",
        "order_changes",
        ("group", "left", "joined", "tasks moved", "of other clients"),
        _changed,
    ),
    Section(
        "Groups of which Kafka decided past rebalances otherwise",
        "backtests",
        ("group", "as Kafka did", "of", "inferred", "not judged", "stable ends as Kafka did"),
        _otherwise,
    ),
    Section(
        "Findings about settings",
        "settings",
        ("group", "rule", "finding", "costs", "fix", "source"),
        _setting,
    ),
    Section(
        "Groups with the most tasks moved by one replacement",
        "groups",
        ("group", "host", "tasks moved by a new random ID, most likely", "on average", "of", "until stable"),
        _reshuffled,
    ),
    Section("Longest host losses", "slow", ("group", "host", "scenario", "until stable", "restored"), _slow),
    Section(
        "Hosts with the highest impact if lost and not replaced",
        "hosts",
        ("host", "cluster", "groups", "tasks without a copy", "tasks moved", "longest until stable"),
        _host,
    ),
    Section(
        "Consumer groups with the highest impact of one lost consumer",
        "plain_losses",
        ("group", "consumer", "scenario", "partitions moved", "collateral", "of", "longest downtime"),
        _plain,
    ),
    Section(
        "Consumers that joined or left",
        "member_changes",
        ("group", "left", "joined", "partitions moved", "between other consumers"),
        _changed,
    ),
    Section("Rows that could not be computed", "quarantined", ("table", "rows", "one of the reasons"), _quarantined),
)


def markdown_of(findings: Findings) -> str:
    """`fleet.md`: what is new, how much is above the limits, and the worst of each kind."""
    return "\n".join(_lines(findings)) + "\n"


def _lines(findings: Findings) -> Iterator[str]:
    sums = {name: sum(row[name] for row in findings.clusters) for name in ("groups", "clients", "stateful_tasks")}
    alerted = alerts(findings)
    news = "New since the previous day:" if alerted else "Nothing new exceeds a limit."
    yield f"# The fleet on {findings.day}"
    yield ""
    yield (
        f"{many(sums['groups'], 'group')} of {many(len(findings.clusters), 'cluster')}, {many(sums['clients'], 'client')},"
        f" {many(sums['stateful_tasks'], 'stateful task')}. {news}"
    )
    yield ""
    yield from (f"- {addressed_to_nobody(markdown(one))}" for one in alerted)
    yield from _table("Exceeded limits", ("finding", "limit", "exceed it", "new"), _limits(findings))
    for section in SECTIONS:
        rows = [section.cells(row) for row in getattr(findings, section.kind)]
        yield from _table(section.title, section.head, rows, findings.counted(section.kind)["count"])


def _limits(findings: Findings) -> Iterator[tuple[str, ...]]:
    for kind, (what, limit) in ABOUT.items():
        found = findings.counted(kind)
        if found["most"] is not None:
            yield what, limit.format(found["most"]), f"{found['above']:,} of {found['count']:,}", f"{found['new']:,}"


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]], count: int = 0) -> Iterator[str]:
    """Nothing for a table without rows. `count`: how many there are in the lake's tables."""
    shown = list(rows)
    if not shown:
        return
    yield from ("", f"## {title}", "", f"| {' | '.join(head)} |", f"|{'|'.join('---' for _ in head)}|")
    yield from (f"| {' | '.join(addressed_to_nobody(markdown(cell)) for cell in row)} |" for row in shown)
    if count > len(shown):
        yield from ("", f"And {count - len(shown):,} more.")


def _time(row: Finding) -> str:
    return "not forecast" if row["hours"] is None else hours(row["hours"])


def _bytes(count: int | None) -> str:
    return "unknown" if count is None else amount_of_bytes(count)
