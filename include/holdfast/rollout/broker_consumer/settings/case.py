"""A consumer group whose broker assigns, as the doctor of settings sees it, and what its session costs it."""

from collections.abc import Mapping
from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.consumer.config_keys import GROUP_KEYS
from holdfast.kafka.coordinator.consumer.migration import BROKER_KEYS
from holdfast.rollout.broker_consumer.execution.undo import name_of
from holdfast.rollout.broker_consumer.forecast.forecast import forecast
from holdfast.rollout.broker_consumer.host_loss import losses
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.contract.scenarios import Scenario as Loss
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.case import Case, Figures
from holdfast.rollout.settings.given_settings import settings_of
from holdfast.rollout.settings.rule import Measure, Scenario, World
from holdfast.rollout.settings.subject import Member, Subject
from holdfast.rollout.settings.vocabulary import Kind

_PROTOCOL = (("group.protocol", "consumer"),)
"""What members of such a group have."""


def case_of(snapshot: BrokerConsumerSnapshot, properties: Mapping[str, str] | None, policy: Policy) -> Case:
    """`properties` None: those of the consumers were not given, and only the group's configs are known. Brokers do not show the
    release of the clients."""
    own = tuple((key, value) for key, value in snapshot.config if key not in (*GROUP_KEYS, *BROKER_KEYS))
    given = None if properties is None else {key: value for key, value in properties.items() if key not in GROUP_KEYS}
    settings, differs = settings_of((*_PROTOCOL, *own), given, None)
    subject = Subject(
        kind=Kind.CONSUMERS,
        settings=settings,
        members=tuple(map(_member, snapshot.members)),
        policy=policy,
        group_config={key: value for key, value in snapshot.config if key in GROUP_KEYS},
        broker_release=snapshot.broker_release,
    )
    return Case(snapshot.group_id, subject, lambda scenario, world: _figures(snapshot, scenario, world), differs)


def _member(one: BrokerConsumer) -> Member:
    return Member(one.host or name_of(one), 1, one.rack, (), (one.instance_id,))


def _figures(snapshot: BrokerConsumerSnapshot, scenario: Scenario, world: World) -> Figures:
    """Of a consumer that ends without leaving: the first of those that read most."""
    if scenario is not Scenario.LOSS or len(snapshot.members) < 2:
        raise CannotPredict("Only the loss of one of several consumers is forecast for this.")
    lost = max(snapshot.members, key=lambda one: len(one.assignment or ()))
    group = replace(snapshot, config=tuple(sorted((dict(snapshot.config) | dict(world.settings)).items())))
    outcome = forecast(group, losses.change_of(lost, Loss.NOT_REPLACED)).outcome
    stops = [span.most for _, span in outcome.unowned if span is not None]
    return {Measure.STOPPED_S: max(stops, default=0.0), Measure.REBALANCES: outcome.summary.targets}
