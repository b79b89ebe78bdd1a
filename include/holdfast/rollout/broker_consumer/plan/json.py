"""The JSON of a Plan for a consumer group whose broker assigns, and the fingerprint of its snapshot.

Reading is strict, and `plan_id` must be the digest of the rest: an edited plan is refused.
"""

from dataclasses import replace

from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import PROTOCOL, SNAPSHOT, BrokerConsumedTopic, BrokerConsumerSnapshot
from holdfast.rollout.contract.plan_ids import PlanDocument
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.json.record import codec_of

PLAN = codec_of(GroupPlan)
_DOCUMENT = PlanDocument(PLAN)
with_id = _DOCUMENT.with_id
group_plan_to_json = _DOCUMENT.write
group_plan_from_json = _DOCUMENT.read


def basis_of(snapshot: BrokerConsumerSnapshot) -> BrokerConsumerSnapshot:
    """What a plan remembers of the group: not offsets, and not what could not be read, which the options name."""
    return replace(snapshot, topics=_without_offsets(snapshot), unknown=())


def relied_on(snapshot: BrokerConsumerSnapshot) -> dict[str, object]:
    """What a plan goes by: members, what they have and are to have, the assignor, configs and topics. Not times, hosts, offsets and
    epochs."""
    members = tuple(replace(one, client_id="", host=None, member_epoch=None) for one in snapshot.members)
    kept = replace(
        snapshot,
        captured_at=None,
        group_state=None,
        group_epoch=None,
        assignment_epoch=None,
        members=members,
        topics=_without_offsets(snapshot),
        unknown=(),
    )
    return SNAPSHOT.write(kept)


def _without_offsets(snapshot: BrokerConsumerSnapshot) -> tuple[BrokerConsumedTopic, ...]:
    return tuple(
        replace(topic, partitions=tuple(ConsumedPartition(one.replica_racks) for one in topic.partitions))
        for topic in snapshot.topics
    )


def is_group_plan(value: object) -> bool:
    """Whether a document says that it is a plan for a consumer group whose broker assigns."""
    return isinstance(value, dict) and "plan_id" in value and value.get("protocol") == PROTOCOL
