"""The JSON of a Change to a consumer group. Unknown fields are refused, because they would be ignored requests.

What stands behind a verb, its event reads and writes (`consumer.events`).
"""

from collections.abc import Callable, Mapping

from holdfast.errors import InvalidInput
from holdfast.rollout.consumer.change.change import ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.events import table
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS, event_from_json
from holdfast.rollout.json import contracts, strict
from holdfast.rollout.json.strict import Fields


def consumer_change_from_json(value: object) -> ConsumerChange:
    """Raise InvalidInput with every problem, or Unsupported for another major version. Whether it fits a group shows only there."""
    contracts.refuse_another(value, "Change")
    strict.refuse_secrets(value)
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    change = ConsumerChange(fields.need("events", _events))
    fields.optional("assume", _assume, None)
    fields.finish(closed=True)
    return change


def _assume(value: object) -> None:
    """What a forecast for Kafka Streams may take for granted is about state, which a consumer has none of."""
    strict.refuse(
        InvalidInput("a consumer group without Kafka Streams keeps no state: leave this out", strict.step_of(field))
        for field in strict.mapping(value)
    )


def _events(value: object) -> tuple[ConsumerItem, ...]:
    events = strict.each(value, item_from_json)
    if len(events) > MOST_EVENTS:
        raise InvalidInput(f"{len(events):,} events were found; {MOST_EVENTS:,} are allowed")
    return events


def item_from_json(value: object) -> ConsumerItem:
    return event_from_json(value, readers(), _unknown)


def _unknown(verb: str, known: str) -> str:
    kind = "is for Kafka Streams" if verb in contracts.EVENTS_OF_STREAMS else "is unknown"
    return f"the event {strict.shown(verb)} {kind}; events of a consumer group without Kafka Streams: {known}"


def readers() -> Mapping[str, Callable[[object], ConsumerItem]]:
    """By verb, in the order in which they are said to be known."""
    return {event.VERB: event.from_json for event in table.EVENTS} | {"then": _then}


def _then(value: object) -> Then:
    try:
        return Then(Wait(strict.text(value)))
    except ValueError:
        raise strict.mismatch(" or ".join(f'"{one}"' for one in Wait), value) from None


def consumer_change_to_json(change: ConsumerChange) -> dict[str, object]:
    """The canonical form, in which what is as by default is left out."""
    return {"format_version": strict.FORMAT_VERSION, "events": [item_to_json(item) for item in change.events]}


def item_to_json(item: ConsumerItem) -> dict[str, object]:
    return {"then": str(item.wait)} if isinstance(item, Then) else {item.VERB: item.to_json()}
