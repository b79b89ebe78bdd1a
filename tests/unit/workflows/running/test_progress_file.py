"""What a run shows of itself: kept in the lake, for people only. A lake that refuses it stops no run; a bad file does no harm."""

import json
from typing import Any

import pytest
from tests.harness import article
from tests.harness.article import A
from tests.harness.plain_groups import group as plain_group
from tests.harness.plain_groups import member
from tests.harness.plans import read
from tests.harness.running_group import Killed, RunningGroup
from tests.unit.rollout.broker_streams import streams_groups
from tests.unit.workflows.running.test_run import ALL_THREE, rolling

from holdfast.errors import StatePathTrouble
from holdfast.ports import LakePath
from holdfast.rollout.contract.client_figures import Held
from holdfast.rollout.journal.run_progress import MOST_CLIENTS, MOST_EVENTS, RunProgress, RunState
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of
from holdfast.workflows.running import pausing, progress_file
from holdfast.workflows.running.progress import Progress, Tells

PLACE = ("plans", rolling().plan_id, "progress.json")


def shown(reality: RunningGroup) -> RunProgress:
    found = progress_file.read(reality.lake, rolling().plan_id)
    assert found is not None
    return found


def test_a_run_that_is_done_has_shown_the_group_and_what_happened() -> None:
    reality = RunningGroup()
    reality.run(rolling())
    found = shown(reality)

    assert (found.state, found.by, found.run) == (RunState.FINISHED, "ann", None)
    assert (found.events[-1].event, len(found.events)) == ("finished", MOST_EVENTS)
    assert found.since < found.at
    assert found.seen is not None
    assert [(one.name, one.active) for one in found.seen.clients] == [("app-bbb8", 2), ("app-4b61", 2), ("app-7156", 2)]


def test_what_is_waited_for_is_shown_with_its_limit_while_it_lasts() -> None:
    reality, seen = RunningGroup(), []
    reality.on_sleep = lambda: seen.append(shown(reality))
    reality.run(rolling())
    waits = [one.waiting for one in seen if one.waiting is not None]

    assert [(one.step, one.limit_s) for one in waits] == [("1", 600), ("3", 600), ("5", 600)]
    assert "does not show it yet" in waits[0].needed
    assert waits[0].since == "2026-11-20T12:01:02Z"
    assert shown(reality).waiting is None


def test_a_wait_for_a_stable_group_shows_the_limit_of_its_step() -> None:
    reality, seen = RunningGroup(), []

    def rebalances() -> None:
        seen.append(shown(reality))
        reality.state = "PreparingRebalance" if len(reality.done) == 1 and reality.time < 30 else "Stable"

    reality.on_sleep = rebalances
    reality.run(rolling())
    steps = {(one.waiting.step, one.waiting.limit_s) for one in seen if one.waiting is not None}

    assert ("1", 600) in steps
    assert any(one.seen is not None and one.seen.group_state == "PreparingRebalance" for one in seen)


def test_a_halt_and_a_person_s_step_end_it() -> None:
    reality = RunningGroup()
    pausing.pause(reality.lake, _kept(reality), "bob", "lunch", reality.now())
    reality.run(rolling())
    assert (shown(reality).state, shown(reality).step) == (RunState.HALTED, "1")
    assert "Paused by bob: lunch." in shown(reality).text

    reality = RunningGroup()
    reality.run(rolling("stop_client"))
    found = progress_file.read(reality.lake, rolling("stop_client").plan_id)
    assert found is not None
    assert (found.state, found.step) == (RunState.PERSON, "1")


def _kept(reality: RunningGroup) -> str:
    """The plan's ID, once the lake has the plan."""
    from holdfast.workflows import plan as plans

    return plans.keep(reality.lake, rolling())


def test_turns_of_one_run_show_one_run() -> None:
    reality, seen = RunningGroup(), []
    reality.on_sleep = lambda: seen.append(shown(reality))
    reality.run_in_turns(rolling())

    assert {(one.run, one.since) for one in seen} == {("run 1", "2026-11-20T12:01:00Z")}
    assert len({one.waiting.since for one in seen if one.waiting is not None and one.waiting.step == "1"}) == 1
    assert sum(one.event == "waiting" and one.step == "1" for one in seen[-1].events) <= 1


