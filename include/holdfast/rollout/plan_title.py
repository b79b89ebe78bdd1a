"""What a plan is called: the request that it answers. The same words in the list, on its page, and in Airflow's question."""

from collections import Counter
from collections.abc import Mapping

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout import asked
from holdfast.rollout.basis import Basis
from holdfast.rollout.codec.any_kind import AnyPlan
from holdfast.rollout.consumer import asked as consumer_asked
from holdfast.rollout.consumer.plan import ConsumerPlan
from holdfast.rollout.plan_value import PlanVerdict
from holdfast.rollout.wording import printable

SHORT_ID = 8
LONGEST_GROUP = 120
VERDICTS: Mapping[PlanVerdict, str] = {
    PlanVerdict.NOTHING_TO_DO: "nothing to do",
    PlanVerdict.SAFE: "within policy",
    PlanVerdict.REVIEW: "needs review",
    PlanVerdict.BLOCKED: "blocked",
}


def title_of(plan: AnyPlan) -> str:
    """`Replace app-2 by app-3 in streams-wordcount`."""
    if isinstance(plan, ConsumerPlan):
        said = consumer_asked.title(plan.change, plan.basis)
    else:
        hosts = host_names(plan.basis)
        said = asked.title(plan.change, lambda one: asked.short(hosts.get(one, f"{str(one)[:SHORT_ID]}…")))
    return f"{said[:1].upper()}{said[1:]} in {printable(plan.basis.group_id, LONGEST_GROUP)}"


def request_of(plan: AnyPlan) -> str:
    """All that was asked for, in a sentence without its full stop; empty where the change has no events."""
    if not plan.change.events:
        return ""
    if isinstance(plan, ConsumerPlan):
        return consumer_asked.asked(plan.change, plan.basis)
    basis = plan.basis
    return asked.asked(plan.change, lambda one: client_name(basis, one))


def question_of(plan: AnyPlan) -> str:
    """The subject under which a person is asked to decide: what was asked for, what the plan says of it, and which plan it is."""
    return f"{title_of(plan)}: {VERDICTS[plan.verdict]}. Approve plan {plan.plan_id}?"


def host_names(basis: Basis) -> Mapping[ProcessId, str]:
    """Each client by its host; where several share one, with the beginning of its ID."""
    shared = Counter(client.host for client in basis.clients)
    return {
        client.process_id: client.host if shared[client.host] == 1 else f"{client.host} ({str(client.process_id)[:SHORT_ID]}…)"
        for client in basis.clients
        if client.host
    }


def client_name(basis: Basis, process_id: ProcessId) -> str:
    """A client by the host on which it ran before anything was done."""
    known = basis.client(process_id)
    return f"{known.host} ({str(process_id)[:SHORT_ID]}…)" if known is not None and known.host else f"client {process_id}"
