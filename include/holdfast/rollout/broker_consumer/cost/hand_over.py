"""What an option's hand-overs cost a consumer group whose broker assigns: how long partitions are unread. Seconds."""

from holdfast.rollout.broker_consumer.forecast.outcomes import GroupOutcome
from holdfast.rollout.coordinated.spans import SPAN, Seconds
from holdfast.rollout.json.codec import COUNT
from holdfast.rollout.json.record import member, record

_NONE = Seconds(0, 0, 0)


@record
class HandOver:
    """How long partitions have no owner, all of them together, and the longest of them, without those that wait for a consumer to
    start: `waiting` is how many do. `partitions`: how many have none for a time."""

    unowned: Seconds = member(SPAN, "Partition-seconds, all partitions together: at least, usually, at most.")
    longest: Seconds = member(SPAN, "Of one partition.")
    waiting: int = member(COUNT, "Partitions that in addition wait for a consumer to start.")
    partitions: int = member(COUNT, "That have no owner for a time.")


def hand_over(outcome: GroupOutcome) -> HandOver:
    spans = [span for _, span in outcome.unowned if span is not None]
    return HandOver(
        unowned=Seconds(*(sum(part) for part in zip(*spans, strict=True))) if spans else _NONE,
        longest=max(spans, key=lambda one: (one.most, one.usual), default=_NONE),
        waiting=sum(span is None for _, span in outcome.unowned),
        partitions=len(outcome.unowned),
    )
