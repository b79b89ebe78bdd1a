"""Whole plans carried out by `apply_rollout` alone, with all real parts at once: real Streams clients as services of machines with
an sshd each, a real broker, a real Airflow of five processes, and the plan's page in Chromium. Root is needed (namespaces).

    python -m tests.live.running.whole [--release 3.9.1] [--walks untouched,left,…] [--kills 8] [--seed 1]
        [--network 33] [--clients 5] [--screens build/whole] [--into build/whole.jsonl]

| walk      | what happens                                                       | what must be so in the end              |
|-----------|--------------------------------------------------------------------|-----------------------------------------|
| untouched | a rolling restart                                                  | each client restarted once, as forecast |
| left      | a client that no plan knows joins midway; *Leave it*               | no act after it, no slot held, failed   |
| gone_on   | the same; it is stopped, then *Go on*                              | each client restarted once, done        |
| back      | one client more, paused on the page while it waits; *Go back*      | that client stopped again               |
| by_hand   | the same under a policy that leaves stopping to people; *Go back*  | a person stopped it, and confirmed that |
| scaled    | one client more, and by another plan one less again                | each started or stopped once            |
| replaced  | a client by another one on an empty machine; nothing after it      | one stopped, one started, as forecast   |
| killed    | a rolling restart, while processes of Airflow are killed (kill -9) | each client restarted once, done        |
| lagged    | records come in faster than the policy allows, then no more        | halted, then restarted once each        |
| windowed  | paused on the page until the policy's window has closed; *Go on*   | halted again, no act after it           |
| left_alone| acts of 25 s each, by `--acts-by dag`, `http` or `slow-ssh`        | the same; the task waits deferred       |

One JSON line a walk. It goes on after a walk that is not as wanted, and its status is 1 then.
"""

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kafka import KafkaProducer
from tests.live.running import airflow_processes, hosted, judged_walks, machines, scenarios
from tests.live.running.hosted import Hosted
from tests.live.running.whole_system import ActsBy, AirflowRun, Document, Watched, Whole, brought_up, steps_of

from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.kinds.registry import kind_of

SPARE = 1
VICTIMS = ("task", "worker", "triggerer", "scheduler", "api-server", "dag-processor")
LONGEST_S = 15.0
"""Between two kills."""
SUPERVISED_S = 60.0
"""Airflow's supervisor of a task stays for seconds after it: 5 s were seen."""
WINDOW_S = 330.0
"""In which the plan is made, and still ends in time."""
Walk = Callable[[Whole, argparse.Namespace], Document]
ROLLING: Document = {"rolling_restart": {}}


def untouched(whole: Whole, _given: argparse.Namespace) -> Document:
    plan = whole.plan(ROLLING)
    with whole.screens.of(whole.server, plan.plan_id, "untouched") as page:
        run = whole.run(plan)
        run.until(lambda: bool(whole.group.services.done), page.badge)
        page.until("Running")
        page.shoot("running")
        run.until(lambda: len(whole.group.services.done) >= 3, page.badge)
        page.shoot("later")
        run.until(lambda: run.ended, page.badge)
        page.until("All steps done")
        page.shoot("finished")
        return judged_walks.judged(whole, run, page, judged_walks.restarted_once(whole, run))


def left(whole: Whole, _given: argparse.Namespace) -> Document:
    with _joined_by_another(whole, "left") as (run, page, acts):
        wrong = _asked(whole, run, page, acts, "Halted")
        run.answered("Leave it", "we look at it tomorrow")
        run.until(lambda: run.ended, page.badge)
        page.shoot("left")
        wrong += [] if run.last[0] == "failed" else [f"the run is {run.last[0]}"]
        wrong += [] if run.journal().entries[-1].event is JournalEvent.ENDED else ["the journal does not end with it"]
        wrong += [] if whole.group.services.done == acts else ["something was done after the halt"]
        return judged_walks.judged(whole, run, page, wrong, verdict=False)


