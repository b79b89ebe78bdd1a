"""Runs of `apply_rollout` in a real Airflow whose processes are killed at random moments: each client is restarted once.

    python -m tests.live.running.airflow_campaign [--rounds 10] [--kills 4] [--seed 1] [--into build/airflow.jsonl]

In each round a run carries out a rolling restart, is paused once, and answered over REST; meanwhile the task's process (alone, or
with its worker), the triggerer, the scheduler or the API server is killed (kill -9); components are started again. One line a
round. It ends with the first round that is not as it should be. The group is in files (`tests.harness.group_in_files`): what is
tried here is Airflow; real clients are in `campaign`, and all of it together in `whole`.
"""

import argparse
import json
import random
import sys
import tempfile
import time
import urllib.error
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.harness.article import AFTER, change, group, just_now
from tests.harness.group_in_files import GroupInFiles, dag_files
from tests.harness.pages.airflow_server import Server, serving
from tests.harness.plans import read
from tests.live.running import airflow_processes
from tests.unit.workflows.running.test_run import ROLLING

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.json import instants
from holdfast.rollout.kinds.approval import fingerprint
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.workflows import plan as plans
from holdfast.workflows.running import pausing

VICTIMS = ("task", "worker", "triggerer", "scheduler", "api-server")
LONGEST_S = 20.0
"""Between two kills."""
PATIENCE_S = 900.0
Document = dict[str, Any]


class Round:
    """A plan, its approval, and a run of it."""

    def __init__(self, server: Server, world: GroupInFiles, lake: FsspecLake) -> None:
        self.server, self.lake = server, lake
        self.before = world.restarted
        self.world = world
        policy = Policy(exclude=("relabel",), acts=("restart_client",))
        self.plan = plans.make(read(just_now(group(AFTER))), change_from_json(change(*ROLLING)), policy, datetime.now(UTC))
        plans.keep(lake, self.plan)
        at = instants.to_second(datetime.now(UTC))
        plans.keep_approval(lake, Approval(self.plan.plan_id, True, "vera", "", at, plan_fingerprint=fingerprint(self.plan)))
        conf = {"plan_id": self.plan.plan_id, "run": True}
        made = server.rest("POST", "/api/v2/dags/apply_rollout/dagRuns", {"logical_date": None, "conf": conf}, "bob")
        self.path = f"/api/v2/dags/apply_rollout/dagRuns/{quote(str(made['dag_run_id']))}"

    def state(self) -> tuple[str, str]:
        """Of the run, and of its task."""
        run = self.server.rest("GET", self.path)["state"]
        found = self.server.rest("GET", f"{self.path}/taskInstances")["task_instances"]
        return run, next((str(one["state"]) for one in found if one["task_id"] == "walk"), "none")

    def go_on(self) -> bool:
        """Answer what is open. False: Airflow did not take it."""
        halt = plans.journal_of(self.lake, self.plan.plan_id).open_halt()
        if halt is None:
            return False
        body = {"chosen_options": ["Go on"], "params_input": {"halt": halt[0], "reason": None}}
        try:
            self.server.rest("PATCH", f"{self.path}/taskInstances/walk/0/hitlDetails", body, "bob")
        except urllib.error.HTTPError:
            return False
        return True

    def restarted(self) -> dict[str, int]:
        return {one: count - self.before[one] for one, count in self.world.restarted.items()}


def one_round(server: Server, world: GroupInFiles, lake: FsspecLake, chance: random.Random, kills: int) -> Document:
    this = Round(server, world, lake)
    killed: list[str] = []
    pauses_at, paused, answers = chance.randint(0, 2), False, 0
    next_kill = time.monotonic() + chance.uniform(1, LONGEST_S)
    ends_at = time.monotonic() + PATIENCE_S
    run = task = ""
    while time.monotonic() < ends_at:
        time.sleep(0.3)
        if not paused and sum(this.restarted().values()) >= pauses_at:
            pausing.pause(lake, this.plan.plan_id, "ann", "lunch", datetime.now(UTC))
            paused = True
        if len(killed) < kills and time.monotonic() >= next_kill:
            victim = chance.choice(VICTIMS)
            if airflow_processes.kill(server, victim):
                killed.append(victim)
                next_kill = time.monotonic() + chance.uniform(1, LONGEST_S)
        try:
            run, task = this.state()
            if task == "awaiting_input":
                time.sleep(3)  # Airflow may lose an answer in the instant of asking
                answers += this.go_on()
        except (OSError, urllib.error.URLError, ValueError):
            continue
        if run in ("success", "failed"):
            break
    events = [one.event.value for one in plans.journal_of(lake, this.plan.plan_id).entries]
    found: Document = {
        "killed": killed,
        "answers": answers,
        "run": run,
        "restarted": sorted(this.restarted().values()),
        "paused": paused,
    }
    found["goes_on"] = events.count("accepted")
    found["as_wanted"] = run == "success" and set(this.restarted().values()) == {1}
    return found if found["as_wanted"] else found | {"task": task, "events": events}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world, lake = GroupInFiles(folder / "group"), FsspecLake(str(folder / "lake"))
        dag_files(folder / "dags", folder / "group", "apply_rollout")
        more = airflow_processes.short_heartbeats() | {"AIRFLOW__CORE__DAGS_FOLDER": str(folder / "dags")}
        more["AIRFLOW_VAR_HOLDFAST_APPROVERS"] = "[]"
        with serving(folder / "airflow", folder / "lake", scheduling=True, triggering=True, more=more) as server:
            server.wait("the DAG", lambda: server.rest("GET", "/api/v2/dags/apply_rollout"))
            server.rest("PATCH", "/api/v2/dags/apply_rollout?update_mask=is_paused", {"is_paused": False})
            for number in range(given.rounds):
                found = one_round(server, world, lake, chance, given.kills)
                line = json.dumps({"round": number} | found)
                print(line, flush=True)
                if given.into is not None:
                    with given.into.open("a", encoding="utf-8") as out:
                        out.write(f"{line}\n")
                if not found["as_wanted"]:
                    print((server.home / "server.log").read_text()[-6000:], file=sys.stderr)
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
