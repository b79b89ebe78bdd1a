"""A Change to a consumer group in words; `streams.change.request_words` for Kafka Streams groups."""

from holdfast.rollout.consumer.change.change import ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.events.event import Name
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.text.request_words import in_a_sentence, in_a_title, short


def request_text(change: ConsumerChange, snapshot: ConsumerSnapshot) -> str:
    """The events in a sentence, with all that was given."""
    hosts = _hosts(snapshot)

    def name(member_id: str) -> str:
        return f"{hosts[member_id]} ({member_id})" if member_id in hosts else member_id

    return in_a_sentence([_sentence(item, name) for item in change.events])


def title(change: ConsumerChange, snapshot: ConsumerSnapshot) -> str:
    """The events in a few words: `replace app-2 by app-3`."""
    hosts = _hosts(snapshot)
    return in_a_title([item.title(lambda member_id: short(hosts.get(member_id, member_id))) for item in change.statements()])


def _hosts(snapshot: ConsumerSnapshot) -> dict[str, str]:
    """By member ID; a host that several consumers share names none of them."""
    found = {one.member_id: one.host or one.client_id or "" for one in snapshot.members}
    names = list(found.values())
    return {member: host for member, host in found.items() if host and names.count(host) == 1}


def _sentence(item: ConsumerItem, name: Name) -> str:
    if isinstance(item, Then):
        return f"wait until it is {item.wait}" if item.wait == "stable" else "wait for a rebalance"
    return item.sentence(name)
