"""A job's result equals what the same function gives in plain Python, row for row; whatever else is in the lake."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas
import pytest
from benchmarks import synthetic_fleet
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from tests.harness.article import AFTER, group
from tests.harness.plans import article_plan, read
from tests.spark.conftest import ROOT, Job, fresh, report, snapshot_text, with_client_renamed

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.table_schemas import KEY, TABLES
from holdfast.adapters.spark import documents as lake_documents
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.evaluation import EvaluatedOption
from holdfast.rollout.streams.execution.verify import verify
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.tables import fleet_findings, fleet_summary, group_rows, loss_rows, plan_rows
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots

pytestmark = pytest.mark.spark
FIRST = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
LATER = "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21"
DAYS = ["2026-11-20", "2026-11-21"]
GOOD = [
    snapshot_text(captured_at="2026-11-20T13:00:00Z"),
    snapshot_text(captured_at="2026-11-20T14:00:00Z", group_id="päyments / {eu} %2F*~"),
    with_client_renamed(FIRST, LATER, captured_at="2026-11-20T15:00:00Z"),
    snapshot_text(captured_at="2026-11-20T16:00:00Z", cluster="a\nb/=%.. {*}", group_id="../\n=%"),
]
HALF_A_MEMBER = json.loads(snapshot_text())
for one in HALF_A_MEMBER["clients"].values():
    one["consumers"] = {name: {"owned": what["owned"]} for name, what in one["consumers"].items()} | {"": None}
BAD = [
    *("", "{", '{"format_version": "7.0"}', "[1, 2]", "\x00\x01", "null", "[" * 2_000, "9" * 5_000),
    snapshot_text(clients={}, format_version=1),
    snapshot_text()[:5_000],
    snapshot_text()[:-2] + ', "group_id": "another"}',
    snapshot_text(generation=float("nan")),
    snapshot_text(tasks={"0_0": {"partitions": [["t", 0]], "changelogs": [["c", 0, 10**30]]}}),
    snapshot_text(captured_at="2026-13-45T00:00:00Z"),
    snapshot_text(cluster="c" * 300),
    snapshot_text(cluster="__HIVE_DEFAULT_PARTITION__"),
    snapshot_text(group_id="\ud800"),
    json.dumps(HALF_A_MEMBER),
]
"""Not in it: bytes that are no UTF-8, see `lake`."""
UNDECIDED = json.loads(snapshot_text(captured_at="2026-11-21T13:00:00Z", group_id="half read"))
"""A valid Snapshot whose target assignment is unknown."""
for one in UNDECIDED["tasks"].values():
    one["changelogs"] = None
JOBS = ("decode_snapshots", "compute_targets", "detect_order_changes", "blast_radius")


def plain(row: object) -> object:
    """A Spark row as the plain values that it was made from."""
    if isinstance(row, Row):
        return {name: plain(value) for name, value in row.asDict().items()}
    return [plain(value) for value in row] if isinstance(row, list) else row


def rows_of(frame: DataFrame) -> list[dict]:
    return [plain(row) for row in frame.collect()]


def sorted_rows(rows: list[dict]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


REPORTS = (
    ("2026-11-20", "run.json", report("2026-11-20", "listing the groups: broker 3")),
    ("2026-11-20", "broken.json", b'{"unread'),
    ("2026-11-19", "run.json", report("2026-11-19")),
)
"""What runs of collecting say that they could not read."""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> FsspecLake:
    """Thirty groups on two days, the recorded one with three snapshots on one, and what is no snapshot."""
    store = FsspecLake(str(tmp_path_factory.mktemp("a lake with spaces")))
    for text in (*GOOD, json.dumps(UNDECIDED)):
        snapshots.keep(store, snapshot_from_json(json.loads(text)))
    for pair in synthetic_fleet.fleet(30, 4):
        for snapshot in (pair.before, pair.after):
            snapshots.keep(store, snapshot)
    for number, text in enumerate(BAD):
        store.write(("snapshots", "cluster=local", "day=2026-11-20", "group=bad", f"{number}.json"), text.encode())
    store.write(("snapshots", "cluster=local", "day=2026-11-20", "group=bad", "latin.json"), b'{"cluster": "\xe4"}')
    store.write(("snapshots", "cluster=local", "day=2026-11-19", "group=bad", "0.json"), b"another day")
    for day, name, text in REPORTS:
        store.write(("collections", "cluster=local", f"day={day}", name), text)
    return store


@pytest.fixture(scope="module")
def written(spark: SparkSession, lake: FsspecLake, job: Job) -> FsspecLake:
    """The lake after all jobs for both days."""
    for name in JOBS:
        job(name).work(spark, lake.url, DAYS)
    return lake


@pytest.fixture(scope="module")
def documents(lake: FsspecLake) -> dict[str, bytes]:
    """Every file of the two days, by its path in the lake."""
    root = Path(lake.url)
    found = sorted(path for day in DAYS for path in root.glob(f"snapshots/*/day={day}/*/*.json"))
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


@pytest.fixture
def table(spark: SparkSession, written: FsspecLake) -> Callable[[str], list[dict]]:
    return lambda name: rows_of(lake_tables.read_table(spark, written.url, name))


def whole(name: str, row: dict) -> dict:
    """A row with every column of its table."""
    return {column: row.get(column) for column in TABLES[name].names}


def known(value: object) -> object:
    """Without what is null, at any depth: a group of one kind has not all the columns of the other."""
    if isinstance(value, dict):
        return {name: known(one) for name, one in value.items() if one is not None}
    return [known(one) for one in value] if isinstance(value, list) else value


def key_of(found: dict) -> dict:
    return {name: found.get(name) for name in KEY}


class TestDecoding:
    def test_gives_what_the_function_gives(self, spark: SparkSession, lake: FsspecLake, job: Job, documents: dict) -> None:
        decode = job("decode_snapshots")
        rows = rows_of(decode.decoded(lake_documents.read_snapshots(spark, lake.url, DAYS)))
        wanted = [dict.fromkeys(rows[0]) | group_rows.decode(path, content) for path, content in documents.items()]

        assert len(wanted) == len(GOOD) + len(BAD) + 62
        assert sorted_rows([known(row) for row in rows]) == sorted_rows([known(row) for row in wanted])

    def test_puts_each_bad_snapshot_into_the_quarantine_with_its_reason(self, table) -> None:
        found = [row for row in table("quarantine") if row["snapshot"].startswith("snapshots/")]
        names = sorted(row["snapshot"].rsplit("/", 1)[-1] for row in found)

        assert sorted(names) == sorted([*(f"{number}.json" for number in range(len(BAD))), "latin.json"])
        assert all(row["problem"] for row in found)
        assert {(row["cluster"], row["day"], row["group_id"]) for row in found} == {("local", "2026-11-20", "bad")}

    def test_puts_groups_that_could_not_be_read_there_too(self, table) -> None:
        found = [row for row in table("quarantine") if not row["snapshot"].startswith("snapshots/")]

        assert {(row["cluster"], row["day"]) for row in found} == {("local", "2026-11-20")}
        assert sorted((row["snapshot"].rsplit("/", 1)[-1], row["group_id"], row["problem"].split(":")[0]) for row in found) == [
            ("broken.json", "", "a report that cannot be read"),
            ("run.json", "", "listing the groups"),
            ("run.json", "slow", "not read"),
        ]

    def test_counts_what_there_is_of_each_cluster(self, table) -> None:
        counted = {(row["cluster"], row["day"]): row for row in table("clusters")}
        local = counted["local", "2026-11-20"]

        assert (local["snapshots"], local["groups"], local["quarantined"]) == (3, 2, len(BAD) + 1)
        assert sum(row["groups"] for (_, day), row in counted.items() if day == DAYS[1]) == 31

    @pytest.mark.parametrize("name", ["clients", "members", "tasks", "state_directories"])
    def test_makes_a_row_of_each_thing(self, table, documents: dict, name: str) -> None:
        rows = [group_rows.decode(path, content) for path, content in documents.items()]
        columns = TABLES[name].names
        wanted = [{column: (row | one).get(column) for column in columns} for row in rows for one in row.get(name) or ()]

        assert sorted_rows(table(name)) == sorted_rows(wanted)

    def test_makes_tables_that_others_can_read(self, written: FsspecLake, documents: dict) -> None:
        place = f"{written.url}/tables/v1/tasks"
        by_duckdb = duckdb.sql(f"select count(*), count(distinct snapshot) from '{place}/*/*/*.parquet'").fetchall()
        by_pandas = pandas.read_parquet(place)
        good = [row for path, content in documents.items() if (row := group_rows.decode(path, content))["problem"] is None]

        assert by_duckdb == [(sum(len(row["tasks"]) for row in good), len(good))]
        assert len(by_pandas) == by_duckdb[0][0]
        assert sorted(by_pandas.columns) == sorted(TABLES["tasks"].names)


class TestTargets:
    def test_are_what_the_function_gives(self, table) -> None:
        latest = latest_of_day(table("documents"))
        answers = [(row, group_rows.targets(row["document"])) for row in latest]
        wanted = [whole("targets", key_of(row) | one) for row, answer in answers for one in answer["targets"]]

        assert len(wanted) > 1000
        assert sorted_rows(table("targets")) == sorted_rows(wanted)

    def test_say_why_there_are_none(self, table) -> None:
        found = table("quarantine_targets")
        assert [(row["group_id"], row["problem"]) for row in found] == [
            ("half read", group_rows.targets(json.dumps(UNDECIDED))["problem"])
        ]


class TestOrderChanges:
    def test_are_what_the_function_gives(self, table) -> None:
        """The client that was first in order came back under an ID that is last: all clients' tasks move."""
        in_time: dict[tuple, list[dict]] = {}
        for row in sorted(table("documents"), key=lambda row: (row["captured_at"], row["snapshot"])):
            in_time.setdefault((row["cluster"], row["group_id"]), []).append(row)
        wanted, moves = [], []
        for rows in in_time.values():
            for before, after in itertools.pairwise(rows):
                change = group_rows.order_change(before["document"], after["document"])
                if change is not None:
                    times = {"before": before["snapshot"], "before_at": before["captured_at"]}
                    moves += [whole("order_change_moves", key_of(after) | move) for move in change.pop("moves")]
                    wanted.append({name: (change | times | after)[name] for name in TABLES["order_changes"].names})

        found = table("order_changes")
        assert sorted_rows(found) == sorted_rows(wanted)
        assert sorted_rows(table("order_change_moves")) == sorted_rows(moves)
        mine = next(row for row in found if row["group_id"] == "streams-wordcount")
        assert (mine["left"], mine["joined"], mine["moved"]) == ([FIRST], [LATER], 6)


