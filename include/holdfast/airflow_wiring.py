"""What the DAGs call: Airflow's variables and connections → adapters → workflows.

Light to import (a DAG file is parsed every half minute): everything heavy is imported inside the functions. What goes through XCom
is an ID or a path, never a document and never a secret.

| Airflow object                        | what for                                                                              |
|---------------------------------------|---------------------------------------------------------------------------------------|
| variable `holdfast_lake`              | the lake: a folder or a URL that fsspec and Spark both reach                          |
| variable `holdfast_clusters`          | JSON list of the clusters that `collect_groups` reads                                 |
| connection `holdfast_kafka_<cluster>` | type generic; extras are Kafka's own property names, and `groups` (see `connections`) |
| connection `spark_default`            | type spark; its host is the master, such as `local[*]`                                |
| pools `holdfast_kafka`, `…_spark`     | made by plugins/holdfast_plugin.py when the scheduler starts                          |
"""

import hashlib
import logging
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset, Param
from airflow.sdk.definitions.retry_policy import ExceptionRetryPolicy, RetryAction, RetryRule

import holdfast
from holdfast.errors import ClusterTrouble, HoldfastError, InvalidInput, StatePathTrouble
from holdfast.ports import Lake

if TYPE_CHECKING:
    from holdfast.rollout.plan_value import Plan
    from holdfast.rollout.snapshot import Snapshot

log = logging.getLogger(__name__)

KAFKA_POOL = "holdfast_kafka"
SPARK_POOL = "holdfast_spark"
LAKE_VARIABLE = "holdfast_lake"
CLUSTERS_VARIABLE = "holdfast_clusters"
SPARK_CONNECTION = "spark_default"
KAFKA_CONNECTION = "holdfast_kafka_"
APPROVE, REJECT = "Approve", "Reject"
ABOUT_A_GROUP: Mapping[str, type] = {"kafka_release": str, "config": dict, "changelogs": list, "state_dirs": list}
"""What a connection may say of a group: release, settings under Kafka's names, `SUBTOPOLOGY=TOPIC`, URLs of state directories."""

SNAPSHOTS = Asset("holdfast_snapshots")
TABLES = Asset("holdfast_tables")
PLANS = Asset("holdfast_approved_plans")
JOURNALS = Asset("holdfast_journals")

WHICH_SNAPSHOT = Param(
    None,
    type=["null", "string"],
    section="Recorded groups",
    title="Snapshot",
    description="The ID of a snapshot in the lake. Empty: take a fresh one.",
)
WHICH_PLAN = Param(
    None,
    type=["null", "string"],
    pattern="^[0-9a-f]{16}$",
    title="Plan",
    description="The ID of an approved plan. Empty: what started this run says which.",
)
"""Fields of several forms."""

EXAMPLE_CHANGE = {
    "format_version": "1.0",
    "events": [
        {
            "replace_client": {
                "process_id": "bbb83e43-b1af-4b2d-a60a-94a7091684d0",
                "by": {"process_id": None, "threads": 2},
                "state": "empty",
            }
        }
    ],
}
"""What the form of plan_rollout shows: the shape of a Change."""

DEFAULTS = {
    "owner": "holdfast",
    "retries": 2,
    "retry_delay": timedelta(seconds=30),
    "retry_policy": ExceptionRetryPolicy(
        rules=[
            RetryRule(exception=[ClusterTrouble, StatePathTrouble], action=RetryAction.RETRY, reason="may pass: asking again"),
            RetryRule(exception=HoldfastError, action=RetryAction.FAIL, reason="would be refused again: see the message"),
        ]
    ),
}
"""Every DAG's default arguments. What may pass (a broker, a host, the lake) is tried again; a refusal is not."""


