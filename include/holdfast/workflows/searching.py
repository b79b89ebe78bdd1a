"""The search of a draft, in this process if it is small; and the progress of a search anywhere.

A draft's `evaluations/` are a line an option, and `progress/` says what is done of them. What is forecast, and how, is
`kinds.search`: the same pieces as on Spark.
"""

from collections.abc import Callable

from holdfast.errors import HoldfastError
from holdfast.ports import Lake, LakePath
from holdfast.rollout.json.strict import LARGEST_DOCUMENT, loads
from holdfast.rollout.kinds import any_kind, search, search_progress, search_work
from holdfast.rollout.kinds.search_progress import OptionForecast

EVALUATIONS = "evaluations"
PATIENCE_S = 40.0
"""A search that turns out to be larger than it looked is left to Spark."""
LARGEST_PROGRESS = 4_096


def is_done(lake: Lake, draft: LakePath) -> bool:
    """Whether every option of the draft was forecast already."""
    return any(name.startswith("part-") for name in lake.names((*draft, EVALUATIONS)))


def search_here(lake: Lake, draft: LakePath, clock: Callable[[], float]) -> bool:
    """Forecast every option of the draft in this process, if that is little work. False: it is not, and nothing is there.

    `clock` counts seconds.
    """
    if is_done(lake, draft):
        return True
    snapshot, change = (lake.read((*draft, name), LARGEST_DOCUMENT).decode() for name in ("snapshot.json", "change.json"))
    if not is_small(snapshot, change):
        return False
    began = clock()
    proposed = search.candidates(snapshot, change)
    lines = []
    for place, candidate in enumerate(proposed):
        at = clock()
        if at - began > PATIENCE_S:
            return False
        lines.append(search.evaluation(snapshot, candidate))
        line = search_progress.written(place, len(proposed), candidate, clock() - at)
        lake.write((*draft, search_progress.FOLDER, search_progress.file_name(place)), line.encode())
    lake.write((*draft, EVALUATIONS, "part-00000.txt"), ("\n".join(lines) + "\n").encode())
    return True


def progress(lake: Lake, draft: LakePath) -> tuple[OptionForecast, ...]:
    """The options that were forecast so far, in their order. What cannot be read is left out."""
    found = []
    for name in lake.names((*draft, search_progress.FOLDER))[: search_progress.MOST]:
        try:
            found.append(search_progress.read(lake.read((*draft, search_progress.FOLDER, name), LARGEST_PROGRESS)))
        except HoldfastError:
            continue
    return tuple(found)


def is_small(snapshot: str, change: str) -> bool:
    """Whether the search for this change to this group is little work. Raise InvalidInput for texts that are none."""
    group = any_kind.snapshot_from_json(loads(snapshot))
    requested = any_kind.change_from_json(loads(change), group)
    return search_work.is_small(group, requested)
