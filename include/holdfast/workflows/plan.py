"""Plans in the lake: `plans/<plan id>/` with `plan.json`, `plan.md`, `approval.json`, `journal.jsonl` and `verdict.json`.

A plan is never changed once it is written. A journal is only added to, and whole: who finds it longer than expected is not alone.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from typing import TypeVar

from holdfast.errors import CannotPredict, InvalidInput, StatePathTrouble, Unsupported
from holdfast.ports import Lake, LakePath
from holdfast.rollout import candidates, codec, groups, rendering, review
from holdfast.rollout.change import Change
from holdfast.rollout.codec import any_kind, document
from holdfast.rollout.codec import plan as codec_plan
from holdfast.rollout.codec.any_kind import AnyPlan, AnyVerdict
from holdfast.rollout.codec.consumer_change import consumer_change_from_json
from holdfast.rollout.codec.consumer_evaluation import way_forecast_from_json
from holdfast.rollout.codec.document import Fields
from holdfast.rollout.codec.score import Score, score_from_json
from holdfast.rollout.consumer import review as consumer_review
from holdfast.rollout.consumer.plan import ConsumerPlan
from holdfast.rollout.consumer_snapshot import ConsumerSnapshot
from holdfast.rollout.evaluation import Evaluation
from holdfast.rollout.journal import Approval, Entry, Journal
from holdfast.rollout.plan import assemble
from holdfast.rollout.plan_summary import PlanSummary, summary, summary_from_json, summary_to_json
from holdfast.rollout.plan_value import Plan
from holdfast.rollout.policy import Policy
from holdfast.rollout.rendering import Block
from holdfast.rollout.snapshot import Snapshot
from holdfast.workflows import consumer_groups

__all__ = [
    "add_entry",
    "approval_of",
    "assemble",
    "assemble_drafted",
    "blocks",
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
    "markdown",
    "refuse_settings",
    "run_of",
    "score_of",
    "summary_of",
    "text",
]

FOLDER = "plans"
LARGEST_SMALL_FILE = 16 * 1024 * 1024
T = TypeVar("T")
_PLAN_ID = re.compile(r"[0-9a-f]{16}", re.ASCII)


def make(snapshot: Snapshot, change: Change, policy: Policy, now: datetime, tell: Callable[[str], None] = lambda _: None) -> Plan:
    """Search and assemble, all in this process. `tell` hears which way is being weighed."""
    evaluations: list[Evaluation] = []
    for candidate in candidates.propose(snapshot, change):
        tell(candidate.name)
        evaluations.append(candidates.evaluate(snapshot, candidate))
    return assemble(snapshot, change, tuple(evaluations), policy, now)


def assemble_drafted(snapshot: object, change: object, evaluations: Iterable[bytes], policy: Policy, now: datetime) -> AnyPlan:
    """From a draft: a Snapshot's and a Change's JSON, and what `rollout.search.evaluation` said of each way, in order."""
    group = any_kind.snapshot_from_json(snapshot)
    lines = [codec.loads(line) for line in evaluations]
    if isinstance(group, ConsumerSnapshot):
        meant = consumer_change_from_json(change)
        return consumer_groups.assembled(group, meant, [way_forecast_from_json(line) for line in lines], policy, now)
    found = tuple(codec_plan.evaluation_from_json(line) for line in lines)
    return assemble(group, codec.change_from_json(change), found, policy, now)


def refuse_settings(snapshot: Snapshot) -> None:
    """Raise InvalidInput for settings of the group that Kafka itself would refuse."""
    with suppress(CannotPredict, Unsupported):
        groups.any_group_of(snapshot)


def markdown(made: AnyPlan) -> str:
    """`plan.md`."""
    return rendering.to_markdown(blocks(made), folded=True)


def blocks(made: AnyPlan) -> tuple[Block, ...]:
    """What a person reads, however it is shown."""
    return consumer_review.review(made) if isinstance(made, ConsumerPlan) else review.review(made)


def keep(lake: Lake, made: AnyPlan) -> str:
    """Write `plan.md`, `summary.json` and then `plan.json`: who finds the last finds all. Return the plan's ID."""
    lake.write(_place(made.plan_id, "plan.md"), markdown(made).encode())
    lake.write(_place(made.plan_id, "summary.json"), codec.dumps(summary_to_json(summary(made))).encode())
    lake.write(_place(made.plan_id, "plan.json"), codec.dumps(any_kind.plan_to_json(made), indent=2).encode())
    return made.plan_id


def load(lake: Lake, plan_id: str) -> AnyPlan:
    """Raise StatePathTrouble if there is no such plan, InvalidInput if it is none any more."""
    return _read(lake, plan_id, "plan.json", any_kind.plan_from_json, codec.LARGEST_DOCUMENT)


