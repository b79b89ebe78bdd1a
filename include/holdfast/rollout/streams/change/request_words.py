"""What the operator asked for, in words, whole as a sentence and short as a title: the first thing a reviewer wants to know."""

from holdfast.rollout.contract.batches import Then
from holdfast.rollout.streams.change.change import Change, Item
from holdfast.rollout.streams.events.event import Name
from holdfast.rollout.text.request_words import in_a_sentence, in_a_title


def request_text(change: Change, name: Name) -> str:
    """The events in a sentence, with all that was given. `name` says which client a process ID is."""
    return in_a_sentence([_sentence(item, name) for item in change.events])


def title(change: Change, host: Name) -> str:
    """The events in a few words: `replace app-2 by app-3`. `host`: the short name of a client."""
    return in_a_title([item.title(host) for item in change.statements()])


def _sentence(item: Item, name: Name) -> str:
    if isinstance(item, Then):
        return f"wait until it is {item.wait}" if item.wait == "stable" else "wait for a rebalance"
    return item.sentence(name)
