"""The rebalances of one batch in one go: when that is worth it, and how.

What is compiled is imported when the first walk begins: that takes a second, and up to a minute where it is not on the disk yet.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from holdfast.kafka.streams.compiled import jit
from holdfast.kafka.streams.group import Group
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.streams.forecast.compiled.restarts import Restarting, Restarts, Rests, Running
from holdfast.rollout.streams.forecast.compiled.walk_result import Walk
from holdfast.rollout.streams.scene.reports import Reports

Due = Callable[[int, float], bool]
"""Whether the rest of a batch is walked, after this number of its rebalances; and what one takes (`rebalance_us`)."""


class Work(NamedTuple):
    """About what it takes, on one processor: a rebalance, and in addition each copy of a stateful task times the clients."""

    a_rebalance_us: float
    a_copy_at_a_client_us: float

    def of_rebalance(self, copies: int, clients: int) -> float:
        """In microseconds."""
        return self.a_rebalance_us + self.a_copy_at_a_client_us * copies * clients


ONE_BY_ONE, COMPILED = Work(300, 0.6), Work(30, 0.006)
A_WALK_US = 4_000
"""About what it takes to begin one."""
_LOADING_US, _COMPILING_US = 1_000_000, 20_000_000
"""So much is worked out one by one in a process before the machine code is read from the disk, or made."""


@dataclass(slots=True)
class _Process:
    spent_us: float = 0.0
    begun: bool = False


_THIS = _Process()
"""What this process has worked out one by one. It decides when the compiler is worth its time, never what comes out."""


def rebalance_us(group: Group, stateful: int) -> float:
    """About what one rebalance takes that is worked out one by one. `stateful`: how many of its tasks are."""
    copies = stateful * (1 + group.config.num_standby_replicas)
    return ONE_BY_ONE.of_rebalance(copies, len(group.clients))


def is_due(rebalances: int, each_us: float) -> bool:
    """Where that is quicker."""
    if not jit.is_installed():
        return False
    if _THIS.begun:
        return (rebalances + 1) * each_us >= A_WALK_US
    _THIS.spent_us += each_us
    if _THIS.spent_us >= _LOADING_US:
        _THIS.begun = _THIS.spent_us >= _COMPILING_US or _is_kept()
    return _THIS.begun


def have_begun() -> bool:
    """Whether the machine code is there already."""
    return _THIS.begun and jit.is_installed()


@functools.cache
def _is_kept() -> bool:
    from holdfast.rollout.streams.forecast.compiled import jit

    return jit.is_kept()


def never(_rebalances: int, _each_us: float) -> bool:
    """All are worked out one by one."""
    return False


def after(number: int) -> Due:
    """From that rebalance of a batch on."""
    return lambda rebalances, _each_us: rebalances >= number


def walk(
    rests: Rests, group: Group, rules: Reports, most: int, *, running: Mapping[ProcessId, Mapping[TaskId, None]] | None
) -> Walk | None:
    """At most `most` rebalances of this group. `running`: what its clients run already; None: only their number is wanted.

    None: it has to be worked out one by one. The group comes back to where it was, or something is modelled by `leader` only.
    """
    from holdfast.rollout.streams.forecast.compiled import packing, unpacking

    layouts = rests.layouts()
    one = packing.packed(group, rules, layouts)
    if one is None:
        return None
    begun = unpacking.Walker(one, layouts.workspaces, records=running is not None, known=rests.walks())
    begun.run_before(running or {})
    found = begun.walk(most)
    if found is not None:
        begun.close()
    return found


def restarts(
    rests: Rests,
    fingerprint: int,
    group: Group,
    rules: Reports,
    batches: Sequence[Restarting],
    most: int,
    *,
    running: Running | None,
) -> Restarts:
    """As many of these batches of restarts, each once the group is stable after the one before, as are stable after at most `most`
    rebalances and can be walked. `fingerprint`: of the clients of the group; `running`: as in `walk`."""
    from holdfast.rollout.streams.forecast.compiled import restarting

    one = restarting.Restarting(rests, fingerprint, group, rules, running)
    count = one.go_through(batches, most)
    if count < len(batches) and one.is_spoilt:
        one = restarting.Restarting(rests, fingerprint, group, rules, running)
        one.go_through(batches[:count], most)
    return one.found()
