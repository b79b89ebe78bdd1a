"""The JSON of Plans and policies.

Reading a plan is strict, and its `plan_id` must be the digest of the rest: a plan that somebody edited is no plan.
"""

from collections.abc import Mapping

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.plan_ids import plan_id_in
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts
from holdfast.rollout.contract.verdicts import PlanVerdict, Rule
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS
from holdfast.rollout.facts.reasons import BLOCKED, REASON
from holdfast.rollout.journal.signature import SIGNATURE
from holdfast.rollout.json import contracts, kafka, strict
from holdfast.rollout.json.codec import items
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import FORMAT_VERSION, Fields, nullable, one_of, texts
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.cost.evaluation import COSTS, Effort
from holdfast.rollout.streams.options.otherwise import Otherwise
from holdfast.rollout.streams.plan.basis import Basis, ClientBasis, Subtopology, TaskBasis
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.streams.steps.steps import STEPS


def plan_id_of(plan: Plan) -> str:
    """The first hexadecimal digits of the digest of everything but the ID itself."""
    return plan_id_in(plan_to_json(plan))


def plan_from_json(value: object) -> Plan:
    contracts.refuse_another(value, "Plan")
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    plan = Plan(
        plan_id=fields.need("plan_id", strict.name),
        created_at=fields.need("created_at", strict.instant),
        expires_at=fields.need("expires_at", strict.instant),
        created_from=fields.need("created_from", codec_of(CreatedFrom).read),
        basis=fields.need("basis", _basis),
        policy=fields.need("policy", policy_from_json),
        change=fields.need("change", change_from_json),
        verdict=fields.need("verdict", one_of(PlanVerdict)),
        headline=fields.need("headline", strict.text),
        why=fields.need("why", strict.text),
        wrong_if=fields.need("wrong_if", strict.text),
        blocked_by=fields.need("blocked_by", texts),
        chosen=fields.need("chosen", nullable(strict.name)),
        candidates=fields.need("candidates", lambda ways: strict.each(ways, _considered)),
        steps=fields.need("steps", STEPS.read),
        settings=fields.need("settings", items(codec_of(SettingChange)).read),
        preconditions=fields.need("preconditions", texts),
        rules=fields.need("rules", items(codec_of(Rule)).read),
        unknown=fields.need("unknown", texts),
        otherwise=fields.optional("otherwise", items(codec_of(Otherwise)).read, ()),
        blocked=fields.optional("blocked", BLOCKED.read, ()),
        invalidations=fields.optional("invalid_if", INVALIDATIONS.read, ()),
        assumptions=fields.optional("assumptions", ASSUMPTIONS.read, ()),
        requested_by=fields.optional("requested_by", strict.name, None),
    )
    fields.optional("signature", SIGNATURE.read, None)
    fields.finish(closed=True)
    _refuse_edited(plan, strict.mapping(value))
    return plan


def _refuse_edited(plan: Plan, written: Mapping[str, object]) -> None:
    digest = plan_id_in(written)
    if plan.plan_id != digest:
        raise InvalidInput(
            f"{strict.shown(plan.plan_id)} is not the digest of this plan's content ({digest}): the plan was edited after it was"
            " made, or another version of Holdfast made it. Create a new plan",
            "plan_id",
        )


def plan_to_json(plan: Plan) -> dict[str, object]:
    """What stands there only where it is said: a plan from before there was the field has its digest still."""
    said: dict[str, object] = {"otherwise": items(codec_of(Otherwise)).write(plan.otherwise)} if plan.otherwise else {}
    if plan.blocked:
        said["blocked"] = BLOCKED.write(plan.blocked)
    if plan.invalidations:
        said["invalid_if"] = INVALIDATIONS.write(plan.invalidations)
    if plan.assumptions:
        said["assumptions"] = ASSUMPTIONS.write(plan.assumptions)
    if plan.requested_by is not None:
        said["requested_by"] = plan.requested_by
    return said | {
        "format_version": FORMAT_VERSION,
        "plan_id": plan.plan_id,
        "created_at": plan.created_at,
        "expires_at": plan.expires_at,
        "created_from": codec_of(CreatedFrom).write(plan.created_from),
        "verdict": plan.verdict.value,
        "headline": plan.headline,
        "why": plan.why,
        "wrong_if": plan.wrong_if,
        "blocked_by": list(plan.blocked_by),
        "chosen": plan.chosen,
        "steps": STEPS.write(plan.steps),
        "settings": items(codec_of(SettingChange)).write(plan.settings),
        "preconditions": list(plan.preconditions),
        "rules": items(codec_of(Rule)).write(plan.rules),
        "unknown": list(plan.unknown),
        "candidates": [_considered_to_json(one) for one in plan.candidates],
        "change": change_to_json(plan.change),
        "policy": policy_to_json(plan.policy),
        "basis": _basis_to_json(plan.basis),
    }


