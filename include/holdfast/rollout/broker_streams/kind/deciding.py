"""What decides the target of a Kafka Streams group whose broker assigns."""

from typing import ClassVar

from holdfast.rollout.broker_streams.snapshot.snapshot import PROTOCOL, SNAPSHOT, TEXTS, StreamsGroupSnapshot
from holdfast.rollout.broker_streams.target.target import ASSIGNMENT, decide, with_settings
from holdfast.rollout.group.deciding import Decider, Row, Settings


class BrokerStreamsDecider(Decider[StreamsGroupSnapshot]):
    protocol: ClassVar[str] = PROTOCOL

    def snapshot_from_json(self, document: object) -> StreamsGroupSnapshot:
        return SNAPSHOT.read(document)

    def snapshot_to_json(self, snapshot: StreamsGroupSnapshot) -> Row:
        return SNAPSHOT.write(snapshot)

    def snapshot_at_once(self, text: str | bytes, most_memory: int) -> StreamsGroupSnapshot | object:
        return TEXTS.at_once(text, most_memory)

    def assign(self, snapshot: StreamsGroupSnapshot, release: str | None, settings: Settings) -> Row:
        return ASSIGNMENT.write(decide(with_settings(snapshot, release, settings)))


DECIDER = BrokerStreamsDecider()