def document_of(lake: Lake, plan_id: str, name: str) -> bytes:
    """One file of the plan's folder as it is kept."""
    return lake.read(_place(plan_id, name), codec.LARGEST_DOCUMENT)


def summary_of(lake: Lake, plan_id: str) -> PlanSummary:
    """The kept summary; of a plan from before there were any, made from the plan."""
    if lake.exists(_place(plan_id, "summary.json")):
        return _read(lake, plan_id, "summary.json", summary_from_json)
    return summary(load(lake, plan_id))


def keep_run(lake: Lake, plan_id: str, run_id: str) -> None:
    """Write which run of plan_rollout made the plan, and so asks for its approval: `run.json`. The latest that made it counts."""
    content = codec.dumps({"format_version": codec.FORMAT_VERSION, "run_id": run_id})
    lake.write(_place(plan_id, "run.json"), content.encode())


def run_of(lake: Lake, plan_id: str) -> str | None:
    """None: it was made without Airflow."""
    if not lake.exists(_place(plan_id, "run.json")):
        return None
    return _read(lake, plan_id, "run.json", lambda value: Fields(value).need("run_id", document.text))


def score_of(lake: Lake, plan_id: str) -> Score | None:
    """What the kept verdict says in brief; None while there is none."""
    return _read(lake, plan_id, "verdict.json", score_from_json) if lake.exists(_place(plan_id, "verdict.json")) else None


def text(lake: Lake, plan_id: str) -> str:
    """The kept `plan.md`."""
    return lake.read(_place(plan_id, "plan.md"), codec.LARGEST_DOCUMENT).decode()


def ids(lake: Lake) -> tuple[str, ...]:
    """The IDs of all plans that are whole, sorted."""
    found = (name for name in lake.names((FOLDER,)) if is_id(name))
    return tuple(name for name in found if lake.exists(_place(name, "plan.json")))


def is_id(name: str) -> bool:
    """Whether this can be the ID of a plan."""
    return _PLAN_ID.fullmatch(name) is not None


def keep_approval(lake: Lake, approval: Approval) -> None:
    """A decision is kept once: the same again is nothing, another one is refused."""
    known = approval_of(lake, approval.plan_id)
    if known is not None and (known.approved, known.by) != (approval.approved, approval.by):
        said = "approved" if known.approved else "rejected"
        raise InvalidInput(f"Plan {approval.plan_id} was {said} by {known.by!r} at {known.at}; make a new plan to decide anew")
    if known is None:
        content = codec.dumps(codec_plan.approval_to_json(approval), indent=2)
        lake.write(_place(approval.plan_id, "approval.json"), content.encode())


def approval_of(lake: Lake, plan_id: str) -> Approval | None:
    if not lake.exists(_place(plan_id, "approval.json")):
        return None
    return _read(lake, plan_id, "approval.json", codec_plan.approval_from_json)


def journal_of(lake: Lake, plan_id: str) -> Journal:
    """All entries so far; an empty journal if there is none."""
    place = _place(plan_id, "journal.jsonl")
    if not lake.exists(place):
        return Journal(plan_id)
    lines = lake.read(place, LARGEST_SMALL_FILE).splitlines()
    return Journal(plan_id, tuple(codec_plan.entry_from_json(codec.loads(line)) for line in lines if line.strip()))


def add_entry(lake: Lake, journal: Journal, entry: Entry) -> Journal:
    """Write the journal with one entry more, durably, and return it. Raise StatePathTrouble if somebody else wrote meanwhile."""
    if journal_of(lake, journal.plan_id) != journal:
        raise StatePathTrouble(f"Somebody else is applying plan {journal.plan_id}: its journal has grown. Find out who.")
    longer = journal.with_entry(entry)
    lines = [codec.dumps(codec_plan.entry_to_json(one)) for one in longer.entries]
    lake.write(_place(journal.plan_id, "journal.jsonl"), ("\n".join(lines) + "\n").encode())
    return longer


def keep_verdict(lake: Lake, verdict: AnyVerdict) -> None:
    content = codec.dumps(any_kind.verdict_to_json(verdict), indent=2)
    lake.write(_place(verdict.plan_id, "verdict.json"), content.encode())


def _read(lake: Lake, plan_id: str, name: str, kind: Callable[[object], T], longest: int = LARGEST_SMALL_FILE) -> T:
    """One document of a plan. Raise InvalidInput that names it."""
    place = _place(plan_id, name)
    content = lake.read(place, longest)
    try:
        return kind(codec.loads(content))
    except InvalidInput as problem:
        raise InvalidInput(str(problem), "/".join(place)) from None


def _place(plan_id: str, name: str) -> LakePath:
    if not _PLAN_ID.fullmatch(plan_id):
        raise InvalidInput(f"{plan_id[:100]!r} is not a plan's ID; one has 16 hexadecimal digits, like '3f2a9c0d4b5e6f70'")
    return (FOLDER, plan_id, name)
