"""From a Snapshot to the `Group` that the model of the leader takes; and what to do if the Kafka release is unknown."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka import release as kafka_release
from holdfast.kafka.streams import config
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.group import Group
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.snapshot.churn import refuse_unsettled
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

_SHOWN = 10


def group_of(snapshot: Snapshot, release: str | None = None, *, newer_members: bool = False) -> Group:
    """What the leader would see now. `release` overrides the Snapshot's. `newer_members`: also where it cannot read some of them.

    Raise CannotPredict where the evidence is missing, InvalidInput for settings that Kafka would refuse, Unsupported for a release,
    an assignor or a metadata version that is not modelled.
    """
    chosen = release or snapshot.kafka_release
    if chosen is None:
        fitting = ", ".join(fitting_releases(snapshot))
        raise CannotPredict(f"The Kafka Streams release is unknown. Give it; by the members' metadata it may be {fitting}.")
    _refuse_missing_evidence(snapshot)
    if not newer_members:
        _refuse_newer_members(snapshot, chosen)
    return Group(
        release=chosen,
        config=settings_of(snapshot, chosen),
        tasks=snapshot.tasks,
        clients=snapshot.clients,
        leader_process_id=snapshot.leader_process_id,
        replica_racks=_replica_racks(snapshot),
        missing_topics=snapshot.missing_topics,
    )


def _replica_racks(snapshot: Snapshot) -> tuple[tuple[TopicPartition, tuple[str | None, ...]], ...]:
    """The racks of the replicas; partitions without them are left out."""
    return tuple(
        (TopicPartition(topic.name, partition.id), partition.replica_racks)
        for topic in snapshot.topics
        for partition in topic.partitions
        if partition.replica_racks
    )


def settings_of(snapshot: Snapshot, release: str) -> AssignorConfig:
    """The leader's settings, read as that release reads them."""
    read = _settings if len(snapshot.config) <= _KEPT else _settings.__wrapped__
    return read(release, snapshot.config, snapshot.task_assignor, tuple([type(value) for _, value in snapshot.config]))


_KEPT = 32
"""Of this number of groups as many settings each, of up to 32 KiB, are kept: most groups have the same, rebalance by rebalance."""


@lru_cache(maxsize=_KEPT)
def _settings(
    release: str,
    settings: tuple[tuple[str, ConfigValue], ...],
    task_assignor: str | None,
    _types: tuple[type, ...],  # 1, 1.0 and true are equal, and Kafka does not take one for the other
) -> AssignorConfig:
    properties: dict[str, ConfigValue] = dict(settings)
    return config.read(release, properties, task_assignor)


def transactional(snapshot: Snapshot) -> bool:
    """Whether the application runs with exactly-once, according to its settings."""
    return str(dict(snapshot.config).get("processing.guarantee", "")).startswith("exactly_once")


def any_group_of(snapshot: Snapshot) -> Group:
    """The same, for questions that no release answers differently: without a release, the newest that fits."""
    return group_of(of_a_release(snapshot))


def of_a_release(snapshot: Snapshot) -> Snapshot:
    """The same group; without a release, with the newest that fits. Raise Unsupported where none does."""
    return snapshot if snapshot.kafka_release is not None else with_release(snapshot, fitting_releases(snapshot)[-1])


def releases_of(snapshot: Snapshot) -> tuple[str, ...]:
    """The release of the Snapshot, or one of each line of releases that it may be."""
    return (snapshot.kafka_release,) if snapshot.kafka_release is not None else fitting_releases(snapshot)


def fitting_releases(snapshot: Snapshot) -> tuple[str, ...]:
    """The newest release of every line of releases whose members write the metadata version that was seen, oldest first."""
    seen = _metadata_version(snapshot)
    fitting = tuple(line.releases[-1] for line in kafka_release.LINES if seen is None or line.metadata_version == seen)
    if fitting:
        return fitting
    known = ", ".join(str(version) for version in dict.fromkeys(line.metadata_version for line in kafka_release.LINES))
    raise Unsupported(f"The members' metadata version is {seen}; no covered release has it (they have {known}).")


def mixed_releases(snapshot: Snapshot) -> tuple[Unknown, ...]:
    """That members write several metadata versions: several releases run, and the leader's decides a rebalance."""
    versions = sorted({one.metadata_version for one in snapshot.consumers() if one.metadata_version is not None})
    if len(versions) < 2:
        return ()
    shown = " and ".join(f"{version} ({_releases_that_write(version)})" for version in versions)
    return (
        Unknown(
            "kafka_release",
            f"members write metadata versions {shown}: several releases run in this group, and each rebalance uses that of"
            " its leader. A forecast is for one release: finish the upgrade, and take a new snapshot",
        ),
    )


def _releases_that_write(version: int) -> str:
    found = [release for line in kafka_release.LINES if line.metadata_version == version for release in line.releases]
    return "not covered" if not found else found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def _metadata_version(snapshot: Snapshot) -> int | None:
    """The newest metadata version among the members; None: unknown."""
    versions = [consumer.metadata_version for consumer in snapshot.consumers() if consumer.metadata_version is not None]
    if not versions:
        versions = [one.last_join.metadata_version for one in snapshot.evidence if one.last_join.metadata_version is not None]
    return max(versions, default=None)


def _refuse_missing_evidence(snapshot: Snapshot) -> None:
    refuse_unsettled(snapshot)
    without = [str(task.id) for task in snapshot.tasks if task.changelogs is None]
    if without:
        raise CannotPredict(
            f"It is unknown whether {_some(without)} keep state (their changelogs are null). Give a state directory or the"
            " changelog topics. (A task with an empty list of changelogs is stateless.)"
        )


def _refuse_newer_members(snapshot: Snapshot, release: str) -> None:
    newest = kafka_release.behaviour(release).metadata_version
    for consumer in snapshot.consumers():
        if consumer.metadata_version is not None and consumer.metadata_version > newest:
            raise CannotPredict(
                f"Member {consumer.member_id!r} writes metadata version {consumer.metadata_version}; a leader of Kafka {release}"
                f" reads up to {newest}. What they do after one decision is not modelled: give the release of the newest member."
            )


def _some(names: Iterable[str]) -> str:
    found = tuple(names)
    shown = ", ".join(found[:_SHOWN])
    return f"the tasks {shown}" if len(found) <= _SHOWN else f"the tasks {shown} and {len(found) - _SHOWN} more"


def with_release(snapshot: Snapshot, release: str) -> Snapshot:
    """The same group with this release."""
    return replace(snapshot, kafka_release=release)
