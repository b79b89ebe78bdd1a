"""The JSON of candidates, costs and evaluations: what travels through Spark between the search and the plan."""

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.streams.group import ClientAssignment
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.rebalances import Round
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import Act, EffortCounts, Times
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.codec import items
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import FORMAT_VERSION, Fields, nullable, one_of, texts
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.cost.amounts_json import (
    disks_from_json,
    disks_to_json,
    restored_tasks_from_json,
    restored_tasks_to_json,
    stops_from_json,
    stops_to_json,
)
from holdfast.rollout.streams.cost.evaluation import Candidate, ClientRestore, Cost, Effort, Evaluation, Fullest, Span
from holdfast.rollout.streams.cost.lacking import Give
from holdfast.rollout.streams.forecast.amounts_json import reads_from_json, reads_to_json
from holdfast.rollout.streams.steps.json import steps_from_json, steps_to_json

_count = strict.offset


def candidate_from_json(value: object) -> Candidate:
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    candidate = Candidate(
        name=fields.need("name", strict.name),
        title=fields.need("title", strict.text),
        change=fields.need("change", change_from_json),
        steps=fields.need("steps", steps_from_json),
        settings=fields.need("settings", items(codec_of(SettingChange)).read),
        preconditions=fields.need("preconditions", texts),
        wrong_if=fields.need("wrong_if", strict.text),
        effort=fields.need("effort", one_of(Effort)),
        as_asked=fields.optional("as_asked", strict.boolean, default=True),
        if_allowed=fields.optional("if_allowed", strict.boolean, default=False),
        displaced=fields.optional("displaced", lambda ids: strict.each(ids, kafka.process_id), ()),
        effort_counts=fields.optional("effort_counts", nullable(codec_of(EffortCounts).read), None),
    )
    fields.finish(closed=True)
    return candidate


def candidate_to_json(candidate: Candidate) -> dict[str, object]:
    return {
        "format_version": FORMAT_VERSION,
        "name": candidate.name,
        "title": candidate.title,
        "change": change_to_json(candidate.change),
        "steps": steps_to_json(candidate.steps),
        "settings": items(codec_of(SettingChange)).write(candidate.settings),
        "preconditions": list(candidate.preconditions),
        "wrong_if": candidate.wrong_if,
        "effort": candidate.effort.value,
        "as_asked": candidate.as_asked,
        "if_allowed": candidate.if_allowed,
        "displaced": [str(one) for one in candidate.displaced],
        "effort_counts": None if candidate.effort_counts is None else codec_of(EffortCounts).write(candidate.effort_counts),
    }


def evaluation_from_json(value: object) -> Evaluation:
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    evaluation = Evaluation(
        candidate=fields.need("candidate", candidate_from_json),
        costs=fields.need("costs", costs_from_json),
        unknown=fields.need("unknown", texts),
        refused=fields.need("refused", nullable(strict.text)),
        unknown_sizes=fields.optional("unknown_sizes", texts, ()),
        give=fields.optional("give", lambda found: strict.each(found, one_of(Give)), ()),
    )
    fields.finish(closed=True)
    return evaluation


def evaluation_to_json(evaluation: Evaluation) -> dict[str, object]:
    return {
        "format_version": FORMAT_VERSION,
        "candidate": candidate_to_json(evaluation.candidate),
        "costs": costs_to_json(evaluation.costs),
        "unknown": list(evaluation.unknown),
        "refused": evaluation.refused,
        "unknown_sizes": list(evaluation.unknown_sizes),
        "give": [one.value for one in evaluation.give],
    }


def costs_from_json(value: object) -> tuple[Cost, ...]:
    return strict.each(value, _cost)


def costs_to_json(costs: tuple[Cost, ...]) -> list[object]:
    return [_cost_to_json(cost) for cost in costs]


def _cost(value: object) -> Cost:
    fields = Fields(value)
    cost = Cost(
        probability=fields.need("probability", _probability),
        process_ids=fields.need("process_ids", lambda ids: strict.each(ids, kafka.process_id)),
        stable=fields.need("stable", strict.boolean),
        stateful_tasks=fields.need("stateful_tasks", _count),
        moved=fields.need("moved", _count),
        needless=fields.need("needless", _count),
        handovers=fields.need("handovers", _count),
        rebalances=fields.need("rebalances", _span),
        seconds_to_stable=fields.need("seconds_to_stable", _span),
        restores=fields.need("restores", _restores),
        cold=fields.need("cold", _restores),
        busiest_client=fields.need("busiest_client", nullable(kafka.process_id)),
        busiest_tasks=fields.need("busiest_tasks", _count),
        rounds=fields.need("rounds", lambda rounds: strict.each(rounds, _round)),
        end=fields.need("end", lambda end: strict.each_entry(end, _client_end)),
        reads=fields.optional("reads_by_broker", reads_from_json, ()),
        disks=fields.optional("disks", disks_from_json, ()),
        restored_tasks=fields.optional("restored_tasks", restored_tasks_from_json, ()),
        stops=fields.optional("stops", stops_from_json, ()),
        fullest=fields.optional("fullest", nullable(_fullest), None),
        rebalances_usual=fields.optional("rebalances_usual", nullable(_count), None),
        probes_more=fields.optional("probes_more", _count, 0),
        acts=fields.optional("acts", lambda acts: strict.each(acts, codec_of(Act).read), ()),
        times=fields.optional("times", nullable(codec_of(Times).read), None),
        unsettled=fields.optional("unsettled", nullable(strict.text), None),
    )
    fields.finish(closed=True)
    return cost


