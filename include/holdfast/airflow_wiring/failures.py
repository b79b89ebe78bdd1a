"""Why a run of `plan_rollout` has made no plan, stored in its draft for the page that waits for the plan."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from holdfast.airflow_wiring import runs
from holdfast.airflow_wiring.airflow_objects import lake, now, told
from holdfast.errors import HoldfastError
from holdfast.ports import Lake, LakePath

if TYPE_CHECKING:
    from holdfast.workflows.run_documents import Failure

LONGEST_MESSAGE = 4_000
LARGEST_FILE = 64 * 1024


def keep(context: Mapping[str, Any]) -> None:
    """Airflow calls this when a task has failed, or is going to be tried again. Where the lake is the trouble, nothing is kept."""
    from holdfast.rollout.json.record import codec_of
    from holdfast.rollout.json.strict import dumps
    from holdfast.workflows.run_documents import Failure

    failure = Failure(str(context["task_instance"].task_id), _message(context.get("exception")), now().isoformat())
    content = dumps(codec_of(Failure).write(failure))
    with suppress(HoldfastError):
        lake().write(_place(str(context["run_id"])), content.encode())


def of(store: Lake, run_id: str) -> "Failure | None":
    """The latest of a run; None where none was kept."""
    from holdfast.rollout.json.record import codec_of
    from holdfast.rollout.json.strict import loads
    from holdfast.workflows.run_documents import Failure

    place = _place(run_id)
    return codec_of(Failure).read(loads(store.read(place, LARGEST_FILE))) if store.exists(place) else None


def _message(problem: object) -> str | None:
    """What is refused is meant to be read; any other exception may hold what is not."""
    if isinstance(problem, HoldfastError):
        return str(problem)[:LONGEST_MESSAGE]
    return told(str(problem)) if problem is not None else None


def _place(run_id: str) -> LakePath:
    return (*runs.folder(run_id), "failure.json")
