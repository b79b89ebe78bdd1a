"""The JSON of `holdfast guard`: problems of process-ID order in a snapshot. Holdfast does not read it."""

from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import COUNT, TEXT, TEXTS, choice, items, nullable, table
from holdfast.rollout.json.kafka_codecs import PROCESS_ID, PROCESS_IDS, TASK_ID
from holdfast.rollout.json.record import member, written_of
from holdfast.rollout.streams.change.change import CHANGE
from holdfast.rollout.streams.forecast.json import SUMMARY
from holdfast.rollout.streams.guard.guard import Defusal, Finding, Guard, Reshuffle, Trap, TrapKind
from holdfast.rollout.streams.process_ids.order import TaskMove

_MOVE = written_of(TaskMove, task=member(TASK_ID, name="task_id"), before=member(PROCESS_ID), after=member(PROCESS_ID))
_DEFUSAL = written_of(Defusal, labels=member(table(PROCESS_ID, PROCESS_ID)), moved=member(COUNT), change=member(CHANGE))
_RESHUFFLE = written_of(
    Reshuffle,
    kind=member(choice(TrapKind)),
    moved=member(items(_MOVE)),
    summary=member(SUMMARY),
    defusal=member(nullable(_DEFUSAL)),
)
_FINDING = written_of(Finding, trap=member(choice(Trap)), process_ids=member(PROCESS_IDS), found=member(TEXT), remedy=member(TEXT))
_GUARD = written_of(
    Guard,
    version=strict.FORMAT_VERSION,
    order=member(PROCESS_IDS),
    reshuffle=member(nullable(_RESHUFFLE)),
    findings=member(items(_FINDING)),
    unknown=member(TEXTS),
)


def guard_to_json(guard: Guard) -> dict[str, object]:
    return _GUARD.write(guard)