def lake() -> Lake:
    from airflow.sdk import Variable

    from holdfast.adapters.lake import FsspecLake

    url = Variable.get(LAKE_VARIABLE, default=None)
    if not url:
        raise InvalidInput(
            f"Airflow has no variable {LAKE_VARIABLE}: set it to the folder or URL where snapshots and plans are kept, "
            "for example with `airflow variables set holdfast_lake s3://bucket/holdfast`"
        )
    return FsspecLake(str(url))


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def slug(run_id: str) -> str:
    """A run's ID as a name in the lake: still to be recognised, and no two alike."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", run_id)[:80].strip("-")
    return f"{readable}-{hashlib.sha256(run_id.encode()).hexdigest()[:8]}"


# --- Spark -------------------------------------------------------------------------------------------------------------


def submitted(job: str) -> dict[str, str]:
    """What SparkSubmitOperator needs for a job. `spark_jobs/` stands beside `include/` in the checkout and in the Astro image."""
    application = Path(holdfast.__path__[0]).parents[1] / "spark_jobs" / f"{job}.py"
    return {"application": str(application), "conn_id": SPARK_CONNECTION, "pool": SPARK_POOL, "name": f"holdfast {job}"}


def prepare_spark() -> str:
    """Check that Spark can be reached at all, and put the package's zip into the lake. Return the zip's URL, for `py_files`.

    Without its connection SparkSubmitOperator would quietly submit to YARN.
    """
    from airflow.sdk import BaseHook
    from airflow.sdk.exceptions import AirflowNotFoundException

    from holdfast.adapters.package_zip import package_zip

    try:
        master = BaseHook.get_connection(SPARK_CONNECTION).host
    except AirflowNotFoundException:
        master = None
    if not master:
        raise InvalidInput(
            f"Airflow has no connection {SPARK_CONNECTION} with a host. Set one of type spark whose host is the master, like "
            """AIRFLOW_CONN_SPARK_DEFAULT='{"conn_type": "spark", "host": "local[*]"}'. Without it Spark would submit to YARN"""
        )
    name, content = package_zip()
    store = lake()
    if not store.exists(("packages", name)):
        store.write(("packages", name), content)
    return f"{store.url}/packages/{name}"


# --- plan_rollout ------------------------------------------------------------------------------------------------------


def draft(run_id: str, params: Mapping[str, object]) -> str:
    """Put what is to be planned into the lake: the group as it is now, or as it was recorded, and the change. Return the folder."""
    from holdfast.rollout import codec
    from holdfast.rollout.codec import plan as codec_plan
    from holdfast.rollout.rules import Policy
    from holdfast.workflows import snapshots

    store = lake()
    change = codec.change_from_json(params["change"])
    policy = Policy() if params["policy"] is None else codec_plan.policy_from_json(params["policy"])
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


# --- Clusters ----------------------------------------------------------------------------------------------------------


def collect(cluster: str, group: str, otherwise: Mapping[str, Any] | None = None) -> str:
    """Take a fresh snapshot of the group and put it into the lake. Return its ID.

    `otherwise`: what is known of the group (as in `ABOUT_A_GROUP`) if the connection says nothing of it.
    """
    from holdfast import wiring
    from holdfast.adapters.connection import ClusterConnection
    from holdfast.workflows import settings, snapshots

    properties, groups = _cluster(cluster)
    where = ClusterConnection.of("", properties, cluster)
    about = groups.get(group, otherwise or {})
    given = settings.read(group, about.get("kafka_release"), {}, about.get("config", {}), tuple(about.get("changelogs", ())))
    snapshot = wiring.collect_snapshot(where, group, tuple(about.get("state_dirs", ())), given)
    return snapshots.keep(lake(), snapshot)


def groups_to_collect(cluster: str | None, group: str | None) -> list[dict[str, str]]:
    """Every group that a connection of the clusters in `holdfast_clusters` names; of one cluster or of one name only, if given."""
    from airflow.sdk import Variable

    clusters = Variable.get(CLUSTERS_VARIABLE, default=[], deserialize_json=True) if cluster is None else [cluster]
    if not isinstance(clusters, list) or not all(isinstance(name, str) for name in clusters):
        raise InvalidInput(f"the variable {CLUSTERS_VARIABLE} is not a JSON list of the names of clusters")
    return [
        {"cluster": name, "group": known} for name in clusters for known in _cluster(name)[1] if group is None or known == group
    ]


def _cluster(name: str) -> tuple[Mapping[str, str], Mapping[str, Mapping[str, Any]]]:
    """A cluster's connection properties (secrets among them: for the adapter only), and what is said about each of its groups."""
    from airflow.sdk import BaseHook
    from airflow.sdk.exceptions import AirflowNotFoundException

    conn_id = f"{KAFKA_CONNECTION}{name}"
    try:
        connection = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException:
        raise InvalidInput(
            f"Airflow has no connection {conn_id}: make one of type generic whose extras are Kafka's own property names "
            "(bootstrap.servers, security.protocol, …) and `groups`, an object from group IDs to what is known of them"
        ) from None
    extras = dict(connection.extra_dejson)
    groups = extras.pop("groups", {})
    if not isinstance(groups, dict) or not all(isinstance(about, dict) for about in groups.values()):
        raise InvalidInput(f"`groups` in the extras of {conn_id} is not an object from group IDs to objects")
    for group, about in groups.items():
        for key, value in about.items():
            if not isinstance(value, ABOUT_A_GROUP.get(key, ())):
                raise InvalidInput(
                    f"{conn_id}: {key!r} of group {group!r} is not known, or of another type. There are kafka_release (a string), "
                    "config (an object), changelogs and state_dirs (lists of strings)"
                )
    return {key: str(value) for key, value in extras.items()}, groups


def days_to_read(count: int) -> str:
    """The latest days of which there are snapshots, separated by commas."""
    from holdfast.workflows import snapshots

    found = snapshots.days(lake())
    if not found:
        raise InvalidInput("there is no snapshot in the lake yet; collect_groups puts them there")
    return ",".join(found[-count:])


# --- apply_rollout and verify_rollout ----------------------------------------------------------------------------------


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


def _fresh(store: Lake, plan: "Plan", recorded: str | None) -> "Snapshot":
    """The plan's group as it is now, or as in a snapshot of the lake."""
    from holdfast.workflows import snapshots

    basis = plan.basis
    known = {"kafka_release": basis.kafka_release, "config": dict(basis.config)}
    return snapshots.load(store, recorded or collect(basis.cluster, basis.group_id, known))
