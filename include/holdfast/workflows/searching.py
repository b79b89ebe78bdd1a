"""The search of a draft, in this process while that costs less than Spark; and the progress of a search anywhere.

A draft's `evaluations/` are a line an option. Until they are whole, `forecasts/` has those that are done, and `progress/` has their
times. What is forecast, and how, is `distributed_search`: the same pieces as on Spark, which goes on where this process stops.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.errors import HoldfastError
from holdfast.ports import Lake, LakePath
from holdfast.rollout.json.strict import LARGEST_DOCUMENT, loads
from holdfast.rollout.kinds import any_document, distributed_search, search_progress, search_work
from holdfast.rollout.kinds.search_progress import OptionForecast

EVALUATIONS = "evaluations"
SPARK_STARTS_S = 15.0
"""About what it takes on two cores from submitting a job to its first option. To wait that long before handing over takes at most
twice as long as the better of the two."""
LARGEST_PROGRESS = 4_096
LARGEST_ANNOUNCED = 4 * search_progress.MOST * search_progress.LONGEST_TITLE


def is_done(lake: Lake, draft: LakePath) -> bool:
    """Whether every option of the draft was forecast already."""
    return any(name.startswith("part-") for name in lake.names((*draft, EVALUATIONS)))


def search_here(lake: Lake, draft: LakePath, clock: Callable[[], float]) -> bool:
    """Forecast every option of the draft in this process, as long as starting Spark would take longer. False: what is left is for
    Spark. What an earlier attempt has done is not done again.

    `clock` counts seconds.
    """
    if is_done(lake, draft):
        return True
    snapshot, change = (lake.read((*draft, name), LARGEST_DOCUMENT).decode() for name in ("snapshot.json", "change.json"))
    if not is_tried_here(snapshot, change):
        return False
    began = clock()
    proposed = distributed_search.candidates(snapshot, change)
    announce(lake, draft, proposed)
    lines, evaluation = [], distributed_search.evaluator(snapshot)
    for place, candidate in enumerate(proposed):
        line = _kept(lake, draft, place, snapshot, candidate)
        if line is None:
            at = clock()
            if at - began > SPARK_STARTS_S:
                return False
            line = evaluation(candidate)
            _keep(lake, draft, place, line)
            told = search_progress.written(place, len(proposed), candidate, clock() - at)
            lake.write((*draft, search_progress.FOLDER, search_progress.file_name(place)), told.encode())
        lines.append(line)
    lake.write((*draft, EVALUATIONS, "part-00000.txt"), ("\n".join(lines) + "\n").encode())
    return True


def announce(lake: Lake, draft: LakePath, proposed: Sequence[str]) -> None:
    """Say what there is to forecast."""
    place = (*draft, search_progress.FOLDER, search_progress.ANNOUNCED)
    lake.write(place, search_progress.announced(proposed).encode())


def _keep(lake: Lake, draft: LakePath, place: int, line: str) -> None:
    lake.write((*draft, search_progress.KEPT, search_progress.file_name(place)), line.encode())


def _kept(lake: Lake, draft: LakePath, place: int, snapshot: str, candidate: str) -> str | None:
    """What an earlier attempt has found of this option; None: nothing that can be used."""
    where = (*draft, search_progress.KEPT, search_progress.file_name(place))
    try:
        found = lake.read(where, LARGEST_DOCUMENT) if lake.exists(where) else b""
    except HoldfastError:
        return None
    return found.decode() if found and distributed_search.is_evaluation(snapshot, candidate, found) else None


@dataclass(frozen=True, slots=True)
class Progress:
    """`done`: the options that were forecast, in their order. `titles`: of all of them; none where that is unknown."""

    done: tuple[OptionForecast, ...]
    titles: tuple[str, ...]

    @property
    def of(self) -> int:
        """How many there are; 0: unknown."""
        return max((len(self.titles), *(one.of for one in self.done)))


def progress(lake: Lake, draft: LakePath) -> Progress:
    """How far the search is. What cannot be read is left out."""
    found: list[OptionForecast] = []
    titles: tuple[str, ...] = ()
    for name in lake.names((*draft, search_progress.FOLDER))[: search_progress.MOST + 1]:
        where = (*draft, search_progress.FOLDER, name)
        try:
            if name == search_progress.ANNOUNCED:
                titles = search_progress.titles(lake.read(where, LARGEST_ANNOUNCED))
            else:
                found.append(search_progress.read(lake.read(where, LARGEST_PROGRESS)))
        except HoldfastError:
            continue
    return Progress(tuple(found), titles)


def is_tried_here(snapshot: str, change: str) -> bool:
    """Whether the search for this change to this group is begun in this process. Raise InvalidInput for texts that are none."""
    group = any_document.snapshot_from_json(loads(snapshot))
    requested = any_document.change_from_json(loads(change), group)
    return search_work.is_tried_here(group, requested)
