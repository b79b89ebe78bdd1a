"""The JSON of times, acts and effort: what `timeline` reads and says. A range is `[low, usual, high]`, in seconds."""

from collections.abc import Mapping
from dataclasses import asdict

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.rollout.contract.times import Act, Condition, ConditionKind, EffortCounts, Estimate, Phase, PhaseKind, Times
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import Fields, nullable, one_of

_count = strict.offset


def estimate_from_json(value: object) -> Estimate:
    bounds = strict.each(value, lambda bound: strict.integer(bound, 0, java.LONG_MAX))
    if len(bounds) != 3 or sorted(bounds) != list(bounds):
        raise InvalidInput("a range is needed: the least, the usual and the most, none smaller than the one before")
    return Estimate(*bounds)


def estimate_to_json(one: Estimate | None) -> list[int] | None:
    return None if one is None else [one.low, one.usual, one.high]


_maybe = nullable(estimate_from_json)


def times_from_json(value: object) -> Times:
    fields = Fields(value)
    found = Times(
        rebalancing_ends=fields.need("rebalancing_ends", _maybe),
        restored=fields.need("restored", _maybe),
        phases=fields.optional("phases", lambda phases: strict.each(phases, _phase), ()),
        rebalances=fields.optional("rebalances", lambda each: strict.each(each, estimate_from_json), ()),
        condition=fields.optional("condition", nullable(condition_from_json), None),
    )
    fields.finish(closed=True)
    return found


def times_to_json(times: Times) -> dict[str, object]:
    found: dict[str, object] = {
        "rebalancing_ends": estimate_to_json(times.rebalancing_ends),
        "restored": estimate_to_json(times.restored),
        "condition": None if times.condition is None else condition_to_json(times.condition),
    }
    if times.phases:
        found["phases"] = [
            {"kind": one.kind.value, "seconds": estimate_to_json(one.seconds), "rebalance": one.rebalance} for one in times.phases
        ]
        found["rebalances"] = [estimate_to_json(one) for one in times.rebalances]
    return found


def _phase(value: object) -> Phase:
    fields = Fields(value)
    phase = Phase(
        fields.need("kind", one_of(PhaseKind)),
        fields.need("seconds", estimate_from_json),
        fields.need("rebalance", nullable(lambda number: strict.integer(number, 1, java.INT_MAX))),
    )
    fields.finish(closed=True)
    return phase


def condition_from_json(value: object) -> Condition:
    fields = Fields(value)
    found = Condition(
        kind=fields.need("kind", one_of(ConditionKind)),
        within_s=fields.need("within_s", _count),
        directories=fields.need("directories", _count),
        tasks=fields.need("tasks", _count),
        records=fields.need("records", _count),
        size=fields.need("bytes", nullable(_count)),
        met=fields.need("met", nullable(strict.boolean)),
        otherwise_rebalancing_ends=fields.need("otherwise_rebalancing_ends", _maybe),
        otherwise_restored=fields.need("otherwise_restored", _maybe),
        otherwise_downtime_s=fields.need("otherwise_downtime_s", _count),
    )
    fields.finish(closed=True)
    return found


def condition_to_json(one: Condition) -> dict[str, object]:
    return {
        "kind": one.kind.value,
        "within_s": one.within_s,
        "directories": one.directories,
        "tasks": one.tasks,
        "records": one.records,
        "bytes": one.size,
        "met": one.met,
        "otherwise_rebalancing_ends": estimate_to_json(one.otherwise_rebalancing_ends),
        "otherwise_restored": estimate_to_json(one.otherwise_restored),
        "otherwise_downtime_s": one.otherwise_downtime_s,
    }


def act_from_json(value: object) -> Act:
    fields = Fields(value)
    counts: Mapping[str, int] = {
        name: fields.need(name, _count) for name in ("rebalances", "starts", "noticed_s", "stopped_s", "refresh_s")
    }
    act = Act(**counts, unseen=fields.need("unseen", strict.boolean))
    fields.finish(closed=True)
    return act


def act_to_json(act: Act) -> dict[str, object]:
    return asdict(act)


def effort_counts_from_json(value: object) -> EffortCounts:
    fields = Fields(value)
    counts: Mapping[str, int] = {name: fields.need(name, _count) for name in ("restarts", "manual_steps", "copies", "files")}
    fields.finish(closed=True)
    return EffortCounts(**counts)


def effort_counts_to_json(counts: EffortCounts) -> dict[str, object]:
    return asdict(counts)
