"""A Streams group whose broker assigns, as the doctor of settings sees it, and what its session costs it."""

from collections.abc import Mapping
from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.config_keys import GROUP_KEYS
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.events.remove_client import RemoveClient
from holdfast.rollout.broker_streams.forecast.forecast import forecast
from holdfast.rollout.broker_streams.snapshot.processes import Process, processes
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot, Topic
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.case import Case, Figures
from holdfast.rollout.settings.given_settings import settings_of
from holdfast.rollout.settings.rule import Measure, Scenario, World
from holdfast.rollout.settings.subject import Member, Subject
from holdfast.rollout.settings.vocabulary import Kind


def case_of(snapshot: StreamsGroupSnapshot, properties: Mapping[str, str] | None, policy: Policy) -> Case:
    """`properties` None: those of the application were not given, and only the group's configs are known. Brokers do not show the
    release of the clients."""
    settings, _ = settings_of((), None if properties is None else _of_application(properties), None)
    subject = Subject(
        kind=Kind.BY_BROKER,
        settings=settings,
        members=tuple(map(_member, processes(snapshot))),
        policy=policy,
        tasks=_tasks(snapshot),
        logs=_logs(snapshot),
        disks=tuple(one.url for one in snapshot.state_directories),
        group_config=dict(snapshot.config),
        broker_release=snapshot.broker_release,
    )
    return Case(snapshot.group_id, subject, lambda scenario, world: _figures(snapshot, scenario, world))


def _of_application(properties: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in properties.items() if key not in GROUP_KEYS}


def _member(process: Process) -> Member:
    first = process.members[0]
    return Member(
        process.host or process.name,
        len(process.members),
        first.rack,
        first.client_tags,
        tuple(one.instance_id for one in process.members),
    )


def _tasks(snapshot: StreamsGroupSnapshot) -> int:
    partitions = {topic.name: topic.partitions for topic in snapshot.topics}
    subtopologies = snapshot.topology.subtopologies if snapshot.topology else ()
    return sum(
        max((partitions.get(topic, 0) for topic in (*one.source_topics, *one.repartition_source_topics)), default=0)
        for one in subtopologies
    )


def _logs(snapshot: StreamsGroupSnapshot) -> tuple[int, ...]:
    """By offset, of each partition of each changelog."""
    names = {name for one in (snapshot.topology.subtopologies if snapshot.topology else ()) for name in one.changelog_topics}
    return tuple(size for topic in snapshot.topics if topic.name in names for size in _sizes(topic))


def _sizes(topic: Topic) -> list[int]:
    known = {log.id: (log.end_offset or 0) - (log.begin_offset or 0) for log in topic.logs}
    return [known.get(number, 0) for number in range(topic.partitions)]


def _figures(snapshot: StreamsGroupSnapshot, scenario: Scenario, world: World) -> Figures:
    """Of a client that ends without leaving: the first of those that run most."""
    lost = max(processes(snapshot), key=_runs, default=None)
    if scenario is not Scenario.LOSS or lost is None or len(processes(snapshot)) < 2:
        raise CannotPredict("Only the loss of one of several clients is forecast for this.")
    config = dict(snapshot.config) | dict(world.settings)
    group = replace(snapshot, config=tuple(sorted(config.items())))
    outcome = forecast(group, BrokerChange((RemoveClient(lost.name, leaves=False),))).outcome
    stops = [span.most for _, span in outcome.unowned if span is not None]
    return {Measure.STOPPED_S: max(stops, default=0.0), Measure.MOVED: outcome.summary.active_moved}


def _runs(process: Process) -> int:
    return sum(len(one.assignment.active) for one in process.members if one.assignment is not None)
