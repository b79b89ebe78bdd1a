"""What a group on five machines is moved through by runs of plans: a rolling restart, a replacement, one client more, one less, and
another setting; and a sixth client that joins midway."""

import json
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from tests.harness.kafka import properties_file
from tests.harness.kafka.streams_app import PROCESS_METADATA, StreamsClient
from tests.live.experiment import process_ids
from tests.live.running import hosted
from tests.live.running.hosted import Document, Hosted
from tests.live.running.services import SCRIPT

from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of

STANDBYS = "num.standby.replicas"
_STABLE_WITHIN_S = 120


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, and what must have been done to the machines, in the steps `acting`, one for each act. `by_hand`: does the step that
    is a person's, and says whether it has to be confirmed. `joins`: the machine whose client joins at some moment, and is no part
    of the plan. `afterwards`: what else there is to report at the end, and what of it is wrong. `afterwards_back`: what is wrong
    once all was rolled back; None: nothing is."""

    plan: Path
    steps: tuple[Document, ...]
    acts: tuple[tuple[str, str], ...]
    acting: tuple[str, ...]
    options: tuple[str, ...]
    by_hand: Callable[[str], bool] | None = None
    joins: str | None = None
    afterwards: Callable[[], tuple[Document, list[str]]] = lambda: ({}, [])
    afterwards_back: Callable[[], list[str]] | None = None


def rolling_restart(group: Hosted, _chance: random.Random) -> Planned:
    return _planned(group, {"rolling_restart": {}})


def replacement(group: Hosted, chance: random.Random) -> Planned:
    """A machine by another one, whose disk is empty: the process ID is written there before the new client starts."""
    old, new = chance.choice(group.runs_on()), _made_ready(group)
    by = {"process_id": None, "host": new}
    return _planned(group, {"replace_client": {"process_id": process_id(group, old), "by": by}})


def scale_out(group: Hosted, _chance: random.Random) -> Planned:
    return _planned(group, {"add_client": {"process_id": None, "threads": 1, "host": _made_ready(group)}})


def scale_in(group: Hosted, chance: random.Random) -> Planned:
    gone = process_id(group, chance.choice(group.runs_on()))
    return _planned(group, {"remove_client": {"process_id": gone, "leaves": False}})


def another_setting(group: Hosted, _chance: random.Random) -> Planned:
    """A standby for each task, or none any more."""
    now = group.streams.application.settings[STANDBYS]
    wanted = "0" if now == "1" else "1"
    planned = _planned(group, {"rolling_restart": {"set_config": {STANDBYS: int(wanted)}}})

    def afterwards() -> tuple[Document, list[str]]:
        """Each client runs with it, and the next start of each reads it."""
        application = group.streams.application
        group.streams.application = replace(application, settings=dict(application.settings) | {STANDBYS: wanted})
        found: dict[str, tuple[str | None, str | None]] = {}
        for address in group.runs_on():
            service = group.services.of[address]
            assert isinstance(service.client, StreamsClient)
            runs = service.client.application.settings.get(STANDBYS)
            found[address] = (runs, properties_file.read(service.machine.disk / hosted.PROPERTIES).get(STANDBYS))
        differ = [f"{STANDBYS} on {address}: {seen}" for address, seen in found.items() if seen != (wanted, wanted)]
        return {"set": wanted}, differ

    return replace(planned, afterwards=afterwards)


def another_setting_and_back(group: Hosted, chance: random.Random) -> Planned:
    """The same; then the run goes back, and each client has what it had before."""
    application = group.streams.application
    files = {address: group.services.of[address].machine.disk / hosted.PROPERTIES for address in group.runs_on()}
    before = {address: properties_file.read(file) for address, file in files.items()}

    def afterwards_back() -> list[str]:
        group.streams.application = application
        found = {address: properties_file.read(file) for address, file in files.items()}
        return [f"properties on {address}: {one}" for address, one in found.items() if one != before[address]]

    return replace(another_setting(group, chance), afterwards_back=afterwards_back)


def sixth_client(group: Hosted, _chance: random.Random) -> Planned:
    """A rolling restart, and another client joins midway."""
    stranger = _made_ready(group)
    return replace(_planned(group, {"rolling_restart": {}}), joins=stranger)


def joined_at(group: Hosted, address: str) -> float | None:
    """When the first rebalance with the client of that machine was over, in seconds of the epoch; None: there was none yet."""
    one = process_id(group, address)
    with_it = (each for each in group.streams.generations() if one in process_ids(each))
    first = next(with_it, None)
    return None if first is None else datetime.fromisoformat(first.completed_at).timestamp()


def takes_out(group: Hosted, address: str) -> None:
    """The client of a machine is stopped, and its session times out."""
    gone = process_id(group, address)
    subprocess.run(["sh", str(SCRIPT), str(group.services.folder), "stop", address], check=True)
    ends_at = time.monotonic() + _STABLE_WITHIN_S
    while gone in process_ids(group.streams.generations()[-1]) or group.snapshot().group_state != STABLE:
        assert time.monotonic() < ends_at, "the group is stable soon after a stop"
        time.sleep(0.5)


def restarts(group: Hosted, _chance: random.Random) -> Planned:
    """A rolling restart of a group of another kind."""
    clients = group.clients
    assert not isinstance(clients, hosted.Clients)
    events: list[Document] = []
    for number, name in enumerate(_members(group).values()):
        events += [{"then": "stable"}] * bool(events) + [clients.restart(name, number)]
    return _planned(group, *events)


def by_another(group: Hosted, chance: random.Random) -> Planned:
    """A client of a group of another kind by another one, on another machine."""
    clients = group.clients
    assert not isinstance(clients, hosted.Clients)
    old, new = chance.choice(group.runs_on()), _made_ready(group)
    return _planned(group, *clients.replacement(_members(group)[old], new))


def _members(group: Hosted) -> dict[str, str]:
    """What a plan calls the client on each machine."""
    found = group.snapshot()
    named = {(one.host or "").removeprefix("/"): getattr(one, "process_id", None) or one.member_id for one in found.members}
    return {address: named[address] for address in group.runs_on()}


OF_OTHER_KINDS = {one.__name__: one for one in (restarts, by_another)}
_IN_ORDER = (rolling_restart, replacement, scale_out, scale_in, another_setting, another_setting_and_back, sixth_client)
SCENARIOS = {one.__name__: one for one in _IN_ORDER}
"""In an order that ends with as many clients as it began with."""


def process_id(group: Hosted, address: str) -> str:
    """Of the client on a machine, by its disk."""
    folder = group.services.of[address].machine.disk / "state" / group.group_id
    found: str = json.loads((folder / PROCESS_METADATA).read_text())["processId"]
    return found


def _planned(group: Hosted, *events: Document) -> Planned:
    planned = acts_of(group.plan(*events))
    options: list[str] = []
    for step in planned.steps:
        if step.get("action") == "write_process_metadata":
            machine = group.services.of[step["inputs"]["host"]].machine
            options += ["--state-dir-of", f"{step['inputs']['process_id']}={group.state_dir(machine)}"]
    return replace(planned, options=tuple(options))


def acts_of(plan: Path, by_hand: Callable[[str], bool] | None = None) -> Planned:
    document = json.loads(plan.read_text())
    made = any_document.plan_from_json(document)
    kind = kind_of(made)
    found = [(step.id, act) for step in made.steps if (acts := kind.acts(made, step)) is not None for act in acts.acts]
    rolls = {roll.first: roll for step in made.steps if (roll := kind.roll(made, step)) is not None}
    found += [(roll.first, act) for roll in rolls.values() for one in roll.clients() for act in one.acts]
    acts = tuple((act.does.value, (act.host or "").removeprefix("/")) for _, act in found)
    return Planned(plan, tuple(document["steps"]), acts, tuple(one for one, _ in found), (), by_hand)


def _made_ready(group: Hosted) -> str:
    """A machine without a client: its disk is emptied, and its process loaded."""
    address = next(one for one in group.services.of if one not in group.runs_on())
    state = group.services.of[address].machine.disk / "state"
    shutil.rmtree(state, ignore_errors=True)
    (state / group.group_id).mkdir(parents=True)
    (state.parent / hosted.PROPERTIES).unlink(missing_ok=True)
    if group.services.of[address].waiting is None:
        group.services.make_ready(address)
    return address
