"""A Change as JSON: the canonical form, in which what is as by default is left out."""

from collections.abc import Mapping
from typing import assert_never

from holdfast.rollout.contract.batches import FromOld, Then
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.streams.change.change import (
    AddClient,
    AddPartitions,
    Assume,
    CatchUp,
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
from holdfast.rollout.streams.snapshot.json_writing import task_to_json


def change_to_json(change: Change) -> dict[str, object]:
    written: dict[str, object] = {
        "format_version": strict.FORMAT_VERSION,
        "events": [_event_to_json(item) for item in change.events],
    }
    return written if change.assume == Assume() else written | {"assume": assume_to_json(change.assume)}


def assume_to_json(assume: Assume) -> dict[str, object]:
    rate = assume.records_per_second
    growth = {"grows_per_second": assume.grows_per_second} if assume.grows_per_second else {}
    return {
        "catch_up": str(assume.catch_up) if assume.catch_up is not CatchUp.RATE else {str(CatchUp.RATE): rate} | growth,
        "closed_copies": str(assume.closed_copies),
        "dormant_copies": str(assume.dormant_copies),
    }


def _event_to_json(item: Item) -> dict[str, object]:
    match item:
        case AddClient(client):
            return {"add_client": _new_client_to_json(client)}
        case RemoveClient(process_id, leaves):
            return {"remove_client": {"process_id": str(process_id)} | ({} if leaves is None else {"leaves": leaves})}
        case SetThreads() | AddPartitions() | SetTopology() | StopApplication():
            return _about_all_to_json(item)
        case ReplaceClient():
            state: object = {"copied_from": str(item.copied_from)} if item.disk is Disk.COPIED else str(item.disk)
            old: dict[str, object] = {"process_id": str(item.process_id), "by": _new_client_to_json(item.by), "state": state}
            return {"replace_client": old | ({"late": True} if item.late else {})}
        case RestartClient():
            return {"restart_client": _restart_to_json(item)}
        case RollingRestart():
            return {"rolling_restart": _rolling_to_json(item)}
        case SetConfig(settings):
            return {"set_config": kafka.config_to_json(settings)}
        case SetRelease(kafka_release):
            return {"set_release": {"kafka_release": kafka_release}}
        case Then(wait):
            return {"then": str(wait)}
        case _:
            assert_never(item)


def _about_all_to_json(item: SetThreads | AddPartitions | SetTopology | StopApplication) -> dict[str, object]:
    match item:
        case SetThreads():
            named = {} if item.member_ids is None else {"member_ids": list(item.member_ids)}
            return {"set_threads": {"process_id": str(item.process_id), "threads": item.threads} | named}
        case AddPartitions():
            grown = {"changelogs_grown": True} if item.changelogs_grown else {}
            return {"add_partitions": {"topic": item.topic, "partitions": item.partitions} | grown}
        case SetTopology():
            tasks = {str(task.id): task_to_json(task) for task in item.tasks}
            return {"set_topology": {"tasks": tasks} | ({} if item.keeps_state else {"keeps_state": False})}
        case StopApplication(minutes):
            return {"stop_application": {"minutes": minutes}}
        case _:
            assert_never(item)


def _new_client_to_json(client: NewClient) -> Mapping[str, object]:
    written: dict[str, object] = {"process_id": None if client.process_id is None else str(client.process_id)}
    if client.threads is not None:
        written["threads"] = client.threads
    if not isinstance(client.host, FromOld):
        written["host"] = client.host
    if not isinstance(client.rack, FromOld):
        written["rack"] = client.rack
    if not isinstance(client.client_tags, FromOld):
        written["client_tags"] = dict(client.client_tags)
    if client.user_endpoint is not None:
        written["user_endpoint"] = client.user_endpoint
    if client.member_ids is not None:
        written["member_ids"] = list(client.member_ids)
    return written


def _restart_to_json(event: RestartClient) -> Mapping[str, object]:
    written: dict[str, object] = {
        "process_id": str(event.process_id),
        "keeps_process_id": event.keeps_process_id,
        "keeps_state": event.keeps_state,
    }
    if not event.keeps_process_id:
        written["new_process_id"] = None if event.new_process_id is None else str(event.new_process_id)
    if event.threads is not None:
        written["threads"] = event.threads
    if event.member_ids is not None:
        written["member_ids"] = list(event.member_ids)
    if event.within_session is not None:
        written["within_session"] = event.within_session
    if event.late:
        written["late"] = True
    return written


def _rolling_to_json(event: RollingRestart) -> Mapping[str, object]:
    settings: dict[str, object] = {"set_config": kafka.config_to_json(event.settings)} if event.settings else {}
    release: dict[str, object] = {} if event.kafka_release is None else {"kafka_release": event.kafka_release}
    return {
        "process_ids": None if event.process_ids is None else [str(process_id) for process_id in event.process_ids],
        "at_once": event.at_once,
        "wait": str(event.wait),
        "keeps_process_id": event.keeps_process_id,
        "keeps_state": event.keeps_state,
        **settings,
        **release,
        **({} if event.within_session is None else {"within_session": event.within_session}),
        **({"late": True} if event.late else {}),
    }
