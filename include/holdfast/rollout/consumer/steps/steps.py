"""The steps of a plan for a consumer group: one per event, in order, with waits between them. All are manual."""

from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.kafka import java
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.change.change import ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.events import table
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import NAME, TEXT, Codec, choice
from holdfast.rollout.json.record import derived, member, record, spread
from holdfast.rollout.json.unions import tagged
from holdfast.rollout.text.wording import counted

WAIT_AT_LEAST_S = 600


def _wait(wait: Wait) -> Codec[ConsumerItem]:
    """How long to wait is the same for all."""
    return Codec(
        lambda inputs: (strict.mapping(inputs), Then(wait))[1],
        lambda _: {"limit_s": WAIT_AT_LEAST_S},
        lambda: shapes.closed({"limit_s": shapes.integer(1, java.INT_MAX)}),
    )


def _verb(item: ConsumerItem) -> str:
    return f"await_{item.wait}" if isinstance(item, Then) else item.VERB


def _items() -> Mapping[str, Codec[Any]]:
    return {**{event.VERB: event.codec() for event in table.EVENTS}, **{f"await_{wait}": _wait(wait) for wait in Wait}}


@record
class ConsumerStep:
    """One thing to do, by the operator: an event of the change, or a wait. `id` is its number in the plan, from "1"."""

    id: str = member(NAME, "Its number, from 1.")
    item: ConsumerItem = spread(tagged("action", "inputs", _items, _verb))
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
    events: list[ConsumerItem] = [*change.events]
    if events and not isinstance(events[-1], Then):
        events.append(Then(Wait.STABLE))
    found = []
    for number, item in enumerate(events, start=1):
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
            "kafka-consumer-groups.sh --describe --state shows Stable, and --members shows the forecast assignment.",
            "Not needed.",
            f"Within {WAIT_AT_LEAST_S} s; if it takes longer, a consumer is busy and does not poll.",
        )
    words = item.step(hosts)
    expect = f"{counted(*rebalances, 'rebalance')} in all." if rebalances[1] else "No rebalance."
    return ConsumerStep(number, item, words.says, words.before, words.after, words.undo, expect)
