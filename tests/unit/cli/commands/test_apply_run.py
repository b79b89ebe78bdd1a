"""`holdfast apply --run` and `holdfast pause`: commands of this machine, and a cluster that shows what they did."""

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.harness.article import AFTER, A, B, client, group, just_now
from tests.harness.operators_hands import STRANGER
from tests.harness.plans import read

from holdfast import wiring
from holdfast.adapters.deadline import Deadline
from holdfast.cli.main import holdfast
from holdfast.errors import HostTrouble, StepRefused
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.json import instants
from holdfast.workflows.running import going_back, walking

SERVICE = Path(__file__).resolve().parents[3] / "harness" / "service.sh"
ACTORS = """
format_version: "1.0"
groups:
  streams-wordcount:
    status: [sh, {service}, {folder}, status, "{{host}}"]
    restart: [sh, {service}, {folder}, restart, "{{host}}"]
    records: "{folder}/records"
    limit_s: 5
"""
CHANGE = {
    "format_version": "1.0",
    "events": [{"restart_client": {"process_id": A}}, {"then": "stable"}, {"restart_client": {"process_id": B}}],
}


def host(process_id: str) -> str:
    return f"app-{process_id[:4]}"


class Desk:
    """A folder with a plan, the services of its clients, and a cluster that shows how often each was started."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.strangers: dict[str, Any] = {}
        self.lag: int | None = 0
        self.services = folder / "services"
        self.services.mkdir()
        for process_id in (A, B):
            (self.services / host(process_id)).write_text("1")
        monkeypatch.chdir(folder)
        monkeypatch.setattr(walking, "LOOK_AGAIN_S", 0.01)
        monkeypatch.setattr(going_back, "REST_S", 0.1)
        monkeypatch.setattr(wiring, "collect_any", lambda *_: self.look())
        monkeypatch.setattr(wiring, "lag", lambda *_: self.lag)
        (folder / "actors.yaml").write_text(ACTORS.format(service=SERVICE, folder=self.services))
        (folder / "policy.yaml").write_text("format_version: '1.0'\nacts: [restart_client]\nlag_most: 5\nexclude: [relabel]\n")
        (folder / "snapshot.json").write_text(json.dumps(just_now(group(AFTER))))
        (folder / "change.json").write_text(json.dumps(CHANGE))
        planned = self.holdfast(
            "plan", "snapshot.json", "change.json", "--policy", "policy.yaml", "--json", "--lake", ".holdfast/lake"
        )
        (folder / "plan.json").write_text(planned.stdout)
        self.plan_id = json.loads(planned.stdout)["plan_id"]

    def look(self) -> AnySnapshot:
        document = just_now(group(AFTER))
        for process_id in (A, B):
            starts = (self.services / host(process_id)).read_text().strip()
            text = json.dumps(document["clients"][process_id])
            anew = text if starts == "1" else text.replace("0f6d8a3e-0000", f"{int(starts):08d}-0000")
            document["clients"][process_id] = json.loads(anew)
        document["clients"] |= self.strangers
        return read(document)

    @property
    def restarts(self) -> list[str]:
        made = self.services / "restarts"
        return made.read_text().split() if made.exists() else []

    def holdfast(self, *arguments: str) -> Result:
        return CliRunner().invoke(holdfast, arguments, standalone_mode=False, catch_exceptions=False)

    def run(self, *more: str) -> Result:
        approval = ("--approved-by", "ann", "--reason", "read it") if not more or more[0] != "again" else ()
        given = [one for one in more if one != "again"]
        where = ("--bootstrap-server", "broker:9092", "--actors", "actors.yaml")
        return self.holdfast("apply", "plan.json", "--run", *where, *approval, *given)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


@pytest.mark.thorough
def test_a_run_goes_to_the_end_and_compares_it_with_the_forecast(desk: Desk) -> None:
    ran = desk.run("--json")

    assert ran.return_value == 0, ran.output
    assert desk.restarts == [host(A), host(B)]
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert lines[-1]["done"] is True
    assert [one["event"] for one in lines[:-1]][-1] == "finished"
    assert {"act", "done", "step"} <= {one["event"] for one in lines[:-1]}
    assert (desk.folder / ".holdfast/lake/plans" / desk.plan_id / "verdict.json").exists()


def test_a_run_of_hours_writes_into_pods_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time for one directory begins when it is read or written."""
    limits: list[float] = []

    def pods(deadline: Deadline, _: object) -> object:
        limits.append(deadline.remaining_s())
        raise HostTrouble("no pod", begun=False)

    monkeypatch.setattr(wiring, "_pods", lambda deadline, hosts: SimpleNamespace(place=lambda _: pods(deadline, hosts)))
    files = wiring.process_metadata_files(0.2)
    time.sleep(0.3)
    for _ in range(2):
        with pytest.raises(HostTrouble, match="no pod"):
            files.read("kubernetes://prod/shop/orders-0/app/state")
    assert len(limits) == 2
    assert all(one > 0 for one in limits)


