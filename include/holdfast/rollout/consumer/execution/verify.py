"""The forecast of a consumer group's plan compared with the group afterwards, partition by partition.

The broker generates the member ID of each member that joins, and the order of the IDs decides. So what is compared is the forecast
of the same change with the IDs that the consumers really got.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer import rebalances
from holdfast.kafka.consumer.group import Member
from holdfast.kafka.consumer.rebalances import Readers
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.execution import evidence
from holdfast.rollout.consumer.execution.courses import courses, in_time
from holdfast.rollout.consumer.execution.verdict import ConsumerVerdict, PartitionVerdict
from holdfast.rollout.consumer.forecast.forecast import begun_anew, forecast, name_at_the_end
from holdfast.rollout.consumer.forecast.outcomes import ConsumerForecast, ConsumerOutcome
from holdfast.rollout.consumer.plan.plan import Considered, ConsumerPlan
from holdfast.rollout.consumer.snapshot.member_order import readers_of
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution import pairing
from holdfast.rollout.execution.pairing import Comer
from holdfast.rollout.execution.step_evidence import StepEvidence
from holdfast.rollout.execution.verdict import Rebalances, Result
from holdfast.rollout.facts import difference_words
from holdfast.rollout.facts.differences import Difference, Differs
from holdfast.rollout.facts.sourced_text import told
from holdfast.rollout.group import verifying
from holdfast.rollout.group.verifying import EndCompared, Members, Verifying

MOST_DIFFERENCES = 100


NOT_ALL_COURSES = Unknown(
    "partitions",
    "member IDs decide who reads which partition, and no snapshot shows all of them: consumers joined and left again, or it is open"
    " which new consumer is which; there are too many possibilities to compare them all",
)

Placed = tuple[PartitionVerdict, ...]


class _Verifying(Verifying[ConsumerPlan, ConsumerSnapshot, ConsumerVerdict, Placed]):
    def steps_shown(self, plan: ConsumerPlan, fresh: ConsumerSnapshot) -> tuple[StepEvidence, ...]:
        return evidence.of_plan(plan, fresh)

    def waits(self, plan: ConsumerPlan, step_id: str) -> bool:
        return any(one.id == step_id and isinstance(one.item, Then) for one in plan.steps)

    def compare(self, plan: ConsumerPlan, fresh: ConsumerSnapshot) -> EndCompared[Placed] | Members:
        basis, change = plan.basis, _recommended(plan).change
        pairings, known_as, trouble = paired(basis, change, fresh)
        if trouble is not None:
            return Members(*trouble)
        reads = readers_of(fresh)
        if reads is None:
            raise CannotPredict("The assignment is unknown: the snapshot does not state the partitions of the consumers.")
        reads = {one: known_as.get(reader, reader) for one, reader in reads.items()}
        possible = courses(basis, change, pairings)
        best: Placed | None = None
        ends: list[Placed] = []
        for course in (*possible.changes, *possible.draws):
            ends.append(_compared(basis, course, reads))
            best = ends[-1] if best is None or _wrong(ends[-1]) < _wrong(best) else best
            if not _wrong(best):
                break
        assert best is not None, "there is a pairing where there is no trouble"
        ranked, drawn = frozenset(ends[: len(possible.changes)]), frozenset(ends[len(possible.changes) :])
        if _wrong(best) and not (possible.all_of_them and drawn <= ranked):
            return EndCompared((), Result.NOT_COMPARED, (), unknown=(NOT_ALL_COURSES,))
        return _judged(plan, fresh, best, change)

    def verdict(
        self,
        plan: ConsumerPlan,
        fresh: ConsumerSnapshot,
        result: Result,
        what: Placed | None,
        differences: tuple[Difference, ...],
        shown: tuple[StepEvidence, ...],
        unknown: tuple[Unknown, ...] = (),
    ) -> ConsumerVerdict:
        return ConsumerVerdict(
            plan_id=plan.plan_id,
            cluster=fresh.cluster,
            group_id=fresh.group_id,
            observed_at=fresh.captured_at,
            result=result,
            partitions=what or (),
            rebalances=Rebalances(_expected(plan), _rebalances(plan.basis, fresh)),
            said=told(differences, difference_words.sentence),
            steps=shown,
            unknown=unknown,
        )


def verify(plan: ConsumerPlan, fresh: ConsumerSnapshot) -> ConsumerVerdict:
    """As `group.verifying.verify`."""
    return verifying.verify(_Verifying(), plan, fresh)


def _recommended(plan: ConsumerPlan) -> Considered:
    assert plan.recommended_option is not None, "a plan without a recommended option is refused before"
    return plan.recommended_option


def _wrong(partitions: Placed) -> int:
    return sum(not one.agrees for one in partitions)


def paired(
    basis: ConsumerSnapshot, change: ConsumerChange, fresh: ConsumerSnapshot
) -> "tuple[list[Mapping[str, str]], Mapping[str, str], _Trouble | None]":
    """As `_pairings`; and from the IDs of static consumers that came back unnoticed to those that they had."""
    known_as = _back_by_themselves(basis, change, fresh)
    found_members = [replace(one, member_id=known_as.get(one.member_id, one.member_id)) for one in fresh.members]
    pairings, trouble = _pairings(basis, change, forecast(basis, change).outcome.members, found_members)
    return pairings, known_as, trouble


def _planned(plan: ConsumerPlan) -> tuple[int, int]:
    """Rebalances, least and most."""
    return _recommended(plan).rebalances


def _back_by_themselves(basis: ConsumerSnapshot, change: ConsumerChange, fresh: ConsumerSnapshot) -> dict[str, str]:
    """Static consumers that the change leaves alone and that came back unnoticed: from the IDs that they have to those they had."""
    anew = frozenset(begun_anew(change))
    present = frozenset(member.member_id for member in fresh.members)
    gone = {
        member.group_instance_id: member.member_id
        for member in basis.members
        if member.group_instance_id is not None and member.member_id not in present and member.member_id not in anew
    }
    return {one.member_id: gone[one.group_instance_id] for one in fresh.members if one.group_instance_id in gone}


def _judged(plan: ConsumerPlan, fresh: ConsumerSnapshot, partitions: Placed, change: ConsumerChange) -> EndCompared[Placed]:
    wrong = [one for one in partitions if not one.agrees]
    of_what = tuple(
        Difference(Differs.READER, str(one.partition), (one.expected,), () if one.found is None else (one.found,))
        for one in wrong[:MOST_DIFFERENCES]
    )
    seen, (least, most) = _rebalances(plan.basis, fresh), _planned(plan)
    counted = seen is not None and not begun_anew(change)  # a restart is one rebalance or two: it depends on how fast it is
    more = Difference(Differs.REBALANCES, count=seen or 0, least=least, most=most)
    differences = (*of_what, *((more,) if counted and not least <= (seen or 0) <= most else ()))
    result = Result.DIFFERENT if differences else Result.AS_FORECAST
    if wrong and seen is not None and seen < _expected(plan)[0]:
        result = Result.IN_PROGRESS
    return EndCompared(partitions, result, differences, of_what)


def _expected(plan: ConsumerPlan) -> tuple[int, int]:
    """As `_planned`; the least where every consumer that restarts is back before the others have joined."""
    change, (least, most) = _recommended(plan).change, _planned(plan)
    fast = replace(change, events=tuple(map(in_time, change.events)))
    return (least if fast == change else min(least, forecast(plan.basis, fast).outcome.summary.rebalances)), most


def _rebalances(basis: ConsumerSnapshot, fresh: ConsumerSnapshot) -> int | None:
    """Since the plan was made."""
    if basis.generation is None or fresh.generation is None or fresh.generation < basis.generation:
        return None
    return fresh.generation - basis.generation


def _compared(basis: ConsumerSnapshot, change: ConsumerChange, reads: Readers) -> tuple[PartitionVerdict, ...]:
    wanted = _readers_at_the_end(basis, change, forecast(basis, change))
    return tuple(PartitionVerdict(one, reader, reads.get(one)) for one, reader in sorted(wanted.items()))


def _readers_at_the_end(basis: ConsumerSnapshot, change: ConsumerChange, foreseen: ConsumerForecast) -> Readers:
    if not foreseen.outcome.stable:
        raise CannotPredict(f"With the member IDs that were found: {foreseen.outcome.unsettled}")
    rounds = foreseen.outcome.rounds
    reads = rebalances.readers_after(rounds[-1].decision) if rounds else readers_of(basis) or {}
    return at_the_end(foreseen.outcome, change, reads)


def at_the_end(outcome: ConsumerOutcome, change: ConsumerChange, reads: Readers) -> Readers:
    """With the IDs of the end: static members may have returned since the last rebalance, without one."""
    present = frozenset(one.member_id for one in outcome.members)
    return {one: reader if reader in present else name_at_the_end(reader, change) for one, reader in reads.items()}


_Trouble = tuple[Result, Difference]


def _pairings(
    basis: ConsumerSnapshot, change: ConsumerChange, end: Sequence[Member], found: Sequence[Member]
) -> tuple[list[Mapping[str, str]], _Trouble | None]:
    """Which member that was found may be which of the forecast's: from the forecast's IDs to the real ones, the likeliest first.

    Nothing but trouble, where the members cannot be those: not all are there yet, or others are.
    """
    anew = frozenset(begun_anew(change))
    staying = frozenset(member.member_id for member in basis.members) & frozenset(one.member_id for one in end) - anew
    present = {member.member_id: member for member in found}
    comers = [member for member in end if member.member_id not in staying]
    arrived = [member for member in found if member.member_id not in staying]
    left = [one for one in sorted(staying) if one not in present]
    old = [one.member_id for one in basis.members if one.member_id in present and one.member_id not in staying]
    if left:
        return [], (Result.DIFFERENT, Difference(Differs.LEFT, expected=tuple(left)))
    if len(arrived) != len(comers) or (old and not all(one in frozenset(each.member_id for each in comers) for one in old)):
        in_progress = len(arrived) <= len(comers) or bool(old)
        joined = Difference(Differs.CONSUMERS, found=tuple(old), count=max(0, len(arrived) - len(old)), most=len(comers))
        return [], (Result.IN_PROGRESS if in_progress else Result.DIFFERENT, joined)
    found_pairings = pairing.pairings([*map(_comer, comers)], [*map(_comer, arrived)])
    if found_pairings is None:
        return [], (Result.DIFFERENT, Difference(Differs.INSTANCE_IDS))
    return found_pairings, None


def _comer(one: Member) -> Comer:
    return Comer(one.member_id, one.group_instance_id, frozenset(one.subscription), one.host, one.client_id)
