"""Plans in the lake: `plans/<plan id>/` with `plan.json`, `plan.md`, `approval.json`, `journal/` and `verdict.json`.

A plan is never changed once it is written, a decision is written once, a journal is only added to (`journals`). With the keys of
the deployment all three are signed, and reading them returns only what they signed: StepRefused for all else. Without keys
everything is read unchecked, and `standing` says what it is worth.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from holdfast.errors import HoldfastError, InvalidInput, StepRefused
from holdfast.ports import Lake, LakePath
from holdfast.rollout.backtest.past import past_of
from holdfast.rollout.backtest.results import Backtest
from holdfast.rollout.group.values import AnyChange, AnyPlan, AnySnapshot, AnyVerdict
from holdfast.rollout.journal import seal
from holdfast.rollout.journal.journal import Approval, Journal, JournalEntry
from holdfast.rollout.journal.seal import NO_KEYS, Seal, Sealed, SigningKeys
from holdfast.rollout.json import strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import LARGEST_DOCUMENT, dumps, loads
from holdfast.rollout.kinds import any_document, distributed_search, registry
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.plan_summary import SUMMARY, PlanSummary, summary
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.kinds.score_json import SCORE, Score
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.review import sections
from holdfast.rollout.text import document_blocks
from holdfast.rollout.text.document_blocks import Block
from holdfast.workflows import journals, past
from holdfast.workflows.naming import Named, read_named
from holdfast.workflows.run_documents import MadeBy
from holdfast.workflows.writers import versions

__all__ = [
    "Broken",
    "PlanSignature",
    "add_entry",
    "approval_of",
    "assemble_drafted",
    "blocks",
    "broken",
    "document_of",
    "ids",
    "is_id",
    "journal_of",
    "keep",
    "keep_approval",
    "keep_run",
    "keep_verdict",
    "load",
    "make",
    "make_from",
    "markdown",
    "refuse_broken",
    "refuse_secrets_in",
    "run_of",
    "score_of",
    "standing",
    "summary_of",
    "text",
]

FOLDER = "plans"
LARGEST_SMALL_FILE = 16 * 1024 * 1024
T = TypeVar("T")
_MADE_BY = codec_of(MadeBy)
_PLAN_ID = re.compile(r"[0-9a-f]{16}", re.ASCII)


def make(
    snapshot: AnySnapshot,
    change: AnyChange,
    policy: Policy,
    now: datetime,
    tell: Callable[[str], None] = lambda _: None,
    requested_by: str | None = None,
    times: int = 1,
) -> Any:
    """Search and assemble, all in this process. `tell` is called with each forecast option. `times`: the factor by which more than
    the usual work is allowed."""
    kind = kind_of(snapshot)
    evaluated = kind.evaluate_all(snapshot, kind.propose(snapshot, change), tell, times)
    return kind.assemble(snapshot, change, evaluated, policy, now, requested_by)


def make_from(
    snapshot: Named,
    change: Named,
    policy: Policy,
    now: datetime,
    tell: Callable[[str], None] = lambda _: None,
    requested_by: str | None = None,
    times: int = 1,
    *,
    refuse: Callable[[AnyChange], None] = lambda _: None,
    found: Backtest | None = None,
) -> Any:
    """From documents. A problem says in which it is. `refuse`: what else may be wrong with the change, raised as InvalidInput.
    `found`: the plan begins with its score, and uses what it learnt of the group."""
    kind = registry.of_snapshot(snapshot[1])
    group = read_named(snapshot, kind.snapshot_from_json)
    requested = read_named(change, lambda document: kind.change_for(document, group))
    read_named(snapshot, lambda _: kind.refuse_settings(group))
    read_named(change, lambda _: refuse(requested))
    decided, asked = read_named(change, lambda _: move.followed(group, requested))
    score = None if found is None else past_of(found, decided.group_id, kind_of(decided).protocol, decided.kafka_release)
    learnt = past.with_learnt(policy, score)
    plan = read_named(change, lambda _: make(decided, asked, learnt, now, tell, requested_by, times))
    return plan if score is None else past.scored(plan, score, policy)


def assemble_drafted(
    snapshot: object, change: object, evaluations: Iterable[bytes], policy: Policy, now: datetime, requested_by: str | None = None
) -> AnyPlan:
    """From a draft: a Snapshot's and a Change's JSON, and what `distributed_search.evaluation` returned for each option."""
    kind = registry.of_snapshot(snapshot)
    group, requested = kind.snapshot_from_json(snapshot), kind.change_from_json(change)
    evaluated = tuple(kind.evaluated_from_json(loads(line)) for line in evaluations)
    distributed_search.refuse_other_options(group, requested, evaluated)
    plan: AnyPlan = kind.assemble(group, requested, evaluated, policy, now, requested_by)
    return plan


def markdown(made: AnyPlan) -> str:
    """`plan.md`."""
    return document_blocks.to_markdown(blocks(made), folded=True)


def blocks(made: AnyPlan) -> tuple[Block, ...]:
    """What a person reads, however it is shown."""
    return sections.blocks(kind_of(made).reviewed(made))


def with_files(text: str, files: Mapping[str, str]) -> str:
    """A plan as Markdown, with the files that are kept with it."""
    parts = (f"\n## {name}\n\n```yaml\n{content.rstrip()}\n```\n" for name, content in files.items())
    return text.rstrip("\n") + "\n" + "".join(parts) if files else text


def keep(lake: Lake, made: AnyPlan, keys: SigningKeys = NO_KEYS, files: Mapping[str, str] | None = None) -> str:
    """Write `plan.md`, `summary.json` and then `plan.json`: who finds the last finds all. Return the plan's ID.

    `files`: what is kept with the plan, by name; `plan.md` shows it too.

    Raise InvalidInput where the name of who requested it holds a secret.
    """
    strict.refuse_secrets({"requested_by": made.requested_by})
    versions.note(lake)
    for name, content in (files or {}).items():
        lake.write(_place(made.plan_id, name), content.encode())
    lake.write(_place(made.plan_id, "plan.md"), with_files(markdown(made), files or {}).encode())
    lake.write(_place(made.plan_id, "summary.json"), dumps(SUMMARY.write(summary(made))).encode())
    sealed = seal.signed(any_document.plan_to_json(made), Sealed.PLAN, keys)
    lake.write(_place(made.plan_id, "plan.json"), dumps(sealed, indent=2).encode())
    return made.plan_id


def load(lake: Lake, plan_id: str, keys: SigningKeys = NO_KEYS) -> AnyPlan:
    """Raise StatePathTrouble if there is no such plan, InvalidInput if it is none any more or another one."""
    made, found = _read_sealed(lake, plan_id, "plan.json", any_document.plan_from_json, Sealed.PLAN, keys, LARGEST_DOCUMENT)
    if made.plan_id != plan_id:
        raise InvalidInput(f"it holds plan {made.plan_id}", f"{FOLDER}/{plan_id}/plan.json")
    seal.refuse(found, f"Plan {plan_id}", keys)
    return made


@dataclass(frozen=True, slots=True)
class PlanSignature:
    """What is signed of a plan, and by whose key. None: there is none yet. `journal`: in words, for it may be cut too."""

    plan: Seal
    approval: Seal | None
    journal: str | None

    @property
    def parts(self) -> dict[str, str]:
        found = {"plan": self.plan, "decision": self.approval, "journal": self.journal}
        return {name: str(part) for name, part in found.items() if part is not None}

    @property
    def good(self) -> bool:
        """Whether nothing of it is other than it was signed, or nothing of it is signed at all."""
        return set(self.parts.values()) in ({str(Seal.SIGNED)}, {str(Seal.UNSIGNED)})

    @property
    def says(self) -> str:
        """In one line."""
        if len(set(self.parts.values())) == 1:
            return self.parts["plan"]
        return ", ".join(f"{name}: {part}" for name, part in self.parts.items())


def standing(lake: Lake, plan_id: str, keys: SigningKeys) -> PlanSignature:
    """Of the plan, the decision and the journal in the lake."""
    kept = lake.names((FOLDER, plan_id))
    _, of_plan = _read_sealed(lake, plan_id, "plan.json", lambda value: value, Sealed.PLAN, keys, LARGEST_DOCUMENT)
    of_approval = None
    if "approval.json" in kept:
        _, of_approval = _read_sealed(lake, plan_id, "approval.json", lambda value: value, Sealed.APPROVAL, keys)
    journal = journals.read(lake, plan_id, keys)
    return PlanSignature(of_plan, of_approval, journal.standing if journal.there or journal.broken else None)


def document_of(lake: Lake, plan_id: str, name: str) -> bytes:
    """One stored file of the plan's folder."""
    return lake.read(_place(plan_id, name), LARGEST_DOCUMENT)


