"""A lake as this version writes it, for the versions after it to read: `python -m tests.recorded.lake` makes
`tests/recorded/holdfast-<version>.zip`, at each release, once; what is there is never made anew.

In it: a lake with groups of every kind, plans that wait, that were decided and that were carried out, all signed, a draft, a lease,
and every table, written by the jobs on Spark; a team's policy, a connection; and `said.json`, what this version reads of them.
"""

import json
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.harness.article import AFTER, C, altered, group
from tests.harness.article import change as of_streams
from tests.harness.plain_groups import change, member
from tests.harness.plain_groups import group as consumer_group
from tests.harness.plans import NOON, REPLACE_FIRST, measured, planned, read, without_client
from tests.spark import kinds_of_group
from tests.unit.rollout.broker_streams import plans as broker_plans
from tests.unit.rollout.broker_streams.plans import ROLL

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.parquet_tables import ParquetTables
from holdfast.adapters.lake.table_schemas import TABLES
from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal import seal
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.journal.seal import Sealed, SigningKeys
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import any_document, approval
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.rollout.policy.policy import Policy, Review
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.workflows import apply, journals, snapshots
from holdfast.workflows import plan as plans
from holdfast.workflows.run_documents import Origin, PlanMade
from holdfast.workflows.writers import versions

RECORDED = Path(__file__).parent
KEY = "the key of every recorded lake: known to all"
KEYS = SigningKeys.read(KEY, "a test")
POLICY = {
    "format_version": "1.0",
    "moved_percent_most": 40,
    "time_to_stable_s_most": 900,
    "windows": [{"from": "22:00Z", "to": "06:00Z", "days": ["mon", "sat"]}],
    "blocking": ["collateral-migration"],
    "exclude": ["relabel"],
    "untouchable_hosts": ["app-9"],
    "review": "always",
    "four_eyes": True,
    "acts": ["stop_client", "start_client"],
    "silenced": [{"rule": "rack-strategy-in-one-rack", "reason": "one rack on purpose"}],
}
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
CONNECTION = {
    "bootstrap.servers": "broker-1:9093,broker-2:9093",
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.jaas.config": f'{SCRAM} required username="holdfast" password="of a recorded connection";',
    "ssl.endpoint.identification.algorithm": "https",
    "client.id": "holdfast",
}
SOON = NOON + timedelta(minutes=1)


def made_plans() -> Iterator[tuple[str, AnyPlan]]:
    """By what becomes of them. Of each kind of group that is planned, and of each verdict."""
    yield "applied", planned(group(AFTER), REPLACE_FIRST)
    requested = change_from_json(of_streams(REPLACE_FIRST))
    yield "waits", plans.make(read(measured(group(AFTER))), requested, policy_from_json(POLICY), NOON, requested_by="ann")
    yield "rejected", planned(altered(group(AFTER), ["tasks", "1_0", "changelogs"], None), REPLACE_FIRST)
    consumers = {name: member(*owned, host=f"app-{name}") for name, owned in {"a": (0, 1, 2), "b": (3, 4, 5)}.items()}
    for state, event in (("waits", "a"), ("approved", "b")):
        found = consumer_group(consumers, captured_at="2026-11-20T11:59:00Z")
        asked = change({"restart_consumer": {"member_id": event, "new_member_id": f"{event}2"}})
        yield state, plans.make_from(("s", found), ("c", asked), Policy(), NOON)
    yield "waits", broker_plans.planned(*ROLL)
    yield "approved", broker_plans.planned({"replace_client": {"process_id": "a", "by": {"host": "host-n"}}}, policy=Policy())


