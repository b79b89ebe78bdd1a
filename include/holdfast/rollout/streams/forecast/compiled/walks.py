"""The rebalances of one batch in one go: when that is worth it, and how.

What is compiled is imported when the first walk begins: that takes a second, and half a minute where nothing of it is on disk.
"""

from collections.abc import Mapping

from holdfast.kafka.streams.compiled import jit
from holdfast.kafka.streams.group import Group
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.streams.forecast.compiled.walk import Walk
from holdfast.rollout.streams.scene.reports import Reports

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
    begun = walker.Walker(one, records=running is not None)
    begun.run_before(running or {})
    return begun.walk(most)
