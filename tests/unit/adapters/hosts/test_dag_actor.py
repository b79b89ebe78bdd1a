"""Another DAG acts on clients: its run is triggered once, however often a run of the plan is killed."""

import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.harness.operators_hands import approved
from tests.harness.running_group import TAKES_S, Killed, Process, RunningGroup
from tests.unit.workflows.running.test_client_configs import EACH, real, rolled
from tests.unit.workflows.running.test_run import ALL_THREE, halt, rolling

from holdfast.actor import Actor
from holdfast.adapters.hosts import actors_file, dag_actor
from holdfast.adapters.hosts.dag_actor import Dag, DagActor, run_id
from holdfast.errors import HostTrouble, InvalidInput
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.acted import ClientProcess, Does, Halt, ProcessState
from holdfast.workflows.running import acting, pausing
from holdfast.workflows.running import run as running
from holdfast.workflows.running.run import Means

RESTART = Act(Does.RESTART, "id-1", "/app-1", called="0123456789abcdef.1")


class Runs:
    """Airflow's, in memory. `ends`: how a run that was triggered ends, and after how many looks."""

    def __init__(self) -> None:
        self.runs: dict[str, str] = {}
        self.confs: list[tuple[str, Mapping[str, Any]]] = []
        self.ends, self.after = "success", 2
        self.processes = {"id-1": Process()}

    def trigger(self, dag_id: str, run_id: str, conf: Mapping[str, Any]) -> bool:
        if run_id in self.runs:
            return False
        self.runs[run_id] = "queued"
        self.confs.append((dag_id, conf))
        return True

    def state(self, _: str, run_id: str) -> str | None:
        if self.runs.get(run_id) in ("queued", "running"):
            self.runs[run_id] = "running"
            self.after -= 1
            if self.after <= 0:
                self.runs[run_id] = self.ends
                if self.ends == "success":
                    self.processes["id-1"].identity += 1
        return self.runs.get(run_id)

    # What shows the processes.

    limit_s = unseen_s = unseen_write_s = 5.0

    def cannot_look(self, act: Act) -> str | None:
        return None if act.client in self.processes else f"{act.client} is unknown."

    lacks = cannot_look

    def was_given(self, _: Act) -> bool | None:
        return None

    def outcome(self, _: Act) -> str | None:
        return None

    def lacks_config(self, act: Act, _: Mapping[str, str | None]) -> str | None:
        return f"No command for {act.client}."

    def read_config(self, *_: object) -> Mapping[str, str | None]:
        return {"a": "1"}

    def is_writing(self, _: Act) -> bool:
        return False

    def write_config(self, *_: object) -> str | None:
        return "It writes none."

    def process(self, act: Act) -> ClientProcess:
        return self.processes[act.client].shown()

    def perform(self, *_: object) -> str | None:
        raise AssertionError("it only looks")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setattr(dag_actor, "_sleep", lambda _: None)
    return Runs()


def actor(runs: Runs, conf: str = '{"who":["{host}"],"does":"{does}"}', limit_s: int = 60) -> DagActor:
    return DagActor(Dag("restarts", conf, limit_s, {}), runs, runs)


def test_a_run_of_the_dag_is_the_act(runs: Runs) -> None:
    found = actor(runs)
    before = found.process(RESTART)
    assert found.perform(Does.RESTART, RESTART) is None

    assert runs.confs == [("restarts", {"who": ["app-1"], "does": "restart"})]
    assert list(runs.runs) == ["holdfast__0123456789abcdef.1__restart__" + run_id(Does.RESTART, RESTART)[-16:]]
    assert found.process(RESTART).identity != before.identity


def test_a_run_that_is_there_is_waited_for_and_not_triggered_again(runs: Runs) -> None:
    runs.trigger("restarts", run_id(Does.RESTART, RESTART), {})
    found = actor(runs)
    assert found.process(RESTART) == ClientProcess(ProcessState.CHANGING)
    failed = found.perform(Does.RESTART, RESTART)

    assert len(runs.confs) == 1
    assert failed is not None
    assert "was successful before" in failed
    assert runs.processes["id-1"].identity == 2, "and the next look shows it"


