"""The tasks of `plan_rollout`: draft, assemble, ask, record."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from holdfast.airflow_wiring.clusters import collect
from holdfast.airflow_wiring.objects import APPROVE, lake, now, slug
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.rollout.policy import Policy


def draft(run_id: str, params: Mapping[str, object]) -> str:
    """Put what is to be planned into the lake: the group as it is now, or as it was recorded, and the change. Return the folder."""
    from holdfast.rollout import codec
    from holdfast.rollout.codec import plan as codec_plan
    from holdfast.workflows import snapshots

    store = lake()
    change = codec.change_from_json(params["change"])
    policy = _policy(params["policy"])
    recorded = str(params["snapshot"] or "")
    snapshot_id = recorded or collect(str(params["cluster"]), str(params["group"]))
    snapshot = snapshots.load(store, snapshot_id)
    if (snapshot.cluster, snapshot.group_id) != (params["cluster"], params["group"]):
        raise InvalidInput(
            f"{snapshot_id} is a snapshot of group {snapshot.group_id!r} of cluster {snapshot.cluster!r}, and the form asks for "
            f"{params['group']!r} of {params['cluster']!r}: give one of that group, or none to take a fresh one"
        )
    folder = ("drafts", slug(run_id))
    documents = {
        "snapshot.json": codec.snapshot_to_json(snapshot),
        "change.json": codec.change_to_json(change),
        "policy.json": codec_plan.policy_to_json(policy),
        "origin.json": {"snapshot": snapshot_id, "recorded": bool(recorded), "run": run_id, "at": now().isoformat()},
    }
    for name, document in documents.items():
        store.write((*folder, name), codec.dumps(document).encode())
    return "/".join(folder)


def _policy(given: object) -> "Policy":
    """Nothing: Holdfast's own. Text is YAML, or JSON."""
    from holdfast.adapters import yaml_text
    from holdfast.rollout.codec.policy import policy_from_json
    from holdfast.rollout.policy import Policy

    if given is None or given == "":
        return Policy()
    return policy_from_json(yaml_text.loads(given) if isinstance(given, str) else given)


def assemble(draft_id: str) -> str:
    """From the evaluations in the draft to a plan in the lake: `plans/<plan id>/plan.json` and `plan.md`. Return the plan's ID.

    The plan is as old as its draft: made again from the same draft, it is the same plan.
    """
    from holdfast.rollout import codec
    from holdfast.rollout.codec import plan as codec_plan
    from holdfast.workflows import plan as workflow

    store = lake()
    folder = tuple(draft_id.split("/"))

    def drafted(name: str) -> Any:  # JSON
        return codec.loads(store.read((*folder, name), codec.LARGEST_DOCUMENT))

    parts = [name for name in store.names((*folder, "evaluations")) if name.startswith("part-")]
    lines = [line for name in parts for line in store.read((*folder, "evaluations", name), codec.LARGEST_DOCUMENT).splitlines()]
    plan = workflow.assemble(
        codec.snapshot_from_json(drafted("snapshot.json")),
        codec.change_from_json(drafted("change.json")),
        tuple(codec_plan.evaluation_from_json(codec.loads(line)) for line in lines),
        codec_plan.policy_from_json(drafted("policy.json")),
        datetime.fromisoformat(drafted("origin.json")["at"]),
    )
    return workflow.keep(store, plan)


def plan_text(plan_id: str) -> str:
    """The plan as Markdown, for the person who is asked."""
    from holdfast.workflows import plan as workflow

    return workflow.text(lake(), plan_id)


def ask_only_for_a_plan_with_steps(context: Mapping[str, Any]) -> None:
    """Skip the question where there is nothing to decide: nothing to do, or nothing that may be done."""
    from airflow.sdk.exceptions import AirflowSkipException

    from holdfast.workflows import plan as workflow

    plan = workflow.load(lake(), context["ti"].xcom_pull(task_ids="assemble"))
    if not plan.steps:
        raise AirflowSkipException(f"Plan {plan.plan_id} asks for no decision: {plan.verdict}. {plan.headline}")


def record_decision(plan_id: str, answer: Mapping[str, Any]) -> str:
    """Keep who decided what, when and why, beside the plan. Skip what follows unless it was approved. Return the plan's ID."""
    from airflow.sdk.exceptions import AirflowSkipException

    from holdfast.rollout.journal import Approval
    from holdfast.workflows import plan as workflow

    by = answer["responded_by_user"]
    approval = Approval(
        plan_id=plan_id,
        approved=answer["chosen_options"] == [APPROVE],
        by=str(by["name"] or by["id"]),
        reason=str(answer["params_input"].get("reason") or ""),
        at=_instant(answer["responded_at"]),
    )
    workflow.keep_approval(lake(), approval)
    if not approval.approved:
        raise AirflowSkipException(f"Plan {plan_id} was rejected by {approval.by}: {approval.reason or 'no reason given'}")
    return plan_id


def _instant(moment: datetime | str) -> str:
    """ISO 8601, UTC, to the second. XCom gives a datetime or its text."""
    parsed = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return parsed.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