def gone_on(whole: Whole, _given: argparse.Namespace) -> Document:
    with _joined_by_another(whole, "gone_on") as (run, page, acts):
        wrong = _asked(whole, run, page, acts, "Halted")
        judged_walks.stop_spare(whole)
        halts = []
        while run.until(lambda: run.asks and bool(run.halt()[0]), page.badge):
            halts.append(run.halt())
            run.answered("Go on", "the sixth client is gone")
        page.until("All steps done")
        page.shoot("finished")
        return {"halts": halts} | judged_walks.judged(
            whole, run, page, [*wrong, *judged_walks.restarted_once(whole, run)], as_forecast=False
        )


def back(whole: Whole, _given: argparse.Namespace) -> Document:
    """The step after the start waits for the group, which the pause stops."""
    return _one_more_and_back(whole, "back", None)


def by_hand(whole: Whole, _given: argparse.Namespace) -> Document:
    """What Holdfast may not stop, a person does."""
    return _one_more_and_back(whole, "by_hand", ["write_process_metadata", "start_client"])


def _one_more_and_back(whole: Whole, name: str, acts: list[str] | None) -> Document:
    group, spare = whole.group, _made_ready(whole)
    machine = group.services.of[spare].machine
    policy = None if acts is None else {"format_version": "1.0", "acts": acts}
    plan = whole.plan({"add_client": {"process_id": None, "threads": 1, "host": spare}}, policy=policy)
    with whole.screens.of(whole.server, plan.plan_id, name) as page:
        writes = [step for step in steps_of(plan) if step["action"] == "write_process_metadata"]
        run = whole.run(plan, state_dirs={step["inputs"]["process_id"]: group.state_dir(machine) for step in writes})
        run.until(lambda: ("start", spare) in group.services.done, page.badge)
        page.pause("a colleague asks to wait")
        wrong = []
        if not run.until(lambda: run.asks, page.badge):
            return judged_walks.judged(whole, run, page, ["it did not halt"], verdict=False)
        if run.halt()[1] != "paused":
            wrong.append(f"it halted for {run.halt()}")
        page.until("Paused")
        page.shoot("halted")
        run.answered("Go back", "the change waits until tomorrow")
        run.until(lambda: JournalEvent.GOING_BACK in judged_walks.events(run), page.badge)
        page.shoot("going-back")
        halts = []
        while run.until(lambda: run.asks and bool(run.halt()[0]), page.badge):
            halts.append(run.halt())
            more = {}
            if halts[-1][1] == "person":
                page.shoot("person")
                more = {"rolled_back": run.halted_at()}
                judged_walks.stop_spare(whole)
            run.answered("Go on", "go on going back", **more)
        page.until("Rolled back")
        page.shoot("rolled-back")
        stops = [] if acts else [("stop", spare)]
        wrong += [] if group.services.done == [("start", spare), *stops] else [f"done: {group.services.done}"]
        wrong += [] if not acts or [why for _, why in halts] == ["person"] else [f"it halted for {halts}"]
        wrong += [] if not acts or JournalEvent.UNDO_CONFIRMED in judged_walks.events(run) else ["nobody confirmed the rollback"]
        wrong += [] if run.last[0] == "success" else [f"the run is {run.last[0]}"]
        return {"halts": halts} | judged_walks.judged(whole, run, page, wrong, verdict=False)


def scaled(whole: Whole, _given: argparse.Namespace) -> Document:
    spare = _made_ready(whole)
    found = _carried_out(whole, "scaled", {"add_client": {"process_id": None, "threads": 1, "host": spare}})
    whole.group.services.done.clear()
    gone = scenarios.process_id(whole.group, spare)
    then = _carried_out(whole, "scaled-in", {"remove_client": {"process_id": gone, "leaves": False}})
    return then | {"before": found, "wrong": found["wrong"] + then["wrong"]}


