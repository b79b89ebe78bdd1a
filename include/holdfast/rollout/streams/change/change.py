"""What the operator means to do: a Change is a list of events, with markers between those that wait for one another.

Values only. `json` is its JSON; what an event is, `events` says.
"""

from dataclasses import dataclass, replace

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then, Wait, batched
from holdfast.rollout.streams.events.batches import Batch
from holdfast.rollout.streams.events.event import Event, Statement
from holdfast.rollout.streams.scene.assume import Assume

Item = Statement | Then


@dataclass(frozen=True, slots=True)
class Change:
    events: tuple[Item, ...]
    assume: Assume = Assume()  # noqa: RUF009 - it is frozen

    def batches(self) -> tuple[tuple[tuple[Event, ...], Wait | None], ...]:
        """The events that take effect together, and what the next ones wait for (None: they are the last)."""
        return tuple((tuple(event for _, event in batch.events), batch.wait) for batch in self.numbered_batches())

    def numbered_batches(self) -> tuple[Batch, ...]:
        """The events that take effect together, batch by batch. One without events is a rebalance for no reason."""
        items: list[tuple[int, Event | Then]] = []
        for index, item in enumerate(self.events):
            assert isinstance(item, Event | Then), "shorthands are written out before"
            items.append((index, item))
        return batched(items)

    def statements(self) -> tuple[Statement, ...]:
        """Without the markers."""
        return tuple(item for item in self.events if not isinstance(item, Then))

    def fresh_ids(self) -> int:
        """How many process IDs are left to chance, those of shorthands aside."""
        return sum(item.draws_id() for item in self.statements())

    def draws_ids(self) -> bool:
        """Whether some are, those of shorthands included."""
        return any(item.draws_id() or item.will_draw_ids() for item in self.statements())

    def with_process_ids(self, chosen: tuple[ProcessId, ...]) -> "Change":
        """The same change with these IDs in the place of those left to chance, in the order of the events."""
        assert len(chosen) == self.fresh_ids(), "one process ID for each that is drawn at random"
        remaining = iter(chosen)
        return replace(
            self,
            events=tuple(
                item.with_id(next(remaining)) if not isinstance(item, Then) and item.draws_id() else item for item in self.events
            ),
        )