def summary_of(lake: Lake, plan_id: str) -> PlanSummary:
    """The kept summary; of a plan from before there were any, made from the plan."""
    if lake.exists(_place(plan_id, "summary.json")):
        return _read(lake, plan_id, "summary.json", SUMMARY.read)
    return summary(load(lake, plan_id))


def keep_run(lake: Lake, plan_id: str, run_id: str) -> None:
    """Write which run of plan_rollout made the plan, and so asks for its approval: `run.json`. The latest that made it counts."""
    lake.write(_place(plan_id, "run.json"), dumps(_MADE_BY.write(MadeBy(run_id))).encode())


def run_of(lake: Lake, plan_id: str) -> str | None:
    """None: it was made without Airflow."""
    if not lake.exists(_place(plan_id, "run.json")):
        return None
    return _read(lake, plan_id, "run.json", _MADE_BY.read).run_id


def score_of(lake: Lake, plan_id: str) -> Score | None:
    """What the kept verdict says in brief; None while there is none."""
    return _read(lake, plan_id, "verdict.json", SCORE.read) if lake.exists(_place(plan_id, "verdict.json")) else None


def is_rolled_back(lake: Lake, plan_id: str) -> bool:
    """By the checklist, one file that has the journal and that no key signs: for a list, not for a decision. False too where it
    cannot be read."""
    try:
        found = loads(lake.read(_place(plan_id, "checklist.json"), LARGEST_DOCUMENT))
        own = {name: found.get(name) for name in ("format_version", "plan_id", "entries")} if isinstance(found, dict) else found
        return codec_of(Journal).read(own).is_rolled_back()
    except HoldfastError:
        return False


