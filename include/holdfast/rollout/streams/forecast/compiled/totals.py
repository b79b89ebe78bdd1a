"""What the rebalances of a walk add up to, where none of them is looked at: figures of a loss, without its decisions."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.rollout.contract.rebalances import Trigger

Restoring = tuple[tuple[int, int], ...]
"""Client, records."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Clients and tasks by number. `asked`: what each rebalance asks for; the last one asks for nothing.

    `restoring`: what clients begin to restore in each. `restored`: how often this number of records of a task is restored.
    `waiting`: tasks that a rebalance gives to a client without a caught-up copy. `runs`: the client of each task in the end.
    `open_copies`, `unstarted`: as in `outcomes.Length`.
    """

    asked: tuple[Trigger | None, ...]
    restoring: tuple[Restoring, ...]
    restored: Mapping[tuple[int, int], int]
    waiting: int
    runs: tuple[int, ...]
    open_copies: int
    unstarted: int
