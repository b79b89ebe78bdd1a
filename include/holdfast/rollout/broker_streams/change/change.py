"""The Change to a streams group whose broker assigns: events, each in a module of `events`, and markers."""

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.change.assumptions import BrokerAssume
from holdfast.rollout.broker_streams.events import table
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.contract.batches import Batch, Then, batched
from holdfast.rollout.contract.batches_json import IN_ORDER, MOST_EVENTS, is_a_change, item_codec
from holdfast.rollout.coordinated.markers import ABOUT, WAITS
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import Codec, items
from holdfast.rollout.json.record import codec_of, member, record

BrokerItem = BrokerEvent | Then
MOST_THREADS_AT_ALL = 200_000


def _unknown(verb: str, known: str) -> str:
    return f"the event {strict.shown(verb)} is none of a streams group whose broker assigns; its events are: {known}"


ITEM: Codec[BrokerItem] = item_codec(lambda: table.EVENTS, _unknown, ABOUT, WAITS)


def _not_too_much(events: tuple[BrokerItem, ...]) -> None:
    threads = 0
    for item in events:
        comes = None if isinstance(item, Then) else item.comes()
        threads += 0 if comes is None else comes[0].threads or len(comes[0].member_ids or ())
    if threads > MOST_THREADS_AT_ALL:
        raise InvalidInput(f"the events start {threads:,} threads; {MOST_THREADS_AT_ALL:,} are allowed in one change")


@record(version=strict.FORMAT_VERSION, first=is_a_change, about="The requested change to a Streams group whose broker assigns.")
class BrokerChange:
    """Events in order, with markers between those that wait for one another."""

    events: tuple[BrokerItem, ...] = member(items(ITEM, at_most=MOST_EVENTS, what="events").checked(_not_too_much), IN_ORDER)
    assume: BrokerAssume = member(codec_of(BrokerAssume), default=BrokerAssume(), omit=True)

    def starts(self) -> tuple[NewClient, ...]:
        """The clients that its events bring, in order."""
        return tuple(comes[0] for item in self.statements() if (comes := item.comes()) is not None)

    def statements(self) -> tuple[BrokerEvent, ...]:
        """Without the markers."""
        return tuple(item for item in self.events if not isinstance(item, Then))

    def numbered_batches(self) -> tuple[Batch[BrokerEvent], ...]:
        """The events that take effect together, batch by batch."""
        return batched((index, item) for index, item in enumerate(self.events))


CHANGE = codec_of(BrokerChange)
"""The JSON of a Change to such a group. Whether it fits a group shows only there."""
