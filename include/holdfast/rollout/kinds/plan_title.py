"""The title of a plan: the request that it answers. Used by the list, the plan's page and Airflow's question."""

from holdfast.rollout.contract.plan_words import ASSESSMENTS
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.format import printable

LONGEST_GROUP = 120


def title_of(plan: AnyPlan) -> str:
    """`Replace app-2 by app-3 in streams-wordcount`."""
    title = kind_of(plan).title(plan)
    return f"{title[:1].upper()}{title[1:]} in {printable(plan.basis.group_id, LONGEST_GROUP)}"


def request_of(plan: AnyPlan) -> str:
    """All that was asked for, in a sentence without its full stop; empty where the change has no events."""
    return kind_of(plan).request(plan) if plan.change.events else ""


def question_of(plan: AnyPlan) -> str:
    """The subject under which a person is asked to decide: what was asked for, what the plan says of it, and which plan it is."""
    return f"{title_of(plan)}: {ASSESSMENTS[plan.assessment]}. Approve plan {plan.plan_id}?"
