"""The Change to a consumer group. What an event is, `consumer.events` says. Closed, for what is unknown would be ignored."""

from holdfast.errors import InvalidInput
from holdfast.rollout.consumer.events import table
from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.contract.batches import Batch, Then, batched
from holdfast.rollout.contract.batches_json import IN_ORDER, MOST_EVENTS, is_a_change, item_codec
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import Codec, items
from holdfast.rollout.json.record import codec_of, member, record

ConsumerItem = ConsumerEvent | Then


def _unknown(verb: str, known: str) -> str:
    return f"the event {strict.shown(verb)} is none of a consumer group without Kafka Streams; its events are: {known}"


ITEM: Codec[ConsumerItem] = item_codec(
    lambda: table.EVENTS, _unknown, "What follows comes after one rebalance, or once the group is stable."
)


def _nothing_assumed(value: object) -> None:
    """The assumptions of Kafka Streams forecasts are about state, of which a consumer has none."""
    strict.refuse(
        InvalidInput("a consumer group without Kafka Streams keeps no state: leave this out", strict.step_of(field))
        for field in strict.mapping(value)
    )


@record(
    version=strict.FORMAT_VERSION,
    first=is_a_change,
    also={"assume": Codec(_nothing_assumed, lambda nothing: nothing, lambda: shapes.closed({}))},
    about="The requested change to a consumer group without Kafka Streams.",
)
class ConsumerChange:
    """Events in order, with markers between those that wait for one another."""

    events: tuple[ConsumerItem, ...] = member(items(ITEM, at_most=MOST_EVENTS, what="events"), IN_ORDER)

    def statements(self) -> tuple[ConsumerEvent, ...]:
        """Without the markers."""
        return tuple(item for item in self.events if not isinstance(item, Then))

    def numbered_batches(self) -> tuple[Batch[ConsumerEvent], ...]:
        """The events that take effect together, batch by batch; one without events is a rebalance for no reason."""
        return batched((index, item) for index, item in enumerate(self.events))


CHANGE = codec_of(ConsumerChange)
