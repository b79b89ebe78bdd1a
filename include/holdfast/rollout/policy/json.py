"""The JSON of policies. Closed: a limit that is unknown would limit nothing, so it is refused with the nearest one that is."""

from dataclasses import replace

from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.former_names import present_policy
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.policy.rates import RateSource
from holdfast.rollout.policy.rules import blocking_by


def policy_from_json(value: object) -> Policy:
    """Limits that are not given are the defaults of `Policy`; which rules block, and whose the restore speed is, by the others."""
    policy, given = codec_of(Policy).read(present_policy(value)), strict.mapping(value)
    if "restore_rate_source" not in given and "restore_records_per_second" in given:
        policy = replace(policy, restore_rate_source=RateSource.POLICY)
    if "blocking" not in given:
        stated = [limit for limit, value in given.items() if value is not None]
        policy = replace(policy, blocking=(*policy.blocking, *blocking_by(stated)))
    return policy


def policy_to_json(policy: Policy) -> dict[str, object]:
    return codec_of(Policy).write(policy)


POLICY: Codec[Policy] = Codec(policy_from_json, policy_to_json, codec_of(Policy).shape)
