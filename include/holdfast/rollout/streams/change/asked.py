"""What the operator asked for, in words, whole as a sentence and short as a title: the first thing a reviewer wants to know."""

from collections.abc import Callable
from typing import assert_never

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import FromOld, Then, Wait
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.change.change import (
    AddClient,
    AddPartitions,
    Change,
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
)
from holdfast.rollout.text.asking import few, in_a_sentence, in_a_title, short
from holdfast.rollout.text.wording import many

Name = Callable[[ProcessId], str]


def asked(change: Change, name: Name) -> str:
    """The events in a sentence, with all that was given. `name` says which client a process ID is."""
    return in_a_sentence([_item(item, name) for item in change.events])


def title(change: Change, host: Name) -> str:
    """The events in a few words: `replace app-2 by app-3`. `host`: the short name of a client."""
    return in_a_title([found for item in change.events if (found := _brief(item, host))])


# Whole.


def _item(item: Item, name: Name) -> str:
    match item:
        case AddClient(client):
            return f"add a client{_at(client)}{_given(client)}"
        case RemoveClient(process_id, leaves):
            how = "which leaves the group as it closes" if leaves else "which the group notices after the session timeout"
            return f"remove {name(process_id)}, {how}"
        case ReplaceClient():
            copied = f"a copy of the disk of {name(item.copied_from)}" if item.copied_from is not None else "a copied disk"
            disk = {Disk.EMPTY: "an empty disk", Disk.KEPT: "the old disk", Disk.COPIED: copied}[item.disk]
            return f"replace {name(item.process_id)} by a new client{_at(item.by)} with {disk}{_given(item.by)}"
        case RestartClient():
            return _restart(item, name)
        case RollingRestart():
            return _rolling_restart(item, name)
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


def _restart(item: RestartClient, name: Name) -> str:
    drawn = ", its process ID lost" if item.new_process_id is None else f", under process ID {item.new_process_id}"
    given = [] if item.threads is None else [f" with {many(item.threads, 'thread')}"]
    given += [] if item.keeps_process_id else [drawn]
    given += [] if item.keeps_state else [", its state lost"]
    given += [", back within its session"] if item.within_session else []
    given += [f", as {', '.join(item.member_ids)}"] if item.member_ids else []
    return f"restart {name(item.process_id)}{''.join(given)}"


def _rolling_restart(item: RollingRestart, name: Name) -> str:
    which = "every client" if item.process_ids is None else ", ".join(name(one) for one in item.process_ids)
    given = [f", with {_settings(item.settings)}"] if item.settings else []
    given += [f", on Kafka Streams {item.kafka_release}"] if item.kafka_release is not None else []
    given += [] if item.keeps_process_id else [", their process IDs lost"]
    given += [] if item.keeps_state else [", their state lost"]
    given += [", each back within its session"] if item.within_session else []
    given += [", waiting for one rebalance each time"] if item.wait is Wait.REBALANCE else []
    return f"restart {which}, {item.at_once} at a time{''.join(given)}"


def _given(client: NewClient) -> str:
    """What is to be so of a new client; its host is said elsewhere, and what it takes over is not said."""
    given = [] if client.process_id is None else [f"process ID {client.process_id}"]
    given += [] if client.threads is None else [many(client.threads, "thread")]
    given += [f"{what} {value}" for what, value in (("rack", client.rack), ("endpoint", client.user_endpoint)) if _said(value)]
    if not isinstance(client.client_tags, FromOld) and client.client_tags:
        given.append("tags " + ", ".join(f"{key}={value}" for key, value in client.client_tags))
    given += [f"member IDs {', '.join(client.member_ids)}"] if client.member_ids else []
    return f" ({', '.join(given)})" if given else ""


def _said(value: str | FromOld | None) -> bool:
    return isinstance(value, str) and not isinstance(value, FromOld)


def _settings(settings: tuple[tuple[str, ConfigValue], ...]) -> str:
    values = ((key, ",".join(value) if isinstance(value, tuple) else value) for key, value in settings)
    return ", ".join(f"{key} = {'default' if value is None else value}" for key, value in values)


def _at(client: NewClient) -> str:
    return f" on {client.host}" if _said(client.host) and client.host else ""


def _about_all(item: SetThreads | AddPartitions | SetTopology | StopApplication, name: Name) -> str:
    match item:
        case SetThreads():
            which = f" ({', '.join(item.member_ids)})" if item.member_ids else ""
            return f"give {name(item.process_id)} {many(item.threads, 'thread')}{which} while it runs"
        case AddPartitions():
            grown = ", its changelogs grown too" if item.changelogs_grown else ""
            return f"give the topic {item.topic} {many(item.partitions, 'partition')}{grown}"
        case SetTopology():
            return f"go to another topology of {many(len(item.tasks), 'task')}{'' if item.keeps_state else ', with empty disks'}"
        case StopApplication(minutes):
            return f"stop every client for {minutes:g} minutes"
        case _:
            assert_never(item)


# Short.


def _brief(item: Item, host: Name) -> tuple[str, str] | None:
    """Verb and object; None: it only waits."""
    match item:
        case AddClient(client):
            return "add", _place(client) or "a client"
        case RemoveClient(process_id):
            return "remove", host(process_id)
        case ReplaceClient():
            return "replace", f"{host(item.process_id)} by {_other(item.by, host(item.process_id))}"
        case RestartClient(process_id):
            return "restart", host(process_id)
        case RollingRestart():
            return _brief_roll(item, host)
        case SetConfig() | SetRelease() | SetThreads() | AddPartitions() | SetTopology() | StopApplication():
            return _brief_setting(item, host)
        case Then():
            return None
        case _:
            assert_never(item)


def _brief_setting(
    item: SetConfig | SetRelease | SetThreads | AddPartitions | SetTopology | StopApplication, host: Name
) -> tuple[str, str]:
    match item:
        case SetConfig(settings):
            return "set", short(_settings(settings))
        case SetRelease(kafka_release):
            return "upgrade to", f"Kafka Streams {kafka_release}"
        case SetThreads(process_id, threads):
            return "give", f"{host(process_id)} {many(threads, 'thread')}"
        case AddPartitions(topic, partitions):
            return "grow", f"{short(topic)} to {many(partitions, 'partition')}"
        case SetTopology(tasks):
            return "deploy", f"another topology of {many(len(tasks), 'task')}"
        case StopApplication(minutes):
            return "stop", f"every client for {minutes:g} minutes"
        case _:
            assert_never(item)


def _brief_roll(item: RollingRestart, host: Name) -> tuple[str, str]:
    which = "every client" if item.process_ids is None else few([host(one) for one in item.process_ids])
    if item.kafka_release is not None:
        return "upgrade", f"{which} to Kafka Streams {item.kafka_release}"
    return ("set", f"{short(_settings(item.settings))} on {which}") if item.settings else ("restart", which)


def _place(client: NewClient) -> str:
    return short(client.host) if isinstance(client.host, str) and not isinstance(client.host, FromOld) else ""


def _other(client: NewClient, old: str) -> str:
    place = _place(client)
    return place if place and place != old else "a new client"
