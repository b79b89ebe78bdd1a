"""A classic Streams group on machines that moves to `group.protocol=streams` by runs of a plan: the run writes the setting of its
clients, stops them all, waits until the group is empty, and starts them. Then it goes back to the classic protocol, offline, and
moves again.

    python -m tests.live.running.campaign --kind moving [--scenarios moves,moves_seeded] [--rounds 1] [--kills 8]
"""

import json
import random
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.harness.kafka import properties_file
from tests.harness.kafka.streams_app import PROCESS_METADATA, Application, StreamsClient
from tests.live.running import other_kinds
from tests.live.running.hosted import PROPERTIES, Document, Hosted
from tests.live.running.machines import Machine
from tests.live.running.other_kinds import Client
from tests.live.running.scenarios import Planned, acts_of

from holdfast.rollout.broker_streams.execution.verify import of_members
from holdfast.rollout.kinds import any_document

DELAY_MS = 120_000
"""The initial delay: all clients start within it, each after a command over SSH, also where a run is killed between two of them:
the next one waits for the command of the killed one."""
SESSION_MS = 20_000
_PROTOCOL = "group.protocol"
_EMPTY_WITHIN_S = 300
_DELAY_OPTIONS = ("longer-initial-delay", "seed-process-ids-and-longer-initial-delay")
_SEEDS = "seed-process-ids"


class Moving(other_kinds.ByBroker):
    """One client on each of the first machines, which starts with the protocol that its properties file has."""

    group_id, topic = "streams-moving", "streams-moving-input"
    exclude: tuple[str, ...] = (*_DELAY_OPTIONS, _SEEDS)
    reads_disks = True

    def __init__(self, release: str, bootstrap: str, folder: Path) -> None:
        super().__init__(release, bootstrap, folder)
        self._files: set[Path] = set()

    @property
    def protocol(self) -> str:
        """That the clients of all machines start with, or some."""
        return max((properties_file.read(file).get(_PROTOCOL, "classic") for file in self._files), default="classic")

    def goes_classic(self) -> None:
        for file in self._files:
            properties_file.write(file, {})

    def about(self, folder: Path) -> list[str]:
        properties = folder / "application.properties"
        text = "".join(f"{key}={value}\n" for key, value in _settings(self.protocol).items())
        properties.write_text(text, encoding="utf-8")
        return ["--kafka-release", self.release, "--app-config", str(properties)] if self.protocol == "classic" else []

    def on(self, machine: Machine, process_id: str | None = None) -> Client:
        file = machine.disk / PROPERTIES
        self._files.add(file)
        settings = _settings(properties_file.read(file).get(_PROTOCOL, "classic"))
        self.application = Application(self.release, self.group_id, self.bootstrap, self.topic, settings)
        folder = self.folder / f"client-{len(self.ever) + 1}-{machine.address}"
        found = StreamsClient(
            self.application,
            folder,
            threads=1,
            process_id=process_id,
            disk=machine.disk,
            inside=machine.inside,
            own_disk=machine.own_disk,
        )
        self.ever.append(found)
        found.load()
        return found


def _settings(protocol: str) -> dict[str, str]:
    if protocol == "streams":
        return {_PROTOCOL: "streams"}
    return {"session.timeout.ms": str(SESSION_MS), "heartbeat.interval.ms": "1000"}


def moves(group: Hosted, _chance: random.Random) -> Planned:
    """All is the run's."""
    return _planned(group, (*_DELAY_OPTIONS, _SEEDS))


def moves_seeded(group: Hosted, _chance: random.Random) -> Planned:
    """New process IDs, with which tasks are placed where their state is: a person writes them, and starts the clients."""
    return _planned(group, _DELAY_OPTIONS)


SCENARIOS = {one.__name__: one for one in (moves, moves_seeded)}


