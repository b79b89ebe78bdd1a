"""What events say alike, whatever the group assigns: how a member ends, configs of the group, topics that grow."""

from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.contract.plan_words import setting
from holdfast.rollout.coordinated.step_of import StepOf
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import many

LEAVES_GROUP = "leaving the group (CloseOptions LEAVE_GROUP)"


def how_it_ends(leaves: bool, *, leaves_group: bool = False) -> str:
    return f", {LEAVES_GROUP}" if leaves_group else "" if leaves else " without leaving the group"


def given(parts: tuple[str, ...]) -> str:
    return "".join(f", {one}" for one in parts)


def fresh_target(of: StepOf) -> str:
    """What has to be so before a step within the interval."""
    return (
        "The coordinator has computed a target a moment ago (TARGET-ASSIGNMENT-EPOCH has just risen): the next one comes no sooner"
        f" than {of.interval_ms / 1000:g} s after it."
    )


# Configs of the group.


def configs(settings: Settings) -> str:
    return f"set {', '.join(f'{key} to {setting(value)}' for key, value in settings)}"


def configs_in_a_title(settings: Settings) -> tuple[str, str]:
    return "set", ", ".join(f"{key}={setting(value)}" for key, value in settings)


def configs_step(settings: Settings, of: StepOf) -> StepWords:
    values = ", ".join(f"{key} to {setting(value)}" for key, value in settings)
    before = ", ".join(f"{key} to {setting(of.config.get(key))}" for key, _ in settings)
    says, command = f"Set {values} on the group", _alter(of.group_id, settings)
    shows = kafka_commands.describe_group_configs(of.group_id)
    return StepWords(says, "", f"Set {before}.", "The group has these configs.", command, shows)


def _alter(group_id: str, settings: Settings) -> str:
    """A command for a shell. A value of None: the config is deleted."""
    sets = ",".join(f"{key}={_value(value)}" for key, value in settings if value is not None)
    deletes = ",".join(key for key, value in settings if value is None)
    return kafka_commands.alter_group_configs(group_id, sets, deletes)


def _value(value: ConfigValue) -> str:
    return f"[{','.join(value)}]" if isinstance(value, tuple) else str(value)


# A topic that grows.


def grown(topic: str, partitions: int) -> str:
    return f"give {topic} {many(partitions, 'partition')}"


def grown_step(topic: str, partitions: int) -> StepWords:
    says = f"Give {topic} {many(partitions, 'partition')}"
    after = f"The topic has {many(partitions, 'partition')}."
    grow, shows = kafka_commands.grow_topic(topic, partitions), kafka_commands.describe_topic(topic)
    return StepWords(says, "", "Not possible: a topic cannot shrink.", after, grow, shows)
