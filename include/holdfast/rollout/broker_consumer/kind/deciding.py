"""What decides the target of a consumer group whose broker assigns."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_consumer.snapshot.snapshot import PROTOCOL, SNAPSHOT, TEXTS, BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.target.target import ASSIGNMENT, decide
from holdfast.rollout.group.deciding import Decider, Row, Settings
from holdfast.rollout.json.codec import Codec


class BrokerConsumerDecider(Decider[BrokerConsumerSnapshot]):
    protocol: ClassVar[str] = PROTOCOL
    contracts: ClassVar[Mapping[str, Codec[Any]]] = {
        "consumer-group-snapshot": SNAPSHOT,
        "consumer-group-assignment": ASSIGNMENT,
    }

    def snapshot_from_json(self, document: object) -> BrokerConsumerSnapshot:
        return SNAPSHOT.read(document)

    def snapshot_to_json(self, snapshot: BrokerConsumerSnapshot) -> Row:
        return SNAPSHOT.write(snapshot)

    def snapshot_at_once(self, text: str | bytes, most_memory: int) -> BrokerConsumerSnapshot | object:
        return TEXTS.at_once(text, most_memory)

    def assign(self, snapshot: BrokerConsumerSnapshot, release: str | None, settings: Settings) -> Row:
        if settings:
            raise InvalidInput(f"--set {settings[0][0]!r}: no setting affects the assignment of a consumer group; leave it out")
        return ASSIGNMENT.write(decide(replace(snapshot, broker_release=release or snapshot.broker_release)))


DECIDER = BrokerConsumerDecider()
"""What the group's coordinator decides: the target assignment."""
