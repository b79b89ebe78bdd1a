"""Everything that a run of a plan in Airflow has, real and at once: a broker, Streams clients as services of machines with an sshd
each, an Airflow of five processes whose connections name these, and the plan's page in a browser."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote

import psutil
from playwright.sync_api import Browser, Error
from tests.harness.pages.airflow_server import ROOT, Server, serving
from tests.harness.pages.browser import Reader, chromium, reading
from tests.live.running import airflow_processes, late_service
from tests.live.running.hosted import Hosted
from tests.live.running.services import LIMIT_S, SCRIPT

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import runs
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.journal import Journal, JournalEvent
from holdfast.rollout.json.strict import loads
from holdfast.rollout.kinds import any_document
from holdfast.rollout.policy.policy import ACTS
from holdfast.workflows import plan as plans

CLUSTER = "live"
DAGS = ("plan_rollout", "apply_rollout", "verify_rollout")
ACTING_DAG = "restart_streams_client"
TAKES_S = 25.0
"""A restart by another DAG, by a service that answers when it is done, and by a slow command."""
ACTED = ("restart_client", "stop_client", "start_client")
PATIENCE_S = 1_200.0
ENDS = ("success", "failed")
Document = dict[str, Any]


class ActsBy(StrEnum):
    """What acts on the clients: commands over SSH, commands that take long, a service that answers late, or another DAG."""

    SSH = "ssh"
    SLOW_SSH = "slow-ssh"
    HTTP = "http"
    DAG = "dag"


def connections(group: Hosted, folder: Path, acts_by: ActsBy, service: str) -> dict[str, str]:
    """What an admin enters in Airflow: the cluster, its group's commands, and how to log in. Host keys are in the worker's home.
    `service`: the address of the one that answers late. With another DAG a command shows the process."""
    machine = group.machines[0]
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True)
    known = machine.sshd.folder / "known_hosts" if group.together else group.folder / "machines" / "known_hosts"
    (home / ".ssh" / "known_hosts").write_text(known.read_text())
    application = group.clients.application
    commands = {
        verb: ["sh", str(SCRIPT), str(group.services.folder), verb, "{host}"] for verb in ("status", "start", "stop", "restart")
    }
    slowly = {verb: ["sh", "-c", f'sleep {TAKES_S:g}; exec "$@"', "slow", *command] for verb, command in commands.items()}
    ssh: Document = {"ssh": {"host": "{host}"}}
    acts: Document = {
        ActsBy.SSH: commands | ssh,
        ActsBy.SLOW_SSH: slowly | {"status": commands["status"]} | ssh,
        ActsBy.HTTP: {"http": late_service.calls(service)},
        ActsBy.DAG: {"dag": {"dag_id": ACTING_DAG}, "status": commands["status"]} | ssh,
    }[acts_by]
    clients = group.clients.addresses() if group.together else {}
    about: Document = {
        "kafka_release": application.release,
        "config": dict(application.settings),
        "actors": acts | {"limit_s": LIMIT_S, "clients": clients},
    }
    if not group.together:
        path = f"{machine.own_disk}/state/{group.group_id}"
        about["state_dirs"] = [f"ssh://{{host}}:{machine.sshd.port}{path}"]
    kafka = {"bootstrap.servers": application.bootstrap, "ssh_connection": "machines", "groups": {group.group_id: about}}
    sshd = machine.sshd
    login = {"conn_type": "ssh", "login": sshd.user, "port": sshd.port, "extra": {"key_file": str(sshd.client)}}
    return {
        "HOME": str(home),
        f"AIRFLOW_CONN_HOLDFAST_KAFKA_{CLUSTER.upper()}": json.dumps({"conn_type": "generic", "extra": kafka}),
        "AIRFLOW_CONN_MACHINES": json.dumps(login),
    }


@dataclass
class Screens:
    """The plan's page as two readers have it, wide and on a phone, which follows the run by itself."""

    browser: Browser
    folder: Path
    wrong: list[str] = field(default_factory=list)

    @contextmanager
    def of(self, server: Server, plan_id: str, name: str) -> "Iterator[Watched]":
        with reading(self.browser, server, "bob") as wide, reading(self.browser, server, "vera", width=400) as phone:
            watched = Watched({"wide": wide, "phone": phone}, self, name)
            for one in (wide, phone):
                one.open(f"/holdfast/plans/{plan_id}")
            yield watched