@pytest.mark.parametrize("state", ["failed", "removed"])
def test_a_run_that_failed_stays_failed_until_it_is_cleared(runs: Runs, state: str) -> None:
    runs.ends = state
    found = actor(runs)
    for _ in range(2):
        said = found.perform(Does.RESTART, RESTART)
        assert said is not None
        assert f"is {state}: clear it in Airflow" in said
    assert len(runs.confs) == 1


def test_a_run_that_goes_on_too_long_may_still_act(runs: Runs) -> None:
    runs.after = 10**9
    with pytest.raises(HostTrouble, match=r"is running$") as trouble:
        actor(runs, limit_s=0).perform(Does.RESTART, RESTART)
    assert trouble.value.begun
    assert actor(runs).process(RESTART).state is ProcessState.CHANGING


def test_runs_of_other_steps_plans_acts_and_clients_are_others() -> None:
    others = [
        run_id(Does.START, RESTART),
        run_id(Does.RESTART, Act(Does.RESTART, "id-2", "/app-1", called=RESTART.called)),
        run_id(Does.RESTART, Act(Does.RESTART, "id-1", "/app-1", called="0123456789abcdef.2")),
        run_id(Does.RESTART, Act(Does.RESTART, "../é\n", "/app-1", called="a/b é")),
        run_id(Does.RESTART, RESTART),
    ]
    assert len(set(others)) == len(others)
    assert all(one.isascii() and one.isprintable() and "/" not in one for one in others)


def test_what_a_conf_needs_and_what_cannot_be_in_it_is_named(runs: Runs) -> None:
    assert actor(runs).lacks(RESTART) is None
    assert "needs zone" in str(actor(runs, '{"zone":"{zone}"}').lacks(RESTART))
    assert "cannot be part" in str(actor(runs).lacks(Act(Does.RESTART, "id-1", "/$(id)")))
    assert actor(runs).lacks(Act(Does.RESTART, "id-9", "/app-1")) == "id-9 is unknown."


class ByDag(RunningGroup):
    """Its clients are restarted by runs of a DAG, which go on whatever becomes of the run of the plan."""

    def __init__(self) -> None:
        super().__init__()
        self.airflow = LastingRuns(self)
        self.writes = False
        """Whether its runs write settings too."""

    def means(self, run: str | None = None) -> Means:
        clients = {client: {"id": client} for client in self.processes}
        dag = Dag("restarts", '{"does":"{does}","client":"{id}"}', 60, clients, self.writes)
        return replace(super().means(run), actor=DagActor(dag, self, self.airflow))

    def cannot_look(self, _: Act) -> str | None:
        return None


class LastingRuns:
    """Runs of DAGs of that group. `takes_s`: how long each takes; `fails`: those that fail do nothing."""

    def __init__(self, reality: RunningGroup) -> None:
        self.reality = reality
        self.ends: dict[str, float] = {}
        self.triggers = 0
        self.takes_s = TAKES_S
        self.fails: set[str] = set()

    def trigger(self, _: str, run_id: str, conf: Mapping[str, Any]) -> bool:
        self.reality.lake.life.lives()
        self.triggers += 1
        if run_id in self.ends:
            return False
        self.ends[run_id] = self.reality.time + self.takes_s
        if conf["client"] in self.fails:
            pass
        elif conf["does"] == dag_actor.SETS:
            self.reality.written_later.append((self.ends[run_id], conf["client"], conf["settings"]))
        else:
            self.reality.later.append((self.ends[run_id], Does(conf["does"]), conf["client"]))
        self.reality.lake.life.lives()
        return True

    def state(self, _: str, run_id: str) -> str | None:
        ends_at = self.ends.get(run_id)
        over = "failed" if self.fails else "success"
        return None if ends_at is None else "running" if self.reality.time < ends_at else over


@pytest.fixture
def by_dag(monkeypatch: pytest.MonkeyPatch) -> ByDag:
    reality = ByDag()
    monkeypatch.setattr(dag_actor, "_sleep", reality.sleep)
    monkeypatch.setattr(dag_actor, "time", SimpleNamespace(monotonic=lambda: reality.time))
    return reality


