"""The Forecast of a consumer group as a person reads it: which partitions are unavailable, and who reads them afterwards."""

import math
from collections.abc import Iterator, Mapping

from holdfast.kafka import java
from holdfast.kafka.consumer.group import LeaderFailure, MemberAssignment
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.backtest import forecast_past
from holdfast.rollout.consumer.forecast.outcomes import ConsumerForecast, ConsumerOutcome, ConsumerRound
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import duration, listed, many, printable

FIRST_ROUNDS = 30
FIRST_MEMBERS = 40
ROUND_COLUMNS = ("#", "at", "trigger", "assignor", "unavailable while all join", "revoked", "deferred")


def blocks(snapshot: ConsumerSnapshot, forecast: ConsumerForecast, *, rounds: bool) -> Iterator[Block]:
    outcome = forecast.outcome
    for warning in outcome.warnings:
        yield Paragraph(warning_words.sentence(warning), strong=True)
    yield Heading(1, _headline(outcome))
    yield Paragraph(_stops(outcome))
    if rounds:
        yield _rounds(outcome)
        yield _members(snapshot, outcome)
    yield from forecast_past.blocks(forecast.past)
    for unknown in forecast.unknown:
        yield Paragraph(f"Unknown: {printable(unknown.what)}: {printable(unknown.reason, 500)}")


def _headline(outcome: ConsumerOutcome) -> str:
    summary = outcome.summary
    if not outcome.stable:
        return f"The group does not become stable within {many(summary.rebalances, 'rebalance')}."
    rebalances = f"in {many(summary.rebalances, 'rebalance')}"
    if summary.moved is None:
        return f"{many(summary.partitions, 'partition')} {rebalances}; their consumers before the change are unknown."
    collateral = "" if not summary.needless else f", {summary.needless:,} of them between members that the change does not touch"
    return f"{summary.moved:,} of {many(summary.partitions, 'partition')} end on another member{collateral}, {rebalances}."


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
    rows: list[tuple[str, ...]] = []
    for number, one in enumerate(outcome.rounds, start=1):
        if number <= FIRST_ROUNDS or number == len(outcome.rounds):
            rows.append((str(number), duration(int(one.at_seconds)), str(one.trigger), *_row(one)))
        elif number == FIRST_ROUNDS + 1:
            rows.append(("…", "", f"{len(outcome.rounds) - 1 - FIRST_ROUNDS} more, see --json", "", "", "", ""))
    return Table(ROUND_COLUMNS, tuple(rows))


def _row(one: ConsumerRound) -> tuple[str, ...]:
    if isinstance(one.decision, LeaderFailure):
        return ("", "", f"the leader fails: {printable(one.decision.error, 500)}", "")
    stopped = "?" if one.stopped is None else f"{one.stopped:,}"
    revoked = _partitions(partition for member in one.decision.members for partition in member.revoked)
    withheld = _partitions(partition for member in one.decision.members for partition in member.withheld)
    return str(one.decision.assignor), stopped, revoked, withheld


def _members(snapshot: ConsumerSnapshot, outcome: ConsumerOutcome) -> Table:
    """Who has what at the end, in the order of the member list."""
    rows: list[tuple[str, ...]] = []
    decided: Mapping[str, MemberAssignment] = {}
    for one in outcome.rounds:
        if not isinstance(one.decision, LeaderFailure):
            decided = {member.member_id: member for member in one.decision.members}
    present = {member.member_id for member in snapshot.members}
    for number, member in enumerate(outcome.members):
        if number == FIRST_MEMBERS:
            rows.append(("…", "", "", f"{len(outcome.members) - number} more, see --json"))
            break
        name = printable(member.group_instance_id or member.member_id, 60) + ("" if member.member_id in present else " (new)")
        handed = decided[member.member_id].partitions if member.member_id in decided else ()
        rows.append((name, printable(member.host or "", 40), f"{len(handed):,}", _partitions(handed)))
    return Table(("member", "host", "partitions", "assigned"), tuple(rows))


def _partitions(partitions: Iterator[TopicPartition] | tuple[TopicPartition, ...]) -> str:
    ordered = sorted(partitions, key=lambda one: (java.string_order(one.topic), one.partition))
    return listed([f"{printable(one.topic, 60)}-{one.partition}" for one in ordered])