@dataclass
class Watched:
    readers: dict[str, Reader]
    screens: Screens
    name: str
    seen: list[str] = field(default_factory=list)

    def badge(self) -> str:
        """What the page says of the run now, without being loaded again; empty where it says nothing."""
        try:
            found = self.readers["wide"].page.evaluate("document.querySelector('.live-head .badge')?.textContent ?? ''")
        except Error:
            return ""
        if found and (not self.seen or self.seen[-1] != found):
            self.seen.append(str(found))
        return str(found)

    def until(self, badge: str) -> None:
        ends_at = time.monotonic() + 60
        while self.badge() != badge and time.monotonic() < ends_at:
            self.readers["wide"].page.wait_for_timeout(500)
        if self.badge() != badge:
            self.screens.wrong.append(f"{self.name}: the page says {self.badge()!r}, not {badge!r}")

    def shoot(self, moment: str) -> None:
        """A picture of each; and what is wider than its window."""
        for kind, reader in self.readers.items():
            reader.page.wait_for_timeout(200)
            place = self.screens.folder / f"{self.name}-{moment}-{kind}"
            reader.page.screenshot(path=f"{place}.png")
            reader.page.locator("#run").screenshot(path=f"{place}-run.png")
            if (more := reader.too_wide()) > 0:
                self.screens.wrong.append(f"{self.name}, {moment}: {kind} page is {more} px too wide")

    def pause(self, reason: str) -> None:
        page = self.readers["wide"].page
        page.fill("#pause-reason", reason)
        page.click("#pausing button")


@dataclass
class Whole:
    """All of it. `lake`: Airflow's."""

    group: Hosted
    server: Server
    lake: FsspecLake
    screens: Screens

    def plan(self, *events: Document, policy: Document | None = None) -> AnyPlan:
        """Made by a run of `plan_rollout` that bob triggers, and approved by olga where it asks. Its end triggers `apply_rollout`,
        which is over by then, for it does no whole plan by itself. `policy`: of the request, no less strict than the team's."""
        conf = {"cluster": CLUSTER, "group": self.group.group_id, "change": {"format_version": "1.0", "events": list(events)}}
        before = self._applies()
        made = self.server.rest(
            "POST", "/api/v2/dags/plan_rollout/dagRuns", {"logical_date": None, "conf": conf | {"policy": policy}}, "bob"
        )
        run_id = str(made["dag_run_id"])
        path = f"/api/v2/dags/plan_rollout/dagRuns/{quote(run_id)}"
        ends_at = time.monotonic() + PATIENCE_S
        while (state := str(self.server.rest("GET", path)["state"])) not in ENDS:
            assert time.monotonic() < ends_at, f"plan_rollout: {state}"
            time.sleep(2)
            approve = self.server.rest("GET", f"{path}/taskInstances/approve")
            if approve["state"] == "awaiting_input":
                time.sleep(3)  # Airflow may lose an answer in the instant of asking
                body = {"chosen_options": ["Approve"], "params_input": {"reason": "read it"}}
                with suppress(HTTPError):
                    self.server.rest("PATCH", f"{path}/taskInstances/approve/-1/hitlDetails", body, "olga")
                time.sleep(3)
        assert state == "success", self._log_of("plan_rollout")
        of_run = runs.made(self.lake, run_id)
        assert of_run is not None
        self.server.wait("its run of apply_rollout", lambda: self._applies() > before or None)
        self.server.wait("the end of that run", lambda: not self._applies(ended=False) or None)
        return any_document.plan_from_json(loads(plans.document_of(self.lake, of_run.plan_id, "plan.json")))

    def _applies(self, *, ended: bool = True) -> int:
        """Runs of `apply_rollout`; `ended` False: those that have not ended."""
        found = self.server.rest("GET", "/api/v2/dags/apply_rollout/dagRuns?limit=100")["dag_runs"]
        return sum(ended or one["state"] not in ENDS for one in found)

    def _log_of(self, dag_id: str) -> str:
        logs = sorted((self.server.home / "logs").glob(f"dag_id={dag_id}/**/*.log"), key=lambda one: one.stat().st_mtime)
        return "\n".join(one.read_text()[-3_000:] for one in logs[-2:])

    def run(self, plan: AnyPlan, **params: object) -> "AirflowRun":
        conf = {"plan_id": plan.plan_id, "run": True} | params
        made = self.server.rest("POST", "/api/v2/dags/apply_rollout/dagRuns", {"logical_date": None, "conf": conf}, "bob")
        return AirflowRun(self, plan, f"/api/v2/dags/apply_rollout/dagRuns/{quote(str(made['dag_run_id']))}")

    def processor_s(self) -> float:
        """What Airflow has cost so far: its components as they run now, and what they started that has ended."""
        found = 0.0
        for component in self.server.components.values():
            with suppress(psutil.Error):
                processes = [psutil.Process(component.pid)]
                processes += processes[0].children(recursive=True)
                for one in processes:
                    with suppress(psutil.Error):
                        found += sum(one.cpu_times()[:4])
        return found

    def slots_held(self) -> int:
        """Of the pools, by tasks that run or are queued."""
        pools = self.server.rest("GET", "/api/v2/pools")["pools"]
        return sum(int(one["running_slots"]) + int(one["queued_slots"]) for one in pools)


