"""Classic groups to be compared: consumers as `range` assigns them, and Streams clients settled by the model."""

from dataclasses import replace

from tests.harness import groups_at_rest

from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic, ConsumerSnapshot
from holdfast.rollout.json.consumed_topics import ConsumedPartition


def consumers(count: int = 6, partitions: int = 48, assignor: Assignor = Assignor.RANGE, **config: object) -> ConsumerSnapshot:
    """Each on a host of its own."""
    found = groups_at_rest.consumers(
        count=count, assignor=assignor, config={key.replace("_", "."): str(config[key]) for key in config}
    )
    owned = [
        tuple(TopicPartition("in", number) for number in range(partitions) if number * count // partitions == which)
        for which in range(count)
    ]
    return replace(
        found,
        members=tuple(replace(one, owned=owned[which]) for which, one in enumerate(found.members)),
        topics=(ConsumedTopic("in", tuple(ConsumedPartition((None,), 0, 10, 10) for _ in range(partitions))),),
    )
