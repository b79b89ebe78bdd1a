"""`bin/try` as a stranger meets it: a fresh copy in a path with spaces, started from elsewhere, with everything real."""

import json
import os
import re
import signal
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.error import HTTPError

import psutil
import pytest
from tests.dags.conftest import fallen_score, just_taken
from tests.dags.planting import planting
from tests.dags.trying import PATIENCE_S, Rest, copy_checkout, left_over, share_bytecode, trying

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.workflows import snapshots

pytestmark = pytest.mark.airflow
FIRST = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
FALLEN = (
    "streams-wordcount of local: its score has fallen; Holdfast decided 410 of 412 past rebalances as Kafka did."
    " Check its forecasts with care"
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_checkout(tmp_path_factory.mktemp("a path with spaces") / "hold fast")


def listening(checkout: Path) -> list[str]:
    """The addresses on which this checkout's processes listen."""
    found: set[str] = set()
    for process in left_over(checkout):
        try:
            found |= {one.laddr.ip for one in process.net_connections(kind="tcp") if one.status == psutil.CONN_LISTEN}
        except psutil.Error:
            continue
    return sorted(found)


def test_ctrl_c_while_it_starts_leaves_nothing(checkout: Path) -> None:
    with trying(checkout) as run:
        run.wait_for(r"Making Airflow's database …")
        share_bytecode(checkout)
        run.wait_for(r"Starting Airflow …")
        assert run.interrupt() == 130

    assert left_over(checkout) == []


def started(checkout: Path, component: str) -> bool:
    """Whether this component of Airflow is there."""
    for process in left_over(checkout):
        with suppress(psutil.Error):  # it ends just now
            if component in process.cmdline():
                return True
    return False


def killed_in_the_middle(checkout: Path) -> None:
    """SIGKILL leaves Airflow running. As soon as there is some of it: what it does later is in tests/unit/test_try_ends.py."""
    with trying(checkout) as run:
        run.wait_for(r"Starting Airflow …")
        deadline = time.monotonic() + PATIENCE_S
        while not started(checkout, "scheduler"):
            assert time.monotonic() < deadline, run.printed()
            time.sleep(0.2)
        os.killpg(run.process.pid, signal.SIGKILL)
        run.process.wait(PATIENCE_S)
    assert left_over(checkout) != []


def test_the_whole_story(checkout: Path) -> None:
    """After a bin/try that was killed: this one says so, ends what is left, and does its work.

    The plan, another bin/try meanwhile, the approval over REST, the plan walked and verified, the fleet; and then Ctrl-C. Secrets
    are planted all over; in the end each is looked for in everything that was written.
    """
    share_bytecode(checkout)
    killed_in_the_middle(checkout)
    with planting() as sown, trying(checkout, environment=sown.environment()) as run:
        rest = Rest(run)
        assert re.search(r"An earlier bin/try left \d+ processes running; stopping them", run.printed())
        assert "did not stop cleanly" in run.printed()
        refused = sown.sow(rest, checkout / ".holdfast" / "airflow")
        plan_id = run.wait_for(r"Plan ([0-9a-f]{16}) for streams-wordcount on local")
        lake = checkout / ".holdfast" / "lake"
        folder = lake / "plans" / plan_id

        check_the_plan(folder, run.printed())
        check_what_is_open(checkout, rest)
        with trying(checkout) as second:
            assert second.process.wait(PATIENCE_S) == 1
        assert "Another bin/try of this checkout is running" in second.printed()

        days = score_falls(lake)
        unanswered = nobody_decides(rest, lake)
        approve(rest, "looks right")
        approval = json.loads((folder / "approval.json").read_text())
        assert {key: approval[key] for key in ("plan_id", "approved", "by", "reason")} == {
            "plan_id": plan_id, "approved": True, "by": "admin", "reason": "looks right",
        }  # fmt: skip

        check_the_other_dags(rest, lake, plan_id)
        check_that_nobody_decided(rest, lake, unanswered)
        check_the_fallen_score(rest, lake, unanswered, days)
        assert rest.state_at_the_end(refused) == "failed"
        assert run.interrupt() == 0
        sown.harvest(checkout)

    assert left_over(checkout) == []


def check_the_plan(folder: Path, printed: str) -> None:
    """The article's case: in the baseline all six stateful tasks migrate; with the process metadata copied, none does."""
    plan = json.loads((folder / "plan.json").read_text())
    moved = {option["name"]: [outcome["moved"] for outcome in option["summary"]] for option in plan["candidates"]}

    assert plan["plan_id"] == folder.name
    assert plan["chosen"] == "copy-process-metadata"
    assert (moved["baseline"], moved["copy-process-metadata"]) == ([6], [0])
    assert (folder / "plan.md").read_text().startswith("# ")
    assert plan["headline"] in printed
    assert re.search(r"Forecast the options [0-9.]+ s", printed)


def check_what_is_open(checkout: Path, rest: Rest) -> None:
    assert listening(checkout) in (["127.0.0.1"], ["127.0.0.1", "::ffff:127.0.0.1"])
    assert stat.S_IMODE((checkout / ".holdfast" / "airflow" / "passwords.json").stat().st_mode) == 0o600
    assert rest.refused_without_login() == 401
    pools = {pool["name"]: pool["slots"] for pool in rest.call("GET", "/api/v2/pools")["pools"]}
    assert {name: slots for name, slots in pools.items() if name.startswith("holdfast")} == {
        "holdfast_kafka": 4,
        "holdfast_spark": 1,
    }


def question(rest: Rest, run: str) -> str:
    """The path of the airflow task that asks, once it may be answered: an answer in the instant of asking can be lost."""
    path = f"{run}/taskInstances/approve"
    rest.wait(path, "state", ("awaiting_input",))
    time.sleep(3)
    return path


def answer(rest: Rest, path: str, chosen: str, **params: object) -> None:
    rest.call("PATCH", f"{path}/-1/hitlDetails", {"chosen_options": [chosen], "params_input": params})


def decide(rest: Rest, run: str, chosen: str, **params: object) -> str:
    """Answer until the answer was taken: on a busy machine three seconds may be too few. Return what was answered."""
    path = f"{run}/taskInstances/approve"
    for _ in range(5):
        if rest.wait(path, "state", ("awaiting_input", "success")) == "success":
            return path
        attempt = rest.call("GET", question(rest, run))["try_number"]
        answer(rest, path, chosen, **params)
        rest.wait_until(path, lambda task, asked=attempt: task["state"] == "success" or task["try_number"] != asked)
    raise AssertionError(f"{run} lost five answers")


def approve(rest: Rest, reason: str) -> None:
    """After an answer that is none, which Airflow takes: the question is asked again. A second answer is refused."""
    run = "/api/v2" + rest.page.removeprefix(rest.base).split("/tasks/")[0].replace("/runs/", "/dagRuns/")
    answer(rest, question(rest, run), "Approve", reason=99)
    rest.wait(f"{run}/taskInstances/approve", "try_number", (2, 3))
    path = decide(rest, run, "Approve", reason=reason)
    with pytest.raises(HTTPError, match=r"409|404"):  # 404: what Airflow lost was kept, and the last attempt asked nothing
        answer(rest, path, "Reject", reason="on second thoughts")
    assert rest.state_at_the_end(run) == "success"


def taken_now(lake: Path) -> str:
    """The recorded group as it would be found now: every start of `bin/try` keeps one that is as old as that start."""
    latest = max(lake.glob("snapshots/*/*/*/*.json"), key=lambda one: one.stat().st_mtime)
    return just_taken(FsspecLake(str(lake)), str(latest.relative_to(lake)))


def score_falls(lake: Path) -> tuple[str, str]:
    """Two nights of past rebalances of the recorded group, the second worse than the first. Return their days."""
    now = datetime.now(UTC)
    days = (f"{now - timedelta(days=1):%Y-%m-%d}", f"{now:%Y-%m-%d}")
    fallen_score(lake, snapshots.load(FsspecLake(str(lake)), taken_now(lake)), days)
    return days


def check_the_fallen_score(rest: Rest, lake: Path, run: str, days: tuple[str, str]) -> None:
    """On top of the plan that was made after it, and an alert of the fleet, once."""
    plan_id = rest.call("GET", f"{run}/taskInstances/assemble/xcomEntries/return_value")["value"]
    text = (lake / "plans" / plan_id / "plan.md").read_text()
    says = "Check this forecast with care: this group's score has fallen since the day before. Holdfast decided 410 of 412"
    assert says in text.partition("\n## ")[0]
    told = [json.loads(path.read_text())["alerts"] for path in lake.glob(f"fleet/day={days[1]}/told.json")]
    assert [[one for one in alerts if "its score has fallen" in one] for alerts in told] == [[FALLEN]]


def nobody_decides(rest: Rest, lake: Path) -> str:
    """A run whose plan is valid for 90 s, and which is not answered. tests/web has those that people answer."""
    form = {"snapshot": taken_now(lake), "what": "replace a host", "hosts": ["app-2"], "new_host": "app-3"}
    with pytest.raises(HTTPError, match="400"):
        rest.trigger("plan_rollout", form | {"what": "replace a hots"})
    return rest.trigger("plan_rollout", form | {"policy": {"format_version": "1.0", "valid_for_s": 90}})


def check_that_nobody_decided(rest: Rest, lake: Path, run: str) -> None:
    assert rest.state_at_the_end(run) == "success"

    plan_id = rest.call("GET", f"{run}/taskInstances/assemble/xcomEntries/return_value")["value"]
    kept = json.loads((lake / "plans" / plan_id / "approval.json").read_text())
    assert (kept["by"], kept["approved"], kept["decided_by"]) == ("nobody", False, "time-out")
    assert rest.call("GET", f"{run}/taskInstances/record")["state"] == "skipped"


def check_the_other_dags(rest: Rest, lake: Path, plan_id: str) -> None:
    """A plan is applied by what the group is after its approval: by the recorded group, as it would be found now."""
    of_plan = {"plan_id": plan_id, "snapshot": taken_now(lake)}
    runs = {dag: rest.trigger(dag, conf) for dag, conf in (("collect_groups", {"cluster": "planted"}), ("apply_rollout", of_plan))}
    runs["forecast_fleet"] = rest.trigger("forecast_fleet", {})
    ends = {}
    for dag in ("collect_groups", "apply_rollout"):
        ends[dag] = rest.state_at_the_end(runs[dag])
        rest.pause(dag)  # before a run by its schedule, which would look for a broker
    runs["verify_rollout"] = rest.trigger("verify_rollout", of_plan)  # now that no event of the journal begins another run of it
    ends |= {dag: rest.state_at_the_end(runs[dag]) for dag in ("verify_rollout", "forecast_fleet")}

    assert ends == {
        "apply_rollout": "success",
        "verify_rollout": "success",
        "forecast_fleet": "success",
        "collect_groups": "failed",
    }
    checklist = json.loads((lake / "plans" / plan_id / "checklist.json").read_text())
    assert (checklist["done"], checklist["waiting_for"]["step"]) == (False, "1")
    assert FIRST in checklist["checklist"][0]["what"]
    assert json.loads((lake / "plans" / plan_id / "verdict.json").read_text())["plan_id"] == plan_id
    for table in ("groups", "targets", "blast_radius"):
        assert list(lake.glob(f"tables/v1/{table}/*/*/*.parquet")), table
    refused = rest.call("GET", f"{runs['collect_groups']}/taskInstances/snapshots/0")
    assert refused["try_number"] == 1, "a password that was refused was offered again"
