"""What must be so after a walk of a real plan by a real Airflow (`whole.py`), and what is made so before the next one."""

import shutil
import time
from collections import Counter

from tests.live.running.whole_system import AirflowRun, Document, Watched, Whole, steps_of

from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.journal.journal import JournalEvent


def restarted_once(whole: Whole, run: AirflowRun) -> list[str]:
    wanted = [("restart", step["inputs"]["host"]) for step in steps_of(run.plan) if step["action"] == "restart_client"]
    wrong = [] if whole.group.services.done == wanted else [f"done: {whole.group.services.done}, planned: {wanted}"]
    wrong += [] if run.last[0] == "success" else [f"the run is {run.last[0]}\n{run.trouble()}"]
    return wrong + run.journal_wrong()


def judged(
    whole: Whole,
    run: AirflowRun,
    page: Watched,
    wrong: list[str],
    *,
    verdict: bool = True,
    as_forecast: bool = True,
    quiet: bool = True,
) -> Document:
    """`as_forecast`: the verdict must be that. `quiet`: no message on the console and no failed request was to be expected."""
    found: Document = {"run": run.last[0], "tries": run.tries, "badges": page.seen, "acts": [*whole.group.services.done]}
    if verdict:
        kept = run.verdict()
        score = {name: kept.get("score", kept).get(name) for name in ("tasks_as_forecast", "tasks")}
        found |= {"result": kept.get("result"), "rebalances": kept.get("rebalances")} | score
        wrong += [f"the verdict is {kept.get('result')}"] if as_forecast and kept.get("result") != Result.AS_FORECAST else []
    for reader in page.readers.values():
        wrong += [f"page: {one}" for one in reader.trouble if quiet]
    wrong += whole.screens.wrong
    whole.screens.wrong.clear()
    if whole.group.services.failed is not None:
        wrong.append(repr(whole.group.services.failed))
    return found | {"wrong": wrong}


def spare(whole: Whole) -> str:
    return whole.group.machines[-1].address


def stop_spare(whole: Whole) -> None:
    """As a person would; a spare that runs no client is left alone."""
    service = whole.group.services.of[spare(whole)]
    if service.client is None:
        return
    whole.group.services.stop(spare(whole))


def settle(whole: Whole) -> None:
    """Between two walks: the clients that there were, at rest."""
    stop_spare(whole)
    shutil.rmtree(whole.group.services.of[spare(whole)].machine.disk / "state", ignore_errors=True)
    ends_at = time.monotonic() + 300
    wanted = len(whole.group.runs_on())
    while True:
        found = whole.group.snapshot()
        if found.group_state == STABLE and len(found.clients) == wanted:
            break
        assert time.monotonic() < ends_at, "the group comes to rest"
        time.sleep(1)
    whole.group.services.done.clear()


def acts_now(run: AirflowRun) -> bool:
    """Whether an act was begun, and has not been seen to be done."""
    acts = [one.event for one in run.journal().entries if one.acted is not None]
    return bool(acts) and acts[-1] in (JournalEvent.BEGUN, JournalEvent.GOES_ON)


def left_to_go_on(whole: Whole, run: AirflowRun) -> list[str]:
    """Each command was; a busy Airflow may have ended the task before it could say so."""
    found = Counter(one.event for one in run.journal().entries)
    went_on, given = found[JournalEvent.GOES_ON], len(whole.group.services.done)
    return [] if given - found[JournalEvent.TAKEN_OVER] <= went_on <= given else [f"left to go on: {went_on}"]


def events(run: AirflowRun) -> set[JournalEvent]:
    return {one.event for one in run.journal().entries}
