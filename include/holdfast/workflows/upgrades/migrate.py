"""What this version reads of a lake that others have written, and what it adds there so that it need not look again.

Nothing that is there is ever changed: a plan is approved by its bytes, a journal is a chain of them, and each version reads
what the ones before it wrote. So to migrate is to find out what cannot be read, and to write what an older version did not.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.ports import Lake, LakePath
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.journal.lease import Lease
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import LARGEST_DOCUMENT, dumps, loads
from holdfast.rollout.kinds import any_document, approval
from holdfast.rollout.kinds.plan_summary import SUMMARY, summary
from holdfast.workflows import freshness, journals, leases, plan, snapshots
from holdfast.workflows.run_documents import Asked, Origin, PlanMade
from holdfast.workflows.writers import versions

DAYS_OF_GROUPS = 400
"""Of each group that has a snapshot in its cluster's last days, the newest one is read."""
OF_A_DRAFT: Mapping[str, type[Any]] = {"origin.json": Origin, "plan.json": PlanMade, "asked.json": Asked}


@dataclass(frozen=True, slots=True)
class Unread:
    """A document that this version cannot read, or reads as something else, and why."""

    path: str
    problem: str


@dataclass(slots=True)
class Examined:
    """`versions`: those that have written into the lake, of which `newer` are newer than this one. `read`: how many documents of
    each kind were read. `waiting`: plans that wait for a decision, and until when they are valid. `missing`: the plans that have no
    summary."""

    versions: tuple[str, ...]
    newer: tuple[str, ...]
    read: Counter[str] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)
    waiting: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def notes_version(self) -> bool:
        """Whether this version is not among those that have written there."""
        return versions.own() not in self.versions

    def tried(self, kind: str, path: LakePath, read: Callable[[], object]) -> Any:
        """What `read` returns; None where it cannot."""
        try:
            found = read()
        except HoldfastError as problem:
            self.unread.append(Unread("/".join(path), str(problem)))
            return None
        self.read[kind] += 1
        return found


def examine(lake: Lake, now: datetime, tell: Callable[[str], None] = lambda _: None) -> Examined:
    """Read every plan with all that followed from it, every draft, the newest lease and the newest snapshot of every group.

    Signatures are not checked. `tell` is called with what is read next. Raise StatePathTrouble for a lake that cannot be read.
    """
    found = Examined(versions.of(lake), versions.newer(lake))
    tell("plans")
    for plan_id in plan.ids(lake):
        _plan(lake, plan_id, now, found)
    tell("drafts")
    for draft in lake.names(("drafts",)):
        there = lake.names(("drafts", draft))
        for name, kind in OF_A_DRAFT.items():
            if name in there:
                _document(lake, ("drafts", draft, name), "documents of drafts", codec_of(kind).read, found)
    tell("leases")
    for cluster in lake.names((leases.FOLDER,)):
        for group in lake.names((leases.FOLDER, cluster)):
            folder = (leases.FOLDER, cluster, group)
            for name in lake.names(folder)[-1:]:
                _document(lake, (*folder, name), "leases", codec_of(Lease).read, found)
    tell("snapshots")
    for cluster, group, _ in snapshots.groups(lake, DAYS_OF_GROUPS):
        newest = snapshots.latest(lake, cluster, group, DAYS_OF_GROUPS)
        if newest is not None:
            _document(lake, tuple(newest.split("/")), "snapshots", any_document.snapshot_from_json, found)
    return found


def migrate(lake: Lake, found: Examined) -> None:
    """Write what `examine` found missing. A run that is killed in between is finished by the next."""
    for plan_id in found.missing:
        made = plan.load(lake, plan_id)
        lake.write((plan.FOLDER, plan_id, "summary.json"), dumps(SUMMARY.write(summary(made))).encode())
    versions.note(lake)


def _document(lake: Lake, path: LakePath, kind: str, read: Callable[[object], object], found: Examined) -> Any:
    return found.tried(kind, path, lambda: read(loads(lake.read(path, LARGEST_DOCUMENT))))


def _plan(lake: Lake, plan_id: str, now: datetime, found: Examined) -> None:
    folder = (plan.FOLDER, plan_id)
    there = lake.names(folder)
    made = _document(lake, (*folder, "plan.json"), "plans", _the_same_plan, found)
    decided = None
    if "approval.json" in there:
        decided = _document(lake, (*folder, "approval.json"), "decisions", codec_of(Approval).read, found)
    if journals.ENTRIES in there or journals.OF_BEFORE in there:
        found.tried("journals", (*folder, journals.ENTRIES), lambda: _whole(lake, plan_id))
    if "verdict.json" in there:
        found.tried("verdicts", (*folder, "verdict.json"), lambda: plan.score_of(lake, plan_id))
    if "summary.json" in there:
        found.tried("summaries", (*folder, "summary.json"), lambda: plan.summary_of(lake, plan_id))
    elif made is not None:
        found.missing.append(plan_id)
    if made is None:
        return
    if "approval.json" not in there:
        if not freshness.is_over(made, now):
            found.waiting.append((plan_id, made.expires_at))
    elif decided is not None and decided.plan_fingerprint not in (None, approval.fingerprint(made)):
        found.unread.append(Unread("/".join((*folder, "approval.json")), "it is about other bytes than plan.json has"))


def _the_same_plan(document: object) -> Any:
    """The plan. Raise InvalidInput where this version would write it in other bytes than it was approved in."""
    made = any_document.plan_from_json(document)
    bare = {name: part for name, part in document.items() if name != "signature"} if isinstance(document, dict) else document
    if fingerprint(any_document.plan_to_json(made)) != fingerprint(bare):
        raise InvalidInput(
            "this version writes the plan with other fields than it was made with, so a decision about it would be refused:"
            " create a new plan"
        )
    return made


def _whole(lake: Lake, plan_id: str) -> None:
    kept = journals.read(lake, plan_id)
    if kept.broken is not None:
        raise InvalidInput(f"it is not whole: {kept.broken.value}")