def _considered(value: object) -> Considered:
    fields = Fields(value)
    found = Considered(
        name=fields.need("name", strict.name),
        title=fields.need("title", strict.text),
        change=fields.need("change", change_from_json),
        effort=fields.need("effort", one_of(Effort)),
        costs=fields.need("summary", COSTS.read),
        rules=fields.need("rules", items(codec_of(Rule)).read),
        unknown=fields.need("unknown", texts),
        refused=fields.need("refused", nullable(strict.text)),
        why_not=fields.need("why_not", strict.text),
        reason=fields.optional("reason", REASON.read, None),
        as_asked=fields.optional("as_asked", strict.boolean, default=True),
        effort_counts=fields.optional("effort_counts", codec_of(EffortCounts).read, None),
    )
    fields.finish(closed=True)
    return found


def _considered_to_json(one: Considered) -> dict[str, object]:
    return {
        "name": one.name,
        "title": one.title,
        "why_not": one.why_not,
        **({} if one.reason is None else {"reason": REASON.write(one.reason)}),
        "effort": one.effort.value,
        "change": change_to_json(one.change),
        "summary": COSTS.write(one.costs),
        "rules": items(codec_of(Rule)).write(one.rules),
        "unknown": list(one.unknown),
        "refused": one.refused,
        "as_asked": one.as_asked,
        **({} if one.effort_counts is None else {"effort_counts": codec_of(EffortCounts).write(one.effort_counts)}),
    }


def _basis(value: object) -> Basis:
    fields = Fields(value)
    basis = Basis(
        cluster=fields.need("cluster", strict.text),
        group_id=fields.need("group_id", strict.text),
        protocol=fields.need("protocol", strict.text),
        kafka_release=fields.need("kafka_release", nullable(strict.text)),
        task_assignor=fields.need("task_assignor", nullable(strict.text)),
        config=fields.need("config", kafka.config),
        tasks=fields.need("tasks", lambda tasks: strict.each_entry(tasks, _task_basis)),
        clients=fields.need("clients", lambda clients: strict.each_entry(clients, _client_basis)),
        generation=fields.optional("generation", nullable(_generation), None),
        subtopologies=fields.optional("subtopologies", lambda each: strict.each_entry(each, _subtopology), ()),
    )
    fields.finish(closed=True)
    return basis


def _generation(value: object) -> int:
    return strict.integer(value, 0, java.INT_MAX)


def _subtopology(key: str, value: object) -> Subtopology:
    fields = Fields(value)
    number = kafka.task_id(f"{key}_0").subtopology
    found = Subtopology(number, fields.need("topics", texts), fields.need("stores", texts))
    fields.finish(closed=True)
    return found


def _task_basis(key: str, value: object) -> TaskBasis:
    return TaskBasis(kafka.task_id(key), nullable(strict.boolean)(value))


def _client_basis(key: str, value: object) -> ClientBasis:
    fields = Fields(value)
    client = ClientBasis(
        kafka.process_id(key),
        fields.need("host", nullable(strict.text)),
        fields.need("members", texts),
        fields.need("active", kafka.task_ids),
        fields.optional("rack", nullable(strict.text), None),
        fields.optional("client_tags", kafka.string_map, ()),
    )
    fields.finish(closed=True)
    return client


def _basis_to_json(basis: Basis) -> dict[str, object]:
    """What is not known of a plan from before it was kept is left out: its ID is the digest of all that is written."""
    since: dict[str, object] = {} if basis.generation is None else {"generation": basis.generation}
    kept = {str(one.number): {"topics": list(one.topics), "stores": list(one.stores)} for one in basis.subtopologies}
    return (
        since
        | ({"subtopologies": kept} if kept else {})
        | {
            "cluster": basis.cluster,
            "group_id": basis.group_id,
            "protocol": basis.protocol,
            "kafka_release": basis.kafka_release,
            "task_assignor": basis.task_assignor,
            "config": kafka.config_to_json(basis.config),
            "tasks": {str(task.id): task.stateful for task in basis.tasks},
            "clients": {
                str(client.process_id): {
                    "host": client.host,
                    "members": list(client.members),
                    "active": kafka.task_ids_to_json(client.active),
                    "rack": client.rack,
                    "client_tags": dict(client.client_tags),
                }
                for client in basis.clients
            },
        }
    )
