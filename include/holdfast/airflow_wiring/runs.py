"""The data of a run, derived from sources that Airflow users cannot write.

Users who may trigger a DAG may also write what its tasks hand on (XComs), what they remember (the task state store), and begin
any of them again. So a task takes nothing from there that decides what it reads, writes or runs: it is derived from the run's ID,
from the parameters that the run was triggered with, from variables and connections, and from `drafts/<run>/` in the lake, where
only our code writes. docs/approval.md has the table.

    drafts/<run>/origin.json   requested by, when, for what, and the digests of the documents next to it; written once, last
    drafts/<run>/plan.json     which plan was made of it; written once
    drafts/<run>/asked.json    who may answer the question about it; written once

Each names its run and is signed with the deployment's key: who can write there without it decides nothing. The options' forecasts
(`drafts/<run>/evaluations/`) come from executors, who have no key: only the options that the change has are taken from there.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.airflow_wiring.objects import slug
from holdfast.errors import InvalidInput
from holdfast.ports import Lake, LakePath

if TYPE_CHECKING:
    from holdfast.rollout.group.values import AnyPlan
    from holdfast.rollout.journal.seal import SigningKeys

LARGEST = 1024 * 1024
KINDS = {"origin.json": "draft of a run", "plan.json": "plan of a run", "asked.json": "who was asked in a run"}
"""What each is signed as (`rollout.seal.Kind`)."""
_HERE = {"origin.json": "draft of this run", "plan.json": "plan of this run", "asked.json": "list of approvers of this run"}


@dataclass(frozen=True, slots=True)
class Made:
    """The one plan of a run, and the fingerprint of its bytes."""

    plan_id: str
    fingerprint: str


def folder(run_id: str) -> LakePath:
    return ("drafts", slug(run_id))


def made(store: Lake, run_id: str, keys: "SigningKeys | None" = None) -> Made | None:
    """None: the run has made no plan yet. Without `keys` it is unchecked: good for a link, not for a decision."""
    from holdfast.rollout.json import strict

    if not store.exists((*folder(run_id), "plan.json")):
        return None
    fields = strict.Fields(_document(store, run_id, "plan.json", keys))
    fields.need("format_version", strict.format_version)
    found = Made(fields.need("plan_id", strict.name), fields.need("fingerprint", strict.name))
    fields.finish()
    return found


def keep_made(store: Lake, run_id: str, plan: "AnyPlan", keys: "SigningKeys") -> None:
    from holdfast.rollout.kinds.approval import fingerprint

    keep(store, run_id, "plan.json", {"plan_id": plan.plan_id, "fingerprint": fingerprint(plan)}, keys)


def plan_of(store: Lake, run_id: str, keys: "SigningKeys") -> "AnyPlan":
    """The plan of the run, byte for byte the one that was made. Raise InvalidInput where there is none, or another one now."""
    from holdfast.rollout.kinds.approval import fingerprint
    from holdfast.workflows import plan as workflow

    found = made(store, run_id, keys)
    if found is None:
        raise InvalidInput("this run has made no plan: clear its airflow task `assemble`, or trigger a new run")
    plan = workflow.load(store, found.plan_id, keys)
    if fingerprint(plan) != found.fingerprint:
        raise InvalidInput(
            f"this run made plan {found.plan_id} as {found.fingerprint}, and it is {fingerprint(plan)} now: it was changed in"
            " the lake. Trigger a new run"
        )
    return plan


def approvers_asked(store: Lake, run_id: str, keys: "SigningKeys") -> tuple[str, ...] | None:
    """The IDs of those who were asked first; none: all who may trigger the DAG. None: not asked yet."""
    from holdfast.rollout.json import strict

    if not store.exists((*folder(run_id), "asked.json")):
        return None
    fields = strict.Fields(_document(store, run_id, "asked.json", keys))
    fields.need("format_version", strict.format_version)
    found = fields.need("approvers", lambda value: strict.each(value, strict.name))
    fields.finish()
    return found


def keep_approvers_asked(store: Lake, run_id: str, approvers: Sequence[str], keys: "SigningKeys") -> None:
    keep(store, run_id, "asked.json", {"approvers": list(approvers)}, keys)


def origin(store: Lake, run_id: str, keys: "SigningKeys") -> dict[str, Any] | None:
    """Where the run's draft comes from; None: there is no whole draft yet."""
    if not store.exists((*folder(run_id), "origin.json")):
        return None
    found = _document(store, run_id, "origin.json", keys)
    return found if isinstance(found, dict) else None


def digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def who_triggered(context: Mapping[str, Any]) -> str | None:
    """The user, by the name that Airflow has for them. None: an asset did, or a schedule."""
    return context["dag_run"].triggering_user_name or None


def refuse_secrets(run_id: str, params: Mapping[str, Any]) -> None:
    """Raise InvalidInput where a run's ID or parameters hold a secret: nothing is kept of them, but Airflow has them."""
    from holdfast.rollout.json import strict

    try:
        strict.refuse_secrets({"run ID": run_id, **params})
    except InvalidInput as found:
        raise InvalidInput(
            f"{found.problem}. Airflow keeps it, with this run and in its audit log: change that secret", found.where
        ) from None


def was_cleared(context: Mapping[str, Any]) -> bool:
    """Whether a user has started the run, or this task of it, again. A task does not learn from Airflow which user."""
    return bool(context["dag_run"].clear_number) or context["ti"].max_tries > context["task"].retries


def own(found: Sequence[str], handed_on: object, index: int, task: str) -> str:
    """What a mapped airflow task is about. `found`: worked out again. What `task` handed on decides nothing, and must say the
    same."""
    if not 0 <= index < len(found) or found[index] != handed_on:
        raise InvalidInput(
            f"what the airflow task `{task}` handed on does not belong to this run: it was edited, or a variable changed"
            " meanwhile. Trigger a new run"
        )
    return found[index]


def _document(store: Lake, run_id: str, name: str, keys: "SigningKeys | None") -> Any:
    """Raise StepRefused for one that these keys did not sign, InvalidInput for one of another run."""
    from holdfast.rollout.journal import seal
    from holdfast.rollout.json.strict import loads
    from holdfast.rollout.text.wording import printable

    place = (*folder(run_id), name)
    found = loads(store.read(place, LARGEST))
    if keys is not None:
        kind = seal.Kind(KINDS[name])
        seal.refuse(seal.seal_of(found, kind, keys), f"The {_HERE[name]}", keys)
    if isinstance(found, dict) and found.get("run", run_id) != run_id:
        raise InvalidInput(f"{'/'.join(place)} is of run '{printable(str(found['run']), 300)}'. Trigger a new run")
    return found


def keep(store: Lake, run_id: str, name: str, content: Mapping[str, object], keys: "SigningKeys") -> None:
    """One of `KINDS`, signed, with the run that it is of."""
    from holdfast.rollout.journal import seal
    from holdfast.rollout.json.strict import FORMAT_VERSION, dumps

    sealed = seal.signed({"format_version": FORMAT_VERSION, "run": run_id, **content}, seal.Kind(KINDS[name]), keys)
    store.write((*folder(run_id), name), dumps(sealed).encode())
