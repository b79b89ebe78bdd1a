"""Settings that a plan has people or Holdfast change, and who does a step."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.rollout.json.kafka import ConfigValue


class Who(StrEnum):
    """Who does a step. What Holdfast does it does on state directories it was told of; otherwise the operator does it by hand."""

    HOLDFAST = "holdfast"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting of the window: `value` while it lasts, `revert_to` afterwards (None: not set, Kafka's default)."""

    key: str
    value: ConfigValue
    revert_to: ConfigValue
    note: str
