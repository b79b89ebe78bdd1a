"""What a group on five machines is moved through by runs of plans: a rolling restart, a replacement, one client more, one less, and
another setting."""

import json
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.harness.kafka.streams_app import PROCESS_METADATA
from tests.live.running.hosted import Document, Hosted
from tests.live.running.services import SCRIPT

from holdfast.rollout.contract.group_state import STABLE

STANDBYS = "num.standby.replicas"
_STABLE_WITHIN_S = 120
_VERBS = {"restart_client": "restart", "stop_client": "stop", "start_client": "start"}


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, and what must have been done to the machines. `by_hand`: does the step that is a person's."""

    plan: Path
    steps: tuple[Document, ...]
    acts: tuple[tuple[str, str], ...]
    options: tuple[str, ...]
    by_hand: Callable[[], None] | None = None


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
    """A standby for each task, or none any more. A person rolls it out."""
    now = group.clients.application.settings[STANDBYS]
    wanted = "0" if now == "1" else "1"
    planned = _planned(group, {"rolling_restart": {"set_config": {STANDBYS: int(wanted)}}})
    return replace(planned, by_hand=lambda: _roll_out(group, wanted))


SCENARIOS = {one.__name__: one for one in (rolling_restart, replacement, scale_out, scale_in, another_setting)}
"""In an order that ends with as many clients as it began with."""


def process_id(group: Hosted, address: str) -> str:
    """Of the client on a machine, by its disk."""
    folder = group.services.of[address].machine.disk / "state" / group.group_id
    found: str = json.loads((folder / PROCESS_METADATA).read_text())["processId"]
    return found


def _planned(group: Hosted, event: Document) -> Planned:
    plan = group.plan(event)
    steps = tuple(json.loads(plan.read_text())["steps"])
    acts = tuple((_VERBS[one["action"]], one["inputs"]["host"]) for one in steps if one["action"] in _VERBS)
    options: list[str] = []
    for step in steps:
        if step["action"] == "write_process_metadata":
            machine = group.services.of[step["inputs"]["host"]].machine
            options += ["--state-dir-of", f"{step['inputs']['process_id']}={group.state_dir(machine)}"]
    return Planned(plan, steps, acts, tuple(options))


def _made_ready(group: Hosted) -> str:
    """A machine without a client: its disk is emptied, and its process loaded."""
    address = next(one for one in group.services.of if one not in group.runs_on())
    state = group.services.of[address].machine.disk / "state"
    shutil.rmtree(state, ignore_errors=True)
    (state / group.group_id).mkdir(parents=True)
    if group.services.of[address].waiting is None:
        group.services.make_ready(address)
    return address


def _roll_out(group: Hosted, standbys: str) -> None:
    """As a person would: client by client, each once the group is stable."""
    application = group.clients.application
    group.clients.application = replace(application, settings=dict(application.settings) | {STANDBYS: standbys})
    for address in group.runs_on():
        subprocess.run(["sh", str(SCRIPT), str(group.services.folder), "restart", address], check=True)
        ends_at, since = time.monotonic() + _STABLE_WITHIN_S, len(group.clients.generations())
        while len(group.clients.generations()) == since or group.snapshot().group_state != STABLE:
            assert time.monotonic() < ends_at, "the group is stable soon after a restart"
            time.sleep(0.5)
