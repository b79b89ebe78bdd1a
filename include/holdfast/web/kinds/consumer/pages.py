"""The pages of consumer groups whose leader assigns, for the registry."""

from datetime import datetime
from typing import ClassVar

from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.times import Times
from holdfast.web.kinds.consumer import consumers, plan_view
from holdfast.web.kinds.kind_pages import KindPages, MemberTable
from holdfast.web.parts.plan_view import PlanView


class ConsumerPages(KindPages):
    kind: ClassVar[str] = "consumer"
    same_id: ClassVar[str] = "a static member returns within the session timeout"
    new_id: ClassVar[str] = "a new member replaces it, at the most likely rank and at the worst rank in member-ID order"

    def plan(self, plan: ConsumerPlan, now: datetime) -> PlanView:
        return plan_view.view(plan, now)

    def times(self, plan: ConsumerPlan) -> Times | None:
        return None if plan.recommended_option is None else plan.recommended_option.times

    def members(self, snapshot: ConsumerSnapshot) -> MemberTable:
        return MemberTable(
            name="Members",
            title="Members, in member-ID order",
            about="The range and round-robin assignors assign partitions in this order, static members first: a member that joins"
            " or leaves shifts the partitions of all members below it. Sticky assignors keep assignments where they can.",
            template="members/consumers.html",
            rows=consumers.consumers(snapshot),
        )
