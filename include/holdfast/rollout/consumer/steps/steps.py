"""The steps of a plan for a consumer group: one per event, in order, with waits between them. All are manual."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from holdfast.kafka.consumer.group import Member
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
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.text.wording import listed, many, printable

WAIT_AT_LEAST_S = 600


@dataclass(frozen=True, slots=True)
class ConsumerStep:
    """One thing to do, by the operator: an event of the change, or a wait. `id` is its number in the plan, from "1"."""

    id: str
    item: ConsumerItem
    says: str
    check_before: str
    check_after: str
    undo: str
    expect: str

    @property
    def who(self) -> Who:
        """Holdfast does nothing to consumers itself."""
        return Who.OPERATOR


def steps_of(change: ConsumerChange, summary: ConsumerSummary, snapshot: ConsumerSnapshot) -> tuple[ConsumerStep, ...]:
    """The events of a change, of which `summary` was forecast, and a wait at the end."""
    hosts = {member.member_id: member for member in snapshot.members}
    events: list[ConsumerItem] = [*change.events]
    if events and not isinstance(events[-1], Then):
        events.append(Then(Wait.STABLE))
    found = []
    for number, item in enumerate(events, start=1):
        found.append(_step(str(number), item, hosts, summary))
        hosts |= {new: hosts[old] for old, new in _renamed(item) if old in hosts}
    return tuple(found)


VERBS: Mapping[type, tuple[ActionName, ...]] = {
    AddConsumer: (ActionName.START_CLIENT,),
    RemoveConsumer: (ActionName.STOP_CLIENT,),
    ReplaceConsumer: (ActionName.STOP_CLIENT, ActionName.START_CLIENT),
    RestartConsumer: (ActionName.RESTART_CLIENT,),
    SetAssignors: (ActionName.SET_CONFIG,),
    AddPartitions: (ActionName.ADD_PARTITIONS,),
    AddTopic: (ActionName.ADD_TOPIC,),
    RemoveTopic: (ActionName.REMOVE_TOPIC,),
}
"""What its steps are called in policies, as those of Streams groups are: `streams.steps.steps.VERBS`."""


def verbs(change: ConsumerChange) -> Iterator[str]:
    """What the steps of a change ask for, in their order, without waiting."""
    return (name for item in change.events if not isinstance(item, Then) for name in VERBS[type(item)])


def _renamed(item: ConsumerItem) -> tuple[tuple[str, str], ...]:
    """Consumers that come back under another ID: people know them by what they are now."""
    match item:
        case RestartConsumer(member_id, back):
            return ((member_id, back.member_id),)
        case SetAssignors(_, member_ids):
            return member_ids
        case _:
            return ()


def _step(number: str, item: ConsumerItem, hosts: dict[str, Member], summary: ConsumerSummary) -> ConsumerStep:
    if isinstance(item, Then):
        stable = item.wait is Wait.STABLE
        return ConsumerStep(
            number,
            item,
            "Wait until the group is stable" if stable else "Wait for one rebalance",
            "",
            "kafka-consumer-groups.sh --describe --state shows Stable, and --members shows the forecast assignment.",
            "Not needed.",
            f"Within {WAIT_AT_LEAST_S} s; if it takes longer, a consumer is busy and does not poll.",
        )
    says, before, undo = _words(item, hosts)
    expect = f"{many(summary.rebalances, 'rebalance')} in all." if summary.rebalances else "No rebalance."
    return ConsumerStep(number, item, says, before, _after(item), undo, expect)


def _after(item: ConsumerItem) -> str:
    """What the operator sees when it is done."""
    if isinstance(item, AddPartitions | AddTopic | RemoveTopic):
        return "kafka-topics.sh --describe shows it."
    gone = isinstance(item, RemoveConsumer)
    return "It is no longer in the group's member list." if gone else "It is in the group's member list."


def _words(item: ConsumerItem, hosts: dict[str, Member]) -> tuple[str, str, str]:
    """What is done, what holds before, how it is undone."""
    match item:
        case AddConsumer(consumer):
            return f"Start {_new(consumer)}", "", "Stop it."
        case RemoveConsumer(member_id):
            return f"Stop {_who(member_id, hosts)}", _commits(member_id, hosts), "Start it again."
        case ReplaceConsumer(member_id, by):
            says = f"Stop {_who(member_id, hosts)} and start {_new(by)} instead"
            return says, _commits(member_id, hosts), "Stop the new one and start the old one again."
        case RestartConsumer(member_id, _, within_session):
            soon = ", within its session timeout" if within_session else ""
            return f"Restart {_who(member_id, hosts)}{soon}", _commits(member_id, hosts), "Restart it as it was before."
        case SetAssignors(assignors, member_ids):
            names = listed([_who(old, hosts) for old, _ in member_ids])
            lists = ",".join(map(str, assignors))
            return f"Restart {names} with partition.assignment.strategy={lists}", "", "Restart it with its previous list."
        case AddPartitions(topic, partitions):
            return f"Grow {printable(topic)} to {partitions} partitions", "", "Not possible: a topic cannot shrink."
        case AddTopic(topic, partitions):
            return f"Create {printable(topic)} with {partitions} partitions", "", "Delete it."
        case RemoveTopic(topic):
            return f"Delete {printable(topic)}", "Its records are read, or not needed.", "Not possible: its records are deleted."
        case Then():
            raise AssertionError("a wait has words of its own")
        case _:
            assert_never(item)


def _new(consumer: NewConsumer) -> str:
    """Who joins: its member ID is the broker's to make, so that its instance ID and its host say more."""
    name = printable(consumer.group_instance_id if isinstance(consumer.group_instance_id, str) else consumer.member_id, 80)
    return f"{name} on {printable(consumer.host)}" if isinstance(consumer.host, str) else name


def _who(member_id: str, hosts: dict[str, Member]) -> str:
    member = hosts.get(member_id)
    name = printable(member.group_instance_id or member.member_id if member else member_id, 80)
    return f"{name} on {printable(member.host)}" if member and member.host else name


def _commits(member_id: str, hosts: dict[str, Member]) -> str:
    return "The consumer commits its offsets when it is closed." if member_id in hosts else ""
