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
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.airflow_wiring.airflow_objects import slug
from holdfast.errors import InvalidInput
from holdfast.ports import Lake, LakePath

if TYPE_CHECKING:
    from holdfast.rollout.group.values import AnyPlan
    from holdfast.rollout.journal.seal import SigningKeys
    from holdfast.workflows.run_documents import Origin, PlanMade

D = TypeVar("D")
LARGEST = 1024 * 1024
KINDS = {"origin.json": "draft of a run", "plan.json": "plan of a run", "asked.json": "who was asked in a run"}
"""What each is signed as (`rollout.seal.Kind`)."""
_HERE = {"origin.json": "draft of this run", "plan.json": "plan of this run", "asked.json": "list of approvers of this run"}


def folder(run_id: str) -> LakePath:
    return ("drafts", slug(run_id))


def made(store: Lake, run_id: str, keys: "SigningKeys | None" = None) -> "PlanMade | None":
    """None: the run has made no plan yet. Without `keys` it is unchecked: good for a link, not for a decision."""
    from holdfast.workflows.run_documents import PlanMade

    return _document(store, run_id, "plan.json", PlanMade, keys)


def keep_made(store: Lake, run_id: str, plan: "AnyPlan", keys: "SigningKeys") -> None:
    from holdfast.rollout.kinds.approval import fingerprint
    from holdfast.workflows.run_documents import PlanMade

    keep(store, run_id, "plan.json", PlanMade(plan.plan_id, fingerprint(plan)), keys)


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
    from holdfast.workflows.run_documents import Asked

    found = _document(store, run_id, "asked.json", Asked, keys)
    return None if found is None else found.approvers


def keep_approvers_asked(store: Lake, run_id: str, approvers: Sequence[str], keys: "SigningKeys") -> None:
    from holdfast.workflows.run_documents import Asked

    keep(store, run_id, "asked.json", Asked(tuple(approvers)), keys)


def origin(store: Lake, run_id: str, keys: "SigningKeys") -> "Origin | None":
    """Where the run's draft comes from; None: there is no whole draft yet."""
    from holdfast.workflows.run_documents import Origin

    return _document(store, run_id, "origin.json", Origin, keys)


def digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def who_triggered(context: Mapping[str, Any]) -> str | None:
    """The user, by the name that Airflow has for them. None: an asset did, or a schedule."""
    return context["dag_run"].triggering_user_name or None


def refuse_secrets(run_id: str, params: Mapping[str, Any]) -> None:
    """Raise InvalidInput where a run's ID or parameters hold a secret: nothing is kept of them, but Airflow has them."""
    from holdfast import secrecy
    from holdfast.rollout.json import strict

    typed, directories = {"run ID": run_id, **params}, params.get("state_dirs")
    if isinstance(directories, Mapping):
        typed["state_dirs"] = {
            process_id: secrecy.without_user(url) if isinstance(url, str) else url for process_id, url in directories.items()
        }
    try:
        strict.refuse_secrets(typed)
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


def _document(store: Lake, run_id: str, name: str, kind: type[D], keys: "SigningKeys | None") -> D | None:
    """None: there is none yet. Raise StepRefused for one that these keys did not sign, InvalidInput for one of another run."""
    from holdfast.rollout.journal import seal
    from holdfast.rollout.json.record import codec_of
    from holdfast.rollout.json.strict import loads
    from holdfast.rollout.text.format import printable

    place = (*folder(run_id), name)
    if not store.exists(place):
        return None
    found = loads(store.read(place, LARGEST))
    if keys is not None:
        signed_as = seal.Sealed(KINDS[name])
        seal.refuse(seal.seal_of(found, signed_as, keys), f"The {_HERE[name]}", keys)
    if isinstance(found, dict) and found.get("run", run_id) != run_id:
        raise InvalidInput(f"{'/'.join(place)} is of run '{printable(str(found['run']), 300)}'. Trigger a new run")
    try:
        return codec_of(kind).read(found)
    except InvalidInput as problem:
        raise InvalidInput(str(problem), "/".join(place)) from None


def keep(store: Lake, run_id: str, name: str, content: object, keys: "SigningKeys") -> None:
    """A record of `run_documents` as one of `KINDS`, signed, with the run that it is of."""
    from holdfast.rollout.journal import seal
    from holdfast.rollout.json.record import codec_of
    from holdfast.rollout.json.strict import dumps

    written = {"run": run_id} | codec_of(type(content)).write(content)
    store.write((*folder(run_id), name), dumps(seal.signed(written, seal.Sealed(KINDS[name]), keys)).encode())
