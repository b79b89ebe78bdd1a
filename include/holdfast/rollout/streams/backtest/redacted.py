"""A question without names: groups, hosts, topics, members, processes, racks and tags are replaced, the same always by the same.

Kept is everything that decides: the order of process IDs, member IDs, topics and racks, tasks, offsets, and who owns what. Where
hash codes of names decide too (as with the public sticky assignor), the answer may be another one: it is judged again.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from uuid import UUID

from holdfast.kafka import java
from holdfast.kafka.streams.config import DECIDING
from holdfast.kafka.vocabulary import ProcessId, TopicPartition
from holdfast.kafka.wire import assignment_info, consumer_protocol, subscription_info
from holdfast.rollout.backtest.generation import Generation, GenerationMember
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.backtest.question import Settings, StreamsQuestion

_TAGS = "rack.aware.assignment.tags"
_KEPT = frozenset(DECIDING) - {_TAGS}
"""Settings that decide, and name nothing of the application's (a class of its own is not modelled)."""


class _Names:
    """The replacement of everything that has a name. All keep their order, as Java orders them."""

    def __init__(self, question: StreamsQuestion) -> None:
        members = question.generation.members
        joined = [(one, consumer_protocol.decode_subscription(one.subscription)) for one in members]
        infos = [(one, _info(envelope.user_data)) for one, envelope in joined]
        topics = {partition.topic for task in question.tasks for partition in task.partitions}
        for member, envelope in joined:
            topics.update(envelope.topics, (one.topic for one in envelope.owned))
            topics.update(one.topic for one in consumer_protocol.decode_assignment(member.assignment).partitions)
            for _, partitions in _standby(member):
                topics.update(one.topic for one in partitions)
        self.topic = _numbered("topic", topics)
        self.member = _numbered("member", (one.member_id for one in members))
        self.host = _numbered("host", (one.client_host for one in members))
        self.client = _numbered("client", (one.client_id for one in members))
        self.instance = _numbered("instance", (one.group_instance_id for one in members if one.group_instance_id is not None))
        self.rack = _numbered("rack", (envelope.rack_id for _, envelope in joined if envelope.rack_id is not None))
        tags = [pair for _, info in infos for pair in info.client_tags]
        configured = dict(question.config).get(_TAGS)
        keys = configured if isinstance(configured, tuple) else ()
        self.key = _numbered("tag", (*(key for key, _ in tags), *map(str, keys)))
        self.value = _numbered("zone", (value for _, value in tags))
        self.process = _processes(info.process_id for _, info in infos)


def redacted(question: StreamsQuestion) -> StreamsQuestion:
    """Raise MalformedBytes or Unsupported where its members cannot be read: then it cannot be redacted either."""
    names = _Names(question)
    tasks = tuple(replace(task, partitions=_partitions(task.partitions, names)) for task in question.tasks)
    return replace(
        question,
        tasks=tasks,
        config=_settings(question.config, names),
        alternatives=tuple(_settings(one, names) for one in question.alternatives),
        generation=_generation(question.generation, names),
    )


def _generation(generation: Generation, names: _Names) -> Generation:
    leader = generation.leader_member_id
    return replace(
        generation,
        leader_member_id=None if leader is None else names.member.get(leader, "leader"),
        members=tuple(_member(one, names) for one in generation.members),
    )


def _member(member: GenerationMember, names: _Names) -> GenerationMember:
    return GenerationMember(
        names.member[member.member_id],
        names.client[member.client_id],
        names.host[member.client_host],
        None if member.group_instance_id is None else names.instance[member.group_instance_id],
        _subscription(member.subscription, names),
        _assignment(member, names),
        member.session_timeout_ms,
    )


def _subscription(data: bytes, names: _Names) -> bytes:
    envelope = consumer_protocol.decode_subscription(data)
    info = _info(envelope.user_data)
    tags = tuple((names.key[key], names.value[value]) for key, value in info.client_tags)
    process = names.process[info.process_id]
    sent = subscription_info.encode(replace(info, process_id=process, user_endpoint=None, client_tags=tags))
    return consumer_protocol.encode_subscription(
        replace(
            envelope,
            topics=tuple(names.topic[topic] for topic in envelope.topics),
            owned=_partitions(envelope.owned, names),
            user_data=sent,
            rack_id=None if envelope.rack_id is None else names.rack[envelope.rack_id],
        )
    )


def _assignment(member: GenerationMember, names: _Names) -> bytes:
    envelope = consumer_protocol.decode_assignment(member.assignment)
    sent = envelope.user_data
    if sent:
        info = assignment_info.decode(sent)
        assert isinstance(info, assignment_info.AssignmentInfo), "it was judged"
        standby = tuple((task, _partitions(partitions, names)) for task, partitions in info.standby)
        bare = replace(info, standby=standby, partitions_by_host=(), standby_partitions_by_host=(), topic_dictionary=())
        sent = assignment_info.encode(bare)
    return consumer_protocol.encode_assignment(
        replace(envelope, partitions=_partitions(envelope.partitions, names), user_data=sent)
    )


def _info(user_data: bytes | None) -> subscription_info.SubscriptionInfo:
    info = subscription_info.decode(user_data or b"")
    assert isinstance(info, subscription_info.SubscriptionInfo), "it was judged"
    return info


def _standby(member: GenerationMember) -> Iterable[tuple[object, tuple[TopicPartition, ...]]]:
    envelope = consumer_protocol.decode_assignment(member.assignment)
    if not envelope.user_data:
        return ()
    info = assignment_info.decode(envelope.user_data)
    return info.standby if isinstance(info, assignment_info.AssignmentInfo) else ()


def _partitions(partitions: Iterable[TopicPartition], names: _Names) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(names.topic[one.topic], one.partition) for one in partitions)


def _settings(config: Settings, names: _Names) -> Settings:
    found: dict[str, ConfigValue] = {name: value for name, value in config if name in _KEPT}
    tags = dict(config).get(_TAGS)
    if isinstance(tags, tuple) and tags:
        found[_TAGS] = tuple(names.key[str(tag)] for tag in tags)
    return tuple(sorted(found.items()))


def _numbered(what: str, found: Iterable[str]) -> Mapping[str, str]:
    """`host-01` and so on, in Java's order of the names."""
    ordered = sorted(set(found), key=java.string_order)
    width = max(2, len(str(len(ordered))))
    return {name: f"{what}-{number:0{width}}" for number, name in enumerate(ordered, 1)}


def _processes(found: Iterable[ProcessId]) -> Mapping[ProcessId, ProcessId]:
    """IDs at even distances, in the order of the real ones."""
    ordered = sorted(set(found))
    step = 2**63 // (len(ordered) + 1)
    names: Callable[[int], UUID] = lambda number: UUID(int=(step * (number + 1)) << 64 | 1 << 63 | number + 1)  # noqa: E731
    return {process: ProcessId.of(names(number)) for number, process in enumerate(ordered)}
