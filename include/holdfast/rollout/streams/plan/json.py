"""The JSON of Plans and policies.

Reading a plan is strict, and its `plan_id` must be the digest of the rest: a plan that somebody edited is no plan.
"""

from collections.abc import Mapping

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.plan_ids import plan_id_in
from holdfast.rollout.json import strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.streams.plan.plan import Plan

PLAN = codec_of(Plan)


def plan_id_of(plan: Plan) -> str:
    """The first hexadecimal digits of the digest of everything but the ID itself."""
    return plan_id_in(plan_to_json(plan))


def plan_from_json(document: object) -> Plan:
    """Raise InvalidInput for what is no plan, or was edited; Unsupported for another major version."""
    plan = PLAN.read(document)
    _refuse_edited(plan, strict.mapping(document))
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
    """What an older version did not write is left out where it is not said: a plan of that version keeps its digest."""
    return PLAN.write(plan)
