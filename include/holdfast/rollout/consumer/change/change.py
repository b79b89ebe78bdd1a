"""The Change to a consumer group: the values. `json` is the JSON, `consumer.events` the events."""

from dataclasses import dataclass

from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.contract.batches import Lot, Then, lots

ConsumerItem = ConsumerEvent | Then


@dataclass(frozen=True, slots=True)
class ConsumerChange:
    """Events in order, with markers between those that wait for one another."""

    events: tuple[ConsumerItem, ...]

    def statements(self) -> tuple[ConsumerEvent, ...]:
        """Without the markers."""
        return tuple(item for item in self.events if not isinstance(item, Then))

    def lots(self) -> tuple[Lot[ConsumerEvent], ...]:
        """The events that take effect together, lot by lot; one without events is a rebalance for no reason."""
        return lots((index, item) for index, item in enumerate(self.events))
