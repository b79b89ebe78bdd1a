"""The tasks of `plan_rollout` until there is a plan: draft and assemble. `decisions` is what follows.

A run makes one draft and one plan. What is there already stays: a run that is cleared creates the same plan again, byte for byte,
so that the question that Airflow keeps of it stays true. To plan anew, trigger a new run.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from holdfast.airflow_wiring import runs
from holdfast.airflow_wiring.airflow_objects import POLICY_VARIABLE, lake, now
from holdfast.airflow_wiring.clusters import collect
from holdfast.airflow_wiring.signing import signing_keys
from holdfast.airflow_wiring.teams import rights
from holdfast.errors import InvalidInput
from holdfast.ports import Lake

if TYPE_CHECKING:
    from holdfast.rollout.policy.policy import Policy, Review

log = logging.getLogger(__name__)
ON_SPARK, MADE = "search_on_spark", "assemble"
"""Airflow tasks of which one follows `search`."""


def draft(run_id: str, params: Mapping[str, object], requested_by: str | None = None, *, cleared: bool = False) -> str:
    """Put what is to be planned into the lake: the group now, or a recorded one, and the change. Return the folder.

    `requested_by`: the user who triggered the run; None: a schedule did. `cleared`: a user started the run again.
    """
    from holdfast.airflow_wiring.past import score
    from holdfast.rollout.backtest.past import PastScore
    from holdfast.rollout.contract.group_state import refuse_unsettled
    from holdfast.rollout.json.record import codec_of
    from holdfast.rollout.json.strict import dumps
    from holdfast.rollout.kinds import any_document, approval
    from holdfast.rollout.kinds.moving import move
    from holdfast.rollout.kinds.registry import kind_of
    from holdfast.rollout.kinds.requested_change import change_requested
    from holdfast.rollout.policy import floor
    from holdfast.rollout.policy.json import policy_to_json
    from holdfast.workflows import snapshots
    from holdfast.workflows.run_documents import Origin

    store, folder, keys = lake(), runs.folder(run_id), signing_keys()
    if runs.origin(store, run_id, keys) is not None:
        log.info(
            "This run already has a draft, %s: a run plans once. To plan against the group's current state, trigger a new run.",
            folder,
        )
        return "/".join(folder)
    rights.refuse_requester(str(params["cluster"]), str(params["group"]), requested_by)
    requested = change_requested(params)
    runs.refuse_secrets(run_id, params)
    moment = now()
    policy, review, team = policy_requested(params["policy"], moment)
    if rights.needs_four_eyes(str(params["cluster"]), str(params["group"])):
        policy = replace(policy, four_eyes=True)
    recorded = str(params["snapshot"] or "")
    snapshot_id = recorded or collect(str(params["cluster"]), str(params["group"]))
    snapshot = snapshots.load(store, snapshot_id)
    if (snapshot.cluster, snapshot.group_id) != (params["cluster"], params["group"]):
        raise InvalidInput(
            f"{snapshot_id} is a snapshot of group {snapshot.group_id!r} of cluster {snapshot.cluster!r}, and the form asks for "
            f"{params['group']!r} of {params['cluster']!r}: select one of that group, or none to take a new one"
        )
    members = kind_of(snapshot).members(snapshot)
    refuse_unsettled(snapshot.group_id, snapshot.group_state, members=members)
    snapshot, change = move.followed(snapshot, requested(snapshot))
    if team is not None:
        floor.refuse_faster(kind_of(change).records_per_second(change), team)
    if cleared and policy.four_eyes:
        raise InvalidInput(
            "this run was restarted by an unknown user, and the policy requires four eyes, which needs a known requester."
            " Trigger a new run"
        )
    documents = {
        "snapshot.json": any_document.snapshot_to_json(snapshot),
        "change.json": any_document.change_to_json(change),
        "policy.json": policy_to_json(policy),
    }
    past = score.score_of(snapshot)
    if past is not None:
        documents["past.json"] = codec_of(PastScore).write(past)
    contents = {name: dumps(document).encode() for name, document in documents.items()}
    for name, content in contents.items():
        store.write((*folder, name), content)
    digests = tuple((name, runs.digest(content)) for name, content in contents.items())
    origin = Origin(snapshot_id, bool(recorded), now().isoformat(), review, requested_by or approval.NOBODY, digests)
    runs.keep(store, run_id, "origin.json", origin, keys)
    return "/".join(folder)


def search(run_id: str) -> str:
    """Forecast the options of this run's draft, as long as Spark would take to start. Return the airflow task that follows: `MADE`,
    or `ON_SPARK` for what is left."""
    from holdfast.workflows import searching

    store = lake()
    if not _has_no_plan(store, run_id):
        return MADE
    if searching.search_here(store, runs.folder(run_id), time.monotonic):
        log.info("Every option was forecast without Spark, or was forecast before.")
        return MADE
    return ON_SPARK


def search_arguments(context: Mapping[str, Any]) -> list[str] | None:
    """For the Spark job that forecasts what is left of this run's options. None: nothing is left."""
    from holdfast.workflows import searching

    store, run_id = lake(), context["run_id"]
    if not _has_no_plan(store, run_id) or searching.is_done(store, runs.folder(run_id)):
        return None
    return ["--draft", "/".join(runs.folder(run_id))]


