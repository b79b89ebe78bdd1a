"""What must be true of Airflow and of the lake after each round, whatever was killed: nothing is lost, nothing is there twice."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.harness.pages.airflow_server import Server
from tests.live.workers.many import CLUSTER, DAGS, GROUP, Many

ACTIVE = ("queued", "running", "restarting")


def _runs(server: Server, dag_id: str) -> list[dict[str, object]]:
    return list(server.rest("GET", f"/api/v2/dags/{dag_id}/dagRuns?limit=100&order_by=-run_after")["dag_runs"])


def nothing_runs(server: Server, dags: Sequence[str] = DAGS) -> bool:
    """Neither what was triggered by hand nor what assets triggered."""
    return not any(one["state"] in ACTIVE for dag_id in dags for one in _runs(server, dag_id))


def runs(server: Server) -> dict[str, dict[str, int]]:
    """By DAG: how many runs ended how."""
    return {dag_id: dict(Counter(str(one["state"]) for one in _runs(server, dag_id))) for dag_id in DAGS}


def wrong(this: Many) -> list[str]:
    """Of the lake, while nothing runs."""
    return [*_plans(this), *_left_over(this), *_snapshots(this)]


def _plans(this: Many) -> list[str]:
    """As many as runs that made one; each decided once."""
    found = []
    made = [one["dag_run_id"] for one in _runs(this.server, "plan_rollout")]
    kept = sorted((Path(this.lake.url) / "plans").glob("*/plan.json"))
    if len(kept) != len(made):
        found.append(f"{len(made)} runs of plan_rollout have made {len(kept)} plans")
    for one in kept:
        approvals = [each.name for each in one.parent.iterdir() if each.name.startswith("approval")]
        if len(approvals) != 1:
            found.append(f"plan {one.parent.name} has the approvals {approvals}")
    return found


def _left_over(this: Many) -> list[str]:
    """Every document is whole, and no lease is held: a run that was killed has gone on elsewhere."""
    lake = Path(this.lake.url)
    found = [f"half-written: {one.relative_to(lake)}" for one in lake.rglob("*.json") if not _is_json(one)]
    for group in lake.glob("leases/*/*"):
        newest = max(group.glob("[0-9]*.json"))
        if json.loads(newest.read_text())["state"] == "held":
            found.append(f"held for ever: {newest.relative_to(lake)}")
    return found


def _is_json(place: Path) -> bool:
    try:
        json.loads(place.read_text())
    except ValueError:
        return False
    return True


def _snapshots(this: Many) -> list[str]:
    """A run of `collect_groups` that succeeded has kept a snapshot of the group."""
    succeeded = sum(one["state"] == "success" for one in _runs(this.server, "collect_groups"))
    kept = len(list((Path(this.lake.url) / "snapshots").glob(f"cluster={CLUSTER}/day=*/group={GROUP}/*.json")))
    return [] if kept >= succeeded else [f"{succeeded} runs of collect_groups, {kept} snapshots of {GROUP}"]
