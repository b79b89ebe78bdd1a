"""A comparison of protocols as a person reads it: figures first, then what they depend on."""

from collections.abc import Callable, Iterator, Sequence

from holdfast.rollout.facts import moves, refusals
from holdfast.rollout.kinds.protocols.comparison import (
    Applied,
    ComparedProtocol,
    CountedFrom,
    Deploy,
    DeployKind,
    Figures,
    Limit,
    MovePrice,
    MoveStep,
    Price,
    ProtocolComparison,
    StepKind,
    Survives,
)
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.document_blocks import Block, Code, Heading, Lines, Paragraph, Table
from holdfast.rollout.text.format import amount_of_bytes, capital, many, printable

_APPLIED = {
    Applied.MORE_STANDBYS: "one more standby",
    Applied.LONG_INTERVAL: "assignment interval 15 s",
    Applied.STATIC: "static members",
    Applied.UNIFORM: "uniform",
    Applied.RANGE: "range",
}
_DEPLOYS = {
    DeployKind.RESTART: "rolling restart",
    DeployKind.REPLACE: "replace a host",
    DeployKind.SCALE_OUT: "scale out by one",
    DeployKind.SCALE_IN: "scale in by one",
}
_LIMITS = {
    Limit.TOPOLOGY_CHANGES: "The coordinator refuses a changed topology: such a deploy needs a new group (a new application.id).",
    Limit.NO_WARM_UPS: "No warm-up replicas up to 4.4: a task is handed over first, and is down until it is restored.",
    Limit.NO_PATTERNS: "No topology may subscribe to topics by a pattern.",
    Limit.NO_STATIC_MEMBERS: "No static members (group.instance.id).",
    Limit.CLIENT_STANDBYS_IGNORED: "num.standby.replicas of the clients is ignored: it is a config of the group, 2 at most"
    " (streams.num.standby.replicas).",
    Limit.NO_RACKS: "Neither racks nor client tags have an effect on what is assigned.",
    Limit.OFFSETS_FROM_DISKS: "Members report what their disks have, and that decides: assumed is what each client has run.",
    Limit.BROKER_ASSIGNORS: "The coordinator assigns, by uniform or range; clients have no assignors.",
    Limit.CLIENT_SETTINGS: "Session timeout and heartbeat interval are configs of the group; clients that set them do not start.",
    Limit.ALL_BY_MEMBER_ID: "range assigns by the order of member IDs, which are random at every start.",
}
_STEPS = {
    StepKind.REMOVE_BLOCKERS: "Remove what keeps the group from moving: {reason}",
    StepKind.UPGRADE_BROKERS: "Have brokers of Kafka {reason}",
    StepKind.UPGRADE_CLIENTS: "Deploy clients of Kafka {reason}, still with the classic protocol",
    StepKind.SET_GROUP_CONFIGS: "Set configs of the group before its first member joins: {reason}",
    StepKind.SET_PROTOCOL: "Set {reason} in the properties of every client, for its next start",
    StepKind.STOP_ALL: "Stop all clients",
    StepKind.WAIT_EMPTY: "Wait until the group is empty: clients do not leave, so that their session timeout has to be over",
    StepKind.START_ALL: "Start all clients, within the initial rebalance delay of the group (3 s unless it is set longer)",
    StepKind.RESTART_EACH: "Restart the consumers one after the other: the first that is back converts the group",
    StepKind.CHECK: "Check that the group is stable under the new protocol",
    StepKind.GO_BACK: "To go back: the same steps with group.protocol=classic",
}
_SURVIVES = {
    Survives.OFFSETS: "committed offsets",
    Survives.STATE: "state on disk",
    Survives.PROCESS_IDS: "process IDs",
    Survives.INSTANCE_IDS: "instance IDs",
    Survives.ASSIGNMENT: "who reads what, until the first restart",
    Survives.LOST_ASSIGNMENT: "the assignment: the first target is that of a group without a past",
    Survives.LOST_MEMBER_IDS: "member IDs",
    Survives.LOST_CLIENT_SETTINGS: "session and heartbeat settings of the clients",
}
_LOST = frozenset({Survives.LOST_ASSIGNMENT, Survives.LOST_MEMBER_IDS, Survives.LOST_CLIENT_SETTINGS})
_UNPREDICTED = "unknown"


def blocks(found: ProtocolComparison) -> tuple[Block, ...]:
    return tuple(_blocks(found))


