"""The tasks of `apply_rollout` and `verify_rollout`."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset

from holdfast.airflow_wiring.clusters import collect
from holdfast.airflow_wiring.objects import lake, now
from holdfast.errors import InvalidInput
from holdfast.ports import Lake

if TYPE_CHECKING:
    from holdfast.rollout.codec.any_kind import AnyPlan, AnySnapshot

log = logging.getLogger(__name__)


def plans_meant(params: Mapping[str, Any], events: Mapping[Asset, Sequence[Any]], asset: Asset) -> list[str]:
    """The plan that the form names, or else those that the events which started this run are about."""
    found = [params["plan_id"]] if params["plan_id"] else [event.extra["plan_id"] for event in events.get(asset, ())]
    if not found:
        raise InvalidInput("no plan: give the ID of an approved one in the form")
    return list(dict.fromkeys(found))


def apply(plan_id: str, params: Mapping[str, Any]) -> str:
    """Carry the plan out as far as it goes now, on the state directories that the form names. Return the checklist's path."""
    from holdfast.adapters.process_metadata import LocalProcessMetadataFiles
    from holdfast.kafka.vocabulary import ProcessId
    from holdfast.rollout import codec
    from holdfast.workflows import apply as workflow
    from holdfast.workflows import plan as plans

    store = lake()
    plan = plans.load(store, plan_id)
    approval = plans.approval_of(store, plan_id)
    if approval is None:
        raise InvalidInput(f"plan {plan_id} was not approved: approve it in its run of plan_rollout")
    directories = {ProcessId.parse(process_id): directory for process_id, directory in params["state_dirs"].items()}
    words = tuple(
        workflow.Confirmation(step, approval.by, "confirmed in the form of apply_rollout") for step in params["confirmed"]
    )
    hands = workflow.Hands(store, LocalProcessMetadataFiles(), directories, now)
    applied = workflow.apply(plan, _fresh(store, plan, params["snapshot"]), approval, words, hands)
    workflow.refuse_if_asked_too_early(applied, hands)
    place = ("plans", plan_id, "checklist.json")
    document = codec.dumps(workflow.applied_to_json(applied), indent=2)
    store.write(place, document.encode())
    log.info("Plan %s: %s\n%s", plan_id, applied.waiting_for.needed if applied.waiting_for else "every step is done", document)
    return "/".join(place)


def verify(plan_id: str, params: Mapping[str, Any]) -> str:
    """Compare the group with the plan's forecast and keep the verdict. Return its path. Fail if the group went another way."""
    from airflow.sdk.exceptions import AirflowFailException

    from holdfast.rollout.verify import Result
    from holdfast.workflows import plan as plans
    from holdfast.workflows import verify as workflow

    store = lake()
    plan = plans.load(store, plan_id)
    verdict = workflow.compare(store, plan, _fresh(store, plan, params["snapshot"]))
    said = "\n".join(verdict.differences)
    log.info("Plan %s: %s. %s", plan_id, verdict.result, said)
    if verdict.result is Result.DIFFERENT:
        raise AirflowFailException(f"The group did not go where plan {plan_id} has it. Stop rolling, and look:\n{said}")
    return f"plans/{plan_id}/verdict.json"


def _fresh(store: Lake, plan: "AnyPlan", recorded: str | None) -> "AnySnapshot":
    """The plan's group as it is now, or as in a snapshot of the lake."""
    from holdfast.workflows import snapshots

    basis = plan.basis
    known = {"kafka_release": basis.kafka_release, "config": dict(basis.config)}
    return snapshots.load(store, recorded or collect(basis.cluster, basis.group_id, known))
