"""The Forecast of a consumer group whose broker assigns as a person reads it: what each target moves, what is unread meanwhile."""

from collections.abc import Iterator

from holdfast.kafka.coordinator.consumer.group import MemberType
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.forecast import summary as figures
from holdfast.rollout.broker_consumer.forecast.bounds import Bounds
from holdfast.rollout.broker_consumer.forecast.forecast import ground_of
from holdfast.rollout.broker_consumer.forecast.outcomes import (
    ComputedTarget,
    GroupConversion,
    GroupForecast,
    GroupOutcome,
    LeaderRebalance,
)
from holdfast.rollout.broker_consumer.forecast.summary import Owners
from holdfast.rollout.broker_consumer.plan.effect_words import rounds
from holdfast.rollout.broker_consumer.snapshot.names import named
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.coordinated import span_words
from holdfast.rollout.coordinated.step_of import Name
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import duration, listed, many, printable

FIRST_TARGETS = 30
TARGET_COLUMNS = ("#", "group epoch", "trigger", "moves", "undetermined")


def blocks(snapshot: BrokerConsumerSnapshot, forecast: GroupForecast, *, targets: bool) -> Iterator[Block]:
    outcome = forecast.outcome
    for warning in outcome.warnings:
        yield Paragraph(warning_words.sentence(warning), strong=True)
    yield Heading(1, _headline(outcome))
    for one in outcome.conversions:
        yield Paragraph(_conversion(forecast.carried_out, one, named(snapshot)), strong=True)
    for led in outcome.rebalances:
        yield Paragraph(_rebalance(led))
    if outcome.stalled:
        yield Paragraph(_STALLED, strong=True)
    yield Paragraph(_moves(outcome))
    follows = bool(outcome.targets or outcome.rebalances)
    if follows:
        yield Paragraph(span_words.stable_after(outcome.summary.seconds_to_stable, outcome.summary.start_ups, "consumers"))
    if outcome.unowned:
        yield Paragraph(_unowned(forecast))
    if outcome.bounds is not None and outcome.bounds.open:
        yield Paragraph(_bounds(outcome.bounds))
    if targets and follows:
        yield _targets(snapshot, forecast)
    for unknown in forecast.unknown:
        yield Paragraph(f"Unknown: {printable(unknown.what)}: {printable(unknown.reason, 500)}")


def _headline(outcome: GroupOutcome) -> str:
    found = outcome.summary
    if not outcome.targets and not outcome.rebalances:
        left = outcome.stalled or outcome.ends_early
        return "The coordinator computes no target." if left else "The coordinator computes no target: nothing moves."
    collateral = "" if not found.collateral else f", {found.collateral:,} of them between consumers that the change does not touch"
    moved = f"{found.moved:,} of {many(found.partitions, 'partition')} end on another consumer{collateral}"
    return f"{moved}, in {rounds(found)}."


_STALLED = (
    "Partitions are left without an owner: only members of the classic protocol remain, which from Kafka 4.3 on compute no target,"
    " and the brokers do not let the group become classic (group.consumer.migration.policy, group.max.size). They wait for a member"
    " that joins."
)


def _conversion(change: GroupChange, found: GroupConversion, name: Name) -> str:
    if found.event is None:
        when = f"once the sessions of those are over that end in batch {found.batch + 1}"
    else:
        item = change.events[found.event]
        when = f"with event {found.event + 1}" if isinstance(item, Then) else f"with event {found.event + 1}, {item.sentence(name)}"
    if found.to is MemberType.CONSUMER:
        at_once, later = "Its coordinator computes a target at once", "Its members keep what they have until the next target"
        then = at_once if found.rebalances else later
        return f"The group becomes one of the new protocol {when}. {then}; from there on its coordinator assigns."
    then = "It rebalances at once" if found.rebalances else "Its members keep what they have until the next rebalance"
    return f"The group becomes one of the classic protocol {when}. {then}; from there on its leader assigns."


