"""The steps of a plan for a consumer group: one per event, in order, with waits between them. All are manual."""

from collections.abc import Iterator

from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.change.change import ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.events import table
from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.manual_steps import WAIT_AT_LEAST_S, action, waiting_last
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.contract.times import Estimate
from holdfast.rollout.json.codec import NAME, TEXT, choice
from holdfast.rollout.json.record import derived, member, record, spread
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import counted, duration
from holdfast.rollout.timing import time_words


@record
class ConsumerStep:
    """One thing to do, by the operator: an event of the change, or a wait. `id` is its number in the plan, from "1"."""

    id: str = member(NAME, "Its number, from 1.")
    item: ConsumerItem = spread(action(lambda: table.EVENTS))
    says: str = member(TEXT, "What is done.")
    check_before: str = member(TEXT)
    check_after: str = member(TEXT)
    undo: str = member(TEXT)
    expect: str = member(TEXT)
    check_command: str = member(TEXT, "For a shell: shows what `check_after` says.", default="", omit=True)

    @property
    @derived(choice(Who, among=(Who.OPERATOR,)))
    def who(self) -> Who:
        """Holdfast does nothing to consumers itself."""
        return Who.OPERATOR


def steps_of(
    change: ConsumerChange, rebalances: tuple[int, int], ends: Estimate | None, snapshot: ConsumerSnapshot
) -> tuple[ConsumerStep, ...]:
    """The events of a change, and a wait at the end. `rebalances`: the number that all of them cause, least and most; `ends`: when
    the last one is over; None: never, or unknown."""
    hosts = {member.member_id: member for member in snapshot.members}
    items = waiting_last(change.events)
    found = []
    for number, item in enumerate(items, start=1):
        if isinstance(item, Then):
            found.append(_wait(str(number), item, snapshot.group_id, ends if number == len(items) else None))
        else:
            found.append(_step(str(number), item, hosts, rebalances))
        hosts |= {new: hosts[old] for old, new in (() if isinstance(item, Then) else item.renamed()) if old in hosts}
    return tuple(found)


def verbs(change: ConsumerChange) -> Iterator[str]:
    """What the steps of a change ask for, in their order, without waiting."""
    return (name for item in change.statements() for name in item.ACTIONS)


def _wait(number: str, item: Then, group_id: str, ends: Estimate | None) -> ConsumerStep:
    """`ends`: what the forecast says of it; only the last wait has it."""
    shows = (("--state",), ("--members", "--verbose"))
    forecast = "" if ends is None else f"Rebalancing has ended {time_words.estimate(ends)} after the first step began. "
    return ConsumerStep(
        number,
        item,
        "Wait until the group is stable" if item.wait is Wait.STABLE else "Wait for one rebalance",
        "",
        "The group is Stable, and its assignment is the forecast one.",
        "Not needed.",
        f"{forecast}If this wait takes longer than {duration(WAIT_AT_LEAST_S)}, a consumer is busy and does not poll.",
        " && ".join(kafka_commands.describe_consumer_group(group_id, *one) for one in shows),
    )


def _step(number: str, item: ConsumerEvent, hosts: dict[str, Member], rebalances: tuple[int, int]) -> ConsumerStep:
    words = item.step(hosts)
    expect = f"{counted(*rebalances, 'rebalance')}, for all steps together." if rebalances[1] else "No rebalance."
    return ConsumerStep(number, item, words.says, words.before, words.after, words.undo, expect, words.check_command)
