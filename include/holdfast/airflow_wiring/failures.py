"""Why a run of `plan_rollout` has made no plan, stored in its draft for the page that waits for the plan."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from holdfast.airflow_wiring import runs
from holdfast.airflow_wiring.objects import lake, now, told
from holdfast.errors import HoldfastError
from holdfast.ports import Lake, LakePath

LONGEST_MESSAGE = 4_000
LARGEST_FILE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Failure:
    """`message` None: no refusal of Holdfast's; the task's log says what it was."""

    task: str
    message: str | None
    at: str


def keep(context: Mapping[str, Any]) -> None:
    """Airflow calls this when a task has failed, or is going to be tried again. Where the lake is the trouble, nothing is kept."""
    from holdfast.rollout.json.strict import dumps

    failure = Failure(str(context["task_instance"].task_id), _message(context.get("exception")), now().isoformat())
    content = dumps({"task": failure.task, "message": failure.message, "at": failure.at})
    with suppress(HoldfastError):
        lake().write(_place(str(context["run_id"])), content.encode())


def of(store: Lake, run_id: str) -> Failure | None:
    """The latest of a run; None where none was kept."""
    from holdfast.rollout.json import strict
    from holdfast.rollout.json.strict import loads

    if not store.exists(_place(run_id)):
        return None
    fields = strict.Fields(loads(store.read(_place(run_id), LARGEST_FILE)))
    found = Failure(
        fields.need("task", strict.text),
        fields.need("message", strict.nullable(strict.text)),
        fields.need("at", strict.instant),
    )
    fields.finish()
    return found


def _message(problem: object) -> str | None:
    """What is refused is meant to be read; any other exception may hold what is not."""
    if isinstance(problem, HoldfastError):
        return str(problem)[:LONGEST_MESSAGE]
    return told(str(problem)) if problem is not None else None


def _place(run_id: str) -> LakePath:
    return (*runs.folder(run_id), "failure.json")
