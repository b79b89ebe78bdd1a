"""What other plans for the same group have written and not completed.

Kafka takes two clients with one process ID for one. The journal of a plan keeps it from writing a process ID into a second
directory; this keeps the next plan from it, which may be made while the client of the first one has not been started yet.
"""

from holdfast.errors import HoldfastError
from holdfast.kafka.vocabulary import ProcessId
from holdfast.ports import Lake, ProcessMetadataFiles
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.journal import Journal, JournalEvent
from holdfast.rollout.journal.seal import SigningKeys
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.format import printable
from holdfast.workflows import journals
from holdfast.workflows import plan as plans
from holdfast.workflows.leases import Leases


def wrote_elsewhere(
    leases: Leases, files: ProcessMetadataFiles, process_id: ProcessId, directory: str, keys: SigningKeys
) -> str | None:
    """Why a process ID may not be written into `directory` of this host: an unfinished plan gave it to another one. None: it may.

    `leases` is that of the plan that wants to write: who held it are the plans that were applied to the group. Raise HoldfastError
    where one of them cannot be read or trusted; one that was removed from the lake writes no more.
    """
    for plan_id in leases.applied():
        place = (plans.FOLDER, plan_id, "plan.json")
        if plan_id == leases.plan_id or not plans.is_id(plan_id) or not leases.lake.exists(place):
            continue
        other, journal = plans.load(leases.lake, plan_id, keys), _journal(leases.lake, plan_id, keys)
        found = _given(other, journal, process_id, (directory, host_of(directory, leases.me.host)), files)
        if found is not None:
            return found
    return None


def _journal(lake: Lake, plan_id: str, keys: SigningKeys) -> Journal:
    kept = journals.read(lake, plan_id, keys)
    journals.refuse_broken(kept, keys)
    return kept.journal


def _given(
    other: AnyPlan, journal: Journal, process_id: ProcessId, here: tuple[str, str | None], files: ProcessMetadataFiles
) -> str | None:
    if all(journal.has(step.id, JournalEvent.DONE) for step in other.steps):
        return None
    for step_id, written in kind_of(other).writes(other).items():
        entry = journal.last_word_on(step_id)
        if written != process_id or entry is None or journal.has(step_id, JournalEvent.UNDONE):
            continue
        begun = journal.begun_in(step_id)
        where = None if begun is None or begun.directory is None else (begun.directory, begun.host)
        if where is not None and _same(where, here):
            continue
        reachable = where is not None and (where[1] == here[1] or _names_its_host(where[0]))
        if where is not None and reachable and _holds_another(files, where[0], process_id):
            continue
        place = "a directory that its journal does not name" if where is None else printable(where[0], 500)
        on = f" on {printable(where[1], 200)}" if where is not None and where[1] else ""
        return (
            f"Plan {other.plan_id} gave process ID {process_id} to {place}{on} (step {step_id}, {entry.at}), and is not done. It"
            f" was not written into {here[0]} as well: Kafka takes two clients with one process ID for one. Finish plan"
            f" {other.plan_id} first. If it was given up, remove the file from that directory, and apply with --force-lease."
        )
    return None


def host_of(directory: str, here: str | None) -> str | None:
    """The host that a path means, this one; None: a URL, which means the same directory from everywhere."""
    return None if _names_its_host(directory) else here


def _names_its_host(directory: str) -> bool:
    return "://" in directory and not directory.startswith("file:")


def _same(where: tuple[str, str | None], here: tuple[str, str | None]) -> bool:
    return (where[0].rstrip("/"), where[1]) == (here[0].rstrip("/"), here[1])


def _holds_another(files: ProcessMetadataFiles, directory: str, process_id: ProcessId) -> bool:
    """Whether it surely does not hold the process ID any more. What cannot be read may."""
    try:
        return files.read(directory) != process_id
    except HoldfastError:
        return False
