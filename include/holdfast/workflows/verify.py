"""Compare a plan's forecast with what happened, and keep the verdict beside the plan."""

from holdfast.ports import Lake
from holdfast.rollout.plan_value import Plan
from holdfast.rollout.snapshot import Snapshot
from holdfast.rollout.verify import Verdict, verify
from holdfast.workflows import plan as plans


def compare(lake: Lake | None, plan: Plan, fresh: Snapshot) -> Verdict:
    """The verdict on `plan`; it takes the place of an earlier one in the lake. Without a lake it is kept nowhere."""
    verdict = verify(plan, fresh)
    if lake is not None:
        plans.keep_verdict(lake, verdict)
    return verdict
