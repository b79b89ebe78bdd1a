"""What the words of an event, and of its step, are given of the group."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from holdfast.rollout.json.kafka import ConfigValue

Name = Callable[[str], str]
"""What the client with a process ID, or the consumer with a member ID, is called."""


@dataclass(frozen=True, slots=True)
class StepOf:
    """The group of a step: its ID, the names of its clients, the assignment interval in effect and the configs before the step."""

    group_id: str
    name: Name
    interval_ms: int
    config: Mapping[str, ConfigValue]
