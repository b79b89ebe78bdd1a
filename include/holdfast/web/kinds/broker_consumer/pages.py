"""The pages of consumer groups whose broker assigns, for the registry."""

from datetime import datetime
from typing import ClassVar

from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.times import Times
from holdfast.web.kinds.broker_consumer import plan_view
from holdfast.web.kinds.kind_pages import KindPages, MemberTable
from holdfast.web.parts.consumer_members import Reader, views
from holdfast.web.parts.plan_view import PlanView


class BrokerConsumerPages(KindPages):
    kind: ClassVar[str] = "broker_consumer"
    by_step: ClassVar[bool] = False
    order: ClassVar[str] = "order in which the broker lists members"
    same_id: ClassVar[str] = "a static member returns within the session timeout"
    new_id: ClassVar[str] = "a new member with a random member ID replaces it"

    def plan(self, plan: GroupPlan, now: datetime) -> PlanView:
        return plan_view.view(plan, now)

    def times(self, plan: GroupPlan) -> Times | None:
        return None if plan.recommended_option is None else plan.recommended_option.times

    def members(self, snapshot: BrokerConsumerSnapshot) -> MemberTable:
        readers = [Reader(one.member_id, one.instance_id, one.host, one.rack) for one in snapshot.members]
        reads = {partition: one.member_id for one in snapshot.members for partition in one.assignment or one.target or ()}
        return MemberTable(
            name="Members",
            title="Members, as the broker lists them",
            about="The coordinator assigns by this order, by member IDs, and by what members have. uniform keeps what it can;"
            " range deals ranges in the order of instance IDs, then of member IDs.",
            template="members/consumers.html",
            rows=views(readers, reads, snapshot.topics),
        )