class TestBlastRadius:
    def test_is_what_the_function_gives(self, table) -> None:
        answers = [(row, loss_rows.whole(row["document"])) for row in latest_of_day(table("documents"))]
        losses = [whole("blast_radius", key_of(row) | one) for row, answer in answers for one in answer["losses"]]
        places = [key_of(row) | one for row, answer in answers for one in answer["places"]]

        assert len(losses) > 1000
        assert sorted_rows([fresh(row) for row in table("blast_radius")]) == sorted_rows([fresh(row) for row in losses])
        assert {row["basis"] for row in losses} == {"counted", "forecast", "not forecast"}
        assert all(row["computed_on"] == row["day"] for row in table("blast_radius"))
        assert sorted_rows(table("blast_radius_places")) == sorted_rows(places)

    def test_says_of_whom_nobody_can_tell(self, table) -> None:
        assert [row["group_id"] for row in table("quarantine_blast_radius")] == ["half read"]

    def test_of_a_large_group_is_split_over_executors(self, spark: SparkSession, written: FsspecLake, job: Job) -> None:
        """The same rows, of pieces of one host each."""
        blast = job("blast_radius")
        groups, documents = (lake_tables.read_table(spark, written.url, name, DAYS[:1]) for name in ("groups", "documents"))
        mine = documents.where("group_id = 'app-00000'")
        whole = blast.lost(blast.shared_out(groups, mine))
        usual, blast.LARGEST_SHARE_US = blast.LARGEST_SHARE_US, 1
        pieces = blast.lost(blast.shared_out(groups, mine))
        blast.LARGEST_SHARE_US = usual

        assert whole.count() == 1
        assert pieces.count() == groups.where("group_id = 'app-00000'").first()["clients"] > 1
        schemas = (blast.LOST, TABLES["blast_radius"], TABLES["blast_radius_places"])
        none, losses, places = (spark.createDataFrame([], from_arrow_schema(schema)) for schema in schemas)
        tidy = [sorted_rows(rows_of(blast.tidy(rows, none, losses, places)["blast_radius"])) for rows in (whole, pieces)]
        assert tidy[0] == tidy[1]


