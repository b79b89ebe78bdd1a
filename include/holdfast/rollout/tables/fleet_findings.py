"""Findings in the whole fleet: what exceeds a limit, and which of that is new enough for an alert.

`Findings` are what the Spark job `summarize_fleet` picks from the tables; `fleet_summary` makes the morning's page of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.json import strict
from holdfast.rollout.text.format import duration, many, printable

MOST_ALERTS = 10
"""Of each kind; a last line has the number of the others."""

_MOST_FIXES, _LONGEST = 3, 600
Finding = Mapping[str, Any]
"""A row of a table, as JSON has it."""


@dataclass(frozen=True, slots=True)
class FleetPolicy:
    """The values from which an alert is raised. None: never.

    `moved_percent_most`: of a group's stateful tasks, by the loss of one host, where a new random ID most likely falls.
    `hours_most`: until the group is stable after any loss. `without_copy_most`: stateful tasks of a host that become unavailable
    without it. `moved_between_survivors_most`: by one change in the order of process IDs. `decided_otherwise_most`: past rebalances
    and stable ends of a group that Kafka decided otherwise than Holdfast. `settings_findings_most`: of one rule
    of the doctor of settings about one group.
    """

    moved_percent_most: int | None = 80
    hours_most: int | None = 48
    without_copy_most: int | None = None
    moved_between_survivors_most: int | None = 0
    decided_otherwise_most: int | None = 0
    settings_findings_most: int | None = 0


def policy_from_json(value: object) -> FleetPolicy:
    """Limits that are not given are the defaults. Raise InvalidInput for one that is unknown, or no number."""
    if not isinstance(value, dict):
        raise strict.mismatch("an object of limits", value)
    known = [one.name for one in fields(FleetPolicy)]
    for name, limit in value.items():
        if name not in known:
            raise InvalidInput(f"{strict.shown(name)} is not a limit of a fleet; known are {', '.join(known)}")
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise InvalidInput("a whole number from 0 on is needed, or null for no limit", name)
    return FleetPolicy(**value)


WATCHED = {
    "moved_between_survivors_most": "order_changes",
    "moved_percent_most": "groups",
    "hours_most": "slow",
    "without_copy_most": "hosts",
    "decided_otherwise_most": "backtests",
    "settings_findings_most": "settings",
}
"""Of which findings each limit is."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What was picked from the tables of one day, the worst first. `new_…`: what is above its limit and was not the day before."""

    day: str
    clusters: tuple[Finding, ...] = ()
    hosts: tuple[Finding, ...] = ()
    """By host over all groups: `groups`, `moved`, `without_copy`, `hours`, if it is lost and not replaced."""
    new_hosts: tuple[Finding, ...] = ()
    groups: tuple[Finding, ...] = ()
    """Of each group the loss that moves most, where a new random ID most likely falls: rows of `blast_radius`."""
    new_groups: tuple[Finding, ...] = ()
    slow: tuple[Finding, ...] = ()
    """Of each group the loss that takes longest."""
    new_slow: tuple[Finding, ...] = ()
    order_changes: tuple[Finding, ...] = ()
    new_order_changes: tuple[Finding, ...] = ()
    backtests: tuple[Finding, ...] = ()
    """Groups of which past rebalances were decided otherwise; `new_backtests`: of which more were than on the day before."""
    new_backtests: tuple[Finding, ...] = ()
    settings: tuple[Finding, ...] = ()
    """What the doctor of settings finds and the policy does not silence, by group and rule; those with a price first."""
    new_settings: tuple[Finding, ...] = ()
    plain_losses: tuple[Finding, ...] = ()
    """Of each consumer group the loss by which its partitions are unavailable longest, all together."""
    member_changes: tuple[Finding, ...] = ()
    """Of consumer groups: who came and went, where that moved what others read."""
    counts: tuple[Finding, ...] = ()
    """Of each `kind`: how many there are (`count`), its limit (`most`, or none), how many are `above` it, and of these `new`."""
    quarantined: tuple[Finding, ...] = ()
    """`table`, `count`, and one `problem` of them."""

    def counted(self, kind: str) -> Finding:
        """Its row of `counts`."""
        return next((row for row in self.counts if row["kind"] == kind), {"count": 0, "most": None, "above": 0, "new": 0})


