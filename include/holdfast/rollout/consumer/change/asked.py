"""A Change to a consumer group in words; `streams.change.asked` for Kafka Streams groups."""

from typing import assert_never

from holdfast.rollout.consumer.change.change import (
    AddConsumer,
    AddPartitions,
    AddTopic,
    ConsumerChange,
    ConsumerItem,
    NewConsumer,
    RemoveConsumer,
    RemoveTopic,
    ReplaceConsumer,
    RestartConsumer,
    SetAssignors,
)
from holdfast.rollout.consumer.change.timing import Departure
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import FromOld, Then
from holdfast.rollout.text.asking import in_a_sentence, in_a_title, short
from holdfast.rollout.text.wording import many

_DEPARTURES = {
    Departure.LEAVES: "which leaves the group",
    Departure.CRASHES: "which ends without leaving",
    Departure.HANGS: "which no longer polls",
}


def asked(change: ConsumerChange, snapshot: ConsumerSnapshot) -> str:
    """The events in a sentence, with all that was given."""
    hosts = _hosts(snapshot)
    return in_a_sentence([_item(item, hosts) for item in change.events])


def title(change: ConsumerChange, snapshot: ConsumerSnapshot) -> str:
    """The events in a few words: `replace app-2 by app-3`."""
    hosts = _hosts(snapshot)
    return in_a_title([found for item in change.events if (found := _brief(item, hosts))])


def _hosts(snapshot: ConsumerSnapshot) -> dict[str, str]:
    """By member ID; a host that several consumers share names none of them."""
    found = {one.member_id: one.host or one.client_id or "" for one in snapshot.members}
    names = list(found.values())
    return {member: host for member, host in found.items() if host and names.count(host) == 1}


def _item(item: ConsumerItem, hosts: dict[str, str]) -> str:
    match item:
        case AddConsumer(consumer):
            return f"add consumer {consumer.member_id}{_given(consumer)}"
        case RemoveConsumer(member_id, departure):
            return f"remove {_one(member_id, hosts)}, {_DEPARTURES[departure]}"
        case ReplaceConsumer(member_id, by):
            return f"replace {_one(member_id, hosts)} by {by.member_id}{_given(by)}"
        case RestartConsumer(member_id, back):
            under = "" if back.member_id == member_id else f", back as {back.member_id}"
            return f"restart {_one(member_id, hosts)}{under}{_given(back)}{', within its session' if item.within_session else ''}"
        case SetAssignors(assignors, member_ids):
            names = ", ".join(_one(old, hosts) for old, _ in member_ids)
            return f"restart {names} with the assignors {', '.join(one.value for one in assignors)}"
        case AddPartitions(topic, partitions):
            return f"give the topic {topic} {many(partitions, 'partition')}"
        case AddTopic(topic, partitions):
            return f"add the topic {topic} with {many(partitions, 'partition')}"
        case RemoveTopic(topic):
            return f"remove the topic {topic}"
        case Then(wait):
            return f"wait until it is {wait}" if wait == "stable" else "wait for a rebalance"
        case _:
            assert_never(item)


def _one(member_id: str, hosts: dict[str, str]) -> str:
    return f"{hosts[member_id]} ({member_id})" if member_id in hosts else member_id


def _given(one: NewConsumer) -> str:
    said = (("host", one.host), ("client.id", one.client_id), ("rack", one.rack), ("group.instance.id", one.group_instance_id))
    given = [f"{what} {value}" for what, value in said if isinstance(value, str) and not isinstance(value, FromOld)]
    if not isinstance(one.assignors, FromOld):
        given.append(f"assignors {', '.join(assignor.value for assignor in one.assignors)}")
    if not isinstance(one.subscription, FromOld):
        given.append(f"reading {', '.join(one.subscription)}")
    return f" ({', '.join(given)})" if given else ""


def _brief(item: ConsumerItem, hosts: dict[str, str]) -> tuple[str, str] | None:
    def name(member_id: str) -> str:
        return short(hosts.get(member_id, member_id))

    match item:
        case AddConsumer(consumer):
            return "add", _place(consumer) or "a consumer"
        case RemoveConsumer(member_id):
            return "remove", name(member_id)
        case ReplaceConsumer(member_id, by):
            place = _place(by)
            return "replace", f"{name(member_id)} by {place if place and place != name(member_id) else 'a new consumer'}"
        case RestartConsumer(member_id):
            return "restart", name(member_id)
        case SetAssignors(assignors, member_ids):
            return "set", f"{short(', '.join(one.value for one in assignors))} as assignors of {many(len(member_ids), 'consumer')}"
        case AddPartitions(topic, partitions):
            return "grow", f"{short(topic)} to {many(partitions, 'partition')}"
        case AddTopic(topic):
            return "add", f"the topic {short(topic)}"
        case RemoveTopic(topic):
            return "remove", f"the topic {short(topic)}"
        case Then():
            return None
        case _:
            assert_never(item)


def _place(one: NewConsumer) -> str:
    return short(one.host) if isinstance(one.host, str) and not isinstance(one.host, FromOld) else ""
