"""The JSON of Plans and policies.

Reading a plan is strict, and its `plan_id` must be the digest of the rest: an edited plan is refused.
"""

from holdfast.rollout.contract.plan_ids import plan_id_in, refuse_edited
from holdfast.rollout.json import former_names, strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.streams.plan.plan import Plan

PLAN = codec_of(Plan)


def plan_id_of(plan: Plan) -> str:
    """The first hexadecimal digits of the digest of everything but the ID itself."""
    return plan_id_in(plan_to_json(plan))


def plan_from_json(document: object) -> Plan:
    """Raise InvalidInput for what is no plan, or was edited; Unsupported for another major version."""
    plan = PLAN.read(former_names.present_plan(document))
    refuse_edited(plan.plan_id, strict.mapping(document))
    return plan


def plan_to_json(plan: Plan) -> dict[str, object]:
    """What an older version did not write is left out where it has no value: a plan of that version keeps its digest."""
    return former_names.written_plan(PLAN.write(plan), former=plan.former)
