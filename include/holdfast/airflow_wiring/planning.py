"""The tasks of `plan_rollout` until there is a plan: draft and assemble. `decisions` is what follows."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from holdfast.airflow_wiring.clusters import collect
from holdfast.airflow_wiring.objects import POLICY_VARIABLE, lake, now, slug
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.rollout.policy import Policy, Review


def draft(run_id: str, params: Mapping[str, object]) -> str:
    """Put what is to be planned into the lake: the group as it is now, or as it was recorded, and the change. Return the folder."""
    from holdfast.rollout import codec
    from holdfast.rollout.codec import any_kind
    from holdfast.rollout.codec import plan as codec_plan
    from holdfast.rollout.codec.meant import change_meant
    from holdfast.workflows import snapshots

    store = lake()
    meant = change_meant(params)
    policy, review = _policy(params["policy"])
    recorded = str(params["snapshot"] or "")
    snapshot_id = recorded or collect(str(params["cluster"]), str(params["group"]))
    snapshot = snapshots.load(store, snapshot_id)
    if (snapshot.cluster, snapshot.group_id) != (params["cluster"], params["group"]):
        raise InvalidInput(
            f"{snapshot_id} is a snapshot of group {snapshot.group_id!r} of cluster {snapshot.cluster!r}, and the form asks for "
            f"{params['group']!r} of {params['cluster']!r}: give one of that group, or none to take a fresh one"
        )
    change = meant(snapshot)
    folder = ("drafts", slug(run_id))
    documents = {
        "snapshot.json": any_kind.snapshot_to_json(snapshot),
        "change.json": any_kind.change_to_json(change),
        "policy.json": codec_plan.policy_to_json(policy),
        "origin.json": {
            "snapshot": snapshot_id,
            "recorded": bool(recorded),
            "run": run_id,
            "at": now().isoformat(),
            "review": review,
        },
    }
    for name, document in documents.items():
        store.write((*folder, name), codec.dumps(document).encode())
    return "/".join(folder)


def _policy(given: object) -> tuple["Policy", "Review"]:
    """The limits, and when a person must look. Nothing given: the team's own policy, or Holdfast's. Text is YAML, or JSON.

    The form cannot make `review` and `four_eyes` less strict than the team has them. A person looks at every plan where
    nobody states `review`.
    """
    from airflow.sdk import Variable

    from holdfast.rollout.approval import strictest
    from holdfast.rollout.policy import Policy

    of_the_team = Variable.get(POLICY_VARIABLE, default=None)
    found = [one for one in (limits(given, "policy"), limits(of_the_team, POLICY_VARIABLE)) if one is not None]
    policy = found[0][0] if found else Policy()
    stated = [review for _, review in found if review is not None]
    review = strictest(*stated)
    four_eyes = any(limits.four_eyes for limits, _ in found)
    return replace(policy, review=review if stated else policy.review, four_eyes=four_eyes), review


def limits(given: object, where: str) -> tuple["Policy", "Review | None"] | None:
    """A policy, and its `review` if it states one. None: nothing is given."""
    from holdfast.adapters import yaml_text
    from holdfast.rollout.codec.policy import policy_from_json

    if given in (None, "", {}):
        return None
    try:
        document = yaml_text.loads(given) if isinstance(given, str) else given
        policy = policy_from_json(document)
    except InvalidInput as problem:
        raise InvalidInput(str(problem), where) from None
    return policy, policy.review if isinstance(document, Mapping) and "review" in document else None


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

    origin = drafted("origin.json")
    parts = [name for name in store.names((*folder, "evaluations")) if name.startswith("part-")]
    lines = [line for name in parts for line in store.read((*folder, "evaluations", name), codec.LARGEST_DOCUMENT).splitlines()]
    plan = workflow.assemble_drafted(
        drafted("snapshot.json"),
        drafted("change.json"),
        lines,
        codec_plan.policy_from_json(drafted("policy.json")),
        datetime.fromisoformat(origin["at"]),
    )
    workflow.keep_run(store, plan.plan_id, origin["run"])
    return workflow.keep(store, plan)
