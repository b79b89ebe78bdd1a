"""Documents of a Kafka Streams group or of a plain consumer group, whichever it is: a document says so itself."""

from holdfast.rollout import codec
from holdfast.rollout.change import Change
from holdfast.rollout.codec import plan as codec_plan
from holdfast.rollout.codec.consumer_change import consumer_change_from_json, consumer_change_to_json
from holdfast.rollout.codec.consumer_plan import consumer_plan_from_json, consumer_plan_to_json, is_consumer_plan
from holdfast.rollout.codec.consumer_snapshot import consumer_snapshot_from_json, consumer_snapshot_to_json, is_consumer_classic
from holdfast.rollout.codec.consumer_verdict import consumer_verdict_to_json
from holdfast.rollout.consumer.change import ConsumerChange
from holdfast.rollout.consumer.events import VERBS
from holdfast.rollout.consumer.plan import ConsumerPlan
from holdfast.rollout.consumer.verify import ConsumerVerdict
from holdfast.rollout.consumer_snapshot import ConsumerSnapshot
from holdfast.rollout.plan_value import Plan
from holdfast.rollout.snapshot import Snapshot
from holdfast.rollout.verify import Verdict

AnySnapshot = Snapshot | ConsumerSnapshot
AnyChange = Change | ConsumerChange
AnyPlan = Plan | ConsumerPlan
AnyVerdict = Verdict | ConsumerVerdict


def snapshot_from_json(value: object) -> AnySnapshot:
    """Raise InvalidInput, or Unsupported for a format version or a protocol that is not modelled."""
    return consumer_snapshot_from_json(value) if is_consumer_classic(value) else codec.snapshot_from_json(value)


def snapshot_to_json(snapshot: AnySnapshot) -> dict[str, object]:
    return consumer_snapshot_to_json(snapshot) if isinstance(snapshot, ConsumerSnapshot) else codec.snapshot_to_json(snapshot)


def is_consumer_change(value: object) -> bool:
    """Whether a Change has an event that only plain consumer groups know. One without events fits both kinds."""
    events = value.get("events") if isinstance(value, dict) else None
    verbs = frozenset(VERBS.values())
    return isinstance(events, list) and any(not verbs.isdisjoint(event) for event in events if isinstance(event, dict))


def change_from_json(value: object, *, plain: bool) -> AnyChange:
    """A Change to a group of that kind. Raise InvalidInput, also for an event of the other kind."""
    return consumer_change_from_json(value) if plain else codec.change_from_json(value)


def change_to_json(change: AnyChange) -> dict[str, object]:
    return consumer_change_to_json(change) if isinstance(change, ConsumerChange) else codec.change_to_json(change)


def plan_from_json(value: object) -> AnyPlan:
    """Raise InvalidInput for what is no plan any more, Unsupported for another major version."""
    return consumer_plan_from_json(value) if is_consumer_plan(value) else codec_plan.plan_from_json(value)


def plan_to_json(plan: AnyPlan) -> dict[str, object]:
    return consumer_plan_to_json(plan) if isinstance(plan, ConsumerPlan) else codec_plan.plan_to_json(plan)


def verdict_to_json(verdict: AnyVerdict) -> dict[str, object]:
    return consumer_verdict_to_json(verdict) if isinstance(verdict, ConsumerVerdict) else codec_plan.verdict_to_json(verdict)