def replaced(whole: Whole, _given: argparse.Namespace) -> Document:
    old, spare = whole.group.runs_on()[0], _made_ready(whole)
    gone = scenarios.process_id(whole.group, old)
    by = {"process_id": None, "host": spare}
    return _carried_out(whole, "replaced", {"replace_client": {"process_id": gone, "by": by}})


def _made_ready(whole: Whole) -> str:
    """The spare machine, with an empty directory."""
    group = whole.group
    spare = judged_walks.spare(whole)
    (group.services.of[spare].machine.disk / "state" / group.group_id).mkdir(parents=True)
    group.services.make_ready(spare)
    return spare


def _carried_out(whole: Whole, name: str, event: Document) -> Document:
    """A plan by the run alone, as forecast."""
    group, plan = whole.group, whole.plan(event)
    kind = kind_of(plan)
    acts = [act for step in plan.steps if (found := kind.acts(plan, step)) is not None for act in found.acts]
    wanted = [(act.does.value, (act.host or "").removeprefix("/")) for act in acts]
    spare = group.state_dir(group.services.of[judged_walks.spare(whole)].machine)
    written = [step["inputs"]["process_id"] for step in steps_of(plan) if step["action"] == "write_process_metadata"]
    with whole.screens.of(whole.server, plan.plan_id, name) as page:
        run = whole.run(plan, state_dirs=dict.fromkeys(written, spare))
        run.until(lambda: run.ended, page.badge)
        page.until("All steps done")
        page.shoot("finished")
        wrong = [] if group.services.done == wanted else [f"done: {group.services.done}, planned: {wanted}"]
        wrong += [] if run.last[0] == "success" else [f"the run is {run.last[0]}\n{run.trouble()}"]
        return judged_walks.judged(whole, run, page, [*wrong, *run.journal_wrong()])


def killed(whole: Whole, given: argparse.Namespace) -> Document:
    plan, chance = whole.plan(ROLLING), random.Random(given.seed)
    kills: Counter[str] = Counter()
    halts: list[tuple[int, str]] = []
    next_at = time.monotonic() + chance.uniform(1, LONGEST_S)
    with whole.screens.of(whole.server, plan.plan_id, "killed") as page:
        run = whole.run(plan)
        left_to_kill = [one for _ in range(given.kills) for one in VICTIMS][: given.kills]
        chance.shuffle(left_to_kill)

        def meanwhile() -> None:
            nonlocal next_at
            page.badge()
            if left_to_kill and time.monotonic() >= next_at and airflow_processes.kill(whole.server, left_to_kill[0]):
                kills[left_to_kill.pop(0)] += 1
                next_at = time.monotonic() + chance.uniform(1, LONGEST_S)

        while run.until(lambda: run.asks and bool(run.halt()[0]), meanwhile):
            halts.append(run.halt())
            run.answered("Go on", "Airflow was killed")
        page.until("All steps done")
        page.shoot("finished")
        found = {"kills": dict(kills), "not_killed": len(left_to_kill), "halts": halts}
        return found | judged_walks.judged(whole, run, page, judged_walks.restarted_once(whole, run), quiet=False)


def lagged(whole: Whole, _given: argparse.Namespace) -> Document:
    """Streams commits every 30 s and in every rebalance: what came in since then is the lag that the broker shows."""
    plan = whole.plan(ROLLING, policy={"format_version": "1.0", "lag_most": 100})
    over = threading.Event()
    sends = threading.Thread(target=_send_words, args=(whole.group, over))
    with whole.screens.of(whole.server, plan.plan_id, "lagged") as page:
        run = whole.run(plan)
        run.until(lambda: len(whole.group.services.done) >= 1, page.badge)
        sends.start()
        try:
            wrong = [] if run.until(lambda: run.asks, page.badge) else ["it did not halt"]
            acts, halts = list(whole.group.services.done), [run.halt()]
            wrong += [] if halts[0][1] == "lag" else [f"it halted for {halts}"]
            page.until("Halted")
            page.shoot("halted")
            time.sleep(10)
            wrong += [] if whole.group.services.done == acts else ["something was done after the halt"]
        finally:
            over.set()
            sends.join()
        time.sleep(45)  # until all of it is committed
        run.answered("Go on", "all of it is read")
        while run.until(lambda: run.asks and bool(run.halt()[0]), page.badge):
            halts.append(run.halt())
            run.answered("Go on", "all of it is read")
        page.until("All steps done")
        wrong += [] if [why for _, why in halts] == ["lag"] else [f"it halted for {halts}"]
        return {"halts": halts} | judged_walks.judged(whole, run, page, [*wrong, *judged_walks.restarted_once(whole, run)])


