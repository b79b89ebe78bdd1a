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
from holdfast.rollout.contract.requests import Disk
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
from holdfast.rollout.streams.events.add_client import AddClient
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.replace_client import ReplaceClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.events.set_config import SetConfig
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.options import search_work
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.scene.static_members import is_static
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
    except (CannotPredict, InvalidInput, Unsupported):
        return ()
    found = (
        _late(snapshot, written, limit),
        _in_time(snapshot, written, limit),
        _one_by_one(written),
        _merged(snapshot, written),
        _in_memory(snapshot, change),
    )
    return tuple(one for one in found if one is not None)


def in_time_s(snapshot: Snapshot) -> float:
    """How long a client may be away before its session times out, which began with its last heartbeat."""
    return outage.in_time_s(Scene.of(snapshot))


def _late(snapshot: Snapshot, change: Change, limit: float) -> Branch | None:
    change = replace(change, events=tuple(_each_restart(snapshot, change.events)))
    may_be = [
        index for index, item in enumerate(change.events) if isinstance(item, RestartClient | ReplaceClient) and not item.late
    ]
    late = may_be if len(may_be) <= MOST_LATE else may_be[:1]
    if not late:
        return None
    events = tuple(
        item.returning_late() if index in late and not isinstance(item, Then) else item for index, item in enumerate(change.events)
    )
    ids = tuple(item.process_id for index in late if isinstance(item := change.events[index], RestartClient | ReplaceClient))
    return Branch(If.LATE, limit, ids, replace(change, events=events))


def _each_restart(snapshot: Snapshot, events: Iterable[Item]) -> Iterable[Item]:
    """Roll-outs written out, so that one client of them can be late."""
    for item in events:
        if isinstance(item, RollingRestart):
            yield from shorthands.written_out(snapshot, Change((item,))).events
        else:
            yield item


def _in_time(snapshot: Snapshot, change: Change, limit: float) -> Branch | None:
    """Static members that are taken to cause a rebalance, and cause none if they return, or are taken over, in time."""
    if any(isinstance(item, Then) and item.wait is Wait.REBALANCE for item in change.events):
        return None  # what returns in the middle of a rebalance is not modelled
    events = tuple(_taken_over(snapshot, item) for item in change.events)
    ids = tuple(
        was.process_id
        for was, now in zip(change.events, events, strict=True)
        if was is not now and isinstance(was, RestartClient | ReplaceClient)
    )
    return Branch(If.IN_TIME, limit, ids, replace(change, events=events)) if ids else None


def _taken_over(snapshot: Snapshot, item: Item) -> Item:
    match item:
        case RestartClient(late=False, threads=None, member_ids=None) if not item.within_session and _static(snapshot, item):
            return replace(item, within_session=True)
        case ReplaceClient(late=False) if item.disk is not Disk.COPIED and item.by.member_ids is None and _static(snapshot, item):
            old = snapshot.client(item.process_id)
            same = item.by.process_id == item.process_id
            if old is None or item.by.threads not in (None, len(old.consumers)):
                return item
            return RestartClient(
                item.process_id,
                keeps_process_id=same,
                new_process_id=None if same else item.by.process_id,
                keeps_state=item.disk is Disk.KEPT,
                within_session=True,
            )
        case _:
            return item


def _static(snapshot: Snapshot, item: RestartClient | ReplaceClient) -> bool:
    client = snapshot.client(item.process_id)
    return client is not None and is_static(client)


def _in_memory(snapshot: Snapshot, change: Change) -> Branch | None:
    """Where the kind of stores is unknown, and it matters: process IDs would not be kept."""
    if stores_of(snapshot) is not None or not any(task.stateful for task in snapshot.tasks):
        return None
    drawn = in_memory.as_stored(replace(snapshot, stores=Stores.IN_MEMORY), change)
    if drawn == change:
        return None
    ids = tuple(
        was.process_id
        for was, now in zip(change.events, drawn.events, strict=True)
        if was != now and isinstance(was, RestartClient | ReplaceClient)
    )
    return Branch(If.IN_MEMORY, None, ids, drawn)


def _one_by_one(change: Change) -> Branch | None:
    """Clients that are added together, with no client whose session the group waits for."""
    if any(isinstance(item, RestartClient | ReplaceClient | RemoveClient | RollingRestart) for item in change.events):
        return None
    events: list[Item] = []
    split = False
    for item in change.events:
        if isinstance(item, AddClient) and events and isinstance(events[-1], AddClient):
            events.append(Then(Wait.REBALANCE))
            split = True
        events.append(item)
    ids = tuple(item.client.process_id for item in events if isinstance(item, AddClient) and item.client.process_id is not None)
    return Branch(If.ONE_BY_ONE, None, ids, replace(change, events=tuple(events))) if split else None


def _merged(snapshot: Snapshot, change: Change) -> Branch | None:
    """Clients that stop and come back one after the other, all within one session: the group waits for the first of them, and the
    others join meanwhile. (Seen on 2.8.2 and 4.3.1: three restarts, one or two rebalances.)"""
    events = tuple(_each_restart(snapshot, change.events))
    acts = [item for item in events if isinstance(item, RestartClient | ReplaceClient)]
    noticed = [item for item in acts if not (isinstance(item, RestartClient) and item.within_session)]
    together = [item for item in events if not (isinstance(item, Then) and item.wait is Wait.STABLE)]
    others = (item for item in together if not isinstance(item, RestartClient | ReplaceClient | SetConfig))
    ids = tuple(item.process_id for item in acts)
    if len(noticed) < 2 or len(noticed) < len(acts) or len(set(ids)) < len(ids) or any(others) or len(together) == len(events):
        return None
    return Branch(If.MERGED, None, ids, replace(change, events=tuple(together)))


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
