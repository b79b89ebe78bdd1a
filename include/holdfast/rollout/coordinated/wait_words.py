"""What a plan says of a wait for targets, whatever the group assigns."""

from collections.abc import Sequence
from typing import Protocol

from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.manual_steps import WAIT_AT_LEAST_S, StepWords
from holdfast.rollout.text.format import duration, many


class Expected(Protocol):
    """A target of the forecast, and how many hand-overs it causes."""

    @property
    def group_epoch(self) -> int | None: ...
    @property
    def hand_overs(self) -> int: ...


def step(wait: Wait, shows: str) -> StepWords:
    """`shows`: the command that shows the state of the group, and its epochs."""
    stable = wait is Wait.STABLE
    after = "The group is Stable." if stable else "GROUP-EPOCH is higher than before, and TARGET-ASSIGNMENT-EPOCH is equal to it."
    says = "Wait until the group is stable" if stable else "Wait until the coordinator has computed a target, and go on at once"
    return StepWords(says, "", "Not needed.", after, check_command=shows)


def expected(targets: Sequence[Expected], things: str) -> str:
    """`things`: that are handed over."""
    return f"{_targets(targets, things)} Time limit of this wait: {duration(WAIT_AT_LEAST_S)}."


def _targets(targets: Sequence[Expected], things: str) -> str:
    if not targets:
        return "No target."
    moves = sum(one.hand_overs for one in targets)
    epochs = [one.group_epoch for one in targets if one.group_epoch is not None]
    until = f" (group epoch {epochs[-1]} then)" if len(epochs) == len(targets) else ""
    return f"{many(len(targets), 'target')}{until}; {many(moves, 'hand-over')} of {things}."
