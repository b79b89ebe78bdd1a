"""The Forecast of a Change to a streams group whose broker assigns: every target that its coordinator computes.

Nothing here is a guess: where evidence is missing it is CannotPredict.
"""

from holdfast.errors import CannotPredict, MoveRejected, Unsupported
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast import clock, course, draw_summary, draws, restoring, summary, unowned_time
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerForecast, BrokerOutcome
from holdfast.rollout.broker_streams.forecast.restores import amounts
from holdfast.rollout.broker_streams.forecast.restoring import Changelogs
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.target.group import group_of, topology_of
from holdfast.rollout.facts import moves


def forecast(snapshot: StreamsGroupSnapshot, change: BrokerChange, times: int = 1, most: int = draws.MOST) -> BrokerForecast:
    """The Forecast of the contract. Raise CannotPredict, Unsupported, or InvalidInput for a change that does not fit the group.

    `times`: by how much the usual number of draws is multiplied, where IDs are random; `most`: no more than these.
    """
    ground = ground_of(snapshot)
    changelogs = restoring.changelogs_of(ground)
    if not draws.leaves_open(change):
        return BrokerForecast(change, _outcome(ground, changelogs, change), snapshot.unknown)
    tasks = sum(one.tasks for one in ground.group.subtopologies)
    drawn, outcomes = _drawn(ground, changelogs, change, draws.how_many(snapshot, tasks, change, times, most))
    example = draw_summary.usual(outcomes)
    names = [draws.same_names(one, drawn[example]) for one in drawn]
    return BrokerForecast(change, draw_summary.together(outcomes, names, example), snapshot.unknown, drawn[example])


def each_draw(snapshot: StreamsGroupSnapshot, change: BrokerChange, count: int) -> list[BrokerOutcome]:
    """The outcomes of `count` draws of the IDs that the change leaves open; one where it leaves none open. Raise as above."""
    ground = ground_of(snapshot)
    return _drawn(ground, restoring.changelogs_of(ground), change, count if draws.leaves_open(change) else 1)[1]


def _drawn(
    ground: Ground, changelogs: Changelogs, change: BrokerChange, count: int
) -> tuple[list[BrokerChange], list[BrokerOutcome]]:
    drawn = [draws.drawn(ground.snapshot, change, number) for number in range(count)]
    return drawn, [_outcome(ground, changelogs, one) for one in drawn]


def _outcome(ground: Ground, changelogs: Changelogs, change: BrokerChange) -> BrokerOutcome:
    targets, returns = course.with_returns(ground, change)
    times = clock.times(ground, change, targets, returns)
    last = targets[-1].processes if targets else ()
    counts = summary.hand_overs(ground, change, targets)
    restored = restoring.restores(ground, changelogs, change, targets, times)
    return BrokerOutcome(
        process_ids=tuple(dict.fromkeys(process for _, process in last)),
        targets=targets,
        summary=summary.summary(ground, change, targets, counts, times, None if restored is None else amounts(restored)),
        unowned=unowned_time.unowned(ground, change, targets, times, returns),
        hand_overs=counts,
        restores=restored,
    )


def ground_of(snapshot: StreamsGroupSnapshot) -> Ground:
    """Raise CannotPredict where what decides is unknown, or the topology is not ready; MoveRejected with all that keeps a classic
    group from becoming a streams group."""
    if snapshot.classic is not None and snapshot.classic.prevents:
        raise MoveRejected(f"The group cannot move to group.protocol=streams: {moves.sentences(snapshot.classic.prevents)}.")
    found = topology_of(snapshot)
    if found is None or snapshot.topology is None:
        raise CannotPredict(
            "the group's topology is not ready: topics are missing, or have other numbers of partitions than it needs; its"
            " coordinator assigns nothing until they fit. Collect the group again then"
        )
    return Ground(snapshot, snapshot.topology, group_of(snapshot, found))


def refuse_misfit(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> None:
    """Raise InvalidInput for a change that does not fit the group, with the path of the event. What cannot be predicted fits."""
    try:
        ground = ground_of(snapshot)
        course.carried_out(ground, draws.drawn(snapshot, change, 0))
    except (CannotPredict, Unsupported):
        return