def _blocks(found: ProtocolComparison) -> Iterator[Block]:
    stateful = found.protocol.startswith("streams")
    yield Heading(1, f"{printable(found.group_id)}: {headline(found)}")
    yield Paragraph(_subject(found, stateful=stateful))
    yield Heading(2, "Deploys a month")
    yield Lines(tuple((_DEPLOYS[one.kind], _times(one)) for one in found.deploys))
    rows = _merged(found.protocols)
    yield Heading(2, "Price of a month")
    yield Paragraph(f"{capital(_least(found, 'least downtime', lambda one: one.downtime_s))}. Fewer moves may mean more downtime.")
    yield Table(_columns(stateful=stateful), tuple(_month(label, one, stateful=stateful) for label, one in rows))
    yield Heading(2, "Moves of one deploy (mean; least to most)")
    columns = ("protocol", *(_DEPLOYS[one.kind] for one in found.deploys))
    yield Table(columns, tuple((label, *map(_moves, one.prices)) for label, one in rows))
    prices = [one for each in found.protocols for one in each.prices]
    refused = dict.fromkeys(refusals.sentence(one.refused) for one in prices if one.refused is not None)
    yield from (Paragraph(f"Not predicted: {printable(text, 500)}") for text in refused)
    yield from _moved(rows)
    yield from _prevented(rows)
    yield from _limits(rows)
    yield from _move(found)
    yield Heading(2, "Unknown")
    yield Lines(tuple((printable(one.what), printable(one.reason, 500)) for one in found.unknown))


def headline(found: ProtocolComparison) -> str:
    """The figures first."""
    now = found.protocols[0]
    if now.month is None:
        return "the price of the present protocol cannot be predicted"
    return f"{_figure(now.month.moves)} moves a month now; {_least(found, 'fewest', lambda one: one.moves)}"


def _least(found: ProtocolComparison, least: str, of: Callable[[Figures], float | None]) -> str:
    """The protocol with the smallest of these figures; of several the first."""
    figures = [(one, of(one.month)) for one in found.protocols if one.month is not None]
    known = [(value, number, one) for number, (one, value) in enumerate(figures) if value is not None]
    if not known:
        return f"{least}: {_UNPREDICTED}"
    value, _, best = min(known, key=lambda each: each[:2])
    blocked = ", which is blocked" if best.prevents else ""
    return f"{least} under {_label((best,))}{blocked}: {_figure(value)}"


def _subject(found: ProtocolComparison, *, stateful: bool) -> str:
    members = many(found.members, "client" if stateful else "consumer")
    assigned = many(found.assigned, "stateful task" if stateful else "partition")
    draws = max((one.draws for each in found.protocols for one in each.prices), default=0)
    return (
        f"{members}, {assigned}. Each figure is the mean over up to {draws} draws of random IDs (seed {found.seed}), and over the"
        f" {'clients' if stateful else 'consumers'} that may be replaced or leave. A move is one hand-over to another"
        f" {'client' if stateful else 'consumer'}, there and back counted as two."
    )


def _times(one: Deploy) -> str:
    count = _figure(one.monthly)
    if one.source is CountedFrom.ASSUMED:
        return f"{count} (assumed: nothing was given)"
    if one.source is CountedFrom.PAST:
        return f"{count} (counted in {_figure(one.seen_days or 0)} days of its past)"
    return f"{count} (given)"


def _merged(protocols: Sequence[ComparedProtocol]) -> list[tuple[str, ComparedProtocol]]:
    """Releases that give the same figures with the same options are one row."""
    found: dict[object, list[ComparedProtocol]] = {}
    for one in protocols:
        key = one.protocol, one.release is None, one.applied, one.prices, one.prevents, one.limits, one.moved
        found.setdefault(key, []).append(one)
    return [(_label(each), each[0]) for each in found.values()]


def _label(same: Sequence[ComparedProtocol]) -> str:
    first = same[0]
    releases = ", ".join(one.release for one in same if one.release is not None)
    options = [_APPLIED[one] for one in first.applied]
    name = "classic, unchanged" if first.now else "classic" if first.release is None else f"{first.protocol} on {releases}"
    return ", ".join((name, *options))


def _columns(*, stateful: bool) -> tuple[str, ...]:
    kept = ("restored in full", "restored") if stateful else ()
    return (
        "protocol",
        "moves",
        *kept,
        "downtime (task-seconds)" if stateful else "downtime (partition-seconds)",
        "rebalances or targets",
    )


