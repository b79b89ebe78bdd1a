"""The JSON of a Verdict on a consumer group's plan: that of Kafka Streams, with partitions instead of tasks."""

from holdfast.rollout.consumer.execution.verify import ConsumerVerdict
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL
from holdfast.rollout.execution.verdict_json import VERDICT_VERSION, steps_shown
from holdfast.rollout.facts.differences import DIFFERENCES


def consumer_verdict_to_json(verdict: ConsumerVerdict) -> dict[str, object]:
    agreeing = sum(one.agrees for one in verdict.partitions)
    return {
        "format_version": VERDICT_VERSION,
        "plan_id": verdict.plan_id,
        "protocol": PROTOCOL,
        "cluster": verdict.cluster,
        "group_id": verdict.group_id,
        "observed_at": verdict.observed_at,
        "result": verdict.result.value,
        "score": {"partitions_as_forecast": agreeing, "partitions": len(verdict.partitions)},
        "steps": steps_shown(verdict.steps),
        "rebalances": {"expected": list(verdict.rebalances_expected), "found": verdict.rebalances},
        "differences": list(verdict.differences),
        "facts": DIFFERENCES.write(verdict.facts),
        "partitions": {
            f"{one.partition.topic}-{one.partition.partition}": {"expected": one.expected, "found": one.found}
            for one in verdict.partitions
        },
    }