def turn_lengths(reality: ByDag, plan: AnyPlan) -> list[float]:
    """Of a run to its end."""
    found: list[float] = []
    left: running.LeftForNextTurn | running.Ran | None = None
    while not isinstance(left, running.Ran):
        began = reality.time
        means = reality.means("run 1")
        left = running.turn(plan, approved(plan), means, None if left is None else left.after(15, 15))
        found.append(reality.time - began)
        reality.sleep(15)
    assert left.halted is None, left.halted
    return found


AT_MOST_S = dag_actor._HOLDS_S + 3
"""A turn lasts no longer."""


def test_no_turn_waits_for_a_dag_that_takes_long(by_dag: ByDag) -> None:
    by_dag.airflow.takes_s = 58.0
    assert max(turn_lengths(by_dag, rolling())) <= AT_MOST_S
    assert by_dag.done == ALL_THREE
    assert by_dag.airflow.triggers == 3


def test_no_turn_waits_for_a_dag_that_writes_settings(by_dag: ByDag) -> None:
    """Each run has all of its time: settings and restart of a client are not one wait."""
    by_dag.airflow.takes_s, by_dag.writes, by_dag.configs = 80.0, True, real().configs
    assert max(turn_lengths(by_dag, rolled())) <= AT_MOST_S
    assert by_dag.written == EACH
    assert len(by_dag.airflow.ends) == 6, "each client has its settings once, and a restart"


def test_a_dag_that_fails_is_reported_at_once(by_dag: ByDag) -> None:
    """Once a user has cleared it, the run goes on; nothing is triggered again."""
    by_dag.airflow.takes_s, by_dag.airflow.fails = 20.0, {ALL_THREE[0][1]}
    ran = by_dag.run_in_turns(rolling())

    assert halt(ran) is Halt.COMMAND
    assert ran.halted is not None
    assert "is failed: clear it in Airflow" in ran.halted.text
    assert by_dag.time < 20 + 15 + acting.SHOWS_WITHIN_S
    by_dag.airflow.fails.clear()
    ((cleared, _),) = by_dag.airflow.ends.items()
    by_dag.airflow.ends[cleared] = by_dag.time + 20
    by_dag.later.append((by_dag.time + 20, *ALL_THREE[0]))
    assert halt(by_dag.run_in_turns(rolling())) is None
    assert by_dag.done == ALL_THREE
    assert by_dag.airflow.triggers == 3


def test_a_dag_that_is_paused_halts_it(by_dag: ByDag) -> None:
    by_dag.airflow.takes_s = 1e9
    ran = by_dag.run_in_turns(rolling())

    assert halt(ran) is Halt.PROCESS
    assert ran.halted is not None
    assert "is the DAG paused?" in ran.halted.text
    assert by_dag.airflow.triggers == 1


def test_going_back_waits_for_a_dag_that_goes_on(by_dag: ByDag) -> None:
    """However long it takes: nothing is begun on the client meanwhile."""
    back = replace(RESTART, does=Does.STOP, client=ALL_THREE[0][1], host=None, called=f"{RESTART.called}.back")
    found = by_dag.means().actor
    by_dag.airflow.ends[run_id("restart", replace(back, called=RESTART.called))] = 1e9
    assert found.process(back) == ClientProcess(ProcessState.CHANGING)

    by_dag.writes = True
    writer, by_dag.airflow.ends = by_dag.means().actor, {}
    by_dag.airflow.ends[run_id(dag_actor.SETS, replace(back, called=RESTART.called))] = 1e9
    assert writer.process(back) == ClientProcess(ProcessState.CHANGING)
    assert writer.is_writing(back)
    assert not by_dag.means().actor.is_writing(replace(back, called="another.1.back"))


@pytest.mark.parametrize("takes_s", [50.0, 95.0])
def test_settings_that_are_still_being_written_are_rolled_back_after_that(by_dag: ByDag, takes_s: float) -> None:
    """Of the first client, whose settings are read as they were before when a person pauses the run, and goes back."""
    by_dag.airflow.takes_s, by_dag.writes, by_dag.configs = takes_s, True, real().configs
    by_dag.on_sleep = lambda: pauses_at(by_dag, 30)
    assert halt(by_dag.run_in_turns(rolled())) is Halt.PAUSED
    by_dag.on_sleep = lambda: None
    assert by_dag.written == []
    pausing.resume(by_dag.lake, rolled().plan_id)
    ran = by_dag.run_in_turns(rolled(), back=True)

    assert halt(ran) is None, ran.halted
    assert len(by_dag.written) == 2
    assert by_dag.configs == real().configs