def _month(label: str, one: ComparedProtocol, *, stateful: bool) -> tuple[str, ...]:
    kept = (_shown(one.month, lambda each: each.cold_moves), _restored(one.month)) if stateful else ()
    return (
        label,
        _shown(one.month, lambda each: each.moves),
        *kept,
        _shown(one.month, lambda each: each.downtime_s),
        _shown(one.month, lambda each: each.rebalances),
    )


def _shown(figures: Figures | None, of: Callable[[Figures], float | None]) -> str:
    value = None if figures is None else of(figures)
    return _UNPREDICTED if value is None else _figure(value)


def _restored(figures: Figures | None) -> str:
    if figures is None or figures.restored_records is None:
        return _UNPREDICTED
    records = many(round(figures.restored_records), "record")
    return records if figures.restored_bytes is None else f"{amount_of_bytes(round(figures.restored_bytes))}, {records}"


def _moves(one: Price | MovePrice) -> str:
    if one.figures is None:
        return _UNPREDICTED
    mean = _figure(one.figures.moves)
    return mean if one.least_moves == one.most_moves else f"{mean}; {one.least_moves:,} to {one.most_moves:,}"


def _moved(rows: Sequence[tuple[str, ComparedProtocol]]) -> Iterator[Block]:
    priced = [(label, one.moved) for label, one in rows if one.moved is not None]
    if priced:
        yield Heading(2, "Price of the move itself, once")
        columns = ("protocol", "moves (mean; least to most)", "downtime (partition-seconds)", "rebalances and targets")
        yield Table(columns, tuple((label, _moves(one), *_others(one.figures)) for label, one in priced))
        refused = dict.fromkeys(refusals.sentence(one.refused) for _, one in priced if one.refused is not None)
        yield from (Paragraph(f"Not predicted: {printable(text, 500)}") for text in refused)


def _others(figures: Figures | None) -> tuple[str, str]:
    return _shown(figures, lambda each: each.downtime_s), _shown(figures, lambda each: each.rebalances)


def _figure(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _prevented(rows: Sequence[tuple[str, ComparedProtocol]]) -> Iterator[Block]:
    by_text: dict[str, list[str]] = {}
    for label, one in rows:
        for each in one.prevents:
            by_text.setdefault(moves.sentence(each), []).append(label)
    if by_text:
        yield Heading(2, "What keeps the group from it")
        yield Lines(tuple((_where(labels, rows), printable(text, 1_000)) for text, labels in by_text.items()))


def _limits(rows: Sequence[tuple[str, ComparedProtocol]]) -> Iterator[Block]:
    by_limit: dict[Limit, list[str]] = {}
    for label, one in rows:
        for each in one.limits:
            by_limit.setdefault(each, []).append(label)
    if by_limit:
        yield Heading(2, "What changes permanently")
        yield Lines(tuple((_where(labels, rows), _LIMITS[limit]) for limit, labels in by_limit.items()))


def _where(labels: Sequence[str], rows: Sequence[tuple[str, ComparedProtocol]]) -> str:
    new = [label for label, one in rows if one.release is not None]
    return (
        "every new protocol"
        if len(labels) == len(new)
        else "; ".join(labels[:3]) + (f"; and {len(labels) - 3} more" if len(labels) > 3 else "")
    )


def _move(found: ProtocolComparison) -> Iterator[Block]:
    how = "online, one restart of each consumer" if found.move.online else "offline: all clients are stopped for a time"
    yield Heading(2, f"The move to group.protocol={found.move.protocol} ({how})")
    yield Lines(tuple((str(number), _step(one)) for number, one in enumerate(found.move.steps, 1)))
    yield Paragraph(kafka_commands.ABOUT_CHECK)
    shows = kafka_commands.describe_consumer_group if found.move.online else kafka_commands.describe_streams_group
    yield Code(shows(found.group_id, "--state"))
    yield Lines(
        (
            ("survives", ", ".join(_SURVIVES[one] for one in found.move.survives if one not in _LOST)),
            ("is lost", ", ".join(_SURVIVES[one] for one in found.move.survives if one in _LOST)),
        )
    )


def _step(one: MoveStep) -> str:
    return printable(f"{_STEPS[one.kind].format(reason=one.reason)}.", 1_000)
