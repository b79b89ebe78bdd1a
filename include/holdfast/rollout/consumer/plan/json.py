"""The JSON of a Plan for a consumer group, and the fingerprint of its snapshot.

Reading is strict, and `plan_id` must be the digest of the rest: a plan that somebody edited is no plan.
"""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.rollout.consumer.change.change import ConsumerItem
from holdfast.rollout.consumer.change.json import consumer_change_from_json, consumer_change_to_json, item_from_json, item_to_json
from holdfast.rollout.consumer.forecast.course import Course
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.forecast.positions import OffsetWarning
from holdfast.rollout.consumer.plan.plan import Considered, ConsumerPlan
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json, consumer_snapshot_to_json
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL, ConsumedPartition, ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import WAIT_AT_LEAST_S, ConsumerStep
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.plan_ids import plan_id_in
from holdfast.rollout.contract.settings import SettingChange, Who
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.contract.verdicts import PlanVerdict, Rule
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS
from holdfast.rollout.facts.reasons import BLOCKED, REASON
from holdfast.rollout.facts.said_json import said_from_json, said_to_json
from holdfast.rollout.journal.signature import SIGNATURE
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import items
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import FORMAT_VERSION, Fields, nullable, one_of
from holdfast.rollout.policy.json import policy_from_json, policy_to_json

_DERIVED = ("protocol", "cluster", "group_id", "settings", "rules", "unknown")
"""What stands in a plan a second time, for whoever reads only the top of it."""


def relied_on(snapshot: ConsumerSnapshot) -> dict[str, object]:
    """What a plan goes by: members, what they own, topics. Not offsets, times, hosts and who leads, which forecasts are for."""
    topics = tuple(
        replace(topic, partitions=tuple(ConsumedPartition(one.replica_racks) for one in topic.partitions))
        for topic in snapshot.topics
    )
    members = tuple(replace(one, host=None, owned=tuple(sorted(one.owned)), owned_generation=None) for one in snapshot.members)
    kept = replace(
        snapshot,
        captured_at=None,
        group_state=None,
        generation=None,
        leader_member_id=None,
        members=members,
        topics=topics,
        unknown=(),
        assigned=None,
    )
    return consumer_snapshot_to_json(kept)


def is_consumer_plan(value: object) -> bool:
    """Whether a document says that it is a plan for a consumer group."""
    return isinstance(value, dict) and "plan_id" in value and value.get("protocol") == PROTOCOL


def with_id(plan: ConsumerPlan) -> ConsumerPlan:
    """The plan under the first hexadecimal digits of the digest of everything but its ID."""
    return replace(plan, plan_id=plan_id_in(consumer_plan_to_json(plan)))


def consumer_plan_to_json(plan: ConsumerPlan) -> dict[str, object]:
    way = plan.chosen_way
    requested: dict[str, object] = {} if plan.requested_by is None else {"requested_by": plan.requested_by}
    if plan.blocked:
        requested["blocked"] = BLOCKED.write(plan.blocked)
    if plan.invalidations:
        requested["invalid_if"] = INVALIDATIONS.write(plan.invalidations)
    if plan.assumptions:
        requested["assumptions"] = ASSUMPTIONS.write(plan.assumptions)
    return {
        "format_version": FORMAT_VERSION,
        "plan_id": plan.plan_id,
        "protocol": PROTOCOL,
        "created_at": plan.created_at,
        "expires_at": plan.expires_at,
        "created_from": codec_of(CreatedFrom).write(plan.created_from),
        "cluster": plan.basis.cluster,
        "group_id": plan.basis.group_id,
        "verdict": plan.verdict.value,
        "headline": plan.headline,
        "wrong_if": plan.wrong_if,
        "blocked_by": list(plan.blocked_by),
        "chosen": plan.chosen,
        "steps": [_step_to_json(step) for step in plan.steps],
        "settings": [] if way is None else items(codec_of(SettingChange)).write(way.settings),
        "preconditions": list(plan.preconditions),
        "rules": [] if way is None else items(codec_of(Rule)).write(way.rules),
        "unknown": [] if way is None else list(way.unknown),
        "candidates": [_considered_to_json(one) for one in plan.candidates],
        "change": consumer_change_to_json(plan.change),
        "policy": policy_to_json(plan.policy),
        "basis": consumer_snapshot_to_json(plan.basis),
        **requested,
    }


