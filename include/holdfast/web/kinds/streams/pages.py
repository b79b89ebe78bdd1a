"""The pages of Kafka Streams groups whose leader assigns, for the registry."""

from datetime import datetime
from typing import ClassVar

from holdfast.rollout.contract.times import Times
from holdfast.rollout.streams.cost.times_of_costs import times_of
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.web.kinds.kind_pages import KindPages, MemberTable
from holdfast.web.kinds.streams import clients, plan_view
from holdfast.web.parts.plan_view import PlanView


class StreamsPages(KindPages):
    kind: ClassVar[str] = "streams"
    order: ClassVar[str] = "process-ID order"
    same_id: ClassVar[str] = "the replacement keeps the process ID"
    new_id: ClassVar[str] = "the replacement generates one, at the most likely rank and at the worst rank in process-ID order"

    def plan(self, plan: Plan, now: datetime) -> PlanView:
        return plan_view.view(plan, now)

    def times(self, plan: Plan) -> Times | None:
        worst = None if plan.recommended_option is None else plan.recommended_option.worst
        return None if worst is None else times_of(worst, plan.policy)

    def restores(self, plan: Plan) -> int | None:
        worst = None if plan.recommended_option is None else plan.recommended_option.worst
        return None if worst is None else worst.restored_records

    def members(self, snapshot: Snapshot) -> MemberTable:
        return MemberTable(
            name="Clients",
            title="Clients, in process-ID order",
            about="Kafka assigns stateful tasks in this order: a client that joins or leaves shifts the tasks of all"
            " clients below it.",
            template="members/clients.html",
            rows=clients.clients(snapshot),
        )
