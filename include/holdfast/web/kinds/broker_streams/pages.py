"""The pages of streams groups whose broker assigns, for the registry."""

from datetime import datetime
from typing import ClassVar

from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.contract.times import Times
from holdfast.web.kinds.broker_streams import plan_view
from holdfast.web.kinds.kind_pages import KindPages
from holdfast.web.parts.plan_view import PlanView


class BrokerStreamsPages(KindPages):
    kind: ClassVar[str] = "broker_streams"
    by_step: ClassVar[bool] = False
    order: ClassVar[str] = "order in which the broker lists members"
    same_id: ClassVar[str] = "the replacement has the same process ID, and an empty disk"
    new_id: ClassVar[str] = "the replacement has a new random process ID; the usual and the worst of several draws of IDs"

    def plan(self, plan: BrokerPlan, now: datetime) -> PlanView:
        return plan_view.view(plan, now)

    def times(self, plan: BrokerPlan) -> Times | None:
        return None if plan.recommended_option is None else plan.recommended_option.times

    def restores(self, plan: BrokerPlan) -> int | None:
        option = plan.recommended_option
        return None if option is None or option.restored is None else option.restored.records