def _rebalance(found: LeaderRebalance) -> str:
    generation = "" if found.generation is None else f" (generation {found.generation:,})"
    unread = f"{many(len(found.stopped), 'partition')} are unread meanwhile" if found.stopped else "all partitions are read on"
    return (
        f"The classic group rebalances{generation}: its leader assigns to {many(len(found.owned), 'consumer')} with"
        f" {printable(found.assignor)}; {unread}."
    )


def _moves(outcome: GroupOutcome) -> str:
    found = outcome.positions
    moves = f"{many(outcome.summary.moves, 'hand-over')} of partitions in all." if outcome.summary.moves else "No hand-over."
    parts = [f"read on: {many(found.committed, 'partition')} at the committed offset"] if found.committed else []
    parts += [f"{found.reset:,} at auto.offset.reset ({found.reset_to})"] if found.reset else []
    parts += [f"committed offset unknown: {found.unknown:,}"] if found.unknown else []
    twice = found.records_read_twice_at_most
    parts += [f"{many(twice, 'record')} are read twice at most"] if twice else []
    return f"{moves} {'; '.join(parts)}." if parts else moves


def _unowned(forecast: GroupForecast) -> str:
    outcome, busy = forecast.outcome, forecast.settings.max_poll_interval_ms / 1000
    waiting = sum(span is None for _, span in outcome.unowned)
    parts = [f"{many(len(outcome.unowned), 'partition')} are unread for a time"]
    if outcome.summary.longest_unowned is not None:
        _, usual, most = (duration(round(one)) for one in outcome.summary.longest_unowned)
        parts.append(f"the longest usually {usual}, at most {most}")
    if waiting:
        parts.append(f"{waiting:,} of them until a consumer has started")
    late = f"A consumer that is busy gives partitions up with its next poll, up to {duration(round(busy))} later"
    return f"{', '.join(parts)}. {late} (max.poll.interval.ms); the others keep reading."


def _bounds(found: Bounds) -> str:
    figures_of = f"{span_words.counts(found.moved)} partitions moved and {span_words.counts(found.moves)} hand-overs"
    if found.exhaustive:
        return (
            f"New random member IDs: those shown are one of {found.count:,} possibilities; {figures_of} over all of them. The most"
            f" hand-overs have a probability of {found.worst:.1%}."
        )
    return (
        f"New random member IDs: those shown are one of {found.count:,} draws; {figures_of} over all of them. What holds in every"
        f" draw fails in at most {found.missed_at_most:.1%} of all starts (95 % confidence)."
    )


def _targets(snapshot: BrokerConsumerSnapshot, forecast: GroupForecast) -> Table:
    outcome = forecast.outcome
    before = figures.owners_now(ground_of(snapshot))
    rows: list[tuple[str, ...]] = []
    number = 0
    for one in outcome.in_turn:
        if isinstance(one, ComputedTarget):
            number += 1
            if number <= FIRST_TARGETS or number == len(outcome.targets):
                rows.append(_row(number, one, before))
            elif number == FIRST_TARGETS + 1:
                rows.append(("…", "", f"{len(outcome.targets) - 1 - FIRST_TARGETS} more, see --json", "", ""))
        else:
            rows.append(("", _epoch(one.generation), "the leader assigns", _handed(before, one.owners), ""))
        before = one.owners
    return Table(TARGET_COLUMNS, tuple(rows))


def _row(number: int, one: ComputedTarget, before: Owners) -> tuple[str, ...]:
    undetermined = listed([_name(each) for each in one.assignment.undetermined_partitions])
    return str(number), _epoch(one.group_epoch), str(one.trigger), _handed(before, one.owners), undetermined


def _epoch(epoch: int | None) -> str:
    return "unknown" if epoch is None else str(epoch)


def _handed(before: Owners, after: Owners) -> str:
    return listed(
        [
            f"{_name(partition)} {printable(before[partition], 30)}→{printable(member, 30)}"
            for partition, member in sorted(after.items())
            if before.get(partition, member) != member
        ]
    )


def _name(one: TopicPartition) -> str:
    return f"{printable(one.topic, 60)}-{one.partition}"