def pauses_at(reality: RunningGroup, seconds: float) -> None:
    if seconds <= reality.time < seconds + 15:
        pausing.pause(reality.lake, rolled().plan_id, "ann", "", reality.now())


@pytest.mark.thorough
def test_a_run_of_a_plan_that_is_killed_triggers_each_dag_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In whatever operation it is killed."""
    for dies_after in itertools.count(3, 5):
        reality, plan, killed = ByDag(), rolling(), False
        monkeypatch.setattr(dag_actor, "_sleep", reality.sleep)
        try:
            ran = reality.run(plan, dies_after=dies_after)
        except Killed:
            killed = True
            ran = reality.run(plan)

        assert ran.halted is None, ran.halted
        assert reality.done == ALL_THREE
        assert (len(reality.airflow.ends), reality.airflow.triggers) == (3, 3)
        if not killed:
            return
    raise AssertionError


CALLS = {"url": "https://deployer.example.com", "status": {"path": "/{host}"}}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"http": CALLS | {"restart": {"path": "/x"}}}, "leave the others out"),
        ({"status": ["a"], "restart": ["b"], "ssh": {}}, "leave the others out"),
        ({}, "at least the command `status`"),
        ({"http": CALLS, "dag": {"dag_id": "restarts", "conf": [1]}}, "must be an object"),
        ({"status": ["a"]}, "`ssh`, `kubernetes` or `http` is needed"),
    ],
)
def test_what_a_connection_says_of_a_dag_is_checked(given: dict[str, Any], said: str, runs: Runs) -> None:
    with pytest.raises(InvalidInput, match=re.escape(said)):
        of_group({"dag": {"dag_id": "restarts"}} | given, runs)


def test_the_process_is_shown_by_what_else_is_given(runs: Runs) -> None:
    found = of_group({"dag": {"dag_id": "restarts"}, "http": CALLS}, runs)

    assert found.lacks(RESTART) is None, "although no call restarts a client"
    assert "cannot be part" in str(found.lacks(Act(Does.RESTART, "id-1", "/../x")))


def test_the_command_line_has_no_dags() -> None:
    file = b"format_version: '1.0'\ngroups: {orders: {dag: {dag_id: restarts}, status: [a]}}"
    with pytest.raises(InvalidInput, match="apply_rollout in Airflow only"):
        actors_file.read(file, "orders")


def of_group(given: dict[str, Any], runs: Runs) -> Actor:
    def none(_: str) -> Any:
        raise AssertionError

    return actors_file.of_group(given, "orders", None, none, none, runs)


SETTINGS = {"num.standby.replicas": "1", "x": None}


def writer(runs: Runs) -> DagActor:
    return DagActor(Dag("restarts", '{"who":"{host}","does":"{does}"}', 60, {}, sets_config=True), runs, runs)


def test_a_run_of_the_dag_writes_settings_where_it_is_meant_to(runs: Runs) -> None:
    """Once, however often a run of the plan asks for it; one that failed is a person's to clear."""
    found = writer(runs)
    assert found.lacks_config(RESTART, SETTINGS) is None
    assert "secret" in str(found.lacks_config(RESTART, {"x.password": "y"}))
    for _ in range(2):
        assert found.write_config(RESTART, SETTINGS) is None
    assert runs.confs == [("restarts", {"who": "app-1", "does": "set_config", "settings": SETTINGS})]
    assert found.read_config(RESTART, ("a",)) == {"a": "1"}

    back = replace(RESTART, called=f"{RESTART.called}.back")
    runs.ends, runs.after = "failed", 2
    assert "clear it in Airflow" in str(found.write_config(back, {"x": "0"}))
    assert len(runs.confs) == 2


def test_a_dag_that_does_not_leaves_it_to_what_is_next_to_it(runs: Runs) -> None:
    found = actor(runs)
    assert found.lacks_config(RESTART, SETTINGS) == "No command for id-1."
    assert found.write_config(RESTART, SETTINGS) == "It writes none."
    assert runs.confs == []
