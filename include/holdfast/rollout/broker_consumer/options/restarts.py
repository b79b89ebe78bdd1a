"""Changes that restart consumers, one or several: their restarts, and how these are put into another sequence."""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.errors import HoldfastError
from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.events.convert_consumer import Restarting
from holdfast.rollout.broker_consumer.forecast.forecast import forecast
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.facts.refusals import Refusal, Refuses
from holdfast.rollout.options import orders
from holdfast.rollout.options.orders import OrdersTried

Restarts = tuple[Restarting, ...]


def restarts_of(change: GroupChange) -> Restarts:
    """The restarts that the change consists of; none if there is anything else in it, or a consumer that does not leave."""
    found: list[Restarting] = []
    for item in change.statements():
        if not item.restarts() or item.in_interval() or item.crashes():
            return ()
        assert isinstance(item, Restarting), "nothing else restarts a consumer"
        found.append(item)
    return tuple(found)


def in_turn(restarts: Sequence[Restarting]) -> GroupChange:
    """One after the other, each once the group is stable."""
    events: list[Item] = []
    for one in restarts:
        events += [one, Then(Wait.STABLE)]
    return GroupChange(tuple(events[:-1]))


def within(restarts: Sequence[Restarting], static: frozenset[str]) -> list[Item]:
    """Each but the first within the assignment interval of the target before. Static members cause no target."""
    events: list[Item] = []
    noticed = False
    for one in restarts:
        if one.member_id in static:
            events += [one, Then(Wait.STABLE)]
            continue
        events += [replace(one, within_interval=True) if noticed else one, Then(Wait.REBALANCE)]
        noticed = True
    return events


def as_static(change: GroupChange, static: frozenset[str]) -> GroupChange:
    """The same, but dynamic members that restart come back with instance IDs. Placeholders stand for these."""
    events: list[Item] = []
    for number, item in enumerate(change.events):
        if isinstance(item, Restarting) and item.member_id not in static and not item.within_interval:
            given = replace(item.given, instance_id=f"instance-{number:05}")
            item = replace(item, given=given)
        events.append(item)
    return replace(change, events=tuple(events))


def best_order(snapshot: BrokerConsumerSnapshot, restarts: Restarts) -> tuple[Restarts, OrdersTried] | Refusal | None:
    """The order with the fewest hand-overs, then partitions moved, of those that are tried. A refusal: the group is too large to
    try any; None: nothing can be predicted."""
    partitions = sum(len(one.partitions) for one in snapshot.topics)
    of_one = (partitions + len(snapshot.members)) * (len(restarts) + 1)

    def costs(order: Restarts) -> tuple[int, int]:
        found = forecast(snapshot, in_turn(order), at_most=1).outcome.summary
        return found.moves, found.moved

    try:
        return orders.best(restarts, lambda one: one.member_id, of_one, costs) or Refusal(Refuses.TOO_LARGE)
    except HoldfastError:
        return None
