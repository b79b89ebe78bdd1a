"""The rebalances of one batch in one go, where they are many: what a walk is, and when it is worth it.

What is compiled is imported when the first walk begins: that takes a second, and half a minute where nothing of it is on disk.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.kafka.streams.compiled import jit
from holdfast.kafka.streams.group import Assignment, Client, Group
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.forecast.open_copies import Copies
from holdfast.rollout.streams.scene.reports import Reports


@dataclass(frozen=True, slots=True)
class Restores:
    """What one rebalance begins to restore: records by client and task, without complete copies; and the tasks that wait for it."""

    by_client: tuple[tuple[ProcessId, tuple[tuple[TaskId, int], ...]], ...]
    waiting: tuple[tuple[TaskId, int], ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """Rebalances until the group is stable, or as many as were asked for.

    `asked`: what each asks for; `clients`: what they report then; `running`: what each runs. `open_copies`, `unstarted`: as in
    `OpenCopies`; `in_doubt`: as `Reports.closed_in_doubt`. `decisions`, `restores`: one a rebalance, if they are recorded.
    """

    asked: tuple[Trigger | None, ...]
    clients: tuple[Client, ...]
    running: Mapping[ProcessId, tuple[TaskId, ...]]
    open_copies: Copies
    unstarted: int
    in_doubt: tuple[TaskId, ...]
    decisions: tuple[Assignment, ...]
    restores: tuple[Restores, ...]


USUALLY_AFTER = 6
"""Most changes are over by then, or nearly so."""


def usually_after() -> int | None:
    """After how many rebalances the rest of a batch is worth a walk; None: there is no compiler."""
    return USUALLY_AFTER if jit.is_installed() else None


def from_the_start() -> int | None:
    """The same where there are so many forecasts that every rebalance is."""
    return 0 if jit.is_installed() else None


def walk(group: Group, rules: Reports, most: int, *, running: Mapping[ProcessId, Mapping[TaskId, None]] | None) -> Walk | None:
    """At most so many rebalances of this group. `running`: what its clients run already; None: only their number is wanted.

    None: it has to be worked out one by one. The group comes back to where it was, or something is modelled by `leader` only.
    """
    from holdfast.rollout.streams.forecast.compiled import packing, walker

    one = packing.packed(group, rules)
    if one is None:
        return None
    walks = walker.Walker(one, records=running is not None)
    walks.run_before(running or {})
    return walks.walk(most)