def test_a_new_run_after_a_kill_shows_itself() -> None:
    reality = RunningGroup()
    with pytest.raises(Killed):
        reality.run(rolling(), dies_after=12)
    before = shown(reality)
    reality.sleep(100)
    reality.run(rolling())

    assert before.state is RunState.RUNNING
    assert shown(reality).since > before.at
    assert reality.done == ALL_THREE


def test_a_lake_that_does_not_take_it_stops_no_run(caplog: pytest.LogCaptureFixture) -> None:
    reality = RunningGroup()
    write = reality.lake.write

    def refuses(path: LakePath, content: bytes) -> None:
        if path[-1] == "progress.json":
            raise StatePathTrouble("the disk is full")
        write(path, content)

    reality.lake.write = refuses  # type: ignore[method-assign]
    ran = reality.run(rolling())

    assert (ran.halted, reality.done) == (None, ALL_THREE)
    assert progress_file.read(reality.lake, rolling().plan_id) is None
    assert "the disk is full" in caplog.text


@pytest.mark.thorough
def test_what_is_there_already_decides_nothing() -> None:
    """Whatever it claims, and of the same run too."""
    reality = RunningGroup()
    reality.run_in_turns(rolling())
    claims = reality.lake.files[PLACE]
    for content in (claims, b"{", b"[" * 100_000, b"\xff\xfe", b"x" * (progress_file.LARGEST + 1)):
        reality = RunningGroup()
        reality.lake.files[PLACE] = content
        ran = reality.run_in_turns(rolling())
        assert (ran.halted, reality.done) == (None, ALL_THREE)
        assert shown(reality).state is RunState.FINISHED


@pytest.mark.parametrize(
    "changed",
    [
        {"plan_id": "0" * 16},
        {"state": "flying"},
        {"at": "yesterday"},
        {"since": 7},
        {"text": "x" * 1_001},
        {"events": [{"at": "2026-11-20T12:01:00Z", "event": "act", "step": "1", "text": ""}] * (MOST_EVENTS + 1)},
        {"rebalances": -1},
        {"rebalances_forecast": [3, 1]},
        {"rebalances_forecast": [1, 2, 3]},
        {"lag": "none"},
        {"seen": {"at": "2026-11-20T12:01:00Z", "group_state": "Stable", "clients": [{}]}},
        {
            "seen": {
                "at": "2026-11-20T12:01:00Z",
                "group_state": None,
                "clients": [{"id": "a", "name": "", "active": 1}] * (MOST_CLIENTS + 1),
            }
        },
        {"waiting": {"step": "1", "needed": "", "since": "2026-11-20T12:01:00Z", "limit_s": 2**70}},
        {"unknown_field": 1},
    ],
)
def test_a_file_that_is_none_is_as_if_there_was_none(changed: dict[str, Any]) -> None:
    reality = RunningGroup()
    reality.run(rolling())
    document = json.loads(reality.lake.files[PLACE])
    reality.lake.files[PLACE] = json.dumps(document | changed).encode()

    assert progress_file.read(reality.lake, rolling().plan_id) is None


def test_what_hosts_and_people_write_is_short_and_without_secrets() -> None:
    reality, plan = RunningGroup(), rolling()
    one = progress_file.Showing(plan, reality.means().hands, lambda: 0.0)
    one.told(Progress("2026-11-20T12:01:00Z", Tells.ACT, "1", "https://bob:opensesame@host " + "x" * 5_000, 0, 6))

    text = reality.lake.files[PLACE].decode()
    assert "opensesame" not in text
    assert len(text) < 5_000
    assert progress_file.read(reality.lake, plan.plan_id) is not None


def restoring(*, joined: dict[str, int] | None, **differs: Any) -> dict[str, Any]:
    """A has copies of 1_2 and 1_5 besides what it runs. `joined`: what it reported of them in its last JoinGroup; None: unknown."""
    found = article.group({A: (("0_0", "1_0", "1_1"),)}) | differs
    (member,) = found["clients"][A]["consumers"].values()
    member["assigned"] = {"active": ["0_0", "1_0", "1_1"], "standby": ["1_2", "1_5"]}
    if joined is not None:
        member["last_join"] = {"task_offset_sums": {"1_0": -2, "1_1": 1, "9_9": 7} | joined}
    return found


