"""The course of an option in a plan: rebalance by rebalance, and the reader of each partition before and after.

A consumer that restarts is the same one under another member ID: to it nothing is handed over.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from holdfast.kafka.consumer import plain
from holdfast.kafka.consumer.group import Assignment
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.events.timing import Span
from holdfast.rollout.consumer.forecast.outcomes import ConsumerOutcome
from holdfast.rollout.consumer.snapshot import member_order, ownership
from holdfast.rollout.consumer.snapshot.ownership import Readers
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot

MOST_PARTITIONS = 20_000
"""Of more, who reads what is not told: the plan would be longer than anybody reads."""


@dataclass(frozen=True, slots=True)
class CourseRound:
    """One rebalance. `at_seconds`: what passes until the group notices, so far. `handed_over`: partitions that somebody else reads
    from then on; `stopped`: those that stand still meanwhile (None: not known); `unread`: those that nobody reads at its end."""

    trigger: str
    at_seconds: float
    handed_over: int
    stopped: int | None
    unread: int
    lasts: Span


@dataclass(frozen=True, slots=True)
class Share:
    """What one consumer reads. `was`: the member ID that it has now, where it comes back under `member_id`. `now` None: it is not
    there yet; `then` None: it is gone."""

    member_id: str
    host: str | None
    was: str | None
    now: tuple[TopicPartition, ...] | None
    then: tuple[TopicPartition, ...] | None


@dataclass(frozen=True, slots=True)
class Course:
    """`shares`: of everybody who is there before or after, in the order of `kafka.consumer.plain.in_member_order`; none where
    there is too much to tell."""

    rounds: tuple[CourseRound, ...]
    shares: tuple[Share, ...]


def course(snapshot: ConsumerSnapshot, change: ConsumerChange, outcome: ConsumerOutcome) -> Course | None:
    """None: nobody can tell who reads what before, or nothing comes of it."""
    before = member_order.readers_of(snapshot)
    if before is None or not outcome.stable:
        return None
    first = first_ids(change)
    handed_over = _handed_over(outcome, before, first)
    rounds = tuple(
        CourseRound(str(one.trigger), one.at_seconds, count, one.stopped, one.unread, one.lasts)
        for one, count in zip(outcome.rounds, handed_over, strict=True)
    )
    return Course(rounds, _shares(snapshot, outcome, before, first) if len(before) <= MOST_PARTITIONS else ())


def _handed_over(outcome: ConsumerOutcome, before: Readers, first: Mapping[str, str]) -> Iterator[int]:
    """Round by round. Who is given the same as the last time is passed over."""
    last, given = dict(before), dict[str, tuple[TopicPartition, ...]]()
    for one in outcome.rounds:
        count = 0
        for member in one.decision.members if isinstance(one.decision, Assignment) else ():
            reader = first.get(member.member_id, member.member_id)
            if given.get(reader) != member.partitions:
                given[reader] = member.partitions
                for partition in member.partitions:
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
        else dict(ownership.readers_after(decision))
    )
    had, has = _by_reader(before), _by_reader(after)
    now, then = ({one.member_id for one in members} for members in (snapshot.members, outcome.members))
    everybody = {one.member_id: one for one in (*snapshot.members, *outcome.members)}
    return tuple(
        Share(
            member_id=one.member_id,
            host=one.host or next((was.host for was in snapshot.members if was.member_id == first.get(one.member_id)), None),
            was=first.get(one.member_id) if first.get(one.member_id) in now else None,
            now=had.get(one.member_id, ()) if one.member_id in now else None,
            then=has.get(one.member_id, ()) if one.member_id in then else None,
        )
        for one in plain.in_member_order(list(everybody.values()))
    )


def _by_reader(reads: Readers) -> dict[str, tuple[TopicPartition, ...]]:
    found: dict[str, list[TopicPartition]] = {}
    for partition, reader in reads.items():
        found.setdefault(reader, []).append(partition)
    return {reader: tuple(sorted(partitions)) for reader, partitions in found.items()}
