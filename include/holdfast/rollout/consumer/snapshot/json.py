"""The JSON of a consumer group's Snapshot (`consumer-classic`), format 1.x: unknown fields are ignored."""

from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.json.fast_reader import TextReader
from holdfast.rollout.json.record import codec_of

SNAPSHOT = codec_of(ConsumerSnapshot)
TEXTS = TextReader(SNAPSHOT)


def consumer_snapshot_from_json(document: object) -> ConsumerSnapshot:
    """Raise InvalidInput, or Unsupported for a format version or an assignor that is not modelled."""
    return SNAPSHOT.read(document)


def consumer_snapshot_to_json(snapshot: ConsumerSnapshot) -> dict[str, object]:
    """The canonical form. Consumers and what they own keep their order."""
    return SNAPSHOT.write(snapshot)
