"""The JSON of a Snapshot, format 1.x: unknown fields are ignored, everything else is checked."""

from holdfast.rollout.json.fast_reader import TextReader
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

SNAPSHOT = codec_of(Snapshot)
TEXTS = TextReader(SNAPSHOT)


def snapshot_from_json(document: object) -> Snapshot:
    """Raise InvalidInput, or Unsupported for a format version, a protocol or a named topology that is not modelled."""
    return SNAPSHOT.read(document)


def snapshot_to_json(snapshot: Snapshot) -> dict[str, object]:
    """The canonical form. Clients and consumers keep their order, the group's member list; tasks and settings are sorted."""
    return SNAPSHOT.write(snapshot)