def consumer_plan_from_json(value: object) -> ConsumerPlan:
    """Raise InvalidInput for what is none, or was edited; Unsupported for another major version."""
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    for derived in _DERIVED:
        fields.need(derived, lambda found: found)
    plan = ConsumerPlan(
        plan_id=fields.need("plan_id", strict.name),
        created_at=fields.need("created_at", strict.instant),
        expires_at=fields.need("expires_at", strict.instant),
        created_from=fields.need("created_from", codec_of(CreatedFrom).read),
        basis=fields.need("basis", consumer_snapshot_from_json),
        policy=fields.need("policy", policy_from_json),
        change=fields.need("change", consumer_change_from_json),
        verdict=fields.need("verdict", one_of(PlanVerdict)),
        headline=fields.need("headline", strict.text),
        wrong_if=fields.need("wrong_if", strict.text),
        blocked_by=fields.need("blocked_by", _texts),
        chosen=fields.need("chosen", nullable(strict.name)),
        candidates=fields.need("candidates", lambda found: strict.each(found, _considered)),
        steps=fields.need("steps", lambda found: strict.each(found, _step)),
        preconditions=fields.need("preconditions", _texts),
        blocked=fields.optional("blocked", BLOCKED.read, ()),
        invalidations=fields.optional("invalid_if", INVALIDATIONS.read, ()),
        assumptions=fields.optional("assumptions", ASSUMPTIONS.read, ()),
        requested_by=fields.optional("requested_by", strict.name, None),
    )
    fields.optional("signature", SIGNATURE.read, None)
    fields.finish(closed=True)
    written, again = strict.mapping(value), consumer_plan_to_json(plan)
    if plan_id_in(written) != plan.plan_id or any(again[derived] != written[derived] for derived in _DERIVED):
        raise InvalidInput(
            f"{strict.shown(plan.plan_id)} is not the digest of this plan's content: the plan was edited after it was made, or"
            " another version of Holdfast made it. Create a new plan",
            "plan_id",
        )
    return plan


def _texts(value: object) -> tuple[str, ...]:
    return strict.each(value, strict.text)


def _step_to_json(step: ConsumerStep) -> dict[str, object]:
    if isinstance(step.item, Then):
        action, inputs = f"await_{step.item.wait}", {"limit_s": WAIT_AT_LEAST_S}
    else:
        ((action, inputs),) = item_to_json(step.item).items()  # type: ignore[assignment]
    return {
        "id": step.id,
        "action": action,
        "who": Who.OPERATOR.value,
        "inputs": inputs,
        "says": step.says,
        "check_before": step.check_before,
        "check_after": step.check_after,
        "undo": step.undo,
        "expect": step.expect,
    }


def _step(value: object) -> ConsumerStep:
    fields = Fields(value)
    action = fields.need("action", strict.name)
    inputs = fields.need("inputs", strict.mapping)
    fields.need("who", one_of(Who))
    step = ConsumerStep(
        id=fields.need("id", strict.name),
        item=Then(Wait.STABLE),
        says=fields.need("says", strict.text),
        check_before=fields.need("check_before", strict.text),
        check_after=fields.need("check_after", strict.text),
        undo=fields.need("undo", strict.text),
        expect=fields.need("expect", strict.text),
    )
    fields.finish(closed=True)
    waits: dict[str, ConsumerItem] = {f"await_{wait}": Then(wait) for wait in Wait}
    return replace(step, item=waits[action] if action in waits else item_from_json({action: inputs}))


def _considered_to_json(one: Considered) -> dict[str, object]:
    return {
        "name": one.name,
        "title": one.title,
        "why_not": one.why_not,
        **({} if one.reason is None else {"reason": REASON.write(one.reason)}),
        "change": consumer_change_to_json(one.change),
        "summary": None if one.summary is None else codec_of(ConsumerSummary).write(one.summary),
        "rules": items(codec_of(Rule)).write(one.rules),
        **said_to_json("warnings", "offset_warnings", one.warnings, codec_of(OffsetWarning).write),
        "unknown": list(one.unknown),
        "refused": one.refused,
        "settings": items(codec_of(SettingChange)).write(one.settings),
        **({} if one.read_twice is None else {"records_read_twice_at_most": one.read_twice}),
        **({} if one.course is None else {"course": codec_of(Course).write(one.course)}),
        **({} if one.times is None else {"times": codec_of(Times).write(one.times)}),
        **({} if one.effort_counts is None else {"effort_counts": codec_of(EffortCounts).write(one.effort_counts)}),
    }


def _considered(value: object) -> Considered:
    fields = Fields(value)
    one = Considered(
        name=fields.need("name", strict.name),
        title=fields.need("title", strict.text),
        why_not=fields.need("why_not", strict.text),
        reason=fields.optional("reason", REASON.read, None),
        change=fields.need("change", consumer_change_from_json),
        summary=fields.need("summary", nullable(codec_of(ConsumerSummary).read)),
        rules=fields.need("rules", items(codec_of(Rule)).read),
        warnings=said_from_json(fields, "warnings", "offset_warnings", codec_of(OffsetWarning).read),
        unknown=fields.need("unknown", _texts),
        refused=fields.need("refused", nullable(strict.text)),
        settings=fields.need("settings", items(codec_of(SettingChange)).read),
        read_twice=fields.optional("records_read_twice_at_most", strict.offset, None),
        course=fields.optional("course", codec_of(Course).read, None),
        times=fields.optional("times", codec_of(Times).read, None),
        effort_counts=fields.optional("effort_counts", codec_of(EffortCounts).read, None),
    )
    fields.finish(closed=True)
    return one
