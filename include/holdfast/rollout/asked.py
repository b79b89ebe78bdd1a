"""What the operator asked for, in words: the first thing that a reviewer of a plan wants to know."""

from collections.abc import Callable
from itertools import groupby
from typing import assert_never

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.change import (
    AddClient,
    AddPartitions,
    Change,
    Disk,
    FromOld,
    Item,
    NewClient,
    RemoveClient,
    ReplaceClient,
    RestartClient,
    RollingRestart,
    SetConfig,
    SetRelease,
    SetThreads,
    SetTopology,
    StopApplication,
    Then,
)
from holdfast.rollout.snapshot import ConfigValue
from holdfast.rollout.wording import many

MOST = 4


def asked(change: Change, name: Callable[[ProcessId], str]) -> str:
    """The events in a sentence, the first few of them. `name` says which client a process ID is."""
    said = [_item(item, name) for item in change.events]
    counted = [(text, len(list(same))) for text, same in groupby(said)]
    parts = [text if count == 1 else f"{text} ({count} times)" for text, count in counted]
    more = f"; and {many(len(parts) - MOST, 'thing')} more" if len(parts) > MOST else ""
    return f"{'; '.join(parts[:MOST]) or 'nothing'}{more}"


def _item(item: Item, name: Callable[[ProcessId], str]) -> str:
    match item:
        case AddClient(client):
            return f"add a client{_at(client)}"
        case RemoveClient(process_id, leaves):
            how = "which leaves the group as it closes" if leaves else "which the group notices after the session time-out"
            return f"remove {name(process_id)}, {how}"
        case ReplaceClient():
            disk = {Disk.EMPTY: "an empty disk", Disk.KEPT: "the old disk", Disk.COPIED: "a copied disk"}[item.disk]
            return f"replace {name(item.process_id)} by a new client{_at(item.by)} with {disk}"
        case RestartClient():
            lost = "" if item.keeps_process_id else ", its process ID lost"
            return f"restart {name(item.process_id)}{lost}{'' if item.keeps_state else ', its state lost'}"
        case RollingRestart():
            which = "every client" if item.process_ids is None else many(len(item.process_ids), "client")
            with_it = f", with {_settings(item.settings)}" if item.settings else ""
            on = f", on Kafka Streams {item.kafka_release}" if item.kafka_release is not None else ""
            return f"restart {which}, {item.at_once} at a time{with_it}{on}"
        case SetConfig(settings):
            return f"set {_settings(settings)}"
        case SetThreads() | AddPartitions() | SetTopology() | StopApplication():
            return _about_all(item, name)
        case SetRelease(kafka_release):
            return f"go to Kafka Streams {kafka_release}"
        case Then(wait):
            return f"wait until it is {wait}" if wait == "stable" else "wait for a rebalance"
        case _:
            assert_never(item)


def _settings(settings: tuple[tuple[str, ConfigValue], ...]) -> str:
    values = ((key, ",".join(value) if isinstance(value, tuple) else value) for key, value in settings)
    return ", ".join(f"{key} = {'default' if value is None else value}" for key, value in values)


def _at(client: NewClient) -> str:
    host = client.host if isinstance(client.host, str) and not isinstance(client.host, FromOld) else None
    return f" on {host}" if host else ""


def _about_all(item: SetThreads | AddPartitions | SetTopology | StopApplication, name: Callable[[ProcessId], str]) -> str:
    match item:
        case SetThreads():
            return f"give {name(item.process_id)} {many(item.threads, 'thread')} while it runs"
        case AddPartitions():
            return f"give the topic {item.topic} {many(item.partitions, 'partition')}"
        case SetTopology():
            return f"go to another topology of {many(len(item.tasks), 'task')}{'' if item.keeps_state else ', with empty disks'}"
        case StopApplication(minutes):
            return f"stop every client for {minutes:g} minutes"
        case _:
            assert_never(item)
