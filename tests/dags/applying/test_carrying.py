"""A whole plan through the airflow task of `apply_rollout`, turn after turn: of the one before each knows only what is stored."""

import asyncio
import itertools
import json
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from airflow.sdk._shared.secrets_masker import redact
from airflow.sdk.exceptions import AirflowFailException, TaskAwaitingInput, TaskDeferred
from airflow.sdk.execution_time import task_runner
from airflow.sdk.execution_time.comms import (
    CreateHITLDetailPayload,
    DRCount,
    GetDRCount,
    GetTaskStates,
    HITLDetailRequestResult,
    TaskStatesResult,
)
from airflow.sdk.module_loading import import_string
from tests.harness.article import AFTER, change, group, just_now
from tests.harness.plans import read
from tests.harness.running_group import Process
from tests.unit.workflows.running.test_run import ALL_THREE, ROLLING

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import airflow_objects, clusters, run_turn, wait_between_turns
from holdfast.airflow_wiring.apply_turns import ApplyPlan, Pause
from holdfast.airflow_wiring.questions import kept
from holdfast.errors import InvalidInput, StatePathTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does
from holdfast.rollout.journal.journal import Approval, JournalEvent
from holdfast.rollout.json import instants
from holdfast.rollout.kinds.approval import fingerprint
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots

FORM: dict[str, Any] = {
    "run": True,
    "accept_rebalances": False,
    "state_dirs": {},
    "confirmed": [],
    "snapshot": None,
    "force_lease": False,
    "back": False,
}
ONE = ALL_THREE[0]
TOKEN = "open-sesame-4714"
CALLS = {"url": "https://deployer.example.com/api", "status": {"path": "/{host}"}, "restart": {"path": "/{host}/restart"}}


R = TypeVar("R", bound="Reality")


@lru_cache
def planned() -> Plan:
    policy = Policy(exclude=("relabel",), acts=("restart_client",))
    return plans.make(read(just_now(group(AFTER))), change_from_json(change(*ROLLING)), policy, datetime.now(UTC))


def slept(trigger: Any) -> Any:
    """The one event of a trigger."""

    async def events() -> list[Any]:
        return [event.payload async for event in trigger.run()]

    (payload,) = asyncio.run(events())
    return payload


def answered(chosen: str, by: str = "bob", **fields: object) -> dict[str, Any]:
    """What Airflow resumes a task with that has asked."""
    user = {"id": by, "name": by}
    return {
        "chosen_options": [chosen],
        "params_input": fields,
        "responded_at": datetime(2026, 11, 23, 12, tzinfo=UTC),
        "responded_by_user": user,
        "timedout": False,
    }


class Questions:
    """What Airflow keeps of questions: the first one, whatever is asked later. `asked`: all that were."""

    def __init__(self) -> None:
        self.asked: list[CreateHITLDetailPayload] = []

    def stored(self, question: CreateHITLDetailPayload) -> HITLDetailRequestResult:
        self.asked.append(question)
        return HITLDetailRequestResult(**self.asked[0].model_dump(exclude={"type"}))


