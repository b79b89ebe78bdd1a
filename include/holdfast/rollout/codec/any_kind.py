"""Documents of a Kafka Streams group or of a plain consumer group, whichever it is: a document says so itself."""

from holdfast.rollout import codec
from holdfast.rollout.codec.consumer_snapshot import consumer_snapshot_from_json, consumer_snapshot_to_json, is_consumer_classic
from holdfast.rollout.consumer_snapshot import ConsumerSnapshot
from holdfast.rollout.snapshot import Snapshot

AnySnapshot = Snapshot | ConsumerSnapshot


def snapshot_from_json(value: object) -> AnySnapshot:
    """Raise InvalidInput, or Unsupported for a format version or a protocol that is not modelled."""
    return consumer_snapshot_from_json(value) if is_consumer_classic(value) else codec.snapshot_from_json(value)


def snapshot_to_json(snapshot: AnySnapshot) -> dict[str, object]:
    return consumer_snapshot_to_json(snapshot) if isinstance(snapshot, ConsumerSnapshot) else codec.snapshot_to_json(snapshot)
