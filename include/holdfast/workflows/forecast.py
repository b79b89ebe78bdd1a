"""From documents to results: the forecast of a change. One result per document, or a refusal."""

from dataclasses import replace
from typing import Any

from holdfast.rollout.backtest import forecast_past
from holdfast.rollout.backtest.past import past_of
from holdfast.rollout.backtest.results import Backtest
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.json.strict import Fields
from holdfast.rollout.kinds import registry
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.registry import kind_of
from holdfast.workflows.naming import Named, read_named


def read_forecast(snapshot: Named, change: Named, times: int = 1) -> tuple[Any, Any]:
    """A Snapshot's and a Change's JSON, each with its name → the Snapshot and the Forecast. A problem says in which it is. Of a
    move to another kind of group both are of that kind.

    `times`: the factor by which more than the usual work is allowed.
    """
    kind = registry.of_snapshot(snapshot[1])
    group = read_named(snapshot, kind.snapshot_from_json)
    read_named(snapshot, lambda _: kind.refuse_settings(group))
    requested = read_named(change, lambda document: kind.change_for(document, group))
    decided, asked = read_named(change, lambda _: move.followed(group, requested))
    return decided, read_named(change, lambda _: kind_of(decided).forecast(decided, asked, times))


def with_past(forecast: Any, snapshot: Any, found: Backtest) -> Any:
    """The forecast with what the group's past says of it."""
    kind = kind_of(snapshot)
    score = past_of(found, snapshot.group_id, kind.protocol, snapshot.kafka_release)
    judge = registry.past_with(kind.protocol)
    return replace(forecast, past=forecast_past.of(score, () if judge is None else judge.courses(forecast)))


def forecast_case(case: object, detail: Detail, times: int = 1) -> dict[str, object]:
    """`{"snapshot": …, "change": …}` → a Forecast's JSON."""
    fields = Fields(case)
    snapshot = fields.need("snapshot", lambda document: document)
    change = fields.need("change", lambda document: document)
    fields.finish()
    group, answer = read_forecast(("snapshot", snapshot), ("change", change), times)
    return kind_of(group).forecast_to_json(answer, detail)
