"""What a field means that is left out, field by field, where that is a value of it. `tests/unit` holds the readers to it.

What is not here: a setting of Kafka that is not set (Kafka's own default for the release), what a replacement takes over from the
client that it replaces, and what depends on other fields; the schema says so in words.
"""

from collections.abc import Mapping

from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.streams.change.change import Assume
from holdfast.rollout.streams.change.json_writing import assume_to_json

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
