"""A Change to a streams group whose broker assigns in words."""

from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.snapshot.names import named
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.coordinated.step_of import Name
from holdfast.rollout.text.request_words import in_a_sentence, in_a_title, short


def request_text(change: BrokerChange, snapshot: StreamsGroupSnapshot) -> str:
    """The events in a sentence, with all that was given."""
    name = named(snapshot)
    moved = [item for item in change.statements() if item.was_classic() is not None]
    as_they_were = len(moved) > 1 and not any(item.seeds() or item.lost_disks() for item in moved)
    shown = [item for item in change.events if not (as_they_were and item in moved)]
    more = ["start them with group.protocol=streams"] if as_they_were else []
    return in_a_sentence([*(_sentence(item, name) for item in shown), *more])


def title(change: BrokerChange, snapshot: StreamsGroupSnapshot) -> str:
    """The events in a few words: `restart app-2`."""
    name = named(snapshot)
    return in_a_title([item.title(lambda process_id: short(name(process_id))) for item in change.statements()])


def _sentence(item: BrokerItem, name: Name) -> str:
    if isinstance(item, Then):
        return f"wait until it is {item.wait}" if item.wait == "stable" else "wait for a target"
    return item.sentence(name)