def text(lake: Lake, plan_id: str) -> str:
    """The kept `plan.md`."""
    return lake.read(_place(plan_id, "plan.md"), LARGEST_DOCUMENT).decode()


def ids(lake: Lake) -> tuple[str, ...]:
    """The IDs of all plans that are whole, sorted."""
    found = (name for name in lake.names((FOLDER,)) if is_id(name))
    return tuple(name for name in found if lake.exists(_place(name, "plan.json")))


def is_id(name: str) -> bool:
    """Whether this can be the ID of a plan."""
    return _PLAN_ID.fullmatch(name) is not None


def keep_approval(lake: Lake, approval: Approval, keys: SigningKeys = NO_KEYS) -> None:
    """A decision is kept once: the same again is nothing, another one is refused. Of two at once the first counts.

    Raise InvalidInput where a name or the reason holds a secret.
    """
    refuse_secrets_in(approval)
    place = _place(approval.plan_id, "approval.json")
    known = approval_of(lake, approval.plan_id, keys)
    if known is None:
        journals.begin(lake, approval.plan_id, keys)
        sealed = seal.signed(codec_of(Approval).write(approval), Sealed.APPROVAL, keys)
        if lake.create(place, dumps(sealed, indent=2).encode()):
            return
        known = approval_of(lake, approval.plan_id, keys)
    if known is not None and (known.says, known.by) != (approval.says, approval.by):
        decision = "sent back" if known.changes_requested else known.says
        raise InvalidInput(
            f"Plan {approval.plan_id} was {decision} by {known.by!r} at {known.at}; create a new plan to decide anew"
        )


