"""The Forecast of a consumer group in a terminal: which partitions are unavailable, and who reads them afterwards."""

import math
from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from holdfast.cli.views import terminal
from holdfast.kafka import java
from holdfast.kafka.consumer.group import LeaderFailure, MemberAssignment
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.forecast import warning_words
from holdfast.rollout.consumer.forecast.outcomes import ConsumerForecast, ConsumerOutcome, ConsumerRound
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.text.wording import duration, listed, many, printable

FIRST_ROUNDS = 30
FIRST_MEMBERS = 40


def show(snapshot: ConsumerSnapshot, forecast: ConsumerForecast, *, rounds: bool) -> None:
    """Print the forecast."""
    terminal.show(*_forecast(snapshot, forecast, rounds=rounds))


def _forecast(snapshot: ConsumerSnapshot, forecast: ConsumerForecast, *, rounds: bool) -> Iterator[RenderableType]:
    outcome = forecast.outcome
    for warning in outcome.warnings:
        yield Text(warning_words.sentence(warning), style="bold red")
    yield Text(_headline(outcome), style="bold")
    yield Text(_stops(outcome))
    if rounds:
        yield _rounds(outcome)
        yield _members(snapshot, outcome)
    for unknown in forecast.unknown:
        yield Text(f"Unknown: {printable(unknown.what)}: {printable(unknown.reason, 500)}")


def _headline(outcome: ConsumerOutcome) -> str:
    summary = outcome.summary
    if not outcome.stable:
        return f"The group does not become stable within {many(summary.rebalances, 'rebalance')}."
    rebalances = f"in {many(summary.rebalances, 'rebalance')}"
    if summary.moved is None:
        return f"{many(summary.partitions, 'partition')} {rebalances}; their consumers before the change are unknown."
    needless = "" if not summary.needless else f", {summary.needless:,} of them between members that the change does not touch"
    return f"{summary.moved:,} of {many(summary.partitions, 'partition')} end on another member{needless}, {rebalances}."


def _stops(outcome: ConsumerOutcome) -> str:
    stops, longest = outcome.summary.stops, outcome.summary.longest_stop
    if stops is None or longest is None:
        return "Partition downtime: unknown."
    if not stops:
        return "No partition is unavailable."
    usual, most = (duration(math.ceil(seconds)) for seconds in (longest.usual, longest.most))
    busy = "" if usual == most else f" ({most} if a consumer is busy and does not poll)"
    return f"{many(stops, 'interruption')} of partitions, up to {usual} each{busy}. {_positions_of(outcome)}"


def _positions_of(outcome: ConsumerOutcome) -> str:
    """Where the readers go on."""
    found = outcome.positions
    parts = [f"{many(found.committed, 'partition')} resume at the committed offset"] if found.committed else []
    parts += [f"{found.reset:,} at auto.offset.reset ({found.reset_to})"] if found.reset else []
    parts += [f"committed offset unknown: {found.unknown:,}"] if found.unknown else []
    return f"{'; '.join(parts)}." if parts else ""


def _rounds(outcome: ConsumerOutcome) -> Table:
    columns = ("unavailable while all join", "revoked", "deferred")
    table = terminal.table("#", "at", "trigger", "assignor", *columns, right=("#", "at", columns[0]))
    for number, one in enumerate(outcome.rounds, start=1):
        if number <= FIRST_ROUNDS or number == len(outcome.rounds):
            table.add_row(str(number), duration(int(one.at_seconds)), str(one.trigger), *_row(one))
        elif number == FIRST_ROUNDS + 1:
            table.add_row("…", "", f"{len(outcome.rounds) - 1 - FIRST_ROUNDS} more, see --json")
    return table


def _row(one: ConsumerRound) -> tuple[str, ...]:
    if isinstance(one.decision, LeaderFailure):
        return ("", "", f"the leader fails: {printable(one.decision.error, 500)}", "")
    stopped = "?" if one.stopped is None else f"{one.stopped:,}"
    revoked = _partitions(partition for member in one.decision.members for partition in member.revoked)
    withheld = _partitions(partition for member in one.decision.members for partition in member.withheld)
    return str(one.decision.assignor), stopped, revoked, withheld


def _members(snapshot: ConsumerSnapshot, outcome: ConsumerOutcome) -> Table:
    """Who has what at the end, in the order of the member list."""
    table = terminal.table("member", "host", "partitions", "assigned", right=("partitions",))
    decided: Mapping[str, MemberAssignment] = {}
    for one in outcome.rounds:
        if not isinstance(one.decision, LeaderFailure):
            decided = {member.member_id: member for member in one.decision.members}
    there = {member.member_id for member in snapshot.members}
    for number, member in enumerate(outcome.members):
        if number == FIRST_MEMBERS:
            table.add_row("…", "", "", f"{len(outcome.members) - number} more, see --json")
            break
        name = printable(member.group_instance_id or member.member_id, 60) + ("" if member.member_id in there else " (new)")
        handed = decided[member.member_id].partitions if member.member_id in decided else ()
        table.add_row(name, printable(member.host or "", 40), f"{len(handed):,}", _partitions(handed))
    return table


def _partitions(partitions: Iterator[TopicPartition] | tuple[TopicPartition, ...]) -> str:
    ordered = sorted(partitions, key=lambda one: (java.string_order(one.topic), one.partition))
    return listed([f"{printable(one.topic, 60)}-{one.partition}" for one in ordered])
