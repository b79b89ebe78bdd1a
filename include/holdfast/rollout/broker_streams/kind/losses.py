"""What losing any client of a group whose broker assigns would do, as rows. Plain values only."""

from collections.abc import Iterator

from holdfast.rollout.broker_streams.cost import restored as cost
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome
from holdfast.rollout.broker_streams.forecast.restores import longest
from holdfast.rollout.broker_streams.host_loss import losses, replacements
from holdfast.rollout.broker_streams.host_loss.losses import ClientLoss
from holdfast.rollout.broker_streams.host_loss.replacements import Replacement
from holdfast.rollout.broker_streams.snapshot.processes import Process
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.scenarios import NO_CLIENT_LEFT, Scenario
from holdfast.rollout.coordinated.chance import missed_at_most
from holdfast.rollout.policy.policy import Policy

Row = dict[str, object]


def lost(snapshot: StreamsGroupSnapshot, first: int, last: int | None, budget_ms: int | None) -> list[Row]:
    """Rows of `blast_radius` of the clients number `first` to `last` (not itself) in the order of the Snapshot."""
    only = slice(first, last)
    found = losses.losses(snapshot, only)
    rows = []
    for one, replaced in zip(found.losses, replacements.replacements(snapshot, budget_ms, only), strict=True):
        by_scenario = {row["scenario"]: row for each in replaced for row in _replaced(each, found.stateful_tasks)}
        by_scenario[str(Scenario.NOT_REPLACED)] = _row(one, found.stateful_tasks)
        rows += [by_scenario[str(scenario)] for scenario in Scenario]
    return rows


def _about(client: Process, scenario: Scenario, stateful_tasks: int, reason: str | None, *, forecast: bool) -> Row:
    return {
        "process_id": client.name,
        "host": client.host,
        "scenario": str(scenario),
        "stateful_tasks": stateful_tasks,
        "basis": "forecast" if forecast else "not forecast",
        "reason": reason,
        "hours_exact": forecast,
        "rebalances_exact": forecast,
    }


def _row(one: ClientLoss, stateful_tasks: int) -> Row:
    row = _about(one.client, Scenario.NOT_REPLACED, stateful_tasks, one.reason, forecast=one.outcome is not None)
    if one.outcome is None:
        known = one.stateful if one.reason == NO_CLIENT_LEFT else None
        return row | {"moved": known, "expected_moved": None if known is None else float(known), "without_copy": known}
    return row | _figures(one.outcome, (one.outcome,)) | {"expected_moved": float(one.outcome.summary.active_moved)}


def _replaced(one: Replacement, stateful_tasks: int) -> Iterator[Row]:
    """A row of the usual draw; for a new random process ID another one, of the worst."""
    cases = [one.scenario] if one.scenario is Scenario.SAME_ID else [Scenario.NEW_ID_LIKELIEST, Scenario.NEW_ID_WORST]
    for scenario in cases:
        row = _about(one.client, scenario, stateful_tasks, one.reason, forecast=bool(one.outcomes))
        if not one.outcomes:
            yield row | {"moved": None, "without_copy": None}
            continue
        moved, outcome = one.moved, one.worst if scenario is Scenario.NEW_ID_WORST else one.usual
        yield (
            row
            | _figures(outcome, one.outcomes)
            | {
                "expected_moved": sum(moved) / len(moved),
                "without_copy": one.without_copy(outcome),
                "probability": moved.count(outcome.summary.active_moved) / len(moved),
                "draws": len(moved),
                "missed_at_most": round(missed_at_most(len(moved)), 4),
                "moved_least": min(moved),
                "moved_most": max(moved),
            }
        )


def _figures(outcome: BrokerOutcome, every: tuple[BrokerOutcome, ...]) -> Row:
    """Of one of these draws. Upper bounds are those of all."""
    found, policy = outcome.summary, Policy()
    starts = found.start_ups * policy.start_up.usual, found.start_ups * policy.start_up.high
    ends, restored = found.seconds_to_stable, None
    most = max((one.summary.seconds_to_stable.most for one in every if one.summary.seconds_to_stable is not None), default=None)
    if outcome.restores is not None:
        known = (one.restores for one in every if one.restores is not None)
        restored = cost.ends(outcome.restores, max(known, key=longest), policy)
    spans = [span for _, span in outcome.unowned]
    waits = any(span is None for span in spans)
    return {
        "moved": found.active_moved,
        "without_copy": found.cold_moves,
        "rebalances": found.targets,
        "hours": None if ends is None else (ends.usual + starts[0]) / 3600,
        "hours_most": None if most is None else (most + starts[1]) / 3600,
        "restored_hours": None if restored is None or ends is None else (max(ends.usual, restored.usual) + starts[0]) / 3600,
        "restored_hours_most": None if restored is None or most is None else (max(most, restored.most) + starts[1]) / 3600,
        "restore_bytes": found.restored_bytes,
        "longest_stop_seconds": None if waits else max((span.usual for span in spans if span is not None), default=0.0),
    }
