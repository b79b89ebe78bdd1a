"""The course of an option in a plan: rebalance by rebalance, and the reader of each partition before and after.

A consumer that restarts is the same one under another member ID: to it nothing is handed over.
"""

from collections.abc import Iterator, Mapping

from holdfast.kafka.consumer import plain, rebalances
from holdfast.kafka.consumer.group import Assignment
from holdfast.kafka.consumer.rebalances import Readers
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.events.parts.timing import SPAN, Span
from holdfast.rollout.consumer.forecast.outcomes import ConsumerOutcome
from holdfast.rollout.consumer.snapshot import member_order
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.json.codec import COUNT, NAME, SECONDS, TEXT, items, nullable
from holdfast.rollout.json.kafka_codecs import TOPIC_PARTITIONS
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.shapes import one_of

MOST_PARTITIONS = 20_000
"""With more, the assignment is not listed: the plan would be too long to read."""


@record
class CourseRound:
    """One rebalance. `at_seconds`: the detection delays so far. `handed_over`: partitions that another member reads
    from then on; `stopped`: those that are unavailable meanwhile (None: unknown); `unread`: those that no member reads at its
    end."""

    trigger: str = member(NAME.shaped(one_of((Trigger.CHANGE, Trigger.IMMEDIATE))))
    at_seconds: float = member(SECONDS)
    handed_over: int = member(COUNT, "Partitions that another member reads from then on.")
    stopped: int | None = member(nullable(COUNT))
    unread: int = member(COUNT)
    lasts: Span = member(SPAN, name="lasts_seconds")


@record
class Share:
    """What one consumer reads. `was`: the member ID that it has now, where it comes back under `member_id`. `now` None: it is not
    there yet; `then` None: it is gone."""

    member_id: str = member(NAME)
    host: str | None = member(nullable(TEXT))
    was: str | None = member(nullable(NAME), "The member ID that it has now, where it comes back under another.")
    now: tuple[TopicPartition, ...] | None = member(nullable(TOPIC_PARTITIONS), "Null: it is not there yet.")
    then: tuple[TopicPartition, ...] | None = member(nullable(TOPIC_PARTITIONS), "Null: it is gone.")


@record(about="Course and assignment of the recommended option and of the baseline.")
class Shares:
    """`shares`: of every member that is there before or after, in the order of `kafka.consumer.plain.in_member_order`; none where
    it would be too long."""

    rounds: tuple[CourseRound, ...] = member(items(codec_of(CourseRound)))
    shares: tuple[Share, ...] = member(items(codec_of(Share)), "In Kafka's order of members.", name="members")


def course(snapshot: ConsumerSnapshot, change: ConsumerChange, outcome: ConsumerOutcome) -> Shares | None:
    """None: the assignment before is unknown, or nothing follows."""
    before = member_order.readers_of(snapshot)
    if before is None or not outcome.stable:
        return None
    first = first_ids(change)
    handed_over = _handed_over(outcome, before, first)
    rounds = tuple(
        CourseRound(str(one.trigger), one.at_seconds, count, one.stopped, one.unread, one.lasts)
        for one, count in zip(outcome.rounds, handed_over, strict=True)
    )
    return Shares(rounds, _shares(snapshot, outcome, before, first) if len(before) <= MOST_PARTITIONS else ())


def _handed_over(outcome: ConsumerOutcome, before: Readers, first: Mapping[str, str]) -> Iterator[int]:
    """Round by round. Who is given the same as the last time is passed over."""
    last, given = dict(before), dict[str, tuple[TopicPartition, ...]]()
    for one in outcome.rounds:
        count = 0
        for each in one.decision.members if isinstance(one.decision, Assignment) else ():
            reader = first.get(each.member_id, each.member_id)
            if given.get(reader) != each.partitions:
                given[reader] = each.partitions
                for partition in each.partitions:
                    known = last.get(partition)
                    count += known is not None and known != reader
                    last[partition] = reader
        yield count


def first_ids(change: ConsumerChange) -> Mapping[str, str]:
    """Of each member ID under which a consumer comes back: the one that it had before anything was done."""
    found: dict[str, str] = {}
    for item in change.statements():
        found |= {new: found.get(old, old) for old, new in item.renamed()}
    return {new: old for new, old in found.items() if new != old}


def _shares(snapshot: ConsumerSnapshot, outcome: ConsumerOutcome, before: Readers, first: Mapping[str, str]) -> tuple[Share, ...]:
    decision = outcome.rounds[-1].decision if outcome.rounds else None
    names = {old: new for new, old in first.items()}
    after = (
        {part: names.get(reader, reader) for part, reader in before.items()}
        if decision is None
        else dict(rebalances.readers_after(decision))
    )
    had, has = _by_reader(before), _by_reader(after)
    now, then = ({one.member_id for one in members} for members in (snapshot.members, outcome.members))
    all_clients = {one.member_id: one for one in (*snapshot.members, *outcome.members)}
    return tuple(
        Share(
            member_id=one.member_id,
            host=one.host or next((was.host for was in snapshot.members if was.member_id == first.get(one.member_id)), None),
            was=first.get(one.member_id) if first.get(one.member_id) in now else None,
            now=had.get(one.member_id, ()) if one.member_id in now else None,
            then=has.get(one.member_id, ()) if one.member_id in then else None,
        )
        for one in plain.in_member_order(list(all_clients.values()))
    )


def _by_reader(reads: Readers) -> dict[str, tuple[TopicPartition, ...]]:
    found: dict[str, list[TopicPartition]] = {}
    for partition, reader in reads.items():
        found.setdefault(reader, []).append(partition)
    return {reader: tuple(sorted(partitions)) for reader, partitions in found.items()}