@pytest.mark.thorough
def test_it_halts_where_another_client_joins_and_goes_on_when_it_is_gone(desk: Desk) -> None:
    desk.strangers = {STRANGER: client(STRANGER, ((), ()))}
    ran = desk.run("--format", "text")

    assert ran.return_value == 3
    assert "The run halted (drift)" in ran.stderr
    assert "To go back: the same command with --back." in ran.stderr
    assert desk.restarts == []
    desk.strangers = {}
    assert desk.run("again").return_value == 0
    assert desk.restarts == [host(A), host(B)]


@pytest.mark.thorough
def test_it_goes_back_over_what_was_done(desk: Desk) -> None:
    assert desk.run().return_value == 0
    listed = json.loads(desk.holdfast("apply", "plan.json", "--back", "--json").stdout)
    assert (listed["going_back"], [one["step"] for one in listed["rollbacks"]]) == (False, ["4", "3", "2", "1"])
    assert "It is not rolled back." in desk.holdfast("apply", "plan.json", "--back", "--format", "text").stdout
    ran = desk.run("again", "--back", "--json")

    assert ran.return_value == 0, ran.output
    assert desk.restarts == [host(A), host(B)]
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert (lines[-2]["event"], lines[-1]["done"], lines[-1]["went_back"]["in_place"]) == ("went back", False, True)
    assert [one["rolled_back"] for one in lines[-1]["checklist"]] == [False] * 4, "restarts stay, and so do waits"
    assert "The group has the clients that the plan was made for." in desk.run("again", "--back", "--format", "text").stdout
    with pytest.raises(StepRefused, match="is being rolled back"):
        desk.run("again")


@pytest.mark.thorough
def test_going_back_ends_with_another_status_where_the_group_is_another(desk: Desk) -> None:
    assert desk.run().return_value == 0
    desk.strangers = {STRANGER: client(STRANGER, ((), ()))}
    halted = desk.run("again", "--back", "--format", "text")
    ran = desk.run("again", "--back", "--format", "text")

    assert halted.return_value == 3
    assert f"1 client joined since the steps of the plan were done ({STRANGER})" in halted.stderr
    assert ran.return_value == 3
    assert f"not there before: {STRANGER}" in ran.stdout
    assert f"Client {STRANGER}" in ran.stdout, "all that differs"
    pausing = desk.holdfast("pause", desk.plan_id, "--json")
    assert pausing.return_value in (0, None)
    ran = desk.run("again", "--back")
    assert ran.return_value == 3
    assert "The run halted (paused)" in ran.stderr
    assert "it continues where it stopped" in ran.stderr


@pytest.mark.thorough
def test_a_pause_halts_it_until_it_is_removed(desk: Desk) -> None:
    assert json.loads(desk.holdfast("pause", desk.plan_id, "--reason", "lunch", "--json").stdout)["paused"] is True
    ran = desk.run()

    assert ran.return_value == 3
    assert "lunch" in ran.stderr
    assert desk.holdfast("pause", desk.plan_id, "--off").stdout == f"Plan {desk.plan_id} is not paused.\n"
    assert desk.run("again").return_value == 0


def test_too_much_lag_halts_it(desk: Desk) -> None:
    desk.lag = 6

    assert desk.run().return_value == 3
    assert desk.restarts == []


def test_without_commands_it_waits_for_a_person(desk: Desk) -> None:
    approval = ("--approved-by", "ann", "--reason", "read it")
    ran = desk.holdfast("apply", "plan.json", "--run", "--bootstrap-server", "broker:9092", *approval)

    assert ran.return_value == 2
    assert desk.restarts == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--run", "--snapshot", "snapshot.json"),
        ("--run", "--confirm", "1"),
        ("--back", "--snapshot", "snapshot.json"),
        ("--snapshot", "snapshot.json", "--actors", "actors.yaml"),
        ("--snapshot", "snapshot.json", "--accept-rebalances"),
        ("--snapshot", "snapshot.json", "--bootstrap-server", "b:1"),
        (),
    ],
)
def test_what_does_not_go_together_is_refused(desk: Desk, arguments: tuple[str, ...]) -> None:
    import click

    with pytest.raises(click.UsageError):
        desk.holdfast("apply", "plan.json", "--approved-by", "ann", "--reason", "x", *arguments)


def test_a_plan_that_the_lake_does_not_have_is_not_paused(desk: Desk) -> None:
    from holdfast.errors import InvalidInput

    for more in ((), ("--off",)):
        with pytest.raises(InvalidInput, match="has no plan"):
            desk.holdfast("pause", "../../etc", *more)


def test_the_clock_of_a_run_does_not_jump() -> None:
    from holdfast.cli.commands.apply_run import steady

    clock = steady()

    assert clock() <= clock()
    assert instants.to_second(clock())
