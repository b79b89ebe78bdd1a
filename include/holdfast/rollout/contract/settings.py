"""Settings that a plan changes, and who does a step: an operator or Holdfast."""

from enum import StrEnum

from holdfast.rollout.json.codec import NAME, TEXT
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG_VALUE
from holdfast.rollout.json.record import member, record


class Who(StrEnum):
    """Who does a step. Holdfast does its steps in configured state directories; the operator does the others manually."""

    HOLDFAST = "holdfast"
    OPERATOR = "operator"


@record
class SettingChange:
    """A setting of the window: `value` while it lasts, `revert_to` afterwards (None: not set, Kafka's default)."""

    key: str = member(NAME)
    value: ConfigValue = member(CONFIG_VALUE)
    revert_to: ConfigValue = member(CONFIG_VALUE)
    note: str = member(TEXT)
