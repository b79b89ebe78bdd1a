"""The tasks of `apply_rollout` and `verify_rollout`."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset

from holdfast.airflow_wiring import clusters, decisions, runs
from holdfast.airflow_wiring.airflow_objects import APPROVERS_VARIABLE, TEAMS_VARIABLE, lake, now
from holdfast.airflow_wiring.clusters import collect, known_cluster
from holdfast.airflow_wiring.signing import signing_keys
from holdfast.airflow_wiring.teams import rights
from holdfast.errors import InvalidInput
from holdfast.ports import Lake

if TYPE_CHECKING:
    from holdfast.airflow_wiring.clusters import KnownCluster
    from holdfast.kafka.vocabulary import ProcessId
    from holdfast.rollout.group.values import AnyPlan, AnySnapshot
    from holdfast.rollout.journal.journal import Approval
    from holdfast.rollout.journal.seal import SigningKeys
    from holdfast.workflows.apply import Confirmation, Hands

log = logging.getLogger(__name__)


def plans_requested(params: Mapping[str, Any], events: Mapping[Asset, Sequence[Any]], asset: Asset) -> list[str]:
    """The plan that the form names, or else those that the events which started this run are about."""
    started_by = (str(event.extra.get("plan_id", "")) for event in (events or {}).get(asset, ()))
    found = [str(params["plan_id"])] if params["plan_id"] else [plan_id for plan_id in started_by if plan_id]
    if not found:
        raise InvalidInput("no plan: give the ID of an approved one in the form")
    return list(dict.fromkeys(found))


def plan_requested(handed_on: str, context: Mapping[str, Any], asset: Asset) -> str:
    """The plan that a mapped airflow task is about, by the run's own parameters and events."""
    found = plans_requested(context["params"], context.get("triggering_asset_events") or {}, asset)
    return runs.own(found, handed_on, context["ti"].map_index, "plans")


def _refuse_requester(plan: "AnyPlan", params: Mapping[str, Any], user: str | None) -> None:
    """The form has only the plan's ID: what refuses a user of another team does not name the group."""
    if params["plan_id"]:
        rights.refuse_requester(plan.basis.cluster, plan.basis.group_id, user, called=f"the group of plan {plan.plan_id}")


def apply(plan_id: str, params: Mapping[str, Any], actor: str | None, run_id: str | None = None) -> str:
    """Carry out the steps that are possible now. Return the checklist's path.

    `actor`: the user who triggered the run, whose word a confirmation is. None: a schedule did, so nothing is confirmed.
    """
    from holdfast.rollout.json.strict import dumps
    from holdfast.workflows import apply as workflow

    plan, approval, words, hands = _begun(plan_id, params, actor, run_id)
    applied = workflow.apply(plan, _fresh(hands.lake, plan, params["snapshot"]), approval, words, hands)
    workflow.refuse_if_requested_too_early(applied, hands)
    document = dumps(workflow.applied_to_json(applied), indent=2)
    log.info("Plan %s: %s\n%s", plan_id, applied.waiting_for.needed if applied.waiting_for else "every step is done", document)
    log.info("The journal is %s.", applied.signed)
    return f"plans/{plan_id}/checklist.json"


def roll_back(plan_id: str, params: Mapping[str, Any], actor: str | None, run_id: str | None = None) -> str:
    """Confirm the rollbacks that people have done, and list them all in the log. Nothing else is done, and without a confirmation
    nothing is written. Return the checklist's path. `actor`: as `apply`."""
    from holdfast.rollout.execution import undo_words
    from holdfast.rollout.text.format import printable
    from holdfast.workflows import rollbacks
    from holdfast.workflows.running import going_back

    if params["snapshot"]:
        raise InvalidInput("rollbacks are listed and confirmed without a snapshot: leave `snapshot` empty")
    plan, approval, words, hands = _begun(plan_id, params, actor, run_id)
    journal, left = going_back.confirm(plan, approval, words, hands)
    for one in rollbacks.steps_of(plan, journal):
        state = "open" if one in left else "rolled back"
        log.info("Step %s: %s. %s", one.step.id, state, printable(undo_words.describe(one), 2_000))
    log.info("Plan %s: %d of its steps are not rolled back.", plan_id, len(left))
    return f"plans/{plan_id}/checklist.json"


def _begun(
    plan_id: str, params: Mapping[str, Any], actor: str | None, run_id: str | None
) -> tuple["AnyPlan", "Approval", tuple["Confirmation", ...], "Hands"]:
    from holdfast import wiring
    from holdfast.adapters import this_process
    from holdfast.workflows import apply as workflow

    runs.refuse_secrets(run_id or "", params)
    store, keys = lake(), signing_keys()
    plan, approval = approved(store, plan_id, keys)
    known = known_cluster(plan.basis.cluster) if params["state_dirs"] else None
    if params["confirmed"] and actor is None:
        raise InvalidInput("no user triggered this run, so `confirmed` has no name to be recorded with: trigger a run as yourself")
    words = tuple(workflow.Confirmation(step, str(actor), "confirmed in the form of apply_rollout") for step in params["confirmed"])
    hands = workflow.Hands(
        store,
        wiring.process_metadata_files(hosts=clusters.hosts(known)),
        directories(plan, known, params["state_dirs"]),
        now,
        keys,
        this_process.owner(actor or "apply_rollout", run_id),
        this_process.has_ended,
        bool(params.get("force_lease")),
    )
    return plan, approval, words, hands


