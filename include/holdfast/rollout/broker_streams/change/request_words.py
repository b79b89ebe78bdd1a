"""A Change to a streams group whose broker assigns in words."""

from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.parts.step_of import Name
from holdfast.rollout.broker_streams.snapshot.names import named
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.text.request_words import in_a_sentence, in_a_title, short


def request_text(change: BrokerChange, snapshot: StreamsGroupSnapshot) -> str:
    """The events in a sentence, with all that was given."""
    name = named(snapshot)
    return in_a_sentence([_sentence(item, name) for item in change.events])


def title(change: BrokerChange, snapshot: StreamsGroupSnapshot) -> str:
    """The events in a few words: `restart app-2`."""
    name = named(snapshot)
    return in_a_title([item.title(lambda process_id: short(name(process_id))) for item in change.statements()])


def _sentence(item: BrokerItem, name: Name) -> str:
    if isinstance(item, Then):
        return f"wait until it is {item.wait}" if item.wait == "stable" else "wait for a target"
    return item.sentence(name)