def _send_words(group: Hosted, over: threading.Event) -> None:
    application = group.clients.application
    producer = KafkaProducer(bootstrap_servers=application.bootstrap, enable_idempotence=False)
    try:
        while not over.wait(0.1):
            for number in range(40):
                word = f"word-{number}".encode()
                producer.send(application.input_topic, key=word, value=word)
    finally:
        producer.close()


def windowed(whole: Whole, _given: argparse.Namespace) -> Document:
    closes = datetime.now(UTC) + timedelta(seconds=WINDOW_S)
    closes = closes.replace(second=0, microsecond=0) + timedelta(minutes=1)
    window = {"from": f"{closes - timedelta(hours=12):%H:%M}Z", "to": f"{closes:%H:%M}Z"}
    plan = whole.plan(ROLLING, policy={"format_version": "1.0", "windows": [window]})
    with whole.screens.of(whole.server, plan.plan_id, "windowed") as page:
        run = whole.run(plan)
        run.until(lambda: len(whole.group.services.done) >= 2, page.badge)
        page.pause("a colleague asks to wait")
        wrong = [] if run.until(lambda: run.asks, page.badge) else ["it did not halt"]
        acts, halts = list(whole.group.services.done), [run.halt()]
        page.until("Paused")
        page.shoot("paused")
        while datetime.now(UTC) <= closes:
            time.sleep(1)
        run.answered("Go on", "the colleague is done")
        wrong += [] if run.until(lambda: run.asks and bool(run.halt()[0]), page.badge) else ["it did not halt again"]
        halts.append(run.halt())
        page.until("Halted")
        page.shoot("halted")
        wrong += [] if [why for _, why in halts] == ["paused", "window"] else [f"it halted for {halts}"]
        run.answered("Leave it", "the next window will do")
        run.until(lambda: run.ended, page.badge)
        wrong += [] if run.last[0] == "failed" else [f"the run is {run.last[0]}"]
        wrong += [] if whole.group.services.done == acts else ["something was done after the halt"]
        return {"window": window, "halts": halts} | judged_walks.judged(whole, run, page, wrong, verdict=False)


def left_alone(whole: Whole, given: argparse.Namespace) -> Document:
    """While something else acts, the run's own task holds nothing for most of the time."""
    assert given.acts_by is not ActsBy.SSH, "--acts-by dag, http or slow-ssh is needed"
    plan = whole.plan(ROLLING)
    states: Counter[str] = Counter()
    with whole.screens.of(whole.server, plan.plan_id, given.acts_by) as page:
        run = whole.run(plan)

        def meanwhile() -> None:
            page.badge()
            if judged_walks.acts_now(run):
                states[run.last[1]] += 1

        run.until(lambda: run.ended, meanwhile)
        page.until("All steps done")
        page.shoot("finished")
        wrong = judged_walks.restarted_once(whole, run)
        wrong += judged_walks.left_to_go_on(whole, run)
        wrong += [] if states["deferred"] > states["running"] else [f"states: {dict(states)}"]
        return {"acts_by": given.acts_by, "states": dict(states)} | judged_walks.judged(whole, run, page, wrong)


WALKS: dict[str, Walk] = {
    one.__name__: one for one in (untouched, left, gone_on, back, by_hand, scaled, killed, replaced, lagged, windowed)
}