def latest_of_day(documents: list[dict]) -> list[dict]:
    found: dict[tuple, dict] = {}
    for row in sorted(documents, key=lambda row: (row["captured_at"], row["snapshot"])):
        found[row["cluster"], row["day"], row["group_id"]] = row
    return list(found.values())


@pytest.fixture(scope="module")
def findings(spark: SparkSession, written: FsspecLake, job: Job) -> fleet_findings.Findings:
    job("summarize_fleet").work(spark, written.url, DAYS[1:])
    return read_findings(written)


def read_findings(lake: FsspecLake) -> fleet_findings.Findings:
    (part,) = Path(lake.url).glob(f"fleet/day={DAYS[1]}/findings/part-*")
    return fleet_findings.findings_from_lines(DAYS[1], part.read_text().splitlines())


class TestSummary:
    def test_has_the_worst_loss_of_each_group_first(self, findings: fleet_findings.Findings, table) -> None:
        likely = [row for row in table("blast_radius") if row["scenario"] == "new random ID, likeliest" and row["day"] == DAYS[1]]
        share = {}
        for row in likely:
            key = row["cluster"], row["group_id"]
            share[key] = max(share.get(key, 0), row["moved"] / max(row["stateful_tasks"], 1))

        assert [row["moved"] / max(row["stateful_tasks"], 1) for row in findings.groups] == sorted(share.values(), reverse=True)[
            :20
        ]
        assert len(findings.groups) == 20
        assert findings.counted("groups")["count"] == 30

    def test_adds_up_what_a_host_runs_in_all_groups(self, findings: fleet_findings.Findings, table) -> None:
        first = findings.hosts[0]
        rows = [
            row
            for row in table("blast_radius")
            if (row["cluster"], row["host"], row["day"], row["scenario"])
            == (first["cluster"], first["host"], DAYS[1], "not replaced")
        ]
        assert first["groups"] == len({row["group_id"] for row in rows})
        assert first["without_copy"] == sum(row["without_copy"] for row in rows)

    def test_counts_what_nobody_could_say(self, findings: fleet_findings.Findings) -> None:
        counted = {row["table"]: row["count"] for row in findings.quarantined}
        assert counted == {"quarantine_targets": 1, "quarantine_blast_radius": 1}

    def test_tells_what_came_above_a_limit_since_the_day_before(
        self, spark: SparkSession, written: FsspecLake, job: Job, table
    ) -> None:
        worst: dict[str, dict[tuple, float]] = {day: {} for day in DAYS}
        for row in table("blast_radius"):
            if row["scenario"] == "new random ID, likeliest":
                of_day, key = worst[row["day"]], (row["cluster"], row["group_id"])
                of_day[key] = max(of_day.get(key, 0), 100 * row["moved"] / max(row["stateful_tasks"], 1))

        def above(day: str, limit: int) -> set[tuple]:
            return {key for key, most in worst[day].items() if most > limit}

        def new(limit: int) -> set[tuple]:
            return above(DAYS[1], limit) - above(DAYS[0], limit)

        limit = max(range(100), key=lambda one: len(new(one)))
        for most in (limit, None):
            job("summarize_fleet").work(spark, written.url, DAYS[1:], json.dumps({"moved_percent_most": most}))
            found = read_findings(written)
            now, came = (above(DAYS[1], limit), new(limit)) if most is not None else (set(), set())
            counted = found.counted("groups")
            assert (counted["most"], counted["above"], counted["new"]) == (most, len(now), len(came))
            assert {(row["cluster"], row["group_id"]) for row in found.new_groups} == came
        assert 0 < len(new(limit)) < len(above(DAYS[1], limit)), "else the days are not told apart"

    def test_can_be_read(self, findings: fleet_findings.Findings) -> None:
        text = fleet_summary.markdown_of(findings)
        assert text.startswith("# The fleet on 2026-11-21\n\n31 groups of 6 clusters")
        assert "## Groups with the most tasks moved by one replacement" in text