def _has_no_plan(store: Lake, run_id: str) -> bool:
    """Whether the run has a draft alone. Raise InvalidInput where it has neither that nor a plan."""
    keys = signing_keys()
    if runs.made(store, run_id, keys) is not None:
        return False
    if runs.origin(store, run_id, keys) is None:
        raise InvalidInput("this run has no draft: clear its airflow task `snapshot`, or trigger a new run")
    return True


def policy_requested(given: object, moment: datetime) -> tuple["Policy", "Review", "Policy | None"]:
    """The limits of a request, when a person must look, and the team's policy, if there is one. Nothing given: the team's own, or
    Holdfast's. Text is YAML, or JSON.

    What is given may only be stricter than the team's, field by field. A person reviews every plan where `review` is not given.
    """
    from airflow.sdk import Variable

    return additional_policy(Variable.get(POLICY_VARIABLE, default=None), given, moment)


def additional_policy(of_the_team: object, given: object, moment: datetime) -> tuple["Policy", "Review", "Policy | None"]:
    """As `policy_meant`, where the variable's value is known."""
    from holdfast.rollout.kinds.approval import strictest
    from holdfast.rollout.policy import floor
    from holdfast.rollout.policy.policy import Policy

    team, requested = limits(of_the_team, POLICY_VARIABLE), limits(given, "policy")
    stated = [one.policy.review for one in (team, requested) if one is not None and "review" in one.stated]
    if team is None:
        return Policy() if requested is None else requested.policy, strictest(*stated), None
    if requested is None:
        return team.policy, strictest(*stated), team.policy
    try:
        policy = floor.tightened(team.policy, requested.policy, requested.stated, moment)
    except InvalidInput as problem:
        raise InvalidInput(str(problem), "policy") from None
    asks = strictest(*stated) if "review" in team.stated else strictest()
    return policy, asks, team.policy


@dataclass(frozen=True, slots=True)
class Limits:
    """A policy, and the fields that its document states."""

    policy: "Policy"
    stated: frozenset[str]


def limits(given: object, where: str) -> Limits | None:
    """None: nothing is given."""
    from holdfast.adapters import yaml_text
    from holdfast.rollout.policy.json import policy_from_json

    if given in (None, "", {}):
        return None
    try:
        document = yaml_text.loads(given) if isinstance(given, str) else given
        policy = policy_from_json(document)
    except InvalidInput as problem:
        raise InvalidInput(str(problem), where) from None
    return Limits(policy, frozenset(document) if isinstance(document, Mapping) else frozenset())


def assemble(run_id: str) -> str:
    """From the evaluations in the draft to a plan in the lake: `plans/<plan id>/plan.json` and `plan.md`. Return the plan's ID.

    The plan is as old as its draft. A run that has its plan keeps it.
    """
    from holdfast.rollout.backtest.past import PastScore
    from holdfast.rollout.json.record import codec_of
    from holdfast.rollout.json.strict import LARGEST_DOCUMENT, loads
    from holdfast.rollout.policy.json import policy_from_json
    from holdfast.workflows import past
    from holdfast.workflows import plan as workflow

    store, folder, keys = lake(), runs.folder(run_id), signing_keys()
    if runs.made(store, run_id, keys) is not None:
        return runs.plan_of(store, run_id, keys).plan_id
    origin = runs.origin(store, run_id, keys)
    if origin is None:
        raise InvalidInput("this run has no draft: clear its airflow task `snapshot`, or trigger a new run")
    digests = dict(origin.documents)

    def drafted(name: str) -> Any:  # JSON
        content = store.read((*folder, name), LARGEST_DOCUMENT)
        if digests.get(name) != runs.digest(content):
            raise InvalidInput(f"{'/'.join(folder)}/{name} is not what this run's draft was made with. Trigger a new run")
        return loads(content)

    parts = [name for name in store.names((*folder, "evaluations")) if name.startswith("part-")]
    lines = [line for name in parts for line in store.read((*folder, "evaluations", name), LARGEST_DOCUMENT).splitlines()]
    policy = policy_from_json(drafted("policy.json"))
    score = codec_of(PastScore).read(drafted("past.json")) if "past.json" in digests else None
    plan = workflow.assemble_drafted(
        drafted("snapshot.json"),
        drafted("change.json"),
        lines,
        past.with_learnt(policy, score),
        datetime.fromisoformat(origin.at),
        origin.requested_by,
    )
    if score is not None:
        plan = past.scored(plan, score, policy)
    workflow.keep_run(store, plan.plan_id, run_id)
    workflow.keep(store, plan, keys)
    runs.keep_made(store, run_id, plan, keys)
    return plan.plan_id
