"""What brokers are asked about consumer groups whose coordinator assigns (KIP-848)."""

from holdfast.adapters.broker.describing import Describing
from holdfast.adapters.broker.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from holdfast.kafka.wire import consumer_group_description as wire
from holdfast.kafka.wire.consumer_group_description import DescribedConsumerGroup
from holdfast.ports import ObservedGroup


def observed(group: DescribedConsumerGroup, metadata_version: int | None) -> ObservedGroup:
    return ObservedGroup(
        group.group_id, group.state, "consumer", group.assignor, (), described_consumers=group, metadata_version=metadata_version
    )


CONSUMERS = Describing(
    ConsumerGroupDescribeRequest,
    wire.decode_response,
    "the coordinator describes such a consumer group only to users with DESCRIBE on all topics that its members have or are to"
    " have",
    observed,
)
"""Brokers describe such groups from 4.0 on."""
