"""A lake with plans in every state, for the web pages: the article's group, a fleet of 12 hosts, hostile names."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
from tests.harness.article import AFTER, LAST, C, Document, change, fleet, group
from tests.harness.plain_groups import group as plain_group
from tests.harness.plain_groups import member
from tests.harness.plans import restarted

from holdfast.adapters.lake import table_schemas
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.rollout.backtest.learnt import Learnt, Quantity, Span
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import Approval, Journal, JournalEntry, JournalEvent
from holdfast.rollout.journal.lease import LeaseOwner
from holdfast.rollout.json import instants
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds.any_document import AnyPlan, snapshot_from_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.execution.verify import verify
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.plan import assembly
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot import json as snapshot_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.tables import group_rows, loss_rows
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots
from holdfast.workflows.apply import Hands
from holdfast.workflows.running import progress_file
from holdfast.workflows.running.progress import Progress, Tells

HOSTILE = "<script>alert(1)</script>\"'\u202egro\u0007up😀" + "x" * 180
CLIENTS_OF_THE_LARGEST = 1_000
FRESH = "0e9d2f6c-3b51-4c8e-9a77-2d4f6b8c1e35"


def replacement(process_id: str, by: str | None, host: str, threads: int = 2) -> Document:
    return {
        "replace_client": {"process_id": process_id, "by": {"process_id": by, "threads": threads, "host": host}, "state": "empty"}
    }


@lru_cache(maxsize=64)
def _made(snapshot: Snapshot, requested: Change, policy: Policy, now: datetime) -> Plan:
    """Many tests look at the same few plans, and a plan is the same whenever it is made of the same."""
    return plans.make(snapshot, requested, policy, now)


class WebLake:
    """`now`: the moment at which plans are made; each is kept as plan_rollout keeps it."""

    def __init__(self, folder: Path, now: datetime | None = None) -> None:
        self.lake = FsspecLake(str(folder))
        self.now = (now or datetime.now(UTC)).replace(microsecond=0)

    def snapshot(self, document: Document, minutes_ago: float = 1) -> Document:
        """The document as taken the given minutes ago, stored in the lake."""
        taken = (self.now - timedelta(minutes=minutes_ago)).isoformat().replace("+00:00", "Z")
        dated = document | {"captured_at": taken}
        snapshots.keep(self.lake, snapshot_from_json(dated))
        return dated

    def plan(
        self, document: Document, *events: object, policy: Policy | None = None, days_ago: float = 0, minutes: int = 1
    ) -> Plan:
        """A plan of a snapshot that is kept too."""
        dated = self.snapshot(document, days_ago * 24 * 60 + minutes)
        made_at = self.now - timedelta(days=days_ago)
        made = _made(snapshot_json.snapshot_from_json(dated), change_from_json(change(*events)), policy or Policy(), made_at)
        plans.keep(self.lake, made)
        return made

    def large_plan(self) -> Plan:
        """A replacement among 1,000 clients whose baseline moves most tasks. Two options only: the others take minutes to
        evaluate."""
        document, ids = fleet(CLIENTS_OF_THE_LARGEST, 4_000, 3)
        document |= {"group_id": "a-thousand", "config": {"max.warmup.replicas": 4_000}}
        snapshot = snapshot_json.snapshot_from_json(self.snapshot(document))
        requested = change_from_json(change(replacement(ids[100], LAST, "app-new", 1)))
        options = [one for one in proposals.propose(snapshot, requested) if one.name in ("baseline", "copy-process-metadata")]
        weighed = tuple(proposals.evaluate(snapshot, one) for one in options)
        made = assembly.assemble(snapshot, requested, weighed, Policy(), self.now)
        plans.keep(self.lake, made)
        return made

    def plain_plan(self) -> ConsumerPlan:
        """For a consumer group under range: two of eight readers are replaced, and the new ones are last in the order."""
        read = [{"id": number, "begin_offset": 0, "end_offset": 9_000, "committed_offset": 8_990} for number in range(24)]
        readers = {f"reader-{one}": member(generation=None, assignors=["range"], host=f"app-{one}") for one in "abcdefgh"}
        document = self.snapshot(
            plain_group(readers, topics={"orders": {"partitions": read}}) | {"group_id": "plain-readers", "cluster": "local"}
        )
        events = [
            {"replace_consumer": {"member_id": f"reader-{old}", "by": {"member_id": f"reader-{new}", "host": f"app-{new}"}}}
            for old, new in (("b", "x"), ("d", "y"))
        ]
        made = plans.make_from(("a snapshot", document), ("a change", change(*events)), Policy(), self.now)
        plans.keep(self.lake, made)
        return made

    def decide(self, made: Plan, *, approved: bool, by: str, reason: str) -> None:
        at = made.created_at
        plans.keep_approval(self.lake, Approval(made.plan_id, approved, by, reason, at))

    def begin(self, made: Plan, *steps: str) -> None:
        journal = Journal(made.plan_id)
        for step in steps:
            journal = plans.add_entry(
                self.lake, journal, JournalEntry(made.created_at, step, JournalEvent.DONE, "bob", "confirmed")
            )

    def verdict(self, made: Plan, document: Document) -> None:
        plans.keep_verdict(self.lake, verify(made, snapshot_json.snapshot_from_json(restarted(document))))


def write_tables(folder: Path, documents: list[Document], changes: list[tuple[Document, Document]]) -> None:
    """The tables of the fleet's page, by the functions that the Spark jobs call: groups, and snapshots one after the other."""
    rows: dict[tuple[str, str, str], list[Document]] = {}

    def add(table: str, document: Document, *found: Document) -> None:
        key = (table, document["cluster"], document["captured_at"][:10])
        one = {"group_id": document["group_id"], "snapshot": "-", "captured_at": document["captured_at"]}
        rows.setdefault(key, []).extend(one | row for row in found)

    for document in documents:
        found = loss_rows.losses(dumps(document))
        add("blast_radius", document, *found["losses"])
        counts = {"clients": len(document["clients"]), "stateful_tasks": len(document["tasks"])}
        add("groups", document, counts)
        add("clusters", document, counts | {"groups": 1, "quarantined": 0})
    for before, after in changes:
        moved = group_rows.order_change(dumps(before), dumps(after))
        assert moved is not None
        add("order_changes", after, moved)
    _write(folder, rows)