class TestScoring:
    def test_gives_what_the_function_gives(self, spark: SparkSession, job: Job, tmp_path: Path) -> None:
        plan = article_plan()
        store = FsspecLake(str(tmp_path))
        plans.keep(store, plan)
        plans.keep_verdict(store, verify(plan, read(group(AFTER))))
        store.write(("plans", "broken", "plan.json"), b"{")
        job("score_forecasts").work(spark, str(tmp_path), DAYS)

        files = [f"plans/{plan.plan_id}/{name}.json" for name in ("plan", "verdict")]
        wanted = [plan_rows.plan_rows(path, (tmp_path / path).read_bytes()) for path in files]
        assert wanted[0]["candidates"]
        for number, name in enumerate(("candidates", "verdicts")):
            found = rows_of(lake_tables.read_table(spark, str(tmp_path), name))
            assert sorted_rows(found) == sorted_rows([whole(name, row) for row in wanted[number][name] if row["day"] in DAYS])
        (broken,) = rows_of(lake_tables.read_table(spark, str(tmp_path), "quarantine_scores"))
        assert (broken["snapshot"], broken["day"], broken["cluster"]) == ("plans/broken/plan.json", DAYS[1], "unknown")
        assert broken["problem"] == plan_rows.plan_rows("plans/broken/plan.json", b"{")["problem"]


