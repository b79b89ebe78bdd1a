"""The Airflow objects that the DAGs share: names, assets, fields of forms, default arguments; and the lake."""

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset, Param
from airflow.sdk.definitions.context import Context
from airflow.sdk.definitions.retry_policy import ExceptionRetryPolicy, RetryAction, RetryDecision, RetryRule

from holdfast import secrecy
from holdfast.errors import ClusterTrouble, HoldfastError, InvalidInput, NotAllowed, StatePathTrouble
from holdfast.ports import Lake

if TYPE_CHECKING:
    from holdfast.adapters.lake.address import LakeAddress

KAFKA_POOL = "holdfast_kafka"
SPARK_POOL = "holdfast_spark"
LAKE_VARIABLE = "holdfast_lake"
CLUSTERS_VARIABLE = "holdfast_clusters"
FLEET_POLICY_VARIABLE = "holdfast_fleet_policy"
NOTIFIERS_VARIABLE = "holdfast_notifiers"
REVIEW_NOTIFIERS_VARIABLE = "holdfast_review_notifiers"
POLICY_VARIABLE = "holdfast_policy"
APPROVERS_VARIABLE = "holdfast_approvers"
TEAMS_VARIABLE = "holdfast_teams"
SPARK_CONNECTION = "spark_default"
SIGNING_CONNECTION = "holdfast_signing_key"
KAFKA_CONNECTION = "holdfast_kafka_"
KEEP_SNAPSHOT_DAYS_VARIABLE = "holdfast_keep_snapshot_days"
COLLECT_SECONDS = 1_800
"""For all groups of a cluster, unless its connection says otherwise."""
APPROVE, REJECT, CHANGES = "Approve", "Reject", "Request changes"
GO_ON, GO_BACK, LEAVE = "Go on", "Go back", "Leave it"
ABOUT_A_GROUP: Mapping[str, type] = {
    "kafka_release": str,
    "config": dict,
    "stores": str,
    "changelogs": list,
    "topology": str,
    "state_dirs": list,
    "actors": dict,
}
"""What a connection may say of a group: release, settings under Kafka's names, `SUBTOPOLOGY=TOPIC`, what `Topology.describe()`
prints, URLs of state directories, and what stops and starts its clients (the fields of `adapters.hosts.actors_file`)."""

SNAPSHOTS = Asset("holdfast_snapshots")
TABLES = Asset("holdfast_tables")
PLANS = Asset("holdfast_approved_plans")
JOURNALS = Asset("holdfast_journals")

ROLL_BACK = Param(
    False,
    type="boolean",
    title="Roll back",
    description="With *Carry out the whole plan*: roll back what was done, the last step first; the plan cannot be"
    " continued then. Without it: list the rollbacks in the log, and confirm those in *Done*, which you have done by hand."
    " Refused where another plan for the group was begun since.",
)
WHICH_SNAPSHOT = Param(
    None,
    type=["null", "string"],
    section="Recorded groups",
    title="Snapshot",
    description="The ID of a snapshot in the lake. Empty: take a new one.",
)
WHICH_PLAN = Param(
    None,
    type=["null", "string"],
    pattern="^[0-9a-f]{16}$",
    title="Plan",
    description="The ID of an approved plan. Empty: the plan that triggered this run.",
)
"""Fields of several forms."""

_TOLD = re.compile(r"^(.*\W)?holdfast [a-z_]+: ", re.MULTILINE)
"""How a Spark job begins the line that says why it ended (`adapters.spark.run`)."""


def told(text: str) -> str | None:
    """What a Spark job wrote before it ended; None: nothing of the kind."""
    found = _TOLD.search(text)
    return None if found is None else text[found.end() :].partition("\n")[0][:LONGEST_TOLD]


LONGEST_TOLD = 2_000


