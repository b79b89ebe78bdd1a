"""A Change to a consumer group whose broker assigns in words."""

from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.snapshot.names import named
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.coordinated.step_of import Name
from holdfast.rollout.text.request_words import in_a_sentence, in_a_title, short


def request_text(change: GroupChange, snapshot: BrokerConsumerSnapshot) -> str:
    """The events in a sentence, with all that was given."""
    name = named(snapshot)
    return in_a_sentence(_sentence(item, name) for item in change.events)


def title(change: GroupChange, snapshot: BrokerConsumerSnapshot) -> str:
    """The events in a few words: `restart app-2`."""
    name = named(snapshot)
    return in_a_title([item.title(lambda member_id: short(name(member_id))) for item in change.statements()])


def _sentence(item: Item, name: Name) -> str:
    if isinstance(item, Then):
        return f"wait until it is {item.wait}" if item.wait == "stable" else "wait for a target"
    return item.sentence(name)
