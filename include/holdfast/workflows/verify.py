"""Compare a plan's forecast with what happened, and keep the verdict beside the plan."""

from holdfast.errors import InvalidInput
from holdfast.ports import Lake
from holdfast.rollout.codec.any_kind import AnyPlan, AnySnapshot, AnyVerdict
from holdfast.rollout.consumer import verify as consumer_verify
from holdfast.rollout.consumer.plan import ConsumerPlan
from holdfast.rollout.consumer_snapshot import ConsumerSnapshot
from holdfast.rollout.verify import verify
from holdfast.workflows import plan as plans


def compare(lake: Lake | None, plan: AnyPlan, fresh: AnySnapshot) -> AnyVerdict:
    """The verdict on `plan`; it takes the place of an earlier one in the lake. Without a lake it is kept nowhere."""
    verdict = _verdict(plan, fresh)
    if lake is not None:
        plans.keep_verdict(lake, verdict)
    return verdict


def _verdict(plan: AnyPlan, fresh: AnySnapshot) -> AnyVerdict:
    if isinstance(plan, ConsumerPlan):
        if isinstance(fresh, ConsumerSnapshot):
            return consumer_verify.verify(plan, fresh)
    elif not isinstance(fresh, ConsumerSnapshot):
        return verify(plan, fresh)
    raise InvalidInput(of_another_kind(plan))


def of_another_kind(plan: AnyPlan) -> str:
    """What to say of a snapshot that is not of the kind of group that the plan is for."""
    kinds = ("plain consumer", "Kafka Streams")
    planned, found = kinds if isinstance(plan, ConsumerPlan) else kinds[::-1]
    return f"Plan {plan.plan_id} is for a {planned} group, and the snapshot is of a {found} group"