class Reality:
    """The group and its processes, at once as they are after an act; and the plan, approved, in the lake."""

    limit_s = unseen_s = unseen_write_s = 5.0

    def __init__(self, lake: FsspecLake, plan: Plan | None = None) -> None:
        self.lake, self.plan = lake, plan or planned()
        self.processes = {name: Process() for name in group(AFTER)["clients"]}
        self.done: list[tuple[Does, str]] = []
        self.strangers: dict[str, Any] = {}
        self.state = "Stable"
        self.shows = True
        self.waited: list[int] = []
        self.questions = Questions()
        self.began = datetime.now(UTC)
        at = instants.to_second(datetime.now(UTC))
        plans.keep(lake, self.plan)
        plans.keep_approval(
            lake, Approval(self.plan.plan_id, True, "vera", "", at, by_id="vera", plan_fingerprint=fingerprint(self.plan))
        )

    # What the cluster's connection leads to.

    def look(self, *_: object) -> Any:
        found = just_now(group(AFTER)) | {"group_state": self.state}
        for name, process in self.processes.items():
            text = json.dumps(found["clients"][name])
            if process.identity > 1 and self.shows:
                found["clients"][name] = json.loads(text.replace("0f6d8a3e-0000", f"{process.identity:08d}-0000"))
        found["clients"] |= self.strangers
        return read(found)

    def lacks(self, _: Act) -> str | None:
        return None

    def process(self, act: Act) -> ClientProcess:
        return self.processes[act.client].shown()

    def perform(self, does: Does, act: Act) -> str | None:
        self.done.append((does, act.client))
        self.processes[act.client].identity += 1
        self.state = "PreparingRebalance"  # until the next turn
        return None

    def was_given(self, _: Act) -> bool | None:
        return None

    def outcome(self, _: Act) -> str | None:
        return None

    def is_writing(self, _: Act) -> bool:
        return False

    # Airflow.

    def context(self, run_id: str, tries: int = 1, **form: object) -> dict[str, Any]:
        return {
            "params": FORM | {"plan_id": self.plan.plan_id} | form,
            "run_id": run_id,
            "ti": SimpleNamespace(map_index=0, try_number=tries, id=uuid4(), dag_id="apply_rollout", run_id=run_id, task_id="walk"),
            "dag_run": SimpleNamespace(triggering_user_name="ann", start_date=self.began + timedelta(hours=run_id != "run 1")),
            "outlet_events": {airflow_objects.JOURNALS: SimpleNamespace(extra={})},
        }

    def execute(self, run_id: str = "run 1", tries: int = 1, **form: object) -> Any:
        """The first turn of an attempt: what it defers with, or what it returns."""
        return self._ended(lambda task: task.execute(self.context(run_id, tries, **form)))

    def resume(self, deferred: TaskDeferred, run_id: str = "run 1") -> Any:
        """As Airflow does it: by what its database has of the task and the trigger."""
        method, kwargs, (path, arguments) = json.loads(
            json.dumps([deferred.method_name, deferred.kwargs, deferred.trigger.serialize()])
        )
        event = json.loads(json.dumps(slept(import_string(path)(**arguments | {"seconds": 0}))))
        self.state = "Stable"
        return self._ended(lambda task: getattr(task, method)(self.context(run_id), event=event, **kwargs))

    def answer(self, waiting: TaskAwaitingInput, chosen: str, by: str = "bob", run_id: str = "run 1", **fields: object) -> Any:
        """As Airflow does it when a person has answered."""
        method, kwargs = json.loads(json.dumps([waiting.method_name, waiting.kwargs]))
        event = answered(chosen, by, **fields)
        self.state = "Stable"
        return self._ended(lambda task: getattr(task, method)(self.context(run_id), event=event, **kwargs))

    def _ended(self, turn: Any) -> Any:
        try:
            return turn(ApplyPlan(task_id="walk", plan_id=self.plan.plan_id))
        except TaskDeferred as deferred:
            self.waited.append(deferred.kwargs["left"]["left"]["waited_s"])
            return deferred
        except TaskAwaitingInput as waiting:
            return waiting

    def until_it_ends(self, found: Any, run_id: str = "run 1") -> tuple[int, Any]:
        for turns in itertools.count(1):
            if not isinstance(found, TaskDeferred):
                return turns, found
            assert turns < 20
            found = self.resume(found, run_id)
        raise AssertionError

    @property
    def events(self) -> list[JournalEvent]:
        return [one.event for one in plans.journal_of(self.lake, self.plan.plan_id).entries]


@pytest.fixture
def reality(lake: FsspecLake, monkeypatch: pytest.MonkeyPatch) -> Reality:
    return found_by(monkeypatch, Reality(lake))


def found_by(monkeypatch: pytest.MonkeyPatch, found: R) -> R:
    """What the runs of these tests look at, and act on."""
    monkeypatch.setattr(run_turn, "_look", found.look)
    monkeypatch.setattr(clusters, "known_cluster", lambda _: SimpleNamespace(connection=None, ssh=None))
    monkeypatch.setattr(clusters, "actor", lambda *_: found)
    monkeypatch.setattr("holdfast.workflows.running.walking.LOOK_AGAIN_S", 0.01)
    monkeypatch.setattr(kept, "_stored", found.questions.stored)
    return found


def test_goes_all_the_way_and_no_worker_waits(reality: Reality) -> None:
    turns, path = reality.until_it_ends(reality.execute())

    assert path == f"plans/{reality.plan.plan_id}/checklist.json"
    assert json.loads(reality.lake.read(tuple(path.split("/")), 10**6))["done"] is True
    assert reality.done == ALL_THREE
    assert turns >= 3
    assert JournalEvent.TAKEN_OVER not in reality.events


