"""What happens if a condition of a forecast is not met: the changed Change, and its cost.

The usual one is a client that is away for longer than its session lasts: the group then rebalances without it, and again when it is
back. Each branch is a Change of its own, forecast like any other.
"""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka import java
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.facts import refusals
from holdfast.rollout.facts.refusals import REFUSAL, Refusal, Refuses, refusal_of
from holdfast.rollout.json.codec import TEXT, choice, nullable, number
from holdfast.rollout.json.kafka_codecs import PROCESS_IDS
from holdfast.rollout.json.record import codec_of, member, record, spread
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change import in_memory, shorthands
from holdfast.rollout.streams.change.change import CHANGE, Change, Item
from holdfast.rollout.streams.cost import cost
from holdfast.rollout.streams.cost.evaluation import COSTS, Cost
from holdfast.rollout.streams.cost.times_of_costs import worked_out
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.options import search_work
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.scene.static_members import all_static
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores
from holdfast.rollout.streams.snapshot.stores import stores_of

MOST_OUTCOMES = 2
"""This many positions represent all that a new random process ID can take."""
MOST_LATE = 8
"""Where more clients than this restart, one of them is assumed to be late, the first: each costs its own."""


class If(StrEnum):
    """`LATE`: clients are back after their sessions have timed out. `IN_TIME`: static members return, or are taken over, before.
    `ONE_BY_ONE`: clients that join together come in rebalances of their own. `MERGED`: steps that wait until the group is stable do
    not, so that they share a rebalance. `IN_MEMORY`: nothing is kept on disk, so that
    each client that restarts generates a new process ID."""

    LATE = "late"
    IN_TIME = "in time"
    ONE_BY_ONE = "one by one"
    MERGED = "merged"
    IN_MEMORY = "stores in memory"


@record
class Branch:
    """`seconds`: after how many a client is late, counted from when its stop begins. None: it is not about time."""

    condition: If = member(
        choice(If),
        "late: clients return after their session timeout; in time: static members before it; one by one: not together;"
        " merged: without waiting until the group is stable in between; stores in memory: no process ID is kept.",
        name="if",
    )
    seconds: float | None = member(
        nullable(number("a number of seconds, 0 or more", 0, java.LONG_MAX)),
        "How long a client may be away, from when its stop begins; null: not about time.",
    )
    process_ids: tuple[ProcessId, ...] = member(PROCESS_IDS, "The clients that it is about.")
    change: Change = member(CHANGE)


def branches(snapshot: Snapshot, change: Change) -> tuple[Branch, ...]:
    """What may happen instead of `change`. None where that is unknown, such as without a release."""
    try:
        limit = in_time_s(snapshot)
        written = shorthands.written_out(snapshot, change, roll_outs=False)
        each = shorthands.written_out(snapshot, change)  # so that one client of a roll-out can be late
    except (CannotPredict, InvalidInput, Unsupported):
        return ()
    found = (
        _late(each, limit),
        _in_time(snapshot, each if all_static(snapshot.clients) else written, limit),
        _one_by_one(written),
        _merged(each),
        _in_memory(snapshot, change),
    )
    return tuple(one for one in found if one is not None)


def in_time_s(snapshot: Snapshot) -> float:
    """How long a client may be away before its session times out, which began with its last heartbeat."""
    return outage.in_time_s(Scene.of(snapshot))


def _late(change: Change, limit: float) -> Branch | None:
    may_be = [index for index, item in enumerate(change.events) if _back(item) is not None and not _is_late(item)]
    late = may_be if len(may_be) <= MOST_LATE else may_be[:1]
    if not late:
        return None
    events = tuple(
        item.returning_late() if index in late and not isinstance(item, Then) else item for index, item in enumerate(change.events)
    )
    ids = _backs(change.events[index] for index in late)
    return Branch(If.LATE, limit, ids, replace(change, events=events))


def _back(item: Item) -> ProcessId | None:
    """The client that is stopped and comes back, itself or another one for it."""
    return item.comes_back() if isinstance(item, Event) else None


def _backs(items: Iterable[Item]) -> tuple[ProcessId, ...]:
    return tuple(back for item in items if (back := _back(item)) is not None)


def _is_late(item: Item) -> bool:
    return isinstance(item, Event) and item.is_late()


def _in_time(snapshot: Snapshot, change: Change, limit: float) -> Branch | None:
    """Static members that are taken to cause a rebalance, and cause none if they return, or are taken over, in time."""
    if any(isinstance(item, Then) and item.wait is Wait.REBALANCE for item in change.events):
        return None  # what returns in the middle of a rebalance is not modelled
    events = tuple(item if isinstance(item, Then) else item.returning_unseen(snapshot) for item in change.events)
    ids = _backs(was for was, now in zip(change.events, events, strict=True) if was is not now)
    return Branch(If.IN_TIME, limit, ids, replace(change, events=events)) if ids else None