class _joined_by_another:  # noqa: N801 - a context
    """A rolling restart whose third client is due when a client that no plan knows has joined."""

    def __init__(self, whole: Whole, name: str) -> None:
        self._whole, self._name = whole, name

    def __enter__(self) -> tuple[AirflowRun, Watched, list[tuple[str, str]]]:
        whole = self._whole
        whole.group.services.make_ready(judged_walks.spare(whole))
        plan = whole.plan(ROLLING)
        self._pages = whole.screens.of(whole.server, plan.plan_id, self._name)
        page = self._pages.__enter__()
        run = whole.run(plan)
        run.until(lambda: len(whole.group.services.done) >= 2, page.badge)
        whole.group.services.start(judged_walks.spare(whole))
        return run, page, list(whole.group.services.done)

    def __exit__(self, *about: object) -> None:
        self._pages.__exit__(*about)  # type: ignore[arg-type]
        judged_walks.stop_spare(self._whole)


def _asked(whole: Whole, run: AirflowRun, page: Watched, acts: list[tuple[str, str]], badge: str) -> list[str]:
    """It halted before its next act, asks, and holds nothing meanwhile."""
    if not run.until(lambda: run.asks, page.badge):
        return ["it did not halt"]
    wrong = [] if run.halt()[1] in ("drift", "divergence") else [f"it halted for {run.halt()}"]
    wrong += [] if whole.group.services.done == acts else [f"acts after it joined: {whole.group.services.done[len(acts) :]}"]
    ends_at = time.monotonic() + SUPERVISED_S
    while airflow_processes.of_tasks(whole.server, supervisors=True) and time.monotonic() < ends_at:
        time.sleep(1)
    wrong += [] if whole.slots_held() == 0 else ["a slot is held"]
    wrong += [] if not airflow_processes.of_tasks(whole.server, supervisors=True) else ["a process of the task is there"]
    page.until(badge)
    page.shoot("halted")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--release", default="3.9.1")
    parser.add_argument("--walks", default=",".join(WALKS))
    parser.add_argument("--acts-by", type=ActsBy, default=ActsBy.SSH, help="dag, http, slow-ssh: for the walk `left_alone`")
    parser.add_argument("--clients", type=int, default=5)
    parser.add_argument("--kills", type=int, default=8, help="in the walk `killed`")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--network", type=int, default=33)
    parser.add_argument("--recovery-lag", type=int, default=10_000)
    parser.add_argument("--session-ms", type=int, default=6_000, help="replaced: longer than a stop, a write and a start take")
    parser.add_argument("--screens", type=Path, default=Path("build/whole"))
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # it leaves no process behind
    rows: list[Document] = []
    settings = {"acceptable.recovery.lag": str(given.recovery_lag), "session.timeout.ms": str(given.session_ms)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "machines").mkdir()
        with (
            machines.namespaces(folder / "machines", given.clients + SPARE, given.network) as made,
            hosted.started(folder, given.release, made, given.clients, f"10.77.{given.network}.1", settings) as group,
            brought_up(group, folder, given.screens, acts_by=given.acts_by) as whole,
        ):
            for one in given.walks.split(","):
                judged_walks.settle(whole)
                began, cost = time.monotonic(), whole.processor_s()
                try:
                    found = (WALKS | {"left_alone": left_alone})[one](whole, given)
                except (Exception, AssertionError):  # noqa: BLE001 - the next walk is wanted all the same
                    found = {"wrong": [traceback.format_exc()]}
                figures = {"seconds": round(time.monotonic() - began), "airflow_processor_s": round(whole.processor_s() - cost)}
                rows.append({"walk": one, "release": given.release} | figures | found)
                print(json.dumps(rows[-1]), flush=True)
                if given.into is not None:
                    with given.into.open("a", encoding="utf-8") as out:
                        out.write(f"{json.dumps(rows[-1])}\n")
            log = (whole.server.home / "server.log").read_text()
            (given.screens / "server.log").write_text(log)
            shutil.copytree(whole.server.home / "logs", given.screens / "logs", dirs_exist_ok=True)
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