def test_without_run_it_is_one_call(reality: Reality) -> None:
    found = reality.execute(run=False, snapshot=snapshots.keep(reality.lake, reality.look()))

    assert json.loads(reality.lake.read(tuple(found.split("/")), 10**6))["waiting_for"]["step"] == "1"
    assert reality.done == []


def test_a_turn_that_was_killed_is_done_again_by_another_attempt(reality: Reality) -> None:
    deferred = reality.execute()
    assert reality.done == [ONE]
    reality.resume(deferred)  # and what it defers with is lost with its worker
    _, path = reality.until_it_ends(reality.execute(tries=2))

    assert path.endswith("checklist.json")
    assert reality.done == ALL_THREE
    assert JournalEvent.TAKEN_OVER in reality.events


class Marked:
    """What Airflow answers about the task `walk` of `run 1`, which has restarted one client by then; before, it does not answer."""

    def __init__(self, reality: Reality, state: str | None) -> None:
        self.reality, self.state = reality, state

    def send(self, msg: Any) -> Any:
        if not self.reality.done:
            raise RuntimeError("no answer")
        match msg:
            case GetDRCount(dag_id="apply_rollout", run_ids=["run 1"]):
                return DRCount(count=int(self.state is not None))
            case GetTaskStates(dag_id="apply_rollout", map_index=0, task_ids=["walk"], run_ids=["run 1"]):
                return TaskStatesResult(task_states={"run 1": {"walk_0": self.state}})
        raise AssertionError(msg)


@pytest.mark.parametrize(("state", "says"), [("failed", "failed"), ("success", "success"), (None, "deleted"), ("running", "")])
def test_a_run_that_a_user_has_ended_in_airflow_begins_nothing_else(
    reality: Reality, monkeypatch: pytest.MonkeyPatch, state: str | None, says: str
) -> None:
    """Its lease is free at once: the run that is triggered then goes on."""
    monkeypatch.setattr(task_runner, "SUPERVISOR_COMMS", Marked(reality, state), raising=False)
    if not says:
        reality.until_it_ends(reality.execute())
        assert reality.done == ALL_THREE
        return
    with pytest.raises(AirflowFailException, match=rf"ended this run in Airflow \({says}\)"):
        reality.until_it_ends(reality.execute())
    assert reality.done == [ONE]

    monkeypatch.setattr(task_runner, "SUPERVISOR_COMMS", SimpleNamespace(), raising=False)
    reality.state = "Stable"
    reality.until_it_ends(reality.execute("run 2"), "run 2")
    assert reality.done == ALL_THREE


def test_while_it_waits_no_other_run_begins(reality: Reality) -> None:
    reality.execute()
    with pytest.raises(StatePathTrouble, match="run 1"):
        reality.execute("run 2")
    assert reality.done == [ONE]


