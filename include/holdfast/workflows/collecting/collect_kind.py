"""The kind of a group, and the collection for it: Kafka Streams, or consumer groups."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.ports import ClusterReader, StateDirectoryReader
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.group_state import REBALANCING
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores
from holdfast.workflows.collecting import collect, collect_plain, plain_settings, settings
from holdfast.workflows.collecting.collect import Patience


@dataclass(frozen=True, slots=True)
class Given:
    """What the operator says of a group before anybody knows its kind: release, the application's properties, single settings that
    win over them, and what cannot be told of changelogs."""

    kafka_release: str | None
    application: Mapping[str, str]
    overrides: Mapping[str, ConfigValue]
    changelogs: tuple[str, ...] = ()
    stores: str | None = None
    """Where the application keeps its state: persistent, in-memory or mixed."""


def refuse_what_fits_no_kind(group_id: str, given: Given) -> None:
    """Raise, before anything is asked of a cluster, what is wrong with `given` for every kind of group: as for Kafka Streams."""
    try:
        settings.read(group_id, given.kafka_release, given.application, given.overrides, given.changelogs)
    except HoldfastError:
        try:
            plain_settings.read(group_id, given.kafka_release, given.application, given.overrides)
        except HoldfastError:
            fits_plain = False
        else:
            fits_plain = not given.changelogs
        if not fits_plain:
            raise


def _stores(said: str | None) -> Stores | None:
    if said is not None and said not in tuple(Stores):
        raise InvalidInput(f"{said!r} is none of {', '.join(Stores)}", "--stores")
    return None if said is None else Stores(said)


def snapshot(
    cluster: ClusterReader,
    disks: StateDirectoryReader,
    *,
    cluster_name: str | None,
    group_id: str,
    state_dirs: tuple[str, ...],
    given: Given,
    patience: Patience,
    now: Callable[[], datetime],
) -> Snapshot | ConsumerSnapshot:
    """Raise InvalidInput for what is given and means nothing for the group's kind."""
    group = collect.settled_group(cluster, group_id, patience, moving=lambda seen: seen.state in REBALANCING)
    if not collect_plain.is_plain(group):
        about = settings.read(group_id, given.kafka_release, given.application, given.overrides, given.changelogs)
        return collect.snapshot(
            cluster,
            disks,
            cluster_name=cluster_name,
            group_id=group_id,
            state_dirs=state_dirs,
            settings=replace(about, stores=_stores(given.stores)),
            patience=patience,
            now=now,
            seen=group,
        )
    for option, value in (("--state-dir", state_dirs), ("--changelog", given.changelogs), ("--stores", given.stores)):
        if value:
            raise InvalidInput(f"{group_id!r} is a consumer group without state: leave it out", option)
    plain = plain_settings.read(group_id, given.kafka_release, given.application, given.overrides)
    return collect_plain.snapshot(
        cluster, cluster_name=cluster_name, group_id=group_id, settings=plain, patience=patience, now=now, seen=group
    )
