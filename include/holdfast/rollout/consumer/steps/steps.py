"""The steps of a plan for a consumer group: one per event, in order, with waits between them. All are manual."""

from collections.abc import Iterator

from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.change.change import ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.events import table
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.manual_steps import WAIT_AT_LEAST_S, action, waiting_last
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json.codec import NAME, TEXT, choice
from holdfast.rollout.json.record import derived, member, record, spread
from holdfast.rollout.text.wording import counted


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

    @property
    @derived(choice(Who, among=(Who.OPERATOR,)))
    def who(self) -> Who:
        """Holdfast does nothing to consumers itself."""
        return Who.OPERATOR


def steps_of(change: ConsumerChange, rebalances: tuple[int, int], snapshot: ConsumerSnapshot) -> tuple[ConsumerStep, ...]:
    """The events of a change, the number of `rebalances` that they cause, least and most, and a wait at the end."""
    hosts = {member.member_id: member for member in snapshot.members}
    found = []
    for number, item in enumerate(waiting_last(change.events), start=1):
        found.append(_step(str(number), item, hosts, rebalances))
        hosts |= {new: hosts[old] for old, new in (() if isinstance(item, Then) else item.renamed()) if old in hosts}
    return tuple(found)


def verbs(change: ConsumerChange) -> Iterator[str]:
    """What the steps of a change ask for, in their order, without waiting."""
    return (name for item in change.statements() for name in item.ACTIONS)


def _step(number: str, item: ConsumerItem, hosts: dict[str, Member], rebalances: tuple[int, int]) -> ConsumerStep:
    if isinstance(item, Then):
        stable = item.wait is Wait.STABLE
        return ConsumerStep(
            number,
            item,
            "Wait until the group is stable" if stable else "Wait for one rebalance",
            "",
            "kafka-consumer-groups.sh --describe --state shows Stable, and --members --verbose the forecast assignment.",
            "Not needed.",
            f"Within {WAIT_AT_LEAST_S} s; if it takes longer, a consumer is busy and does not poll.",
        )
    words = item.step(hosts)
    expect = f"{counted(*rebalances, 'rebalance')} in all." if rebalances[1] else "No rebalance."
    return ConsumerStep(number, item, words.says, words.before, words.after, words.undo, expect)
