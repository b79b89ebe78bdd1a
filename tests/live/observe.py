"""What the live tests see of a group, through the product's own eyes: its snapshots and its completed generations."""

import uuid
from collections.abc import Sequence
from pathlib import Path

from tests.harness.kafka.streams_app import Application

from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.broker.kafka_cluster import KafkaCluster
from holdfast.adapters.broker.session import KafkaSession
from holdfast.adapters.deadline import Deadline
from holdfast.cli.commands import snapshot as snapshot_command
from holdfast.kafka.vocabulary import ProcessId
from holdfast.kafka.wire import consumer_protocol, subscription_info
from holdfast.rollout.json.strict import loads
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember, Snapshot

_READ_TIMEOUT_S = 300


def process_id(member: GenerationMember) -> ProcessId:
    """The process that a member of a generation belongs to."""
    envelope = consumer_protocol.decode_subscription(member.subscription)
    info = subscription_info.decode(envelope.user_data or b"")
    assert isinstance(info, subscription_info.SubscriptionInfo), "no release under test is newer than Holdfast"
    return info.process_id


def generations(bootstrap: str, group_id: str) -> tuple[Generation, ...]:
    """All completed rebalances of the group, oldest first."""
    with KafkaSession(ClusterConnection.of(bootstrap), Deadline(_READ_TIMEOUT_S)) as session:
        found, unknown = KafkaCluster(session).generations(group_id)
    assert not unknown, unknown
    return found


def state(application: Application) -> str:
    """What the broker calls the state of the group."""
    with KafkaSession(ClusterConnection.of(application.bootstrap), Deadline(_READ_TIMEOUT_S)) as session:
        return KafkaCluster(session).group(application.application_id).state


def snapshot(application: Application, state_directories: Sequence[Path], folder: Path, topology: Path | None = None) -> Snapshot:
    """`holdfast snapshot` as an operator runs it, with the application's own properties file."""
    properties = folder / "application.properties"
    properties.write_text("".join(f"{key}={value}\n" for key, value in application.settings.items()), encoding="utf-8")
    given = ["--bootstrap-server", application.bootstrap, "--group", application.application_id]
    given += ["--kafka-release", application.release, "--app-config", str(properties)]
    given += [] if topology is None else ["--topology", str(topology)]
    for directory in state_directories:
        given += ["--state-dir", str(directory)]
    return snapshot_of(given, folder)


def snapshot_of(given: Sequence[str], folder: Path) -> Snapshot:
    """What `holdfast snapshot` writes with these arguments. In this process, from whichever thread: it prints nothing."""
    output = folder / f"snapshot-{uuid.uuid4()}.json"
    more = ["--timeout", str(_READ_TIMEOUT_S), "--output", str(output)]
    assert snapshot_command.command.main([*given, *more], standalone_mode=False) == 0
    return snapshot_from_json(loads(output.read_text(encoding="utf-8")))
