"""The Change to a consumer group whose broker assigns: events, each in a module of `events`, and markers."""

from holdfast.rollout.broker_consumer.events import table
from holdfast.rollout.broker_consumer.events.event import Coming, ConsumerEvent
from holdfast.rollout.contract.batches import Batch, Then, batched
from holdfast.rollout.contract.batches_json import IN_ORDER, MOST_EVENTS, is_a_change, item_codec
from holdfast.rollout.coordinated.markers import ABOUT, WAITS
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import Codec, items
from holdfast.rollout.json.record import codec_of, member, record

Item = ConsumerEvent | Then


def _unknown(verb: str, known: str) -> str:
    return f"the event {strict.shown(verb)} is none of a consumer group whose broker assigns; its events are: {known}"


ITEM: Codec[Item] = item_codec(lambda: table.EVENTS, _unknown, ABOUT, WAITS)


@record(version=strict.FORMAT_VERSION, first=is_a_change, about="The requested change to a consumer group whose broker assigns.")
class GroupChange:
    """Events in order, with markers between those that wait for one another."""

    events: tuple[Item, ...] = member(items(ITEM, at_most=MOST_EVENTS, what="events"), IN_ORDER)

    def statements(self) -> tuple[ConsumerEvent, ...]:
        """Without the markers."""
        return tuple(item for item in self.events if not isinstance(item, Then))

    def starts(self) -> tuple[Coming, ...]:
        """The consumers that its events start, in order."""
        return tuple(comes for item in self.statements() if (comes := item.comes()) is not None)

    def numbered_batches(self) -> tuple[Batch[ConsumerEvent], ...]:
        """The events that take effect together, batch by batch."""
        return batched((index, item) for index, item in enumerate(self.events))


CHANGE = codec_of(GroupChange)
"""The JSON of a Change to such a group. Whether it fits a group shows only there."""
