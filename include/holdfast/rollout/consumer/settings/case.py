"""A consumer group as the doctor of settings sees it, and what a session costs it."""

from collections.abc import Mapping
from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.clients import configs as client_configs
from holdfast.kafka.clients.configs import Client
from holdfast.kafka.consumer.group import Member as GroupMember
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.events.parts.timing import Departure
from holdfast.rollout.consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.consumer.forecast.forecast import forecast
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.case import Case, Figures
from holdfast.rollout.settings.given_settings import settings_of
from holdfast.rollout.settings.rule import Measure, Scenario, World
from holdfast.rollout.settings.subject import Member, Settings, Subject
from holdfast.rollout.settings.vocabulary import Kind

_SESSION = "session.timeout.ms"


def case_of(snapshot: ConsumerSnapshot, properties: Mapping[str, str] | None, policy: Policy) -> Case:
    """`properties` None: those of the consumers were not given, and only what the Snapshot has is known."""
    settings, differs = settings_of(snapshot.config, properties, snapshot.kafka_release)
    racks = {rack for topic in snapshot.topics for one in topic.partitions for rack in one.replica_racks if rack is not None}
    subject = Subject(
        kind=Kind.CONSUMERS,
        settings=settings,
        members=tuple(_member(one) for one in snapshot.members),
        policy=policy,
        broker_racks=frozenset(racks) or None,
        broker_release=snapshot.broker_release,
    )
    return Case(snapshot.group_id, subject, lambda scenario, world: _figures(snapshot, settings, scenario, world), differs)


def _member(one: GroupMember) -> Member:
    return Member(one.host or one.member_id, 1, one.rack, (), (one.group_instance_id,))


def _figures(snapshot: ConsumerSnapshot, settings: Settings, scenario: Scenario, world: World) -> Figures:
    """Of a consumer that ends without leaving: the first of those that own most."""
    if scenario is not Scenario.LOSS or len(snapshot.members) < 2:
        raise CannotPredict("Only the loss of one of several consumers is forecast for this.")
    configured = client_configs.of(settings.read_as, Client.PLAIN, _SESSION, settings.properties)
    config = dict(snapshot.config)
    if configured is not None and configured.given_as is not None and configured.value is not None:
        config[_SESSION] = configured.value
    config |= dict(world.settings)
    lost = max(snapshot.members, key=lambda one: (len(one.owned), one.member_id))
    group = replace(snapshot, config=tuple(sorted(config.items())))
    outcome = forecast(group, ConsumerChange((RemoveConsumer(lost.member_id, Departure.CRASHES),))).outcome
    stop = outcome.summary.longest_stop
    return {Measure.STOPPED_S: None if stop is None else stop.usual, Measure.REBALANCES: outcome.summary.rebalances}
