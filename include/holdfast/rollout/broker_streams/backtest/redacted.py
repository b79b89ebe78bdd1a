"""A question about a streams group without names: members and processes are replaced, the same always by the same.

Hash codes of both decide ties: they are kept.
"""

from dataclasses import replace

from holdfast.kafka import java
from holdfast.rollout.broker_streams.backtest.question import Holding, PastMember, TargetQuestion
from holdfast.rollout.broker_streams.snapshot.tasks import in_order
from holdfast.rollout.redaction.numbered import with_hash_codes


def redacted(question: TargetQuestion) -> TargetQuestion:
    names = with_hash_codes("member", (one.member_id for one in question.members))
    processes = with_hash_codes("process", (one.process_id for one in question.members))
    known = {one.id for one in question.subtopologies}
    every = known.union(*(_subtopologies(one) for one in question.members))
    ordered = sorted(every, key=java.string_order)
    width = len(str(len(ordered)))
    plain = all(one.isascii() and one.isdigit() for one in ordered)
    ids = {one: one if plain else f"s{number:0{width}}" for number, one in enumerate(ordered)}
    return replace(
        question,
        members=tuple(_member(one, names[one.member_id], processes[one.process_id], ids) for one in question.members),
        subtopologies=tuple(replace(one, id=ids[one.id]) for one in question.subtopologies),
    )


def _subtopologies(one: PastMember) -> set[str]:
    held = (one.given, one.target, one.has)
    return {subtopology for each in held for tasks in (each.active, each.standby) for subtopology, _ in tasks}


def _member(one: PastMember, name: str, process: str, ids: dict[str, str]) -> PastMember:
    def renamed(held: Holding) -> Holding:
        return Holding(
            *(in_order(tuple((ids[each], partitions) for each, partitions in tasks)) for tasks in (held.active, held.standby))
        )

    return replace(
        one, member_id=name, process_id=process, given=renamed(one.given), target=renamed(one.target), has=renamed(one.has)
    )