def findings_from_lines(day: str, lines: Iterable[str | bytes]) -> Findings:
    """From the job's lines, `{"kind": …, "row": {…}}` each, the worst of each kind first. Raise InvalidInput."""
    found: dict[str, list[Finding]] = {}
    for line in lines:
        one = strict.loads(line)
        if not isinstance(one, dict) or not isinstance(one.get("kind"), str) or not isinstance(one.get("row"), dict):
            raise InvalidInput("a line of the summary is not an object with `kind` and `row`")
        found.setdefault(one["kind"], []).append(one["row"])
    kinds = [one.name for one in fields(Findings) if one.name != "day"]
    return Findings(day, **{kind: tuple(found.get(kind, ())) for kind in kinds})


def alerts(findings: Findings, among: Callable[[Finding], bool] | None = None) -> tuple[str, ...]:
    """What came above a limit since the day before, a sentence each, without markup: the worst of each kind, and how many more.
    `among`: of these rows alone; then the others are not counted either."""
    return tuple(_alerts(findings, among))


def _alerts(findings: Findings, among: Callable[[Finding], bool] | None) -> Iterator[str]:
    for kind in WATCHED.values():
        found = [row for row in getattr(findings, f"new_{kind}") if among is None or among(row)]
        rows = found[:MOST_ALERTS]
        yield from (SENTENCES[kind](row) for row in rows)
        if (more := (findings.counted(kind)["new"] if among is None else len(found)) - len(rows)) > 0:
            yield f"and {MORE[kind](more)}"


def _changed(row: Finding) -> str:
    tasks = many(row["moved_between_survivors"], "stateful task")
    return f"{named_group(row)}: process IDs changed their order; {tasks} of clients that did nothing will move"


def _reshuffled(row: Finding) -> str:
    tasks = f"{row['moved']} of {many(row['stateful_tasks'], 'stateful task')}"
    if row.get("draws") is not None:  # the broker assigns: by member IDs, which every start makes anew
        return f"{named_group(row)}: losing and replacing {named_host(row)} moves {tasks}"
    return f"{named_group(row)}: losing {named_host(row)} moves {tasks}, unless its replacement keeps its process ID"


def _slow(row: Finding) -> str:
    return (
        f"{named_group(row)}: losing {named_host(row)} ({Scenario(row['scenario'])}) takes {hours(row['hours'])} until it is stable"
    )


def _host(row: Finding) -> str:
    tasks = many(row["without_copy"], "stateful task")
    return f"host {named_host(row)} of {printable(row['cluster'])}: {tasks} unavailable without it: no caught-up copy"


def _otherwise(row: Finding) -> str:
    judged = f"{row['equal']:,} of {many(row['judged'], 'past rebalance')}"
    ends = f", {row['ends_equal']:,} of {many(row['sequences'], 'stable end')}" if row["sequences"] else ""
    return f"{named_group(row)}: its score has fallen; Holdfast decided {judged} as Kafka did{ends}. Check its forecasts with care"


def _setting(row: Finding) -> str:
    fixes = f". Fix: {'; '.join(row['fixes'][:_MOST_FIXES])}" if row["fixes"] else ""
    costs = f" {row['costs']}" if row["costs"] else ""
    return printable(f"{named_group(row)}: {row['rule']}: {row['says']}{costs}{fixes}", _LONGEST)


SENTENCES = {
    "order_changes": _changed,
    "groups": _reshuffled,
    "slow": _slow,
    "hosts": _host,
    "backtests": _otherwise,
    "settings": _setting,
}
MORE = {
    "order_changes": lambda count: f"{many(count, 'more change')} of process-ID order",
    "groups": lambda count: f"{many(count, 'more group')} with as many moved tasks when a host is lost",
    "slow": lambda count: f"{many(count, 'more group')} that take as long to become stable when a host is lost",
    "hosts": lambda count: f"{many(count, 'more host')} whose loss makes as many tasks unavailable",
    "backtests": lambda count: f"{many(count, 'more group')} whose score has fallen",
    "settings": lambda count: f"{many(count, 'more finding')} about settings",
}


def named_group(row: Finding) -> str:
    return f"{printable(row['group_id'])} of {printable(row['cluster'])}"


def named_host(row: Finding) -> str:
    return printable(row["host"] or row.get("process_id") or "unknown")


def hours(count: float) -> str:
    return duration(round(count * 3600))
