"""A group, and its application's properties, once the fixes of a finding are made: as its operator would make them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.settings.rule import Fix, Where
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores, Topic, TopicPartitionInfo

OF_EACH_CLIENT = "${EACH}"
"""Where a fix has words: another value for each client."""
_TAG, _RACK, _INSTANCE = "client.tag.", "client.rack", "group.instance.id"
_RACKS = ("a", "b", "c")


def fixed(group: AnySnapshot, given: Mapping[str, str], fixes: Iterable[Fix]) -> tuple[AnySnapshot, dict[str, str]]:
    properties = dict(given)
    for one in fixes:
        if one.where is Where.APPLICATION:
            _set(properties, one)
        group = _changed(group, one)
    return group, properties


def _set(properties: dict[str, str], one: Fix) -> None:
    if one.value is None:
        properties.pop(one.key, None)
    else:
        properties[one.key] = OF_EACH_CLIENT if " " in one.value else one.value


def _changed(group: AnySnapshot, one: Fix) -> AnySnapshot:
    if isinstance(group, Snapshot):
        return _changed_streams(group, one)
    if isinstance(group, ConsumerSnapshot):
        return _changed_consumers(group, one)
    assert isinstance(group, StreamsGroupSnapshot)
    if one.where is not Where.GROUP:
        return replace(group, state_directories=()) if one.where is Where.DEPLOYMENT else group
    rest = [(key, value) for key, value in group.config if key != one.key]
    return replace(group, config=tuple(sorted([*rest, *([] if one.value is None else [(one.key, one.value)])])))


def _changed_streams(group: Snapshot, one: Fix) -> Snapshot:
    """What the members report once they run with it."""
    if one.where is Where.RELEASE:
        assert one.value is not None
        return replace(group, kafka_release=one.value.split(" ")[-1])
    if one.where is Where.DEPLOYMENT:
        return replace(group, state_directories=())
    if one.where is Where.TOPIC:
        return replace(group, topics=tuple(_replicated(topic, (None,) * int(one.value or 0)) for topic in group.topics))
    if one.where is Where.BROKER:
        return replace(group, topics=tuple(_replicated(topic, _RACKS) for topic in group.topics))
    clients = group.clients
    if one.key.startswith(_TAG) and _is_for_each(one):
        tag = one.key.removeprefix(_TAG)
        clients = tuple(
            replace(each, client_tags=((tag, str(at)), *(pair for pair in each.client_tags if pair[0] != tag)))
            for at, each in enumerate(clients)
        )
    elif one.key.endswith(_RACK):
        racks = _RACKS if _is_for_each(one) else (one.value,)
        clients = tuple(replace(each, rack=racks[at % len(racks)]) for at, each in enumerate(clients))
    elif one.key.endswith(_INSTANCE):
        clients = tuple(
            replace(
                each,
                consumers=tuple(
                    replace(thread, group_instance_id=f"{at}-{number}" if one.value else None)
                    for number, thread in enumerate(each.consumers)
                ),
            )
            for at, each in enumerate(clients)
        )
    elif one.key == "default.dsl.store":
        return replace(group, stores=Stores.PERSISTENT)
    return replace(group, clients=clients)


def _changed_consumers(group: ConsumerSnapshot, one: Fix) -> ConsumerSnapshot:
    members = group.members
    if one.key.endswith(_RACK):
        members = tuple(replace(each, rack=_RACKS[at] if _is_for_each(one) else one.value) for at, each in enumerate(members))
    if one.key.endswith(_INSTANCE):
        members = tuple(replace(each, group_instance_id=str(at)) for at, each in enumerate(members))
    return replace(group, members=members)


def _is_for_each(one: Fix) -> bool:
    return one.value is not None and " " in one.value


def _replicated(topic: Topic, racks: tuple[str | None, ...]) -> Topic:
    return replace(topic, partitions=tuple(TopicPartitionInfo(each.id, racks) for each in topic.partitions))