def _in_memory(snapshot: Snapshot, change: Change) -> Branch | None:
    """Where the kind of stores is unknown, and it matters: process IDs would not be kept."""
    if stores_of(snapshot) is not None or not any(task.stateful for task in snapshot.tasks):
        return None
    drawn = in_memory.as_stored(replace(snapshot, stores=Stores.IN_MEMORY), change)
    if drawn == change:
        return None
    ids = _backs(was for was, now in zip(change.events, drawn.events, strict=True) if was != now)
    return Branch(If.IN_MEMORY, None, ids, drawn)


def _one_by_one(change: Change) -> Branch | None:
    """Clients that are added together, with no client whose session the group waits for."""
    if any(_stops_a_client(item) for item in change.events):
        return None
    events: list[Item] = []
    split = False
    for item in change.events:
        if _adds(item) and events and _adds(events[-1]):
            events.append(Then(Wait.REBALANCE))
            split = True
        events.append(item)
    joining = (item.joining() for item in events if isinstance(item, Event))
    ids = tuple(one.process_id for one in joining if one is not None and one.process_id is not None)
    return Branch(If.ONE_BY_ONE, None, ids, replace(change, events=tuple(events))) if split else None


def _stops_a_client(item: Item) -> bool:
    if isinstance(item, Then):
        return False
    return item.may_be_late() or (isinstance(item, Event) and bool(item.gone_and_came()[0]))


def _adds(item: Item) -> bool:
    return isinstance(item, Event) and item.joining() is not None


def _merged(change: Change) -> Branch | None:
    """Clients that stop and come back one after the other, all within one session: the group waits for the first of them, and the
    others join meanwhile. (Seen on 2.8.2 and 4.3.1: three restarts, one or two rebalances.)"""
    events = change.events
    together = tuple(item for item in events if not (isinstance(item, Then) and item.wait is Wait.STABLE))
    acts = [item for item in together if _back(item) is not None]
    noticed = [item for item in acts if isinstance(item, Event) and item.session_ends()]
    others = any(_back(item) is None and not _is_setting(item) for item in together)
    ids = _backs(acts)
    if len(noticed) < 2 or len(noticed) < len(acts) or len(set(ids)) < len(ids) or others or len(together) == len(events):
        return None
    return Branch(If.MERGED, None, ids, replace(change, events=together))


def _is_setting(item: Item) -> bool:
    return isinstance(item, Event) and bool(item.settings_set())


TOO_LARGE = Refusal(Refuses.TOO_LARGE)
"""One process assembles a plan without waiting for others: it forecasts only what takes little work."""


@record
class Otherwise:
    """A branch and what it costs, one `Cost` an outcome, without rounds and ends; or why nothing can be predicted."""

    branch: Branch = spread(codec_of(Branch))
    costs: tuple[Cost, ...] = member(COSTS, "One an outcome.", name="summary")
    refused: str | None = member(nullable(TEXT), default=None, needed=True)
    refusal: Refusal | None = member(REFUSAL, "`refused` as values.", default=None, omit=True)


def contingencies_of(
    snapshot: Snapshot, change: Change, displaced: tuple[ProcessId, ...] = (), policy: Policy | None = None
) -> tuple[Otherwise, ...]:
    """What each branch of `change` costs, at the speeds of a policy. `displaced`: as in `Option`."""
    return tuple(_contingency(snapshot, one, displaced, policy or Policy()) for one in branches(snapshot, change))


def _contingency(snapshot: Snapshot, branch: Branch, displaced: tuple[ProcessId, ...], policy: Policy) -> Otherwise:
    if not search_work.one_is_small(snapshot, branch.change):
        return _refused(branch, TOO_LARGE)
    try:
        if branch.condition is If.IN_MEMORY:
            snapshot = replace(snapshot, stores=Stores.IN_MEMORY)
        predicted = forecast(snapshot, branch.change, MOST_OUTCOMES)
        costs = cost.costs_of(snapshot, predicted.change, predicted, displaced)
    except (CannotPredict, InvalidInput, Unsupported) as refusal:
        return _refused(branch, refusal_of(refusal))
    return Otherwise(branch, tuple(_brief(one, policy) for one in costs))


def _refused(branch: Branch, why: Refusal) -> Otherwise:
    return Otherwise(branch, (), refusals.sentence(why), why)


def _brief(cost: Cost, policy: Policy) -> Cost:
    times = replace(worked_out(cost, policy), phases=(), rebalances=())
    return replace(cost, disks=(), restored_tasks=(), rounds=(), acts=(), end=(), stops=(), reads=(), restores=(), times=times)