def steps_of(plan: AnyPlan) -> list[Document]:
    """As the plan's document has them."""
    return list(any_document.plan_to_json(plan)["steps"])


@dataclass
class AirflowRun:
    """A run of `apply_rollout` for a plan."""

    whole: Whole
    plan: AnyPlan
    path: str
    last: tuple[str, str] = ("", "")
    tries: int = 0

    def state(self) -> tuple[str, str]:
        """Of the run, and of its task; as they were where Airflow does not answer."""
        server = self.whole.server
        try:
            run = str(server.rest("GET", self.path)["state"])
            found = server.rest("GET", f"{self.path}/taskInstances")["task_instances"]
        except (OSError, URLError, HTTPException, ValueError):
            return self.last
        walks = [one for one in found if one["task_id"] == "walk"]
        self.tries = max([self.tries, *(int(one["try_number"]) for one in walks)])
        self.last = (run, next((str(one["state"]) for one in walks), "none"))
        return self.last

    @property
    def ended(self) -> bool:
        return self.state()[0] in ENDS

    @property
    def asks(self) -> bool:
        return self.state()[1] == "awaiting_input"

    def until(self, happened: Callable[[], bool], meanwhile: Callable[[], object] = lambda: None) -> bool:
        """Whether it did before the run ended."""
        ends_at = time.monotonic() + PATIENCE_S
        while not happened():
            if self.ended:
                return happened()
            assert time.monotonic() < ends_at, self.trouble()
            meanwhile()
            time.sleep(0.5)
        return True

    def journal(self) -> Journal:
        return plans.journal_of(self.whole.lake, self.plan.plan_id)

    def halt(self) -> tuple[int, str]:
        """The open one: its number, and why. Zero: none is open."""
        found = self.journal().open_halt()
        return (0, "") if found is None else (found[0], "" if found[1].halt is None else found[1].halt.value)

    def halted_at(self) -> str:
        """The number of the step that the open halt is about."""
        found = self.journal().open_halt()
        assert found is not None
        return str(found[1].step)

    def answer(self, chosen: str, reason: str, **more: str) -> bool:
        """As bob. False: Airflow did not take it."""
        body = {"chosen_options": [chosen], "params_input": {"halt": self.halt()[0], "reason": reason, **more}}
        try:
            self.whole.server.rest("PATCH", f"{self.path}/taskInstances/walk/0/hitlDetails", body, "bob")
        except (HTTPError, URLError, HTTPException, OSError):
            return False
        return True

    def answered(self, chosen: str, reason: str, **more: str) -> None:
        """Until the journal has it: Airflow may lose an answer in the instant of asking."""
        number = self.halt()[0]
        assert number, "a halt is open"

        def taken() -> bool:
            return self.halt()[0] != number

        while not self.until(taken, lambda: self.asks and self.answer(chosen, reason, **more) and time.sleep(5)):
            raise AssertionError(self.trouble())

    def verdict(self) -> Document:
        """What `verify_rollout` found in the end. Right after the plan was made it has found that no step is done yet."""
        place = ("plans", self.plan.plan_id, "verdict.json")

        def found() -> Document | None:
            if not self.whole.lake.exists(place):
                return None
            kept = dict(json.loads(self.whole.lake.read(place, 10_000_000)))
            return kept if Result(kept["result"]).final else None

        return self.whole.server.wait("the verdict", found)

    def journal_wrong(self) -> list[str]:
        """Each act begun once and seen once, each step done once. A run that took over may begin one again."""
        entries, wrong = self.journal().entries, []
        taken_over = sum(one.event is JournalEvent.TAKEN_OVER for one in entries)
        for event, acted in ((JournalEvent.BEGUN, True), (JournalEvent.ACTED, True), (JournalEvent.DONE, False)):
            found = Counter(one.step for one in entries if one.event is event and (one.acted is not None or not acted))
            wanted = [step["id"] for step in steps_of(self.plan) if not acted or step["action"] in ACTED]
            most = 1 + (taken_over if event is JournalEvent.BEGUN else 0)
            wrong += [f"{event.value} of step {one}: {found[one]} times" for one in wanted if not 1 <= found[one] <= most]
        return wrong

    def trouble(self) -> str:
        """For a failure's message: the journal, and the logs of the task."""
        entries = "\n".join(f"{one.at} {one.event.value} {one.step} {one.detail}" for one in self.journal().entries)
        logs = sorted(
            (self.whole.server.home / "logs").glob("dag_id=apply_rollout/**/task_id=walk/**/*.log"),
            key=lambda one: one.stat().st_mtime,
        )
        tail = logs[-1].read_text()[-4_000:] if logs else ""
        return f"{self.last}\n{entries}\n{tail}"


