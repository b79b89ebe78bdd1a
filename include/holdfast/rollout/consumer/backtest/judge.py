"""Decide one recorded rebalance of a consumer group again, by every release that its leader may have run, and compare."""

from dataclasses import dataclass, replace

from holdfast.errors import CannotPredict, HoldfastError, MalformedBytes, Unsupported
from holdfast.kafka.consumer import leader
from holdfast.kafka.consumer.group import Assignment, Assignor, LeaderFailure
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.backtest.judged import Because, Judged, RebalanceResult, Role, TaskDifference
from holdfast.rollout.consumer.backtest import releases
from holdfast.rollout.consumer.backtest.question import ConsumerQuestion, group_of, handed

_ASSIGNORS = frozenset(map(str, Assignor))
_Handed = dict[str, frozenset[TopicPartition]]


@dataclass(frozen=True, slots=True)
class Answer:
    """The result; `release` and `assignment`: what gives the recorded decision (None: nothing does)."""

    result: RebalanceResult
    release: str | None = None
    assignment: Assignment | None = None


def judge(question: ConsumerQuestion) -> Answer:
    """The question's answer. Raises nothing: what cannot be judged is a result."""
    protocol = question.generation.protocol
    if protocol not in _ASSIGNORS:
        return _not_judged(question, Because.ASSIGNOR, f"the assignor {protocol!r} is not modelled")
    if not question.releases:
        return _not_judged(question, Because.RELEASE, "no covered release sends such subscriptions")
    try:
        return _judged(question)
    except (MalformedBytes, ValueError) as refusal:
        return _not_judged(question, Because.MALFORMED, str(refusal))
    except (CannotPredict, Unsupported) as refusal:
        return _not_judged(question, Because.LEADER, str(refusal))
    except HoldfastError as refusal:
        return _not_judged(question, Because.WORK, str(refusal))


def _judged(question: ConsumerQuestion) -> Answer:
    recorded = handed(question)
    group = group_of(question, question.releases[-1])
    racks = any(member.rack for member in group.members)
    tried = releases.unlike(question.releases, Assignor(question.generation.protocol or ""), racks=racks)
    fitting: list[str] = []
    explained: tuple[str, Assignment] | None = None
    nearest: tuple[TaskDifference, ...] | None = None
    for release, same in tried:
        decision = leader.assign(replace(group, release=release))
        differ = differences(decision, recorded)
        if not differ and isinstance(decision, Assignment):
            fitting += same
            explained = release, decision
        elif nearest is None or len(differ) < len(nearest):
            nearest = differ
    if explained is None:
        if racks:
            return _not_judged(question, Because.RACKS, "the racks of that moment's replicas decide, and are gone")
        return Answer(replace(_result(question, Judged.DIFFERENT), differences=nearest or ()))
    because = [*([Because.RELEASE] if nearest is not None else []), *([Because.RACKS] if racks else [])]
    judged = Judged.INFERRED if because else Judged.EQUAL
    return Answer(replace(_result(question, judged), because=tuple(because), releases=tuple(fitting)), *explained)


def differences(decision: Assignment | LeaderFailure, recorded: _Handed) -> tuple[TaskDifference, ...]:
    """By partition, which members have it in each of the two decisions."""
    if isinstance(decision, LeaderFailure):
        return (TaskDifference("", Role.ERROR, (decision.error,), ()),)
    here, there = _holders({one.member_id: frozenset(one.partitions) for one in decision.members}), _holders(recorded)
    return tuple(
        TaskDifference(str(partition), Role.ACTIVE, here.get(partition, ()), there.get(partition, ()))
        for partition in sorted({*here, *there})
        if here.get(partition, ()) != there.get(partition, ())
    )


def _holders(members: _Handed) -> dict[TopicPartition, tuple[str, ...]]:
    found: dict[TopicPartition, list[str]] = {}
    for member, partitions in sorted(members.items()):
        for partition in partitions:
            found.setdefault(partition, []).append(member)
    return {partition: tuple(holders) for partition, holders in found.items()}


def _result(question: ConsumerQuestion, judged: Judged) -> RebalanceResult:
    generation = question.generation
    return RebalanceResult(generation.number, generation.completed_at, judged, tried=question.releases)


def _not_judged(question: ConsumerQuestion, because: Because, detail: str) -> Answer:
    return Answer(replace(_result(question, Judged.NOT_JUDGED), because=(because,), detail=detail))
