"""Changes that restart clients, one or several: their restarts, and how these are put into another sequence."""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.errors import HoldfastError
from holdfast.rollout.broker_streams.change.assumptions import BrokerAssume
from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.restart_client import RestartClient
from holdfast.rollout.broker_streams.forecast import course, draws, summary
from holdfast.rollout.broker_streams.forecast.forecast import ground_of
from holdfast.rollout.broker_streams.options import usual_assumptions
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.facts.refusals import Refusal, Refuses
from holdfast.rollout.options import orders
from holdfast.rollout.options.orders import OrdersTried


def restarts_of(change: BrokerChange) -> tuple[RestartClient, ...]:
    """The restarts that the change consists of; none if there is anything else in it, or a client that does not leave."""
    found: list[RestartClient] = []
    for item in change.statements():
        if not item.restarts() or item.in_interval() or item.unnoticed():
            return ()
        assert isinstance(item, RestartClient), "nothing else restarts a client"
        found.append(item)
    return tuple(found)


def becoming_static(change: BrokerChange) -> BrokerChange:
    """The same restarts, each with a group.instance.id."""
    events = tuple(replace(item, becomes_static=True) if isinstance(item, RestartClient) else item for item in change.events)
    return replace(change, events=events)


def in_turn(restarts: Sequence[RestartClient]) -> BrokerChange:
    """One after the other, each once the group is stable."""
    events: list[BrokerItem] = []
    for one in restarts:
        events += [one, Then(Wait.STABLE)]
    return BrokerChange(tuple(events[:-1]))


def together(restarts: Sequence[RestartClient]) -> BrokerChange:
    return BrokerChange(tuple(restarts))


def within(restarts: Sequence[RestartClient], first: int) -> list[BrokerItem]:
    """Each within the assignment interval of the target before; those before the number `first` are noticed."""
    events: list[BrokerItem] = []
    for number, one in enumerate(restarts):
        events += [replace(one, within_interval=True) if number >= first else one, Then(Wait.REBALANCE)]
    return events


def best_order(
    snapshot: StreamsGroupSnapshot, restarts: tuple[RestartClient, ...], assume: BrokerAssume
) -> tuple[tuple[RestartClient, ...], OrdersTried] | Refusal | None:
    """The order with the fewest tasks restored in full, then hand-overs, then tasks moved, of those that are tried. A
    refusal: the group is too large to try any; None: nothing can be predicted."""
    try:
        ground = ground_of(snapshot)
        tasks = sum(one.tasks for one in ground.group.subtopologies)
        of_one = (tasks + len(snapshot.members)) * (len(restarts) + 1)

        def costs(order: tuple[RestartClient, ...]) -> tuple[int, int, int]:
            change = draws.drawn(snapshot, usual_assumptions.as_usual(snapshot, replace(in_turn(order), assume=assume)), 0)
            targets = course.carried_out(ground, change)
            found = summary.summary(ground, change, targets, summary.hand_overs(ground, change, targets))
            return found.cold_moves, found.moves, found.active_moved

        return orders.best(restarts, lambda one: one.process_id, of_one, costs) or Refusal(Refuses.TOO_LARGE)
    except HoldfastError:
        return None
