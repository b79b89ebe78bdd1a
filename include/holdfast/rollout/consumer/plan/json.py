"""The JSON of a Plan for a consumer group, and the fingerprint of its snapshot.

Reading is strict, and `plan_id` must be the digest of the rest: an edited plan is refused.
"""

from dataclasses import replace

from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_to_json
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL, ConsumerSnapshot
from holdfast.rollout.contract.plan_ids import PlanDocument
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.json.record import codec_of

PLAN = codec_of(ConsumerPlan)
_DOCUMENT = PlanDocument(PLAN)
with_id = _DOCUMENT.with_id
consumer_plan_to_json = _DOCUMENT.write
consumer_plan_from_json = _DOCUMENT.read


def relied_on(snapshot: ConsumerSnapshot) -> dict[str, object]:
    """What a plan goes by: members, what they own, topics. Not offsets, times, hosts and who leads, which forecasts are for."""
    topics = tuple(
        replace(topic, partitions=tuple(ConsumedPartition(one.replica_racks) for one in topic.partitions))
        for topic in snapshot.topics
    )
    members = tuple(replace(one, host=None, owned=tuple(sorted(one.owned)), owned_generation=None) for one in snapshot.members)
    kept = replace(
        snapshot,
        captured_at=None,
        group_state=None,
        generation=None,
        leader_member_id=None,
        members=members,
        topics=topics,
        unknown=(),
        assigned=None,
    )
    return consumer_snapshot_to_json(kept)


def is_consumer_plan(value: object) -> bool:
    """Whether a document says that it is a plan for a consumer group."""
    return isinstance(value, dict) and "plan_id" in value and value.get("protocol") == PROTOCOL