def longer(document: dict[str, Any]) -> dict[str, Any]:
    """All changelogs have 1,000 records more."""
    tasks = {
        task: one | {"changelogs": [[topic, number, end + 1_000] for topic, number, end in one["changelogs"]]}
        for task, one in document["tasks"].items()
    }
    return document | {"tasks": tasks}


def test_how_far_copies_are_is_what_members_reported_when_they_joined() -> None:
    """1_1 of 2 restores; 1_2 of 8 and 1_5 of 4 are copies. A report from before the run has no time."""
    reality = RunningGroup()
    one = progress_file.Showing(rolling(), reality.means().hands, lambda: reality.time)

    def reported(document: dict[str, Any]) -> tuple[str | None, int, int, int] | None:
        reality.sleep(10)
        one.looked(any_document.snapshot_from_json(document))
        seen = shown(reality).seen
        assert seen is not None
        if seen.copies is None:
            return None
        found, at = seen.copies.report, seen.copies.at
        return at and at[14:19], found.copies, found.reported, found.behind

    assert reported(restoring(joined=None)) is None
    assert reported(article.altered(restoring(joined={}), ("tasks", "0_0", "changelogs"), None)) is None  # stateful or not
    first = restoring(joined={})
    assert reported(first) == ("01:30", 4, 2, 1)
    assert reported(longer(first)) == ("01:30", 4, 2, 1)  # nothing new was reported
    assert reported(longer(restoring(joined={}, group_state="PreparingRebalance"))) == ("01:30", 4, 2, 1)
    assert reported(restoring(joined={"1_2": 5})) == ("02:00", 4, 3, 1 + 3)
    assert reported(restoring(joined={"1_1": -2, "1_2": 9, "1_5": 4})) == ("02:10", 4, 4, 0)

    endless = restoring(joined={"1_2": 0})
    for task in ("1_1", "1_2"):
        endless = article.altered(endless, ("tasks", task, "changelogs"), [["changelog", int(task[-1]), 2**63 - 1]])
    assert reported(endless) == ("02:20", 4, 3, 2**63 - 1)

    another = RunningGroup()
    one, reality = progress_file.Showing(rolling(), another.means().hands, lambda: another.time), another
    assert reported(first) == (None, 4, 2, 1)


def test_it_is_read_as_it_was_written() -> None:
    reality = RunningGroup()
    reality.run(rolling())
    codec = codec_of(RunProgress)

    assert codec.read(json.loads(dumps(codec.write(shown(reality))))) == shown(reality)


class TestHeld:
    """What each client has now, for every kind of group."""

    def test_tasks_of_streams_clients(self) -> None:
        snapshot = RunningGroup().look(1)

        assert [(one.name, one.active, one.copies) for one in kind_of(snapshot).held(snapshot)] == [
            ("app-bbb8", 2, 0),
            ("app-4b61", 2, 0),
            ("app-7156", 2, 0),
        ]

    def test_partitions_of_consumers(self) -> None:
        document = plain_group({"a": member(host="h-1", owned=[["orders", 0], ["orders", 1]])})
        snapshot = any_document.snapshot_from_json(document)

        (one,) = kind_of(snapshot).held(snapshot)
        assert (one.id, one.copies) == ("a", None)
        assert one.name.endswith("h-1")

    def test_tasks_of_clients_whose_broker_assigns(self) -> None:
        snapshot = any_document.snapshot_from_json(streams_groups.snapshot())

        found = [(one.id, one.name, one.active, one.copies) for one in kind_of(snapshot).held(snapshot)]
        assert found == [(one, f"host-{one}", 2, 0) for one in "abc"], "stateful tasks only"

    def test_a_group_without_any_client(self) -> None:
        snapshot = read(RunningGroup().document | {"clients": {}, "leader_process_id": None})

        assert kind_of(snapshot).held(snapshot) == ()
        assert Held("a", "", None).copies is None
