"""What several events say of clients, group configs and what shows them."""

from holdfast.rollout.broker_streams.events.parts.fields import DiskState
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.broker_streams.events.parts.step_of import Name, StepOf
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import many, printable
from holdfast.rollout.text.request_words import short


def newcomer(client: NewClient) -> str:
    """`a new client on app-3 (process ID …), 2 threads`."""
    place = f" on {printable(client.host)}" if client.host else ""
    identity = f" (process ID {printable(client.process_id)})" if client.process_id else ""
    count = client.threads or len(client.member_ids or ())
    threads = f", {many(count, 'thread')}" if count else ""
    return f"a new client{place}{identity}{threads}"


def short_newcomer(client: NewClient) -> str:
    return short(client.host or client.process_id or "a new client")


LEAVES_GROUP = "leaving the group (CloseOptions LEAVE_GROUP)"


def how_it_ends(leaves: bool, *, leaves_group: bool = False) -> str:
    return f", {LEAVES_GROUP}" if leaves_group else "" if leaves else " without leaving the group"


def given(parts: tuple[str, ...]) -> str:
    return "".join(f", {one}" for one in parts)


def disk(state: DiskState, name: Name) -> str:
    if state.copied_from is not None:
        return f", with a copy of the disk of {name(state.copied_from)}"
    return ", which keeps the disk" if state.disk is Disk.KEPT else ""


def fresh_target(of: StepOf) -> str:
    """What has to be so before a step within the interval."""
    return (
        "The coordinator has computed a target a moment ago (TARGET-ASSIGNMENT-EPOCH has just risen): the next one comes no sooner"
        f" than {of.interval_ms / 1000:g} s after it."
    )


LISTED = "The group lists its threads."
NOT_LISTED = "The group no longer lists its threads."


def members(group_id: str) -> str:
    return kafka_commands.describe_streams_group(group_id, "--members")


def alter_configs(group_id: str, settings: tuple[tuple[str, ConfigValue], ...]) -> str:
    """A command for a shell. A value of None: the config is deleted."""
    sets = ",".join(f"{key}={_value(value)}" for key, value in settings if value is not None)
    deletes = ",".join(key for key, value in settings if value is None)
    return kafka_commands.alter_group_configs(group_id, sets, deletes)


def _value(value: ConfigValue) -> str:
    return f"[{','.join(value)}]" if isinstance(value, tuple) else str(value)
