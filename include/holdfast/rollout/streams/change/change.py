"""What the operator means to do: a Change is a list of events, with markers between those that wait for one another.

`events` defines an event. Closed: a field or an event that is unknown is refused, for nothing could
carries out.
"""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then, Wait, batched
from holdfast.rollout.contract.batches_json import IN_ORDER, MOST_EVENTS, is_a_change, item_codec
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import Codec, items
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.streams.events import table
from holdfast.rollout.streams.events.batches import Batch
from holdfast.rollout.streams.events.event import Event, Statement
from holdfast.rollout.streams.scene.assumptions import Assume

Item = Statement | Then


MOST_THREADS_AT_ALL = 200_000
"""A hundred clients of the largest kind, or all of a group of a thousand clients, twice."""
MOST_PARTITIONS_AT_ALL = 1_000_000


def _unknown(verb: str, known: str) -> str:
    return f"the event {strict.shown(verb)} is unknown; known are: {known}"


def _not_too_much(events: tuple[Item, ...]) -> None:
    stated = [item for item in events if not isinstance(item, Then)]
    threads, partitions = sum(one.threads_made() for one in stated), sum(one.partitions_made() for one in stated)
    if threads > MOST_THREADS_AT_ALL:
        raise InvalidInput(f"the events start {threads:,} threads; {MOST_THREADS_AT_ALL:,} are allowed in one change")
    if partitions > MOST_PARTITIONS_AT_ALL:
        raise InvalidInput(f"the events have {partitions:,} partitions; {MOST_PARTITIONS_AT_ALL:,} are allowed in one change")


ITEM: Codec[Item] = item_codec(lambda: table.EVENTS, _unknown, "What follows waits for this.")


@record(version=strict.FORMAT_VERSION, first=is_a_change, defaults=True, about="What the operator means to do.")
class Change:
    events: tuple[Item, ...] = member(items(ITEM, at_most=MOST_EVENTS, what="events").checked(_not_too_much), IN_ORDER)
    assume: Assume = member(codec_of(Assume), default=Assume(), omit=True)

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

    def new_random_ids(self) -> int:
        """How many process IDs are new random IDs, without those of shorthands."""
        return sum(item.draws_id() for item in self.statements())

    def draws_ids(self) -> bool:
        """Whether some are, those of shorthands included."""
        return any(item.draws_id() or item.will_draw_ids() for item in self.statements())

    def with_process_ids(self, chosen: tuple[ProcessId, ...]) -> "Change":
        """The same change with these IDs instead of the new random ones, in the order of the events."""
        assert len(chosen) == self.new_random_ids(), "one process ID for each that is drawn at random"
        remaining = iter(chosen)
        return replace(
            self,
            events=tuple(
                item.with_id(next(remaining)) if not isinstance(item, Then) and item.draws_id() else item for item in self.events
            ),
        )


CHANGE = codec_of(Change)
