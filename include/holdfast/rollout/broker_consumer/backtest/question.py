"""A recorded target as a question with a known answer: all that the coordinator's decision depended on, complete in itself."""

from holdfast.kafka.coordinator.consumer.group import Assignor
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.snapshot.snapshot import OWNED, PROTOCOL
from holdfast.rollout.json.codec import BOOLEAN, INSTANT, NAME, TEXT, TEXTS, either, integer, items, nullable
from holdfast.rollout.json.consumed_topics import SUBSCRIPTION
from holdfast.rollout.json.kafka_codecs import TOPIC_ID
from holdfast.rollout.json.record import codec_of, key, keyed, member, record

MOST_PARTITIONS = 1_000_000
"""Of one topic."""
_EPOCH = integer(0, 2**31 - 1)
_COUNT = integer(0, MOST_PARTITIONS)
Partitions = tuple[TopicPartition, ...]


@record
class PastConsumer:
    """A member when the target was computed. `given`: the recorded decision; `target`: its target before, in the order of its
    record. `order_known`: its metadata was written once, when it joined."""

    member_id: str = key(NAME)
    given: Partitions = member(OWNED)
    target: Partitions = member(OWNED, default=(), omit=True)
    subscription: tuple[str, ...] = member(SUBSCRIPTION, default=(), omit=True)
    regex: str | None = member(nullable(TEXT), default=None, omit=True)
    instance_id: str | None = member(nullable(NAME), default=None, omit=True)
    order_known: bool = member(BOOLEAN, default=True, omit=True)


@record
class PastTopic:
    """`partitions`: how many, as the recorded target shows them."""

    name: str = key(NAME)
    id: int = member(TOPIC_ID)
    partitions: int = member(_COUNT)


@record
class PastExpression:
    """A regular expression of members, and the topics that it matched."""

    regex: str = key(NAME)
    topics: tuple[str, ...] = member(TEXTS)


@record(version="1.0", about="One recorded target of a consumer group, and what its coordinator's decision depended on.")
class ConsumerTargetQuestion:
    """`releases`: one of each line of releases that the coordinator may have run. `assignors`: each that is tried; one where most
    members asked for it. `members`: in the order in which they joined; `newcomer`: the last of them, if its own first heartbeat
    computed the target. `returned`: where the last of them took the place of another since the target before, how many the
    assignor's map has at once if that heartbeat computed it. `most_members`: how many there were at once, by the records.
    `names_known`: whether the records say which name is which topic ID's; else any may be."""

    releases: tuple[str, ...] = member(TEXTS)
    epoch: int = member(_EPOCH)
    computed_at: str = member(INSTANT)
    assignors: tuple[Assignor, ...] = member(items(either(Assignor)))
    topics: tuple[PastTopic, ...] = member(keyed(codec_of(PastTopic)))
    members: tuple[PastConsumer, ...] = member(keyed(codec_of(PastConsumer)))
    expressions: tuple[PastExpression, ...] = member(keyed(codec_of(PastExpression)), default=(), omit=True)
    newcomer: bool = member(BOOLEAN, default=False)
    returned: int = member(_COUNT, default=0, omit=True)
    most_members: int = member(_EPOCH, default=0)
    names_known: bool = member(BOOLEAN, default=True, omit=True)
    protocol: str = member(NAME, default=PROTOCOL)
