"""What a limit of a Policy means that is left out."""

from collections.abc import Mapping

from holdfast.rollout.json.record import codec_of
from holdfast.rollout.policy.policy import Policy

POLICY: Mapping[str, object] = {
    field: value
    for field, value in codec_of(Policy).write(Policy()).items()
    if field not in ("format_version", "blocking", "restore_rate_source")  # these two go by what else is stated
}