def approved(store: Lake, plan_id: str, keys: "SigningKeys") -> tuple["AnyPlan", "Approval"]:
    """Raise InvalidInput for a plan that was not approved, or not by a person where there are approvers."""
    from holdfast.rollout.journal.journal import DecidedBy
    from holdfast.workflows import plan as plans

    plan = plans.load(store, plan_id, keys)
    approval = plans.approval_of(store, plan_id, keys)
    if approval is None:
        raise InvalidInput(f"plan {plan_id} was not approved: approve it in its run of plan_rollout")
    if approval.decided_by is DecidedBy.POLICY and decisions.approvers_of(plan):
        raise InvalidInput(
            f"plan {plan_id} was approved by its policy, and there are approvers now (variable {APPROVERS_VARIABLE} or"
            f" {TEAMS_VARIABLE}): a person must decide. Create a new plan"
        )
    return plan, approval


def refuse_by_team(plan_id: str, params: Mapping[str, Any], user: str | None) -> None:
    """Whenever a run begins, or begins again: raise NotTheirs where a user triggered it for a group that is not of their teams,
    OfAnotherTeam for a plan that was approved for another team than has the group now. A run that an asset event triggered names
    no plan and has no user: the approval of its plan has triggered it."""
    from holdfast.workflows import plan as plans

    store, keys = lake(), signing_keys()
    plan = plans.load(store, plan_id, keys)
    _refuse_requester(plan, params, user)
    approval = plans.approval_of(store, plan_id, keys)
    if approval is not None:
        rights.refuse_decision(plan, approval)


def directories(plan: "AnyPlan", known: "KnownCluster | None", chosen: Mapping[str, str]) -> Mapping["ProcessId", str]:
    """Where clients keep their state, by the process ID that each is to start with. The form chooses among the directories that the
    cluster's connection names for the group, and no others are ever written to: a template stands for the hosts of the plan's own
    group and steps, and for the pods of its workload. Which pod is meant is found out when a step is due."""
    from holdfast import wiring
    from holdfast.kafka.vocabulary import ProcessId
    from holdfast.workflows import seed_places

    if known is None or not chosen:
        return {}
    about = known.wanted.of(plan.basis.group_id)
    allowed = () if about is None else about.state_dirs
    found = {ProcessId.parse(process_id): directory for process_id, directory in chosen.items()}
    found = seed_places.placed(plan, found)
    hosts = clusters.hosts(known)
    pods = wiring.pods_of_templates(hosts)
    for directory in found.values():
        seed_places.refuse_foreign(plan, directory, allowed, pods)

    def resolved(template: str) -> dict[ProcessId, str]:
        by_id = wiring.directories_in_pods(plan, template, hosts)
        for directory in by_id.values():
            seed_places.refuse_foreign(plan, directory, allowed, pods)
        return by_id

    return seed_places.Directories(found, resolved)


def verify(plan_id: str, params: Mapping[str, Any], user: str | None) -> str:
    """Compare the group with the plan's forecast and keep the verdict. Return its path. Fail if the group diverged from the
    forecast. `user`: who triggered the run; None: an asset did."""
    from airflow.sdk.exceptions import AirflowFailException

    from holdfast.rollout.execution.verdict import Result
    from holdfast.rollout.kinds.verdict_words import RESULTS
    from holdfast.workflows import plan as plans
    from holdfast.workflows import verify as workflow

    store, keys = lake(), signing_keys()
    plan = plans.load(store, plan_id, keys)
    _refuse_requester(plan, params, user)
    verdict = workflow.compare(store, plan, _fresh(store, plan, params["snapshot"]), keys)
    differences = "\n".join(verdict.differences)
    log.info("Plan %s: %s. %s", plan_id, RESULTS[verdict.result], differences)
    if verdict.result is Result.DIFFERENT:
        raise AirflowFailException(
            f"The group diverged from the forecast of plan {plan_id}. Stop the rollout and check:\n{differences}"
        )
    return f"plans/{plan_id}/verdict.json"


def _fresh(store: Lake, plan: "AnyPlan", recorded: str | None) -> "AnySnapshot":
    """The plan's group now, or a snapshot of it in the lake."""
    from holdfast.workflows import snapshots

    basis = plan.basis
    known = {"kafka_release": basis.kafka_release, "config": dict(basis.config)}
    return snapshots.load(store, recorded or collect(basis.cluster, basis.group_id, known))
