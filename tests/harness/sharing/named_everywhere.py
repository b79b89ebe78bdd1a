"""A document of a contract in which every text that is free is a name of its own: none may be left once it is redacted.

It is made from the contract's schema, so that a field that comes later is in it too.
"""

import base64
import itertools
from contextlib import suppress
from typing import Any

from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.kafka.wire import assignment_info, consumer_protocol, subscription_info
from holdfast.kafka.wire.tasks import WireTask

MARK = "Zq7"
"""In every name, and in nothing that stands for one."""
PROCESSES = ("4b61083e-57d0-457d-951f-d06556c148ca", "bbb83e43-b1af-4b2d-a60a-94a7091684d0")
_TASKS = ("active", "standby", "warmup", "task_offsets", "task_end_offsets")
"""Fields of a streams group's members whose texts are tasks: a subtopology's name, and a partition."""


class NamedEverywhere:
    def __init__(self) -> None:
        self._number = itertools.count()

    def name(self) -> str:
        return f"{MARK}-{next(self._number)}"

    def of(self, schema: dict[str, Any], field: str = "") -> Any:
        """A value that fits the schema."""
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        for either in ("anyOf", "oneOf"):
            if either in schema:
                return self.of([one for one in schema[either] if one.get("type") != "null"][-1], field)
        kind = schema.get("type")
        kind = next((one for one in kind if one != "null"), None) if isinstance(kind, list) else kind
        if kind == "object":
            return self._object(schema, field)
        if kind == "array":
            if "prefixItems" in schema:
                return [self.of(one) for one in schema["prefixItems"]]
            return [self.of(schema["items"], field)] if schema.get("items") else []
        if kind == "string":
            return self._text(schema, field)
        return {"integer": max(1, schema.get("minimum", 1)), "number": 1, "boolean": False}.get(str(kind), self.name())

    def _object(self, schema: dict[str, Any], field: str) -> Any:
        if schema.get("properties"):
            return {key: self.of(one, key) for key, one in schema["properties"].items()}
        more = schema.get("additionalProperties")
        if not isinstance(more, dict):
            return {}
        keys = schema.get("propertyNames", {"type": "string"})
        return {self._text(keys, field): self.of(more, field)}

    def _text(self, schema: dict[str, Any], field: str) -> str:
        pattern = schema.get("pattern", "")
        if field == "format_version":
            return "1.0"
        if schema.get("contentEncoding") == "base64":
            return base64.b64encode(self.subscription() if field == "subscription" else self.assignment()).decode()
        if "{22}" in pattern:
            return base64.urlsafe_b64encode(bytes([next(self._number)] * 16)).decode().rstrip("=")  # a topic ID
        if "a-f" in pattern:
            return PROCESSES[0]
        if pattern.startswith("^[0-9]+_"):
            return "0_0"
        if schema.get("format") == "date-time" or field in ("captured_at", "completed_at", "modified_at", "computed_at"):
            return "2026-11-20T13:48:02Z"
        return f"{self.name()}_0" if field in _TASKS else self.name()

    # What members sent.

    def subscription(self) -> bytes:
        info = subscription_info.SubscriptionInfo(
            *(11, 11, ProcessId.parse(PROCESSES[0]), f"{self.name()}:8080"),
            task_offset_sums=((WireTask(TaskId(0, 0)), 17),),
            client_tags=((self.name(), self.name()),),
        )
        topic = TopicPartition(self.name(), 0)
        return consumer_protocol.encode_subscription(
            consumer_protocol.ConsumerProtocolSubscription(
                3, (topic.topic,), subscription_info.encode(info), (topic,), rack_id=self.name()
            )
        )

    def assignment(self) -> bytes:
        topic = TopicPartition(self.name(), 0)
        info = assignment_info.AssignmentInfo(
            *(11, 11, (WireTask(TaskId(0, 0)),), ((WireTask(TaskId(0, 1)), (TopicPartition(self.name(), 1),)),)),
            partitions_by_host=(((self.name(), 8080), (topic,)),),
        )
        return consumer_protocol.encode_assignment(
            consumer_protocol.ConsumerProtocolAssignment(1, (topic,), assignment_info.encode(info))
        )


def all_bytes(document: Any) -> bytes:
    """All texts of a document, those that are base64 also decoded."""
    found: list[bytes] = []

    def walk(one: Any) -> None:
        if isinstance(one, dict):
            walk([*one, *one.values()])
        elif isinstance(one, list | tuple):
            for each in one:
                walk(each)
        elif isinstance(one, str):
            found.append(one.encode())
            with suppress(ValueError):
                found.append(base64.b64decode(one, validate=True))

    walk(document)
    return b"\n".join(found)
