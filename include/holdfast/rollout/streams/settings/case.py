"""A classic Streams group as the doctor of settings sees it: its facts from the Snapshot, its settings from the application too."""

from collections.abc import Mapping

from holdfast.errors import InvalidInput
from holdfast.kafka.clients import configs as client_configs
from holdfast.kafka.clients.configs import Client
from holdfast.kafka.streams import config_check
from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.kafka.streams.group import Client as GroupClient
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.case import Case
from holdfast.rollout.settings.given_settings import settings_of
from holdfast.rollout.settings.subject import Member, Settings, Subject, TopicSeen
from holdfast.rollout.settings.vocabulary import Kind
from holdfast.rollout.streams.settings.prices import Pricing
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores
from holdfast.rollout.streams.snapshot.stores import keeps_ids, stores_of

_OF_THE_CONSUMER = ("session.timeout.ms", "heartbeat.interval.ms")
"""What a forecast takes of the members' own settings."""
_ASSIGNOR = "internal.task.assignor.class"
"""Internal to Streams: ConfigDef does not have it."""


def case_of(snapshot: Snapshot, properties: Mapping[str, str] | None, policy: Policy) -> Case:
    """`properties` None: those of the application were not given, and only what the Snapshot has is known."""
    settings, differs = settings_of(snapshot.config, properties, snapshot.kafka_release)
    observed = _session_ms(snapshot)
    effective = snapshot.with_config(tuple(_effective(snapshot, settings, observed).items()))
    return Case(
        snapshot.group_id,
        _subject(effective, settings, observed, policy),
        Pricing(snapshot, effective, policy).figures,
        differs,
    )


def _effective(snapshot: Snapshot, settings: Settings, observed: int | None) -> dict[str, ConfigValue]:
    """What a forecast of the group is to take: settings of Streams that Kafka would take, and those of its members."""
    release, given = settings.read_as, settings.properties
    found: dict[str, ConfigValue] = {}
    for key, value in given.items():
        if config_check.has(release, key) and not config_check.is_secret(key):
            try:
                found[key] = config_check.value_of(release, key, {key: value})
            except InvalidInput:
                found[key] = dict(snapshot.config).get(key)
    if _ASSIGNOR in given:
        found[_ASSIGNOR] = given[_ASSIGNOR]
    for key in _OF_THE_CONSUMER:
        configured = client_configs.of(release, Client.MAIN, key, given)
        if configured is not None and configured.given_as is not None and configured.value is not None:
            found[key] = configured.value
    if observed is not None:
        found.setdefault(_OF_THE_CONSUMER[0], observed)
    return {key: value for key, value in found.items() if value is not None}


def _subject(snapshot: Snapshot, settings: Settings, observed: int | None, policy: Policy) -> Subject:
    stateful = [task for task in snapshot.tasks if task.stateful]
    racks = {rack for topic in snapshot.topics for one in topic.partitions for rack in one.replica_racks if rack is not None}
    return Subject(
        kind=Kind.CLASSIC,
        settings=settings,
        members=tuple(_member(client) for client in snapshot.clients),
        policy=policy,
        tasks=len(snapshot.tasks),
        logs=tuple(task.end_offset_sum or 0 for task in stateful),
        changelogs_of_a_task=max((len(task.changelogs or ()) for task in stateful), default=0),
        topics=tuple(
            TopicSeen(
                topic.name,
                min((len(one.replica_racks) for one in topic.partitions if one.replica_racks), default=None),
                topic.name.startswith(f"{snapshot.group_id}-"),
                topic.name.endswith("-changelog"),
            )
            for topic in snapshot.topics
        ),
        broker_racks=frozenset(racks) or None,
        disks=tuple(one.url for one in snapshot.state_directories),
        session_ms=observed,
        keeps_ids=keeps_ids(snapshot),
        stores_in_memory=stores_of(snapshot) is Stores.IN_MEMORY,
    )


def _member(client: GroupClient) -> Member:
    instances = tuple(one.group_instance_id for one in client.consumers)
    return Member(client.host or str(client.process_id), len(client.consumers), client.rack, client.client_tags, instances)


def _session_ms(snapshot: Snapshot) -> int | None:
    """What the brokers recorded of the members' sessions in the newest rebalance; the longest."""
    newest = snapshot.generations[-1:]
    known = [member.session_timeout_ms for one in newest for member in one.members if member.session_timeout_ms is not None]
    return max(known, default=None)
