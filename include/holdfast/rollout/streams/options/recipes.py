"""The steps of a change, manual and automated, in order, with checks before and after each and its rollback.

Within a batch of events (they take effect together) files that can be prepared come first, then all stops, then the files and disks
that need the old process gone, then all starts. So the group is short of a client for as little time as can be.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.event import Statement, StepContext
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.client_drafts import wait_for
from holdfast.rollout.streams.steps.drafts import Draft, StepOrder
from holdfast.rollout.streams.steps.identity import Identity
from holdfast.rollout.streams.steps.steps import AwaitRebalance, AwaitStable, RollOutConfig, RollOutRelease, Step


def steps_of(snapshot: Snapshot, requested: Change, change: Change, identity: Identity) -> tuple[Step, ...]:
    """All steps of `change`, numbered from 1; the last one waits until the group is stable.

    `meant` is what the operator asked for: `identity` is for the events that are not in it.
    """
    drafts: list[Draft] = []
    config = dict(snapshot.config)
    phases = tuple(StepOrder)
    for batch, wait in _batches(change):
        together: list[Draft] = []
        for item in batch:
            for draft in item.drafts(StepContext(snapshot, config, Identity.AS_IT_COMES if item in requested.events else identity)):
                together.append(draft)
                if isinstance(draft.action, RollOutConfig):
                    config[draft.action.key] = draft.action.value
        drafts.extend(sorted(together, key=lambda draft: phases.index(draft.phase)))
        drafts.append(wait_for(wait))
    return tuple(
        Step(str(number), draft.action, draft.who, draft.check_before, draft.check_after, draft.undo, draft.expect)
        for number, draft in enumerate(_with_one_roll(drafts), start=1)
    )


def _with_one_roll(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """What is rolled out together comes with one rolling restart: only the first of these steps restarts clients."""
    first: int | None = None
    for number, draft in enumerate(drafts, start=1):
        if not isinstance(draft.action, RollOutConfig | RollOutRelease):
            first = None
        elif first is None:
            first = number
        else:
            before = f"The restarts of step {first} bring it too: no client restarts again for it."
            draft = replace(draft, check_before=before, expect="No further restart.")
        yield draft


def _batches(change: Change) -> Iterator[tuple[list[Statement], Wait]]:
    """What takes effect together, and what the next waits for. What is rolled out comes before the rest, and is waited for."""
    batch: list[Statement] = []
    for item in (*change.events, Then(Wait.STABLE)):
        if not isinstance(item, Then):
            batch.append(item)
            if isinstance(item, RollingRestart):
                yield batch, item.wait
                batch = []
        elif batch:
            yield batch, item.wait
            batch = []


LIMIT = "The time limit is for this wait alone, and generous: a run that is still waiting then halts."


def with_waits(steps: tuple[Step, ...], limit_s: int, expect: str) -> tuple[Step, ...]:
    """The steps with the bound of the forecast in those that wait, and its words in the last of them."""
    last = max((index for index, step in enumerate(steps) if isinstance(step.action, AwaitStable)), default=0)

    def known(index: int, step: Step) -> Step:
        match step.action:
            case AwaitStable() if index == last:
                return replace(step, action=AwaitStable(limit_s), expect=f"{expect} {LIMIT}")
            case AwaitStable():
                over = f"The group becomes stable: all rebalances of the steps before are over. {LIMIT}"
                return replace(step, action=AwaitStable(limit_s), check_after="The group is stable.", expect=over)
            case AwaitRebalance():
                return replace(step, action=AwaitRebalance(limit_s), expect="The group rebalances once.")
            case _:
                return step

    return tuple(known(index, step) for index, step in enumerate(steps))
