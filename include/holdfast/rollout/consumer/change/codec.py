"""A Change to a consumer group, and its events, as parts of other documents."""

from collections.abc import Mapping

from holdfast.rollout.consumer.change import schema
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.change.json import consumer_change_from_json, consumer_change_to_json
from holdfast.rollout.consumer.events import table
from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.json.codec import Codec

CHANGE: Codec[ConsumerChange] = Codec(consumer_change_from_json, consumer_change_to_json, lambda: schema.CHANGE)


def _content(event: type[ConsumerEvent]) -> Codec[ConsumerEvent]:
    return Codec(event.from_json, lambda one: one.to_json(), lambda: event.SHAPE)


def event_codecs() -> Mapping[str, Codec[ConsumerEvent]]:
    """What stands behind each verb."""
    return {event.VERB: _content(event) for event in table.EVENTS}