def _planned(group: Hosted, exclude: tuple[str, ...]) -> Planned:
    clients = group.clients
    assert isinstance(clients, Moving)
    if clients.protocol == "streams":
        _goes_back(group, clients)
    clients.exclude = exclude
    config = {"streams.initial.rebalance.delay.ms": DELAY_MS}
    request = {"broker_release": clients.release, "kafka_release": clients.release, "source_patterns": False, "config": config}
    plan = group.plan({"move_to_streams_protocol": request})
    document = json.loads(plan.read_text())
    print(json.dumps({"option": document["chosen"], "headline": document["headline"], **_figures(document)}), flush=True)

    held, owners = _held(group), _owners(group, any_document.plan_from_json(document).basis)
    chosen = next(one for one in document["candidates"] if one["name"] == document["chosen"])

    def by_hand(step: str) -> bool:
        return _does(group, document, step)

    def afterwards() -> tuple[Document, list[str]]:
        now = _owners(group, group.snapshot())
        moved = {task for task, address in now.items() if owners.get(task) != address}
        cold = {task for task in moved if task not in held[now[task]]}
        wanted = chosen["summary"]["moves"], chosen["summary"]["cold_moves"]
        found = {"moved": len(moved), "cold": len(cold), "planned": wanted, "option": document["chosen"]}
        # Member IDs decide between clients of equal load, and are new at each start: without new process IDs only the verdict,
        # which goes by the IDs that clients got, says whether all is as forecast.
        differ = _SEEDS in document["chosen"] and (len(moved), len(cold)) != wanted
        return found, [f"moves and cold moves: {(len(moved), len(cold))}, forecast {wanted}"] if differ else []

    return replace(acts_of(plan, by_hand), afterwards=afterwards)


def _held(group: Hosted) -> dict[str, frozenset[str]]:
    """The tasks of which there is a store on each machine's disk."""
    folders = {address: service.machine.disk / "state" / group.group_id for address, service in group.services.of.items()}
    return {
        address: frozenset(one.name for one in folder.glob("[0-9]*_[0-9]*") if any(each.is_dir() for each in one.iterdir()))
        for address, folder in folders.items()
    }


def _owners(group: Hosted, seen: Any) -> dict[str, str]:
    """The machine that runs each stateful task. `seen`: a snapshot as a streams group, with the process IDs that disks have now."""
    stateful = {one.subtopology for one in seen.topology.subtopologies if one.changelog_topics}
    at = {_process_id(group, address): address for address in group.runs_on()}
    return {str(task): at[process] for task, process in of_members(seen)[0].items() if task.subtopology in stateful}


def _figures(plan: Document) -> Document:
    """What the options are forecast to move."""
    wanted = ("moves", "cold_moves", "restored_records")
    found = {one["name"]: {key: (one.get("summary") or {}).get(key) for key in wanted} for one in plan["candidates"]}
    return {"forecast": found}


def _does(group: Hosted, plan: Document, step: str) -> bool:
    """What a person does of the step that a run waits for. Whether it has to be confirmed."""
    item = next(one for one in plan["steps"] if one["id"] == step)
    assert item["action"] == "start_moved_client", item
    starts = [one["inputs"] for one in plan["steps"] if one["action"] == "start_moved_client"]
    at = {_process_id(group, address): address for address in group.services.of if _disk(group, address).exists()}
    for address in at.values():
        group.services.make_ready(address)
    for one in starts:
        _disk(group, at[one["process_id"]]).write_text(json.dumps({"processId": one["new_process_id"]}, separators=(",", ":")))
    for one in starts:
        group.services.start(at[one["process_id"]])
    return False


def _disk(group: Hosted, address: str) -> Path:
    return group.services.of[address].machine.disk / "state" / group.group_id / PROCESS_METADATA


def _process_id(group: Hosted, address: str) -> str:
    found: str = json.loads(_disk(group, address).read_text())["processId"]
    return found


def _goes_back(group: Hosted, clients: Moving) -> None:
    """To the classic protocol, offline, with empty disks: each has what it runs, and no more."""
    there = group.runs_on()
    for address in there:
        group.services.stop(address)
    ends_at = time.monotonic() + _EMPTY_WITHIN_S
    while group.state() not in ("Empty", "Dead"):
        assert time.monotonic() < ends_at, "the group is empty soon after all of its clients have stopped"
        time.sleep(1)
    clients.goes_classic()
    for address in there:
        shutil.rmtree(group.services.of[address].machine.disk / "state")
        group.services.make_ready(address)
    for address in there:
        group.services.start(address)
    group.wait_stable(len(there))
