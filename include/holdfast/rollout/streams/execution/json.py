"""The JSON of a Verdict on a plan for a Kafka Streams group."""

from holdfast.rollout.execution.verdict_json import VERDICT_VERSION, steps_shown
from holdfast.rollout.facts.differences import DIFFERENCES
from holdfast.rollout.streams.execution.verify import Verdict


def verdict_to_json(verdict: Verdict) -> dict[str, object]:
    agreeing = sum(task.agrees for task in verdict.tasks)
    return {
        "format_version": VERDICT_VERSION,
        "plan_id": verdict.plan_id,
        "cluster": verdict.cluster,
        "group_id": verdict.group_id,
        "observed_at": verdict.observed_at,
        "result": verdict.result.value,
        "score": {"tasks_as_forecast": agreeing, "tasks": len(verdict.tasks)},
        "steps": steps_shown(verdict.steps),
        "rebalances": {
            "expected": [verdict.rebalances_expected.low, verdict.rebalances_expected.high],
            "found": verdict.rebalances,
        },
        "differences": list(verdict.differences),
        "facts": DIFFERENCES.write(verdict.facts),
        "tasks": {
            str(task.task): {"expected": str(task.expected), "found": None if task.found is None else str(task.found)}
            for task in verdict.tasks
        },
        "standbys": {
            str(one.task): {"expected": [str(owner) for owner in one.expected], "found": [str(owner) for owner in one.found]}
            for one in verdict.standbys
        },
    }
