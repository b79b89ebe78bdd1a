"""What decides the assignment of a Kafka Streams group whose leader assigns."""

from dataclasses import replace
from typing import ClassVar

from holdfast.kafka.streams.group import Assignment, LeaderFailure
from holdfast.rollout.group.deciding import Decider, Row, Settings
from holdfast.rollout.streams.forecast import assignment_json, assignment_text, decision
from holdfast.rollout.streams.snapshot import json as snapshot_json
from holdfast.rollout.streams.snapshot.snapshot import PROTOCOL, Snapshot


class StreamsDecider(Decider[Snapshot]):
    protocol: ClassVar[str] = PROTOCOL

    def snapshot_from_json(self, document: object) -> Snapshot:
        return snapshot_json.snapshot_from_json(document)

    def snapshot_to_json(self, snapshot: Snapshot) -> Row:
        return snapshot_json.snapshot_to_json(snapshot)

    def snapshot_at_once(self, text: str | bytes, most_memory: int) -> Snapshot | object:
        return snapshot_json.TEXTS.at_once(text, most_memory)

    def assign(self, snapshot: Snapshot, release: str | None, settings: Settings) -> Row:
        return assignment_json.assignment_to_json(_decided(snapshot, release, settings))

    def assign_text(self, snapshot: Snapshot, release: str | None, settings: Settings) -> str:
        return assignment_text.assignment_to_text(_decided(snapshot, release, settings))


def _decided(snapshot: Snapshot, release: str | None, settings: Settings) -> Assignment | LeaderFailure:
    given = snapshot.with_config(settings)
    return decision.decide(given if release is None else replace(given, kafka_release=release))


DECIDER = StreamsDecider()
