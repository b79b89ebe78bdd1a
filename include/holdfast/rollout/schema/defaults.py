"""What a field means that is left out, field by field, where that is a value of it. `tests/unit` holds the readers to it.

What is not here: a setting of Kafka that is not set (Kafka's own default for the release), what a replacement takes over from the
client that it replaces, and what depends on other fields; the schema says so in words.
"""

from collections.abc import Mapping

from holdfast.kafka.streams.config import AssignorConfig
from holdfast.rollout.change import Assume, Wait
from holdfast.rollout.codec.change_writing import assume_to_json
from holdfast.rollout.codec.policy import policy_to_json
from holdfast.rollout.policy import Policy
from holdfast.rollout.schema.shapes import Shape

_NEW: Mapping[str, object] = {"threads": None, "user_endpoint": None, "member_ids": None}
_BACK: Mapping[str, object] = {"keeps_process_id": True, "keeps_state": True, "within_session": None, "late": False}
ADDED: Mapping[str, object] = {**_NEW, "host": None, "rack": None, "client_tags": {}}
REPLACEMENT: Mapping[str, object] = _NEW
EVENTS: Mapping[str, Mapping[str, object]] = {
    "add_client": ADDED,
    "add_partitions": {"changelogs_grown": False},
    "remove_client": {"leaves": None},
    "replace_client": {"state": "empty", "late": False},
    "restart_client": {**_BACK, "new_process_id": None, "threads": None, "member_ids": None},
    "rolling_restart": {**_BACK, "process_ids": None, "at_once": 1, "wait": str(Wait.STABLE), "kafka_release": None},
    "set_threads": {"member_ids": None},
    "set_topology": {"keeps_state": True},
}
ASSUMED: Mapping[str, object] = assume_to_json(Assume())
POLICY: Mapping[str, object] = {
    field: value
    for field, value in policy_to_json(Policy()).items()
    if field not in ("format_version", "blocking", "restore_rate_source")  # these two go by what else is stated
}
_ASSIGNOR = AssignorConfig()
SETTINGS: Mapping[str, object] = {
    "num.standby.replicas": _ASSIGNOR.num_standby_replicas,
    "max.warmup.replicas": _ASSIGNOR.max_warmup_replicas,
    "acceptable.recovery.lag": _ASSIGNOR.acceptable_recovery_lag,
    "probing.rebalance.interval.ms": _ASSIGNOR.probing_rebalance_interval_ms,
    "rack.aware.assignment.tags": list(_ASSIGNOR.rack_aware_assignment_tags),
    "rack.aware.assignment.strategy": _ASSIGNOR.rack_aware_assignment_strategy,
}


def with_defaults(shape: Shape, values: Mapping[str, object]) -> Shape:
    """The shape of an object with the defaults of its fields."""
    properties = shape["properties"]
    assert isinstance(properties, dict), "only objects have fields"
    described = {field: properties[field] | {"default": value} for field, value in values.items()}
    return shape | {"properties": properties | described}