def refuse_secrets_in(approval: Approval) -> None:
    """Check typed text, who and why: all who may read plans can read it. Raise InvalidInput."""
    typed = {"by": approval.by, "by_id": approval.by_id, "asked_by": approval.asked_by, "reason": approval.reason}
    strict.refuse_secrets({"approval": typed})


def approval_of(lake: Lake, plan_id: str, keys: SigningKeys = NO_KEYS) -> Approval | None:
    if not lake.exists(_place(plan_id, "approval.json")):
        return None
    kept, found = _read_sealed(lake, plan_id, "approval.json", codec_of(Approval).read, Sealed.APPROVAL, keys)
    seal.refuse(found, f"The decision about plan {plan_id}", keys)
    return kept


@dataclass(frozen=True, slots=True)
class Broken:
    """A document of what followed from a plan that is none: which, and what is wrong with it."""

    name: str
    problem: str


def broken(lake: Lake, plan_id: str) -> tuple[Broken, ...]:
    """Of its decision, journal and verdict those that cannot be read, or are not whole. The plan may be shown all the same."""

    def whole() -> None:
        found = journals.read(lake, plan_id)
        if found.broken is not None:
            raise InvalidInput(found.broken.value)

    reads: dict[str, Callable[[], object]] = {
        "approval.json": lambda: approval_of(lake, plan_id),
        "journal": whole,
        "verdict.json": lambda: score_of(lake, plan_id),
    }
    found = []
    for name, read in reads.items():
        try:
            read()
        except HoldfastError as problem:
            found.append(Broken(name, str(problem)))
    return tuple(found)


def refuse_broken(lake: Lake, plan_id: str) -> None:
    """Raise StepRefused while one of them is broken: nothing is approved or applied from such a plan."""
    found = broken(lake, plan_id)
    if found:
        problems = "; ".join(f"{one.name}: {one.problem}" for one in found)
        raise StepRefused(
            f"A document of plan {plan_id} is broken, so nothing may be approved or applied from it ({problems}). Check"
            " who writes to the lake, then restore the document or create a new plan."
        )


def journal_of(lake: Lake, plan_id: str) -> Journal:
    """All stored entries so far; an empty journal if there is none."""
    _place(plan_id, "journal")
    return journals.read(lake, plan_id).journal


def add_entry(lake: Lake, journal: Journal, entry: JournalEntry, keys: SigningKeys = NO_KEYS) -> Journal:
    """Add one entry, durably, and return the longer journal. Raise StatePathTrouble if another run added one meanwhile."""
    kept = journals.read(lake, journal.plan_id, keys)
    if kept.journal != journal:
        raise journals.written_by_another_run(journal.plan_id)
    return journals.append(lake, kept, entry, keys).journal


def keep_verdict(lake: Lake, verdict: AnyVerdict) -> None:
    content = dumps(any_document.verdict_to_json(verdict), indent=2)
    lake.write(_place(verdict.plan_id, "verdict.json"), content.encode())


def _read(lake: Lake, plan_id: str, name: str, kind: Callable[[object], T], longest: int = LARGEST_SMALL_FILE) -> T:
    """One document of a plan. Raise InvalidInput that names it."""
    place = _place(plan_id, name)
    content = lake.read(place, longest)
    try:
        with versions.explained(lake):
            return kind(loads(content))
    except InvalidInput as problem:
        raise InvalidInput(str(problem), "/".join(place)) from None


def _read_sealed(
    lake: Lake,
    plan_id: str,
    name: str,
    kind: Callable[[object], T],
    signed_as: Sealed,
    keys: SigningKeys,
    longest: int = LARGEST_SMALL_FILE,
) -> tuple[T, Seal]:
    """One document of a plan, and what its signature says."""
    return _read(lake, plan_id, name, lambda document: (kind(document), seal.seal_of(document, signed_as, keys)), longest)


def _place(plan_id: str, name: str) -> LakePath:
    if not _PLAN_ID.fullmatch(plan_id):
        raise InvalidInput(f"{plan_id[:100]!r} is not a plan ID; the format is 16 hexadecimal digits, like '3f2a9c0d4b5e6f70'")
    return (FOLDER, plan_id, name)
