"""When members of a group were stopped by rollouts: from the journals of the newest plans that were applied to it."""

from contextlib import suppress

from holdfast.errors import HoldfastError
from holdfast.ports import Lake
from holdfast.rollout.backtest.stops import Stop
from holdfast.rollout.journal.seal import SigningKeys
from holdfast.rollout.journal.stops import stops_of
from holdfast.workflows import journals, leases
from holdfast.workflows import plan as plans

MOST_PLANS = 50


def stops(lake: Lake, group: tuple[str, str], keys: SigningKeys) -> tuple[Stop, ...]:
    """`group`: cluster and group ID. Journals that cannot be read, or trusted where there are keys, say nothing."""
    found: dict[Stop, None] = {}
    for plan_id in leases.applied_to(lake, group, keys)[:MOST_PLANS]:
        if plans.is_id(plan_id):
            with suppress(HoldfastError):
                kept = journals.read(lake, plan_id, keys)
                journals.refuse_broken(kept, keys)
                found.update(dict.fromkeys(stops_of(kept.journal)))
    return tuple(sorted(found))