def record(folder: Path) -> dict[str, Any]:
    """Write the lake into the folder; return what is to be read of it."""
    lake = FsspecLake(str(folder / "lake"))
    kinds_of_group.keep(lake)
    states = {}
    for state, plan in made_plans():
        plans.keep(lake, plan, KEYS)
        states[plan.plan_id] = {"state": state, "fingerprint": approval.fingerprint(plan), "steps": [one.id for one in plan.steps]}
        if state != "waits":
            plans.keep_approval(lake, decision(plan, approved=state != "rejected"), KEYS)
        if state == "applied":
            carry_out(lake, plan, folder)
    assert len(states) == len(list(made_plans())), "two of them have the same ID"
    draft(lake, next(iter(states)))
    run_jobs(lake)
    (folder / "policy.json").write_text(json.dumps(POLICY, indent=2))
    (folder / "connection.json").write_text(json.dumps(CONNECTION, indent=2))
    return {
        "version": versions.own(),
        "key": KEY,
        "plans": states,
        "policy": policy_to_json(policy_from_json(POLICY)),
        "snapshots": {
            "/".join(path): fingerprint(any_document.snapshot_to_json(snapshots.load(lake, "/".join(path)))) for path in kept(lake)
        },
        "tables": {name: rows for name in TABLES if (rows := rows_of(lake, name))},
    }


def kept(lake: FsspecLake) -> Iterator[tuple[str, ...]]:
    root = Path(lake.url)
    for path in sorted(root.glob("snapshots/*/*/*/*.json")):
        yield path.relative_to(root).parts


def decision(plan: AnyPlan, *, approved: bool) -> Approval:
    return Approval(plan.plan_id, approved, "ann", "seen", "2026-11-20T12:00:30Z", plan_fingerprint=approval.fingerprint(plan))


def carry_out(lake: FsspecLake, plan: AnyPlan, folder: Path) -> None:
    """What Holdfast does of it, and a verdict."""
    gone = read(without_client(group(AFTER), C) | {"captured_at": "2026-11-20T12:01:00Z"})
    (folder / "disk").mkdir()
    directories = {ProcessId.parse(C): str(folder / "disk")}
    hands = apply.Hands(lake, LocalProcessMetadataFiles(), directories, lambda: SOON, KEYS)
    apply.apply(plan, gone, plans.approval_of(lake, plan.plan_id, KEYS), (), hands)
    assert journals.read(lake, plan.plan_id, KEYS).journal.entries
    plans.keep_verdict(lake, kind_of(plan).verify(plan, read(group(AFTER))))


def draft(lake: FsspecLake, plan_id: str) -> None:
    """Of the run that made the first plan."""
    folder = ("drafts", "manual__2026-11-20T12-00-00")
    origin = Origin("snapshots/x", False, "2026-11-20T12:00:00Z", Review.ALWAYS, "ann", (("change.json", "sha256:0"),))
    for name, document, kind in (
        ("origin.json", origin, Sealed.DRAFT),
        ("plan.json", PlanMade(plan_id, "sha256:0"), Sealed.MADE),
    ):
        written = codec_of(type(document)).write(document)
        lake.write((*folder, name), dumps(seal.signed(written, kind, KEYS)).encode())


def run_jobs(lake: FsspecLake) -> None:
    """All of them, on a Spark of this process."""
    from pyspark.sql import SparkSession
    from tests.spark.conftest import JOBS, loaded

    from holdfast.adapters.spark import spark as lake_tables

    local = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    spark = SparkSession.builder.master("local[2]").config(map=local | {"spark.pyspark.python": sys.executable}).getOrCreate()
    lake_tables.settle(spark)
    for name in JOBS:
        loaded(name).work(spark, lake.url, [kinds_of_group.DAY])
    loaded("score_forecasts").work(spark, lake.url, ["2026-11-20", "2026-11-23"])
    spark.stop()


def rows_of(lake: FsspecLake, name: str, columns: list[str] | None = None) -> dict[str, Any]:
    """How many rows, the digest of what is in the columns, and their names; nothing where there are no rows."""
    tables = ParquetTables(lake.url)
    names = columns or [one for one in TABLES[name].names if one not in ("cluster", "day")]
    rows = sorted(json.dumps(row, sort_keys=True, default=str) for row in tables.rows(name, tables.days(name), names))
    return {"rows": len(rows), "columns": names, "digest": fingerprint(rows)} if rows else {}


def main() -> None:
    place = RECORDED / f"holdfast-{versions.own()}.zip"
    if place.exists():
        sys.exit(f"{place} is there: what a released version wrote is not made anew. Remove it if the version is not released yet")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "said.json").write_text(json.dumps(record(folder), indent=1, sort_keys=True))
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.name.startswith(".") and "disk" not in path.relative_to(folder).parts[:1]:
                    packed.write(path, path.relative_to(folder))
    print(f"{place}: {place.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
