"""The JSON of Plans.

Reading a plan is strict, and its `plan_id` must be the digest of the rest: an edited plan is refused.
"""

from holdfast.rollout.contract.plan_ids import PlanDocument
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.streams.plan.plan import Plan

PLAN = codec_of(Plan)
_DOCUMENT = PlanDocument(PLAN)
with_id = _DOCUMENT.with_id
plan_to_json = _DOCUMENT.write
plan_from_json = _DOCUMENT.read
