"""The JSON of a Forecast."""

from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.unknown import UNKNOWNS
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.streams.change.change import ITEM
from holdfast.rollout.streams.forecast.amounts import READS
from holdfast.rollout.streams.forecast.assignment_json import assignment_to_json
from holdfast.rollout.streams.forecast.outcomes import Forecast, Outcome, Round, Summary
from holdfast.rollout.streams.scene.assume import Assume


def forecast_to_json(forecast: Forecast, detail: Detail = Detail.FULL) -> dict[str, object]:
    return {
        "format_version": strict.FORMAT_VERSION,
        "assumptions": codec_of(Assume).write(forecast.change.assume),
        "events": [ITEM.write(item) for item in forecast.change.events],
        "outcomes": [_outcome_to_json(outcome, detail) for outcome in forecast.outcomes],
        "unknown": UNKNOWNS.write(forecast.unknown),
    }


def _outcome_to_json(outcome: Outcome, detail: Detail) -> dict[str, object]:
    written: dict[str, object] = {
        "probability": outcome.probability,
        "process_ids": [str(process_id) for process_id in outcome.process_ids],
        "stable": outcome.stable,
    }
    if detail is Detail.FULL:
        written["rounds"] = [_round_to_json(one) for one in outcome.rounds]
    return written | {"summary": summary_to_json(outcome.summary)}


def _round_to_json(one: Round) -> dict[str, object]:
    return {
        "trigger": str(one.trigger),
        "at_seconds": one.at_seconds,
        "assignment": assignment_to_json(one.decision),
        "restoring": {str(process_id): records for process_id, records in one.restoring},
        "restoring_bytes": {str(process_id): size for process_id, size in one.restoring_bytes},
        "restoring_tasks": {
            str(process_id): {str(task): records for task, records in tasks} for process_id, tasks in one.restoring_tasks
        },
        "without_caught_up_copy": kafka.task_ids_to_json(one.without_caught_up_copy),
    }


def summary_to_json(summary: Summary) -> dict[str, object]:
    waiting = summary.without_caught_up_copy
    served = {"reads_by_broker": READS.write(summary.reads)} if any(one.broker is not None for one in summary.reads) else {}
    return {
        "stateful_tasks": summary.stateful_tasks,
        "active_moved": summary.active_moved,
        "rebalances": summary.rebalances,
        "rebalances_at_least": summary.rebalances_at_least,
        "rebalances_at_most": summary.rebalances_at_most,
        "seconds_to_stable": summary.seconds_to_stable,
        "seconds_to_stable_at_least": summary.seconds_to_stable_at_least,
        "restore_records": summary.restore_records,
        "restore_bytes": summary.restore_bytes,
        "stopped_task_seconds": summary.stopped_task_seconds,
        "restore_records_by_client": {str(process_id): records for process_id, records in summary.restore_records_by_client},
        "without_caught_up_copy": {
            "tasks": waiting.tasks,
            "task_seconds": waiting.task_seconds,
            "longest_seconds": waiting.longest_seconds,
            "records": waiting.records,
        },
        "stopped": {
            str(one.task): {"seconds": one.seconds, "seconds_without_copy": one.seconds_without_copy} for one in summary.stopped
        },
        **served,
    }
