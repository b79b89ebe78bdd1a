"""How much of the forecast time is left while a plan is carried out: the phases of the batches of steps that are not done."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from holdfast.rollout.contract.times import NO_TIME, Estimate, Phase, PhaseKind, Times


class WhyUnknown(StrEnum):
    """Why the time left is unknown."""

    NO_END = "no end"
    CONDITION = "condition"
    NOT_BY_STEP = "not by step"


def left(times: Times, batches: Sequence[bool], since_s: int | None, *, by_step: bool = True) -> Estimate | WhyUnknown:
    """Until all state is restored, in seconds. `by_step`: `times` has its phases in the order of the steps.

    `batches`: of the steps that take effect together, whether they are done; `since_s`: for how long the first one that is not done
    has been in progress; None: it has not begun. Until the first one is done, all of the forecast time is left; after that it is
    unknown where the phases are not those of the batches.
    """
    if times.restored is None:
        return WhyUnknown.NO_END
    if not times.certain:
        return WhyUnknown.CONDITION
    if batches and all(batches):
        return NO_TIME
    found = _of_batches(times.phases)
    if not by_step or len(found) != len(batches):
        return WhyUnknown.NOT_BY_STEP if any(batches) or not batches else _less(times.restored, since_s or 0)
    done = batches.index(False)
    begun = since_s is not None
    present = _sum(one for one in found[done] if not (begun and one.kind is PhaseKind.BETWEEN_STEPS))
    later = _sum(one for each in found[done + 1 :] for one in each)
    return _less(present, since_s or 0) + later


def _of_batches(phases: Sequence[Phase]) -> list[list[Phase]]:
    found: list[list[Phase]] = [[]]
    for one in phases:
        if one.kind in (PhaseKind.BETWEEN_STEPS, PhaseKind.NEXT_RESTART):
            found.append([])
        found[-1].append(one)
    return found


def _sum(phases: Iterable[Phase]) -> Estimate:
    return sum((one.seconds for one in phases), NO_TIME)


def _less(one: Estimate, seconds: int) -> Estimate:
    return Estimate(*(max(0, part - seconds) for part in (one.low, one.usual, one.high)))