def write_past(folder: Path, document: Document, days: int) -> None:
    """Rows of the days before the document: its group rebalanced and lagged, and lost a client every fourth day."""
    rows: dict[tuple[str, str, str], list[Document]] = {}
    for ago in range(1, days + 1):
        at = (datetime.fromisoformat(document["captured_at"]) - timedelta(days=ago)).isoformat().replace("+00:00", "Z")
        one = {"group_id": document["group_id"], "snapshot": "-", "captured_at": at}
        generation = 40 + 3 * (days - ago) + (5 if ago < days // 2 else 0)
        of_day = (document["cluster"], at[:10])
        rows["groups", *of_day] = [one | {"generation": generation, "lag": 900 * (ago % 5), "copies_behind": 70 * ago}]
        counts = {
            "groups": 3 + ago % 2,
            "clients": 9,
            "stateful_tasks": 18,
            "quarantined": 0,
            "rebalances": ago % 4,
            "lag": 900 * ago,
        }
        rows["clusters", *of_day] = [counts]
        if ago % 4 == 0:
            rows["order_changes", *of_day] = [
                one | {"joined": ["x"], "left": [], "moved": ago, "moved_between_survivors": ago // 2}
            ]
    _write(folder, rows)


def write_scores(folder: Path, document: Document, **counts: int) -> None:
    """The newest night of backtests, in which the document's group has these counts, and 41 restores."""
    learnt = dumps(codec_of(Learnt).write(Learnt(restore=Quantity(41, Span(800, 1_200, 2_400)), start_up=Quantity(4))))
    row = {"group_id": document["group_id"], "protocol": "streams-classic", "releases": ["3.9.1"], "learnt": learnt}
    at = document["captured_at"]
    _write(folder, {("backtests", document["cluster"], at[:10]): [row | {"captured_at": at} | counts]})


def _write(folder: Path, rows: dict[tuple[str, str, str], list[Document]]) -> None:
    for (table, cluster, day), found_rows in rows.items():
        place = folder / "tables" / table_schemas.VERSION / table / f"cluster={quote(cluster, safe='')}" / f"day={day}"
        place.mkdir(parents=True)
        schema = pa.schema([one for one in table_schemas.TABLES[table] if one.name not in ("cluster", "day")])
        full = [{name: row.get(name) for name in schema.names} for row in found_rows]
        pq.write_table(pa.Table.from_pylist(full, schema=schema), place / "part-0.parquet")


def article(name: str = "streams-wordcount", **more: object) -> Document:
    return group(AFTER) | {"group_id": name} | more


def shows_a_run(folder: Path, plan: Plan, *, done: int) -> None:
    """A run that waits in the step after those that are done. It halted before that step, where this is the first that is shown."""
    now = datetime.now(UTC).replace(microsecond=0)
    lake = FsspecLake(str(folder))
    journal, steps = plans.journal_of(lake, plan.plan_id), [one.id for one in plan.steps]
    first = not journal.entries
    for step, event in ((one, event) for one in steps[:done] for event in (JournalEvent.BEGUN, JournalEvent.DONE)):
        if not journal.has(step, event):
            journal = plans.add_entry(lake, journal, JournalEntry(instants.to_second(now), step, event, "bob", "as planned"))
    if first:
        at = instants.to_second(now - timedelta(minutes=1))
        plans.add_entry(lake, journal, JournalEntry(at, steps[done], JournalEvent.HALTED, "holdfast", "2 of 3", halt=Halt.LAG))
    hands = Hands(lake, LocalProcessMetadataFiles(), {}, lambda: now, me=LeaseOwner("bob", "worker-1", run="manual__2026"))
    one = progress_file.Showing(plan, hands, lambda: 0.0)
    newest = snapshots.latest(lake, plan.basis.cluster, plan.basis.group_id)
    assert newest is not None
    one.looked(snapshots.load(lake, newest))
    one.waits(steps[done], "The group is PreparingRebalance.", 45, 600)
    one.told(
        Progress(
            instants.to_second(now), Tells.WAITING, steps[done], "The group is PreparingRebalance.", done, len(steps), 4, (1, 3)
        )
    )


def fill(folder: Path) -> dict[str, AnyPlan]:
    """One plan in each state, by name."""
    web = WebLake(folder)
    made: dict[str, AnyPlan] = {}
    made["waiting"] = web.plan(article(), replacement(C, LAST, "app-3"))
    hosts, ids = fleet(12, 72, 7)
    fleet_document = hosts | {"group_id": "orders-enrichment", "cluster": "prod-eu"}
    made["fleet"] = web.plan(fleet_document, replacement(ids[3], None, "orders-21"))
    seeded = Policy(exclude=("copy-process-metadata", "copy-state-directory", "seed-process-id"))
    made["moves"] = web.plan(fleet_document, replacement(ids[3], FRESH, "orders-21"), policy=seeded)
    made["rejected"] = web.plan(article("payments-ledger"), {"remove_client": {"process_id": C}}, minutes=9)
    web.decide(made["rejected"], approved=False, by="maria", reason="Not before the month is closed.")
    made["approved"] = web.plan(article("clickstream-sessions"), replacement(C, LAST, "web-9"), minutes=12)
    web.decide(made["approved"], approved=True, by="bob", reason="As discussed.")
    made["running"] = web.plan(article("fraud-features"), replacement(C, LAST, "fraud-4"), minutes=30)
    web.decide(made["running"], approved=True, by="bob", reason="")
    web.begin(made["running"], "1", "2")
    made["done"] = web.plan(article("inventory-view"), {"set_config": {"max.warmup.replicas": 4}}, days_ago=1)
    web.decide(made["done"], approved=True, by="admin", reason="")
    web.verdict(made["done"], article("inventory-view") | {"captured_at": made["done"].created_at})
    made["blocked"] = web.plan(
        article("blocked-group"), replacement(C, LAST, "app-3"), policy=replace(seeded, blocking=("collateral-migration",))
    )
    made["nothing"] = web.plan(article("idle-group"), {"set_config": {"max.warmup.replicas": 2}})
    hostile = article(HOSTILE, cluster="<b>cluster</b>")
    for number, client in enumerate(hostile["clients"].values()):
        client["host"] = f"{HOSTILE[:60]}{number}"
    made["hostile"] = web.plan(hostile, replacement(C, LAST, "</script><img src=x onerror=alert(2)>"))
    stale = article("drifted-group")
    made["stale"] = web.plan(stale, replacement(C, LAST, "app-3"), minutes=20)
    gone = {process_id: client for process_id, client in stale["clients"].items() if process_id != C}
    after = web.snapshot(stale | {"clients": gone, "leader_process_id": None}, minutes_ago=2)
    made["largest"] = web.large_plan()
    made["plain"] = web.plain_plan()
    shown = [web.snapshot(one, 0.5) for one in (article(), fleet_document, article("payments-ledger"), hostile)]
    write_tables(folder, shown, [(stale, after)])
    write_past(folder, shown[0], 14)
    write_scores(folder, shown[0], equal=412, sequences=31, ends_equal=31, courses=31, durations_within=29)
    return made
