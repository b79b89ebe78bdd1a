"""What an option's hand-overs cost a streams group whose broker assigns, before anything is restored. Seconds."""

from holdfast.kafka.coordinator.streams.group import each_task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast import placement
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome
from holdfast.rollout.coordinated.spans import SPAN, Seconds
from holdfast.rollout.json.codec import COUNT, NAME, nullable
from holdfast.rollout.json.record import codec_of, member, record


@record
class Fullest:
    """The client with the most copies of stateful tasks at any target: that many, and in percent of an even share."""

    process_id: str = member(NAME)
    copies: int = member(COUNT)
    percent: int = member(COUNT)


@record
class HandOver:
    """`collateral`: stateful tasks that move between clients which are there before and after. `unowned`: how long tasks have no
    owner, all of them together, and `longest` of them, without those that wait for a client to start: `waiting` is how many do.

    `cold_at_once`: the most hand-overs of one target to disks that have never had the task.
    """

    collateral: int = member(COUNT)
    unowned: Seconds = member(SPAN, "Task-seconds, all tasks together: at least, usually, at most.")
    longest: Seconds = member(SPAN, "Of one task.")
    waiting: int = member(COUNT, "Tasks that in addition wait for a client to start.")
    cold_at_once: int = member(COUNT)
    fullest: Fullest | None = member(nullable(codec_of(Fullest)))


def hand_over(ground: Ground, change: BrokerChange, outcome: BrokerOutcome) -> HandOver:
    """`change`: with the IDs of the outcome."""
    spans = [span for _, span in outcome.unowned if span is not None]
    return HandOver(
        collateral=placement.collateral(ground, change, outcome),
        unowned=Seconds(*(sum(part) for part in zip(*spans, strict=True))) if spans else Seconds(0, 0, 0),
        longest=max(spans, key=lambda one: one.most, default=Seconds(0, 0, 0)),
        waiting=sum(span is None for _, span in outcome.unowned),
        cold_at_once=max((one.cold for one in outcome.hand_overs), default=0),
        fullest=_fullest(ground, outcome),
    )


def _fullest(ground: Ground, outcome: BrokerOutcome) -> Fullest | None:
    """None: no target has a stateful task."""
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    found: Fullest | None = None
    for target in outcome.targets:
        copies = dict.fromkeys(dict(target.processes).values(), 0)
        processes = dict(target.processes)
        for given in target.assignment.members:
            copies[processes[given.member_id]] += sum(
                task.subtopology in stateful for tasks in (given.active, given.standby) for task in each_task(tasks)
            )
        most = max(copies, key=lambda process: copies[process], default=None)
        every = sum(copies.values())
        if most is not None and every:
            percent = -(-100 * copies[most] * len(copies) // every)
            if found is None or percent > found.percent:
                found = Fullest(most, copies[most], percent)
    return found