class Retries(ExceptionRetryPolicy):  # type: ignore[misc]  # Airflow is not typed for us
    """What may pass (a broker, a host, the lake) is tried again; a refusal is not, nor what a Spark job wrote before it ended."""

    def evaluate(self, exception: BaseException, try_number: int, max_tries: int, context: Context | None = None) -> RetryDecision:
        if told(str(exception)) is not None:
            return RetryDecision.fail("would be refused again: see the message")
        if isinstance(exception, ClusterTrouble) and exception.lasting:
            return RetryDecision.fail("the cluster would refuse it again: see the message")
        return super().evaluate(exception, try_number, max_tries, context)


LONGEST_TASK = timedelta(hours=4)
"""What runs longer is stuck: Airflow ends it. A question waits as long as its plan is valid instead."""

DEFAULTS = {
    "owner": "holdfast",
    "execution_timeout": LONGEST_TASK,
    "retries": 2,
    "retry_delay": timedelta(seconds=30),
    "retry_policy": Retries(
        rules=[
            RetryRule(exception=NotAllowed, action=RetryAction.FAIL, reason="permission missing: see the message"),
            RetryRule(exception=[ClusterTrouble, StatePathTrouble], action=RetryAction.RETRY, reason="may be temporary: retrying"),
            RetryRule(exception=HoldfastError, action=RetryAction.FAIL, reason="would be refused again: see the message"),
        ]
    ),
}
"""Every DAG's default arguments."""


def lake() -> Lake:
    from holdfast.adapters.lake.lake import FsspecLake

    return FsspecLake(lake_address())


def lake_address() -> "LakeAddress":
    """The URL of the variable, with the settings of the connection. Secrets are among them: for adapters only."""
    from airflow.sdk import BaseHook, Variable
    from airflow.sdk.exceptions import AirflowNotFoundException

    url = Variable.get(LAKE_VARIABLE, default=None)
    if not url:
        raise InvalidInput(
            f"Airflow has no variable {LAKE_VARIABLE}: set it to the folder or URL where snapshots and plans are kept, "
            "for example with `airflow variables set holdfast_lake s3://bucket/holdfast`"
        )
    return lake_with_connection(str(url), BaseHook.get_connection, AirflowNotFoundException)


def lake_with_connection(url: str, get: Callable[[str], Any], none: type[Exception]) -> "LakeAddress":
    """`get`: a connection by its ID; it raises `none` where there is none: then credentials are what the environment has."""
    from airflow.sdk.log import mask_secret

    from holdfast.adapters.lake import lake_connection
    from holdfast.adapters.lake.address import LakeAddress

    if not lake_connection.takes(url):
        return LakeAddress(url)
    try:
        found = get(lake_connection.CONN_ID)
    except none:
        return lake_connection.address(url)
    if found.conn_type != lake_connection.TYPE:
        raise InvalidInput(
            f"the connection {lake_connection.CONN_ID} is of type {found.conn_type}; for a lake on S3 one of type"
            f" {lake_connection.TYPE} is needed"
        )
    made = lake_connection.address(url, found.login, found.password, found.extra_dejson)
    for secret in (made.settings.get("secret"), made.settings.get("token")):
        if secret:
            mask_secret(secret)
    return made


def address(path: str) -> str:
    """Of a page below Airflow's own address; only the path where Airflow does not know its address."""
    from airflow.sdk import conf

    return str(conf.get("api", "base_url", fallback="") or "").rstrip("/") + path


def page_of(plan_id: str) -> str:
    """The address of a plan's page (`airflow_provider/plugin.py`)."""
    return address(f"/holdfast/plans/{plan_id}")


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def slug(run_id: str) -> str:
    """A run's ID as a name in the lake: still to be recognised (but where it holds a secret), and no two alike, even where a user
    looks for such two."""
    readable = "" if secrecy.holds_secret(run_id) else re.sub(r"[^A-Za-z0-9]+", "-", run_id)[:80].strip("-")
    return f"{readable}-{hashlib.sha256(run_id.encode()).hexdigest()[:32]}".removeprefix("-")
