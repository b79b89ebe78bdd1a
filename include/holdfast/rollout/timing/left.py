"""How much of the forecast time is left while a plan is carried out: the phases of the batches of steps that are not done."""

from collections.abc import Iterable, Sequence

from holdfast.rollout.contract.times import NO_TIME, Estimate, Phase, PhaseKind, Times


def left(times: Times, batches: Sequence[bool], since_s: int | None) -> Estimate | None:
    """Until all state is restored, in seconds. `times` has its phases in the order of the steps.

    `batches`: of the steps that take effect together, whether they are done; `since_s`: for how long the first one that is not done
    has been in progress; None: it has not begun. Return None where the forecast does not say: its phases do not fit the batches, it
    never ends, or its figures hold only under a condition.
    """
    if times.restored is None or not times.certain:
        return None
    found = _of_batches(times.phases)
    if len(found) != len(batches):
        return None
    done = next((number for number, one in enumerate(batches) if not one), len(batches))
    if done == len(batches):
        return NO_TIME
    begun = since_s is not None
    present = _sum(one for one in found[done] if not (begun and one.kind is PhaseKind.BETWEEN_STEPS))
    later = _sum(one for each in found[done + 1 :] for one in each)
    return _less(present, since_s or 0) + later


def _of_batches(phases: Sequence[Phase]) -> list[list[Phase]]:
    found: list[list[Phase]] = [[]]
    for one in phases:
        if one.kind is PhaseKind.BETWEEN_STEPS:
            found.append([])
        found[-1].append(one)
    return found


def _sum(phases: Iterable[Phase]) -> Estimate:
    return sum((one.seconds for one in phases), NO_TIME)


def _less(one: Estimate, seconds: int) -> Estimate:
    return Estimate(*(max(0, part - seconds) for part in (one.low, one.usual, one.high)))
