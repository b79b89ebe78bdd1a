"""The JSON of `holdfast guard`: problems of process-ID order in a snapshot."""

from holdfast.rollout.json import strict
from holdfast.rollout.streams.change.json import change_to_json
from holdfast.rollout.streams.forecast.json import SUMMARY
from holdfast.rollout.streams.guard.guard import Defusal, Guard, Reshuffle


def guard_to_json(guard: Guard) -> dict[str, object]:
    return {
        "format_version": strict.FORMAT_VERSION,
        "order": [str(process_id) for process_id in guard.order],
        "reshuffle": None if guard.reshuffle is None else _reshuffle_to_json(guard.reshuffle),
        "findings": [
            {
                "trap": str(finding.trap),
                "process_ids": [str(process_id) for process_id in finding.process_ids],
                "found": finding.found,
                "remedy": finding.remedy,
            }
            for finding in guard.findings
        ],
        "unknown": list(guard.unknown),
    }


def _reshuffle_to_json(reshuffle: Reshuffle) -> dict[str, object]:
    return {
        "kind": str(reshuffle.kind),
        "moved": [{"task_id": str(move.task), "before": str(move.before), "after": str(move.after)} for move in reshuffle.moved],
        "summary": SUMMARY.write(reshuffle.summary),
        "defusal": None if reshuffle.defusal is None else _defusal_to_json(reshuffle.defusal),
    }


def _defusal_to_json(defusal: Defusal) -> dict[str, object]:
    return {
        "labels": {str(now): str(new) for now, new in defusal.labels},
        "moved": defusal.moved,
        "change": change_to_json(defusal.change),
    }