class TestSearching:
    @pytest.mark.parametrize(
        "draft",
        [
            "",
            "drafts",
            "drafts/",
            "drafts/..",
            "drafts/a/b",
            "../drafts/a",
            "/etc/drafts/a",
            "plans/a",
            "drafts/a\n",
            "s3://x/drafts/a",
        ],
    )
    def test_reads_and_replaces_nothing_but_a_draft(self, job: Job, draft: str) -> None:
        with pytest.raises(SystemExit) as refusal:
            job("search_candidates").main(["--lake", "/no/such/lake", "--draft", draft])
        assert refusal.value.code == 2

    def test_gives_what_the_functions_give(self, spark: SparkSession, job: Job) -> None:
        """Every option's evaluation, in the order in which the options were proposed."""
        search = job("search_candidates")
        snapshot_text, change_text = (
            (ROOT / "examples" / "streams-wordcount" / name).read_text() for name in ("snapshot.json", "change.json")
        )
        found = search.evaluated(spark, snapshot_text, change_text)
        snapshot = snapshot_from_json(loads(snapshot_text))
        options = proposals.propose(snapshot, change_from_json(loads(change_text)))

        assert len(options) >= 5
        assert found == [dumps(codec_of(EvaluatedOption).write(proposals.evaluate(snapshot, option))) for option in options]
