"""The Forecast of a Change to a streams group whose broker assigns: every target that its coordinator computes.

Nothing here is a guess: where evidence is missing it is CannotPredict.
"""

from holdfast.errors import CannotPredict
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.forecast import course, summary
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerForecast, BrokerOutcome
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.target.group import group_of, topology_of


def forecast(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> BrokerForecast:
    """The Forecast of the contract. Raise CannotPredict, Unsupported, or InvalidInput for a change that does not fit the group."""
    ground = ground_of(snapshot)
    _refuse_random(change)
    targets = course.carried_out(ground, change)
    last = targets[-1].processes if targets else ()
    outcome = BrokerOutcome(tuple(dict.fromkeys(process for _, process in last)), targets, summary.summary(ground, change, targets))
    return BrokerForecast(change, outcome, snapshot.unknown)


def ground_of(snapshot: StreamsGroupSnapshot) -> Ground:
    """Raise CannotPredict where what decides is unknown, or the topology is not ready."""
    found = topology_of(snapshot)
    if found is None or snapshot.topology is None:
        raise CannotPredict(
            "the group's topology is not ready: topics are missing, or have other numbers of partitions than it needs; its"
            " coordinator assigns nothing until they fit. Collect the group again then"
        )
    return Ground(snapshot, snapshot.topology, group_of(snapshot, found))


def _refuse_random(change: BrokerChange) -> None:
    for index, item in enumerate(change.events):
        comes = item.comes() if isinstance(item, BrokerEvent) else None
        if comes is not None and (comes[0].process_id is None or comes[0].member_ids is None):
            raise CannotPredict(
                f"events[{index}]: the member IDs of a client that starts decide, and are random at each start: give `member_ids`,"
                " one a thread, and the process ID"
            )
