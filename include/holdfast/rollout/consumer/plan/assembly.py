"""The Plan for a consumer group with what it was made from, and its ID."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.change.json import consumer_change_to_json
from holdfast.rollout.consumer.options.evaluation import WayForecast
from holdfast.rollout.consumer.plan.json import relied_on, with_id
from holdfast.rollout.consumer.plan.plan import ConsumerPlan, assemble
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.policy.json import policy_to_json
from holdfast.rollout.policy.policy import Policy


def assembled(
    snapshot: ConsumerSnapshot,
    change: ConsumerChange,
    foreseen: Iterable[WayForecast],
    policy: Policy,
    now: datetime,
    requested_by: str | None = None,
) -> ConsumerPlan:
    """The plan with its ID, from the forecast of every way, in the order in which they are proposed."""
    fingerprints = CreatedFrom(
        snapshot=fingerprint(relied_on(snapshot)),
        change=fingerprint(consumer_change_to_json(change)),
        policy=fingerprint(policy_to_json(policy)),
        captured_at=snapshot.captured_at,
    )
    made = assemble(snapshot, change, foreseen, policy, now, fingerprints)
    return with_id(replace(made, requested_by=requested_by))
