"""The Change to a consumer group: the values. `json` is the JSON, `consumer.events` the events."""

from dataclasses import dataclass

from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.contract.batches import Batch, Then, batched

ConsumerItem = ConsumerEvent | Then


@dataclass(frozen=True, slots=True)
class ConsumerChange:
    """Events in order, with markers between those that wait for one another."""

    events: tuple[ConsumerItem, ...]

    def statements(self) -> tuple[ConsumerEvent, ...]:
        """Without the markers."""
        return tuple(item for item in self.events if not isinstance(item, Then))

    def numbered_batches(self) -> tuple[Batch[ConsumerEvent], ...]:
        """The events that take effect together, batch by batch; one without events is a rebalance for no reason."""
        return batched((index, item) for index, item in enumerate(self.events))
