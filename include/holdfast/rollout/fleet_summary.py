"""`fleet.md`: what a person reads in the morning about the whole fleet, on one page."""

from collections.abc import Iterable, Iterator, Sequence

from holdfast.rollout.fleet import Finding, Findings, alerts, hours, named_group, named_host
from holdfast.rollout.wording import amount_of_bytes, many, markdown, printable

ABOUT = {
    "order_changes": ("Changes in the order of process IDs that move tasks of clients that did nothing", "{:,} tasks"),
    "groups": ("Groups of which one replaced host moves most", "{} % of its tasks"),
    "slow": ("Groups that one lost host keeps moving for long", "{:,} h"),
    "hosts": ("Hosts without which tasks stand still", "{:,} tasks"),
}
"""Of each kind that has a limit: what they are, and the limit."""


def markdown_of(findings: Findings) -> str:
    """`fleet.md`: what is new, how much is above the limits, and the worst of each kind."""
    return "\n".join(_lines(findings)) + "\n"


def _lines(findings: Findings) -> Iterator[str]:
    sums = {name: sum(row[name] for row in findings.clusters) for name in ("groups", "clients", "stateful_tasks")}
    told = alerts(findings)
    news = "New since the day before:" if told else "Nothing new is above a limit."
    yield f"# The fleet on {findings.day}"
    yield ""
    yield (
        f"{many(sums['groups'], 'group')} of {many(len(findings.clusters), 'cluster')}, {many(sums['clients'], 'client')},"
        f" {many(sums['stateful_tasks'], 'stateful task')}. {news}"
    )
    yield ""
    yield from (f"- {markdown(one)}" for one in told)
    yield from _table(
        "How much is above the limits",
        ("what", "limit", "above it", "of these new"),
        (
            (what, limit.format(found["most"]), f"{found['above']:,} of {found['count']:,}", f"{found['new']:,}")
            for kind, (what, limit) in ABOUT.items()
            if (found := findings.counted(kind))["most"] is not None
        ),
    )
    yield from _table(
        "Whose order of process IDs changed",
        ("group", "left", "joined", "tasks that move", "of clients that did nothing"),
        (
            (
                named_group(row),
                str(len(row["left"])),
                str(len(row["joined"])),
                f"{row['moved']:,}",
                str(row["moved_between_survivors"]),
            )
            for row in findings.order_changes
        ),
        findings.counted("order_changes")["count"],
    )
    yield from _table(
        "Groups that one replacement reshuffles most",
        ("group", "host", "fresh ID moves, most likely", "on average", "of", "until stable"),
        (
            (
                named_group(row),
                named_host(row),
                f"{row['moved']:,}",
                f"{row['expected_moved']:.0f}",
                str(row["stateful_tasks"]),
                _time(row),
            )
            for row in findings.groups
        ),
        findings.counted("groups")["count"],
    )
    yield from _table(
        "Losses that take longest",
        ("group", "host", "how", "until stable", "restored"),
        ((named_group(row), named_host(row), row["scenario"], _time(row), _bytes(row["restore_bytes"])) for row in findings.slow),
        findings.counted("slow")["count"],
    )
    yield from _table(
        "Hosts that are dangerous to lose and not to replace",
        ("host", "cluster", "groups", "tasks without a copy", "tasks that move", "longest until stable"),
        (
            (
                named_host(row),
                printable(row["cluster"]),
                str(row["groups"]),
                str(row["without_copy"]),
                f"{row['moved']:,}",
                _time(row),
            )
            for row in findings.hosts
        ),
        findings.counted("hosts")["count"],
    )
    yield from _table(
        "Plain consumer groups that one loss disturbs most",
        ("group", "consumer", "how", "partitions that move", "of others", "of", "one stands still up to"),
        (
            (
                named_group(row),
                named_host(row) if row["host"] else printable(row["member_id"]),
                row["scenario"],
                *("?" if row[name] is None else str(row[name]) for name in ("moved", "needless", "partitions")),
                "?" if row["longest_stop_seconds"] is None else f"{row['longest_stop_seconds']:g} s",
            )
            for row in findings.plain_losses
        ),
        findings.counted("plain_losses")["count"],
    )
    yield from _table(
        "Consumers that came or went, and what moved between the others",
        ("group", "left", "joined", "partitions that moved", "between consumers that did nothing"),
        (
            (
                named_group(row),
                str(len(row["left"])),
                str(len(row["joined"])),
                f"{row['moved']:,}",
                str(row["moved_between_survivors"]),
            )
            for row in findings.member_changes
        ),
        findings.counted("member_changes")["count"],
    )
    yield from _table(
        "What nobody could say",
        ("table", "how many", "one of the reasons"),
        ((row["table"], str(row["count"]), printable(row["problem"])) for row in findings.quarantined),
    )


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]], count: int = 0) -> Iterator[str]:
    """Nothing for a table without rows. `count`: how many there are in the lake's tables."""
    shown = list(rows)
    if not shown:
        return
    yield from ("", f"## {title}", "", f"| {' | '.join(head)} |", f"|{'|'.join('---' for _ in head)}|")
    yield from (f"| {' | '.join(markdown(cell) for cell in row)} |" for row in shown)
    if count > len(shown):
        yield from ("", f"And {count - len(shown):,} more.")


def _time(row: Finding) -> str:
    return "not forecast" if row["hours"] is None else hours(row["hours"])


def _bytes(count: int | None) -> str:
    return "not known" if count is None else amount_of_bytes(count)
