"""What losing any client of a group whose broker assigns would do, as rows. Plain values only."""

from holdfast.rollout.broker_streams.cost import restored as cost
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome
from holdfast.rollout.broker_streams.host_loss import losses
from holdfast.rollout.broker_streams.host_loss.losses import ClientLoss
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.scenarios import NO_CLIENT_LEFT, Scenario
from holdfast.rollout.policy.policy import Policy

Row = dict[str, object]


def lost(snapshot: StreamsGroupSnapshot, first: int, last: int | None) -> list[Row]:
    """Rows of `blast_radius` of the clients number `first` to `last` (not itself) in the order of the Snapshot."""
    found = losses.losses(snapshot, slice(first, last))
    return [_row(one, found.stateful_tasks) for one in found.losses]


def _row(one: ClientLoss, stateful_tasks: int) -> Row:
    row: Row = {
        "process_id": one.client.name,
        "host": one.client.host,
        "scenario": str(Scenario.NOT_REPLACED),
        "stateful_tasks": stateful_tasks,
        "basis": "not forecast" if one.outcome is None else "forecast",
        "reason": one.reason,
        "hours_exact": one.outcome is not None,
        "rebalances_exact": one.outcome is not None,
    }
    if one.outcome is None:
        known = one.stateful if one.reason == NO_CLIENT_LEFT else None
        return row | {"moved": known, "expected_moved": None if known is None else float(known), "without_copy": known}
    return row | _figures(one.outcome)


def _figures(outcome: BrokerOutcome) -> Row:
    found, ends = outcome.summary, outcome.summary.seconds_to_stable
    restored = None if outcome.restores is None else cost.ends(outcome.restores, outcome.restores, Policy())
    spans = [span for _, span in outcome.unowned if span is not None]
    return {
        "moved": found.active_moved,
        "expected_moved": float(found.active_moved),
        "without_copy": found.cold_moves,
        "rebalances": found.targets,
        "hours": None if ends is None else ends.usual / 3600,
        "hours_most": None if ends is None else ends.most / 3600,
        "restored_hours": None if restored is None or ends is None else max(ends.usual, restored.usual) / 3600,
        "restored_hours_most": None if restored is None or ends is None else max(ends.most, restored.most) / 3600,
        "restore_bytes": found.restored_bytes,
        "longest_stop_seconds": max((one.usual for one in spans), default=0.0),
    }