def _with_acting_dag(group: Hosted, folder: Path) -> dict[str, str]:
    dags, own = folder / "dags", Path(__file__).with_name("acting_dag.py")
    dags.mkdir()
    for one in (*(ROOT / "dags").glob("*.py"), own):
        (dags / one.name).symlink_to(one)
    return {
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
        "LIVE_SERVICES": str(group.services.folder),
        "LIVE_SERVICES_SCRIPT": str(SCRIPT),
        "LIVE_DAG_TAKES_S": str(TAKES_S),
    }


@contextmanager
def brought_up(
    group: Hosted, folder: Path, screens: Path, more: Sequence[tuple[str, str]] = (), acts_by: ActsBy = ActsBy.SSH
) -> Iterator[Whole]:
    """Airflow, next to a group that runs, and a browser."""
    with late_service.serving(group.services.folder, TAKES_S) as service:
        environment = airflow_processes.short_heartbeats() | connections(group, folder, acts_by, service) | dict(more)
        environment |= _with_acting_dag(group, folder) if acts_by is ActsBy.DAG else {}
        with _airflow(group, folder, screens, environment, [*DAGS, *([ACTING_DAG] if acts_by is ActsBy.DAG else [])]) as whole:
            yield whole


_MISSED_ON_A_BUSY_MACHINE = ("TASK_INSTANCE_HEARTBEAT_TIMEOUT", "SCHEDULER_HEALTH_CHECK_THRESHOLD")
"""Shorter ones: a scheduler then takes itself for dead, and ends the tasks that run."""


@contextmanager
def _airflow(group: Hosted, folder: Path, screens: Path, environment: dict[str, str], dags: Sequence[str]) -> Iterator[Whole]:
    environment["AIRFLOW_VAR_HOLDFAST_POLICY"] = json.dumps({"format_version": "1.0", "acts": [str(one) for one in ACTS]})
    for one in _MISSED_ON_A_BUSY_MACHINE:
        environment[f"AIRFLOW__SCHEDULER__{one}"] = "30"
    lake = folder / "lake"
    with (
        serving(folder / "airflow", lake, scheduling=True, triggering=True, more=environment) as server,
        chromium() as browser,
    ):
        for dag in dags:
            server.wait("the DAG", lambda dag=dag: server.rest("GET", f"/api/v2/dags/{dag}"))
            server.rest("PATCH", f"/api/v2/dags/{dag}?update_mask=is_paused", {"is_paused": False})
        screens.mkdir(parents=True, exist_ok=True)
        yield Whole(group, server, FsspecLake(str(lake)), Screens(browser, screens))
