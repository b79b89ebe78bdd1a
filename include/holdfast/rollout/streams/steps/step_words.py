"""What a step does, in words: in full, in brief, and as a shell command."""

from typing import assert_never

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.streams.steps.steps import (
    Action,
    AwaitRebalance,
    AwaitStable,
    ChangeThreads,
    CopyStateDirectory,
    DeployTopology,
    GrowTopic,
    RestartClient,
    SetConfig,
    SetRelease,
    StartClient,
    StopClient,
    StopEverybody,
)
from holdfast.rollout.text.wording import duration, many


def describe(action: Action) -> str:
    """What a step does, in full."""
    match action:
        case StopClient():
            return f"Stop the client {action.process_id}{_at(action.host)}"
        case WriteProcessMetadata():
            return f"Put the process ID {action.process_id} into the state directory{_at(action.host)}"
        case CopyStateDirectory():
            there = f"from {action.from_host or 'its host'} to {action.to_host or 'the new host'}"
            return f"Copy the state directory of {action.process_id} {there}"
        case StartClient():
            return f"Start a client{_at(action.host)} with {many(action.threads, 'stream thread')}{_as(action.process_id)}"
        case RestartClient():
            return f"Restart the client {action.process_id}{_at(action.host)}"
        case SetConfig() | SetRelease() | ChangeThreads() | GrowTopic() | StopEverybody() | DeployTopology():
            return _for_all(action)
        case AwaitRebalance():
            return "Wait for one rebalance"
        case AwaitStable(limit_s):
            return f"Wait until the group is stable, {duration(limit_s)} at most"
        case _:
            assert_never(action)


def brief(action: Action, shared: frozenset[str | None] = frozenset()) -> str:
    """`shared`: hosts with several clients, which are told apart by their process IDs."""
    match action:
        case StopClient():
            return f"stop {_who(action, shared)}"
        case WriteProcessMetadata():
            return f"write process ID {str(action.process_id)[:8]}…{_at(action.host)}"
        case CopyStateDirectory():
            return f"copy its disk to {action.to_host or 'the new host'}"
        case StartClient():
            return f"start the new client{_at(action.host)}"
        case RestartClient():
            return f"restart {_who(action, shared)}"
        case SetConfig() | SetRelease() | ChangeThreads() | GrowTopic() | StopEverybody() | DeployTopology():
            return _for_all_in_brief(action)
        case AwaitRebalance():
            return "wait for a rebalance"
        case AwaitStable():
            return "wait until it is stable"
        case _:
            assert_never(action)


def _who(action: StopClient | RestartClient, shared: frozenset[str | None]) -> str:
    short = str(action.process_id)[:8]
    if not action.host:
        return short
    return f"{action.host} ({short}…)" if action.host in shared else action.host


_ForAll = SetConfig | SetRelease | ChangeThreads | GrowTopic | StopEverybody | DeployTopology


def _for_all(action: _ForAll) -> str:
    match action:
        case SetConfig():
            return f"Roll out {action.key} = {setting(action.value)} (it is {setting(action.was)})"
        case SetRelease():
            return f"Roll every client to Kafka Streams {action.kafka_release} (it is {action.was or 'not known which'})"
        case ChangeThreads():
            threads = many(action.threads, "stream thread")
            return f"Have {action.process_id}{_at(action.host)} run {threads} (it has {action.was})"
        case GrowTopic():
            return f"Give the topic {action.topic} {many(action.partitions, 'partition')}"
        case StopEverybody(minutes):
            return f"Stop every client, and start them all again after {minutes:g} minutes"
        case DeployTopology():
            disks = "" if action.keeps_state else ", on empty disks"
            return f"Stop every client, and start them all again with the new topology of {many(action.tasks, 'task')}{disks}"
        case _:
            assert_never(action)


def _for_all_in_brief(action: _ForAll) -> str:
    match action:
        case SetConfig():
            return f"roll out {action.key} = {setting(action.value)}"
        case SetRelease():
            return f"roll to Kafka Streams {action.kafka_release}"
        case ChangeThreads():
            return f"go to {many(action.threads, 'thread')}{_at(action.host)}"
        case GrowTopic():
            return f"go to {many(action.partitions, 'partition')} of {action.topic}"
        case StopEverybody(minutes):
            return f"stop everybody for {minutes:g} minutes"
        case DeployTopology():
            return "deploy the new topology to everybody at once"
        case _:
            assert_never(action)


def _at(host: str | None) -> str:
    return f" on {host}" if host else ""


def _as(process_id: ProcessId | None) -> str:
    return f" as {process_id}" if process_id else ", under a process ID of its own making"


def setting(value: object) -> str:
    if value is None:
        return "Kafka's default"
    return ",".join(value) or "empty" if isinstance(value, tuple) else str(value)


def by_hand(action: WriteProcessMetadata) -> str:
    """The same as a shell command, for directories that Holdfast does not reach. The names in capitals are the application's."""
    return f"""printf '{{"processId":"{action.process_id}"}}' > STATE_DIR/APPLICATION_ID/kafka-streams-process-metadata"""
