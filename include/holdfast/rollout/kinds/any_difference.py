"""Two snapshots of a group, or two plans for one, compared, whichever kind of group it is."""

from holdfast.errors import InvalidInput
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.kinds import consumer_difference, difference
from holdfast.rollout.kinds.any_kind import AnyPlan, AnySnapshot
from holdfast.rollout.kinds.difference import Difference

_TWO_KINDS = "one is of a Kafka Streams group, the other of a consumer group: give two of one group"


def of_plans(before: AnyPlan, after: AnyPlan) -> Difference:
    """Raise InvalidInput for plans of two groups, or of two kinds."""
    if isinstance(before, ConsumerPlan):
        if isinstance(after, ConsumerPlan):
            return consumer_difference.of_plans(before, after)
    elif not isinstance(after, ConsumerPlan):
        return difference.of_plans(before, after)
    raise InvalidInput(_TWO_KINDS)


def of_snapshots(before: AnySnapshot, after: AnySnapshot) -> Difference:
    """Raise InvalidInput for snapshots of two groups, or of two kinds."""
    if isinstance(before, ConsumerSnapshot):
        if isinstance(after, ConsumerSnapshot):
            return consumer_difference.of_snapshots(before, after)
    elif not isinstance(after, ConsumerSnapshot):
        return difference.of_snapshots(before, after)
    raise InvalidInput(_TWO_KINDS)