def _one_or_more(value: object) -> int:
    return strict.integer(value, 1, java.LONG_MAX)


def _fullest(value: object) -> Fullest:
    fields = Fields(value)
    fullest = Fullest(
        process_id=fields.need("client", kafka.process_id),
        copies=fields.need("copies", _one_or_more),
        even=fields.need("even_share", _one_or_more),
    )
    fields.finish(closed=True)
    return fullest


def _fullest_to_json(one: Fullest) -> dict[str, object]:
    return {"client": str(one.process_id), "copies": one.copies, "even_share": one.even}


def _cost_to_json(cost: Cost) -> dict[str, object]:
    return {
        "probability": cost.probability,
        "process_ids": [str(one) for one in cost.process_ids],
        "stable": cost.stable,
        "stateful_tasks": cost.stateful_tasks,
        "moved": cost.moved,
        "needless": cost.needless,
        "handovers": cost.handovers,
        "rebalances": [cost.rebalances.low, cost.rebalances.high],
        "seconds_to_stable": [cost.seconds_to_stable.low, cost.seconds_to_stable.high],
        "restores": _restores_to_json(cost.restores),
        "cold": _restores_to_json(cost.cold),
        "busiest_client": None if cost.busiest_client is None else str(cost.busiest_client),
        "busiest_tasks": cost.busiest_tasks,
        "rounds": [_round_to_json(one) for one in cost.rounds],
        "end": {
            str(client.process_id): {
                "active": kafka.task_ids_to_json(client.active),
                "standby": kafka.task_ids_to_json(client.standby),
            }
            for client in cost.end
        },
        "reads_by_broker": reads_to_json(cost.reads),
        "disks": disks_to_json(cost.disks),
        "restored_tasks": restored_tasks_to_json(cost.restored_tasks),
        "stops": stops_to_json(cost.stops),
        "fullest": None if cost.fullest is None else _fullest_to_json(cost.fullest),
        **_time_to_json(cost),
        **({} if cost.unsettled is None else {"unsettled": cost.unsettled}),
    }


def _time_to_json(cost: Cost) -> dict[str, object]:
    """Nothing where another version of Holdfast said nothing of it: its document reads back as it was."""
    found: dict[str, object] = {}
    if cost.rebalances_usual is not None:
        found["rebalances_usual"] = cost.rebalances_usual
    if cost.probes_more:
        found["probes_more"] = cost.probes_more
    if cost.acts:
        found["acts"] = [codec_of(Act).write(one) for one in cost.acts]
    if cost.times is not None:
        found["times"] = codec_of(Times).write(cost.times)
    return found


def _round_to_json(one: Round) -> dict[str, object]:
    found: dict[str, object] = {
        "trigger": one.trigger,
        "at_seconds": one.at_seconds,
        "handed_over": one.handed_over,
        "withheld": one.withheld,
        "warm_ups": one.warm_ups,
        "restoring_longest": one.restoring_longest,
        "without_caught_up_copy": one.without_caught_up_copy,
    }
    return found | ({"restoring": {str(client): records for client, records in one.restoring}} if one.restoring else {})


def _probability(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise strict.mismatch("a number from 0 to 1", value)
    return float(value)


def _span(value: object) -> Span:
    """`[low, high]`."""
    bounds = strict.each(value, lambda bound: strict.integer(bound, 0, java.LONG_MAX))
    if len(bounds) != 2 or bounds[0] > bounds[1]:
        raise InvalidInput("a range is needed: two numbers, the smaller one first")
    return Span(bounds[0], bounds[1])


def _restores(value: object) -> tuple[ClientRestore, ...]:
    def read(key: str, item: object) -> ClientRestore:
        fields = Fields(item)
        restore = ClientRestore(
            kafka.process_id(key),
            fields.need("tasks", kafka.task_ids),
            fields.need("records", _count),
            fields.optional("bytes", nullable(_count), None),
        )
        fields.finish(closed=True)
        return restore

    return strict.each_entry(value, read)


def _restores_to_json(restores: tuple[ClientRestore, ...]) -> dict[str, object]:
    return {
        str(one.process_id): {"tasks": kafka.task_ids_to_json(one.tasks), "records": one.records, "bytes": one.size}
        for one in restores
    }


def _round(value: object) -> Round:
    fields = Fields(value)
    found = Round(
        trigger=fields.need("trigger", strict.name),
        at_seconds=fields.need("at_seconds", _count),
        handed_over=fields.need("handed_over", _count),
        withheld=fields.need("withheld", _count),
        warm_ups=fields.need("warm_ups", _count),
        restoring_longest=fields.need("restoring_longest", _count),
        without_caught_up_copy=fields.optional("without_caught_up_copy", _count, 0),
        restoring=fields.optional("restoring", lambda each: strict.each_entry(each, _restoring), ()),
    )
    fields.finish(closed=True)
    return found


def _restoring(key: str, records: object) -> tuple[ProcessId, int]:
    return kafka.process_id(key), _count(records)


def _client_end(key: str, value: object) -> ClientAssignment:
    fields = Fields(value)
    client = ClientAssignment(kafka.process_id(key), fields.need("active", kafka.task_ids), fields.need("standby", kafka.task_ids))
    fields.finish(closed=True)
    return client
