"""Documents of a Kafka Streams group or of a plain consumer group, whichever it is: a document says so itself."""

from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.change.events import VERBS
from holdfast.rollout.consumer.change.json import consumer_change_from_json, consumer_change_to_json
from holdfast.rollout.consumer.execution.json import consumer_verdict_to_json
from holdfast.rollout.consumer.execution.verify import ConsumerVerdict
from holdfast.rollout.consumer.plan.json import consumer_plan_from_json, consumer_plan_to_json, is_consumer_plan
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json, consumer_snapshot_to_json, is_consumer_classic
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.streams.change import json as change_json
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.execution import json as execution_json
from holdfast.rollout.streams.execution.verify import Verdict
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot import json as snapshot_json
from holdfast.rollout.streams.snapshot import json_writing as snapshot_json_writing
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

AnySnapshot = Snapshot | ConsumerSnapshot
AnyChange = Change | ConsumerChange
AnyPlan = Plan | ConsumerPlan
AnyVerdict = Verdict | ConsumerVerdict


def snapshot_from_json(value: object) -> AnySnapshot:
    """Raise InvalidInput, or Unsupported for a format version or a protocol that is not modelled."""
    return consumer_snapshot_from_json(value) if is_consumer_classic(value) else snapshot_json.snapshot_from_json(value)


def snapshot_to_json(snapshot: AnySnapshot) -> dict[str, object]:
    return (
        consumer_snapshot_to_json(snapshot)
        if isinstance(snapshot, ConsumerSnapshot)
        else snapshot_json_writing.snapshot_to_json(snapshot)
    )


def is_consumer_change(value: object) -> bool:
    """Whether a Change has an event that only plain consumer groups know. One without events fits both kinds."""
    events = value.get("events") if isinstance(value, dict) else None
    verbs = frozenset(VERBS.values())
    return isinstance(events, list) and any(not verbs.isdisjoint(event) for event in events if isinstance(event, dict))


def change_from_json(value: object, *, plain: bool) -> AnyChange:
    """A Change to a group of that kind. Raise InvalidInput, also for an event of the other kind."""
    return consumer_change_from_json(value) if plain else change_json.change_from_json(value)


def change_to_json(change: AnyChange) -> dict[str, object]:
    return consumer_change_to_json(change) if isinstance(change, ConsumerChange) else change_json.change_to_json(change)


def plan_from_json(value: object) -> AnyPlan:
    """Raise InvalidInput for what is no plan any more, Unsupported for another major version."""
    return consumer_plan_from_json(value) if is_consumer_plan(value) else plan_json.plan_from_json(value)


def plan_to_json(plan: AnyPlan) -> dict[str, object]:
    return consumer_plan_to_json(plan) if isinstance(plan, ConsumerPlan) else plan_json.plan_to_json(plan)


def verdict_to_json(verdict: AnyVerdict) -> dict[str, object]:
    return consumer_verdict_to_json(verdict) if isinstance(verdict, ConsumerVerdict) else execution_json.verdict_to_json(verdict)