def test_what_was_waited_for_is_carried_over(reality: Reality, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(1_000_000, 50_000)
    monkeypatch.setattr(run_turn, "time", SimpleNamespace(time=lambda: next(clock)))
    reality.shows = False
    first = reality.execute()
    _, waiting = reality.until_it_ends(first)
    assert isinstance(waiting, TaskAwaitingInput)
    assert "600 s have passed" in plans.journal_of(reality.lake, reality.plan.plan_id).entries[-1].detail
    assert reality.done == [ONE]
    steps = [later - earlier for earlier, later in itertools.pairwise(reality.waited[1:])]
    assert len(steps) >= 3
    assert all(wait_between_turns.COUNTED_S <= one < 2 * wait_between_turns.COUNTED_S for one in steps), (
        "however late the turn, no more counts"
    )


@pytest.mark.parametrize(
    "left", [{}, {"left": {"waited_s": -1}, "at": 0}, {"left": {}, "at": "then"}, {"left": {"plan": 1}, "at": 1}]
)
def test_what_a_turn_left_is_read_strictly(reality: Reality, left: dict[str, Any]) -> None:
    with pytest.raises((InvalidInput, KeyError)):
        run_turn.turn(reality.plan.plan_id, FORM, "ann", "run 1", left)
    assert reality.done == []


@pytest.mark.parametrize("form", [{"confirmed": ["1"]}, {"snapshot": "0" * 16}])
def test_a_run_confirms_nothing_and_takes_its_own_snapshots(reality: Reality, form: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="leave `snapshot` and `confirmed` empty"):
        reality.execute(**form)


def test_rebalances_are_accepted_by_a_person_only(reality: Reality) -> None:
    with pytest.raises(InvalidInput, match="no user"):
        run_turn.turn(reality.plan.plan_id, FORM | {"accept_rebalances": True}, None, "run 1", None)


def test_another_plan_than_the_run_s_is_refused(reality: Reality) -> None:
    with pytest.raises(InvalidInput, match="handed on"):
        ApplyPlan(task_id="walk", plan_id="0" * 16).execute(reality.context("run 1"))


def test_the_trigger_sleeps_and_ends() -> None:
    assert slept(Pause(0)) is None
    assert Pause(7).serialize() == ("holdfast.airflow_wiring.apply_turns.Pause", {"seconds": 7})


class TestActors:
    """By the connection of the cluster."""

    @pytest.fixture(autouse=True)
    def _connections(self, monkeypatch: pytest.MonkeyPatch) -> None:
        host = {"conn_type": "ssh", "login": "deploy", "extra": {"host_key": "ssh-ed25519 AAAA"}, "host": "app-1"}
        monkeypatch.setenv("AIRFLOW_CONN_HOSTS", json.dumps(host))
        service = {"conn_type": "http", "host": "https://deployer.example.com", "password": TOKEN}
        monkeypatch.setenv("AIRFLOW_CONN_DEPLOYER", json.dumps(service))
        monkeypatch.setenv("AIRFLOW_CONN_UNCHECKED", json.dumps(service | {"extra": {"verify": False}}))

    def of(self, monkeypatch: pytest.MonkeyPatch, given: object, group: str = "orders") -> Any:
        extras = {"bootstrap.servers": "127.0.0.1:9", "ssh_connection": "hosts", "groups": {group: {"actors": given}}}
        monkeypatch.setenv("AIRFLOW_CONN_HOLDFAST_KAFKA_A", json.dumps({"conn_type": "generic", "extra": extras}))
        return clusters.actor(clusters.known_cluster("a"), "orders")

    def test_are_the_group_s(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made = []
        monkeypatch.setattr("holdfast.adapters.hosts.ssh.SshHosts", made.append)
        found = self.of(monkeypatch, {"systemd": {"unit": "orders.service"}, "ssh": {"host": "{host}.example.com"}})

        assert [one.user for one in made] == ["deploy"], "as the cluster's connection says"
        assert found.lacks(Act(Does.RESTART, "4b61083e", "app-1")) is None
        assert "No command" in clusters.actor(clusters.known_cluster("a"), "billing").lacks(Act(Does.RESTART, "4b61083e", "app-1"))

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"systemd": {"unit": "orders.service"}}, "`ssh`, `kubernetes` or `http` is needed"),
            ({"http": CALLS | {"secret_headers": {"Authorization": "env:HOME"}}}, "read the worker's files"),
            ({"http": CALLS | {"ca": "/etc/passwd"}}, "read the worker's files"),
            ({"http": CALLS | {"connection": "gone"}}, "Airflow has none"),
            ({"http": CALLS | {"connection": "hosts"}}, "one of type http is needed"),
            ({"http": CALLS | {"connection": "deployer", "url": "https://elsewhere.example.com"}}, "names elsewhere.example.com"),
            ({"http": CALLS | {"connection": "unchecked"}}, "always checks certificates"),
            ({"systemd": {"unit": "orders.service"}, "ssh": {"user": "root"}}, "leave `user`"),
            ({"units": {}}, "units"),
        ],
    )
    def test_are_refused_by_the_name_of_the_connection(self, monkeypatch: pytest.MonkeyPatch, given: object, said: str) -> None:
        with pytest.raises(InvalidInput, match=said) as refusal:
            self.of(monkeypatch, given)
        assert "holdfast_kafka_a" in str(refusal.value)

    def test_call_a_service_with_the_credentials_of_its_connection(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = self.of(monkeypatch, {"http": CALLS | {"connection": "deployer"}})

        assert found._calls.service.secrets().headers == {"Authorization": f"Bearer {TOKEN}"}
        assert TOKEN not in repr(found._calls)
        assert TOKEN not in redact(f"it answered {TOKEN}")
        assert found.lacks(Act(Does.RESTART, "4b61083e", "app-1")) is None

    def test_are_of_no_pattern(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(InvalidInput, match="is a pattern"):
            self.of(monkeypatch, {"systemd": {"unit": "x"}, "ssh": {}}, "ord*")
