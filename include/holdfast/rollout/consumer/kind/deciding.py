"""What decides the assignment of a consumer group."""

from dataclasses import replace
from typing import ClassVar

from holdfast.errors import InvalidInput
from holdfast.rollout.consumer.forecast import assignment_json, decision
from holdfast.rollout.consumer.snapshot import json as snapshot_json
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL, ConsumerSnapshot
from holdfast.rollout.group.deciding import Decider, Row, Settings


class ConsumerDecider(Decider[ConsumerSnapshot]):
    protocol: ClassVar[str] = PROTOCOL

    def snapshot_from_json(self, document: object) -> ConsumerSnapshot:
        return snapshot_json.consumer_snapshot_from_json(document)

    def snapshot_to_json(self, snapshot: ConsumerSnapshot) -> Row:
        return snapshot_json.consumer_snapshot_to_json(snapshot)

    def snapshot_at_once(self, text: str | bytes, most_memory: int) -> ConsumerSnapshot | object:
        return snapshot_json.TEXTS.at_once(text, most_memory)

    def assign(self, snapshot: ConsumerSnapshot, release: str | None, settings: Settings) -> Row:
        if settings:
            raise InvalidInput(f"--set {settings[0][0]!r}: no setting affects the assignment of a consumer group; leave it out")
        given = replace(snapshot, kafka_release=release or snapshot.kafka_release)
        return assignment_json.consumer_assignment_to_json(decision.decide(given))


DECIDER = ConsumerDecider()
