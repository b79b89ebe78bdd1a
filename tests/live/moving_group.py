"""A real application that moves from the classic protocol to `group.protocol=streams`, offline, as a plan says it.

All of its steps are carried out: configs of the group, all clients stop, process IDs are written, all start. Every recorded target
is compared with the forecast from the classic group's snapshot, and `holdfast verify` must say that the plan came true.
"""

import json
import time
from pathlib import Path

from tests.live.broker_log import What
from tests.live.streams_group import Document, LiveGroup, Step, forecast_of, holdfast, targets_differ

SETTLES_WITHIN_S = 600
DELAY_MS = 20_000
STANDBYS, DELAY = "streams.num.standby.replicas", "streams.initial.rebalance.delay.ms"


def moved(group: LiveGroup, names: str, standbys: int) -> Step:
    """`standbys`: that the group has afterwards."""
    for name in names:
        group.clients[name] = group.load(name, classic=True)
        group.clients[name].go()
    before = _settled(group, len(names))
    config = {DELAY: DELAY_MS} | ({STANDBYS: standbys} if standbys else {})
    request = {"broker_release": "4.3.1", "kafka_release": "4.3.1", "source_patterns": False, "config": config}
    folder = next(iter(group.clients.values())).folder.parent
    plan = holdfast("plan", _kept(folder / "classic.json", before), _kept(folder / "move.json", _change(request)), "--json")
    chosen = next(one for one in plan["candidates"] if one["name"] == plan["chosen"])
    print("move:", plan["chosen"], plan["headline"], flush=True)
    events = chosen["change"]["events"]
    waits = next((number for number, one in enumerate(events) if "then" in one), len(events))
    seeds = _carried_out(group, events[:waits], before)
    group.settled(len(names))
    _carried_out(group, events[waits + 1 :], before)
    after = group.settled(len(names))
    step = Step("move")
    joined = [one.member for one in group.log() if one.what is What.JOINED]
    threads = {member: one["process_id"] for member, one in after["members"].items()}
    old = {new: client for client, new in seeds.items()}
    members = {client: [one for one in joined if old.get(threads[one], threads[one]) == client] for client in before["clients"]}
    exact = forecast_of(before, [{"move_to_streams_protocol": request | {"new_process_ids": seeds, "member_ids": members}}])
    step.wrong += targets_differ(exact["targets"], after["recorded_targets"])
    step.targets, step.moves = len(after["recorded_targets"]), exact["summary"]["moves"]
    verdict = holdfast("verify", _kept(folder / "plan.json", plan), "--snapshot", _kept(folder / "streams.json", after), "--json")
    if verdict["result"] != "as forecast":
        step.wrong.append(f"the verdict is {verdict['result']}: {verdict['differences'][:3]}")
    print(step.name, step, flush=True)
    return step


def _carried_out(group: LiveGroup, events: list[Document], before: Document) -> Document:
    """Return the process IDs that were written, by those before."""
    names = {_process_id(group, name): name for name in group.clients}
    seeds: Document = {}
    for event in events:
        ((verb, value),) = event.items()
        if verb == "set_config":
            group.configure(**{key.removeprefix("streams.").replace(".", "_"): str(one) for key, one in value.items()})
        elif verb == "stop_classic_clients":
            assert sorted(value["process_ids"]) == sorted(before["clients"])
            for client in group.clients.values():
                client.stop()
            _wait_until_empty(group)
        elif verb == "start_moved_client":
            process_id, name = value["process_id"], names[value["process_id"]]
            if value.get("new_process_id"):
                seeds[process_id] = value["new_process_id"]
            seen = len(group.log())
            following = group.load(name, group.clients[name].disk, process_id=value.get("new_process_id"))
            group.clients[name] = following
            following.go()
            _wait_for_joins(group, seen)
    return seeds


def _process_id(group: LiveGroup, name: str) -> str:
    path = group.clients[name].state_directory / "kafka-streams-process-metadata"
    return str(json.loads(path.read_text(encoding="utf-8"))["processId"])


def _settled(group: LiveGroup, clients: int) -> Document:
    """The classic group, as an operator collects it."""
    ends_at = time.monotonic() + SETTLES_WITHIN_S
    disks = [part for one in group.clients.values() for part in ("--state-dir", one.state_directory.as_uri())]
    while True:
        try:
            found = group.look("--kafka-release", "4.3.1", *disks)
            if found["group_state"] == "Stable" and len(found["clients"]) == clients and found["tasks"]:
                return found
        except AssertionError:
            found = {}  # it is not there yet
        assert time.monotonic() < ends_at, f"the classic group is not stable: {found}"
        time.sleep(1)


def _wait_until_empty(group: LiveGroup) -> None:
    ends_at = time.monotonic() + SETTLES_WITHIN_S
    while (state := group.state()) != "Empty":
        assert time.monotonic() < ends_at, f"the classic group is {state}"
        time.sleep(0.5)


def _wait_for_joins(group: LiveGroup, seen: int) -> None:
    ends_at = time.monotonic() + SETTLES_WITHIN_S
    while sum(one.what is What.JOINED for one in group.log()[seen:]) < group.threads:
        assert time.monotonic() < ends_at, "a client has not joined"
        time.sleep(0.1)


def _change(request: Document) -> Document:
    return {"format_version": "1.0", "events": [{"move_to_streams_protocol": request}]}


def _kept(path: Path, document: Document) -> str:
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)
