"""What the DAGs' functions do with Airflow's variables and connections, read from the environment as any Airflow reads them."""

import json
import re
import socket
import sys
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest
from airflow.sdk._shared.secrets_masker import redact
from airflow.sdk.bases.notifier import BaseNotifier
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import airflow_objects, clusters, collecting, fleet, planning, spark
from holdfast.airflow_wiring.jobs import SparkJob
from holdfast.errors import ClusterTrouble, HoldfastError, InvalidInput, Unsupported
from holdfast.rollout.json.strict import loads
from holdfast.rollout.tables.collection_report import Unread, Why
from holdfast.rollout.tables.fleet_findings import FleetPolicy
from holdfast.workflows import snapshots
from holdfast.workflows.collecting import collect_runs

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "streams-wordcount"
PASSWORD = "open-sesame-4711"
LOGIN = f'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="{PASSWORD}";'


pytestmark = pytest.mark.usefixtures("lake")


def connection(monkeypatch: pytest.MonkeyPatch, cluster: str, **extras: object) -> None:
    value = json.dumps({"conn_type": "generic", "extra": extras})
    monkeypatch.setenv(f"AIRFLOW_CONN_HOLDFAST_KAFKA_{cluster.upper()}", value)


def form(**given: object) -> dict[str, object]:
    change = loads((EXAMPLE / "change.json").read_bytes())
    return {"cluster": "local", "group": "streams-wordcount", "change": change, "snapshot": None, "policy": None} | given


class TestSpark:
    @pytest.mark.parametrize("connection", [None, '{"conn_type": "spark"}'])
    def test_is_refused_without_a_master(self, monkeypatch: pytest.MonkeyPatch, connection: str | None) -> None:
        """Left to itself, the operator would submit to YARN."""
        monkeypatch.delenv("AIRFLOW_CONN_SPARK_DEFAULT", raising=False)
        if connection:
            monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", connection)

        with pytest.raises(InvalidInput, match=r"no connection spark_default with a host.*YARN"):
            spark.prepare_spark()

    def test_gets_the_zip_from_the_lake(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", '{"conn_type": "spark", "host": "local[2]"}')

        url = spark.prepare_spark()

        assert Path(url).is_file()
        assert url == spark.prepare_spark()

    def test_is_refused_where_the_master_is_silent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
        monkeypatch.setenv(
            "AIRFLOW_CONN_SPARK_DEFAULT", json.dumps({"conn_type": "spark", "host": "spark://127.0.0.1", "port": port})
        )

        with pytest.raises(ClusterTrouble, match=f"127.0.0.1:{port}, does not answer"):
            spark.prepare_spark()

    @pytest.mark.parametrize(("prints", "found"), [('version "11.0.2"', "Java 11 was found"), ("nothing", "Java was not found")])
    def test_is_refused_without_a_new_enough_java(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, prints: str, found: str
    ) -> None:
        java = tmp_path / "bin" / "java"
        java.parent.mkdir()
        java.write_text(f"#!/bin/sh\necho '{prints}' >&2\n")
        java.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", '{"conn_type": "spark", "host": "local[2]"}')

        with pytest.raises(InvalidInput, match=f"Java 17 or newer, and {found}"):
            spark.prepare_spark()

    def test_is_not_asked_again_for_what_a_job_has_refused(self) -> None:
        policy = airflow_objects.DEFAULTS["retry_policy"]
        told = "Cannot execute: spark-submit. Error code is: 1. Last lines:\nholdfast blast_radius: the lake has no table groups\n"

        assert policy.evaluate(RuntimeError(told), 1, 3).action.value == "fail"
        assert policy.evaluate(RuntimeError("Error code is: 1. OutOfMemoryError"), 1, 3).action.value == "default"

    def test_goes_where_the_connection_says(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook

        monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", '{"conn_type": "spark", "host": "local[2]"}')

        job = SparkJob(task_id="decode", job="decode_snapshots", arguments=lambda _: [])
        assert SparkSubmitHook(conn_id=job._conn_id)._connection["master"] == "local[2]"

    @pytest.mark.parametrize(
        "job", ["search_candidates", "decode_snapshots", "compute_targets", "detect_order_changes", "blast_radius"]
    )
    def test_finds_its_jobs(self, job: str) -> None:
        assert Path(spark.script(job)).is_file()


def test_the_lake_must_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIRFLOW_VAR_HOLDFAST_LAKE", raising=False)

    with pytest.raises(InvalidInput, match="no variable holdfast_lake"):
        airflow_objects.lake()


class TestClusters:
    def test_a_missing_connection_is_named(self) -> None:
        with pytest.raises(InvalidInput, match="no connection holdfast_kafka_elsewhere"):
            clusters.collect("elsewhere", "g")

    def test_those_of_the_variable_are_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_CLUSTERS", '["a", "b"]')

        assert collecting.clusters_to_read(None) == ["a", "b"]
        assert collecting.clusters_to_read("c") == ["c"]
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_CLUSTERS", '{"a": 1}')
        with pytest.raises(InvalidInput, match="not a JSON list"):
            collecting.clusters_to_read(None)

    def test_a_connection_says_what_is_known_of_groups_by_name_and_by_pattern(self, monkeypatch: pytest.MonkeyPatch) -> None:
        groups = {"*": {"kafka_release": "3.8.1"}, "one": {"kafka_release": "3.9.1", "state_dirs": ["file:///x"]}}
        connection(monkeypatch, "a", groups=groups, collect_seconds=90, **{"bootstrap.servers": "127.0.0.1:9"})

        known = clusters.known_cluster("a")

        assert known.seconds == 90
        assert known.wanted.of("one").state_dirs == ("file:///x",)
        assert (known.wanted.of("one").given.kafka_release, known.wanted.of("two").given.kafka_release) == ("3.9.1", "3.8.1")

    def test_one_group_that_nothing_is_said_of_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        connection(monkeypatch, "a", groups={"one": {}}, **{"bootstrap.servers": "127.0.0.1:9"})

        with pytest.raises(InvalidInput, match="does not name the group 'two'"):
            collecting.collect("a", "two", "run")

    @pytest.mark.parametrize(
        ("extras", "said"),
        [
            ({"groups": ["g"]}, "not an object"),
            ({"groups": {"g": {"state_dir": "/x"}}}, "state_dir"),
            ({"groups": {"g": {"state_dirs": "/x"}}}, "state_dirs"),
            ({"groups": {"g": {}}, "sasl.mecanism": "PLAIN"}, "sasl.mecanism"),
            ({"groups": {"g": {}}, "collect_seconds": "soon"}, "collect_seconds"),
            ({"groups": {"g": {"kafka_release": "1.0.0"}}}, "1.0.0"),
            ({"groups": {"g": {"config": {"max.warmup.replicas": 0}}}}, "max.warmup.replicas"),
        ],
    )
    def test_what_a_connection_gets_wrong_is_named(
        self, monkeypatch: pytest.MonkeyPatch, extras: dict[str, object], said: str
    ) -> None:
        connection(monkeypatch, "a", **{"bootstrap.servers": "127.0.0.1:9"} | extras)

        with pytest.raises((InvalidInput, Unsupported), match=said):
            clusters.collect("a", "g")

    def test_a_broker_that_is_not_there_is_trouble_that_may_pass_and_no_secret_shows(
        self, lake: FsspecLake, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-512", "sasl.jaas.config": LOGIN}
            connection(monkeypatch, "a", **{"bootstrap.servers": address, "groups": {"g": {}}} | login)

            with pytest.raises(ClusterTrouble) as trouble:
                clusters.collect("a", "g")

        assert address in str(trouble.value)
        assert PASSWORD not in str(trouble.value) + caplog.text
        assert PASSWORD not in str(redact(f"a library quotes {PASSWORD}")), "Airflow does not mask it in logs"
        assert lake.names(("snapshots",)) == ()


def day_of(snapshot_id: str) -> str:
    return snapshot_id.split("/")[2].removeprefix("day=")


class TestReports:
    """Of a run that took the recorded snapshot, and could not read two groups."""

    @pytest.fixture(autouse=True)
    def _clusters(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_CLUSTERS", '["local", "never read"]')

    @pytest.fixture
    def report(self, lake: FsspecLake, recorded: str) -> str:
        run = collect_runs.Run.begin(
            lake, "local", airflow_objects.slug("run"), datetime.fromisoformat(f"{day_of(recorded)}T09:00:00+00:00")
        )
        run.keep([snapshots.load(lake, recorded)])
        unread = (
            Unread("half\x1b[2J", Why.NOT_READ, "broker 3 did not answer"),
            Unread("odd", Why.NOT_COVERED, "its assignor is 'ours'"),
        )
        report = run.finish(groups=3, unread=unread, left_out={"share": 2}, unlisted=(), seconds=1)
        return "/".join(collect_runs.place(report))

    @pytest.mark.usefixtures("report")
    def test_say_of_which_days_there_are_snapshots(self, recorded: str) -> None:
        assert collecting.days_of("local", "run") == [day_of(recorded)]
        with pytest.raises(AirflowSkipException, match="no group to read"):
            collecting.days_of("local", "another run")

    @pytest.mark.usefixtures("report")
    def test_of_what_is_missing_fail_the_run(self) -> None:
        with pytest.raises(
            AirflowFailException, match=r"groups that were not read: 1\nlocal: half\\u001b\[2J: broker 3"
        ) as failure:
            collecting.say_what_is_missing("local", "run")

        assert "odd" not in str(failure.value)

    @pytest.mark.usefixtures("report")
    def test_go_with_the_snapshots_when_the_variable_says_so(
        self, lake: FsspecLake, recorded: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(AirflowSkipException, match="raw snapshots are kept"):
            collecting.forget()
        later = datetime.fromisoformat(f"{day_of(recorded)}T00:00:00+00:00") + timedelta(days=30)
        monkeypatch.setattr(collecting, "now", lambda: later)
        for days, gone in (("31", 0), ("29", 2), ("29", 0)):
            monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_KEEP_SNAPSHOT_DAYS", days)
            assert collecting.forget() == gone
        assert list(Path(lake.url).glob("*/*/*/*.json*")) == []

    @pytest.mark.parametrize("days", ["0", "-1", "soon"])
    def test_no_days_are_no_number_of_days(self, monkeypatch: pytest.MonkeyPatch, days: str) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_KEEP_SNAPSHOT_DAYS", days)
        with pytest.raises(InvalidInput, match="not a number of days"):
            collecting.forget()


class TestDrafts:
    def test_hold_all_that_a_plan_is_made_from(self, lake: FsspecLake, recorded: str) -> None:
        draft = planning.draft("manual__2026-11-20T10:00:00+00:00", form(snapshot=recorded))
        folder = tuple(draft.split("/"))

        assert lake.names(folder) == ("change.json", "origin.json", "policy.json", "snapshot.json")
        assert json.loads(lake.read((*folder, "origin.json"), 10**6))["snapshot"] == recorded

    @pytest.mark.parametrize(
        "given", [{"format_version": "1.0", "rebalances_most": 3}, "format_version: 1.0\nrebalances_most: 3 # few"]
    )
    def test_hold_the_policy_as_object_or_as_yaml(self, lake: FsspecLake, recorded: str, given: object) -> None:
        draft = planning.draft("run", form(snapshot=recorded, policy=given))

        assert json.loads(lake.read((*draft.split("/"), "policy.json"), 10**6))["rebalances_most"] == 3

    def test_of_two_runs_are_two(self, recorded: str) -> None:
        runs = ("manual__a b", "manual__a_b")

        assert len({planning.draft(run, form(snapshot=recorded)) for run in runs}) == 2

    @pytest.mark.parametrize(
        "given",
        [
            {"change": {"format_version": "1.0", "events": [{"explode": {}}]}},
            {"group": "another"},
            {"change": None, "what": "replace a host", "hosts": ["app-7"]},
            {"change": None, "what": "scale"},
            {"minutes": 5},
            {"change": None, "what": "rolling restart", "host": ["app-0"]},
            {"snapshot": "snapshots/../../etc/passwd"},
            {"snapshot": "plans/x"},
            {"policy": {"format_version": "1.0", "rebalances_mots": 3}},
            {"policy": "format_version: 1.0\nrebalances_mots: 3"},
            {"policy": "a: &a [*a]"},
        ],
    )
    def test_are_not_made_of_what_is_wrong(self, lake: FsspecLake, recorded: str, given: dict[str, object]) -> None:
        with pytest.raises(HoldfastError):
            planning.draft("run", form(**{"snapshot": recorded} | given))

        assert lake.names(("drafts",)) == ()


def test_the_modules_are_light() -> None:
    """The DAG processor imports them again and again; see test_dag_files for the DAGs."""
    modules = sorted((ROOT / "include" / "holdfast" / "airflow_wiring").glob("*.py"))
    tops = [line for module in modules for line in module.read_text().splitlines() if line.startswith(("import ", "from "))]

    assert len(modules) > 1
    assert [line for line in tops if {"adapters", "workflows", "rollout"} & set(re.split(r"\W+", line))] == []


class TestDays:
    """`recorded` is of today."""

    def test_are_the_last_two_unless_said_otherwise(self, lake: FsspecLake, recorded: str) -> None:
        for day in ("2026-11-18", "2026-11-19"):
            lake.write(("snapshots", "cluster=local", f"day={day}", "group=g", "0.json"), b"{}")

        assert clusters.days_to_read(None, {}) == ["2026-11-19", day_of(recorded)]
        assert clusters.days_to_read("2026-11-19, 2026-11-18", {}) == ["2026-11-18", "2026-11-19"]
        assert clusters.days_to_read(None, {}, "2026-11-20") == ["2026-11-18", "2026-11-19"]

    def test_are_those_of_the_snapshots_that_started_the_run(self, lake: FsspecLake, recorded: str) -> None:
        lake.write(("snapshots", "cluster=local", "day=2036-11-22", "group=g", "0.json"), b"{}")
        event = SimpleNamespace(extra={"days": [day_of(recorded)]})

        assert clusters.days_to_read(None, {airflow_objects.SNAPSHOTS: [event]}) == [day_of(recorded)]

    @pytest.mark.usefixtures("lake")
    def test_without_snapshots_are_refused(self) -> None:
        with pytest.raises(InvalidInput, match="the lake has no snapshot yet; run collect_groups"):
            clusters.days_to_read(None, {})

    def test_of_which_there_are_no_snapshots_are_refused(self, recorded: str) -> None:
        with pytest.raises(InvalidInput, match=f"no snapshot of 2026-11-01 in the lake; there are days from {day_of(recorded)}"):
            clusters.days_to_read("2026-11-01", {})


class Told(BaseNotifier):
    """A notifier that remembers what it was asked to say."""

    template_fields = ("message",)
    said: ClassVar[list[str]] = []

    def __init__(self, message: str) -> None:
        super().__init__()
        self.message = message

    def notify(self, _context: dict) -> None:
        self.said.append(self.message)


class TestFleet:
    CHANGE: ClassVar[dict] = {
        "cluster": "c", "group_id": "<g>", "left": [], "joined": ["x"], "moved": 3, "moved_between_survivors": 2,
    }  # fmt: skip

    @pytest.fixture
    def found(self, lake: FsspecLake) -> str:
        lines = [json.dumps({"kind": kind, "row": self.CHANGE}) for kind in ("order_changes", "new_order_changes")]
        lake.write(("fleet", "day=2026-11-21", "findings", "part-00000.txt"), "\n".join(lines).encode())
        fleet.summarize(["2026-11-21"])
        return "2026-11-21"

    def test_is_summarized_for_a_person(self, lake: FsspecLake, found: str) -> None:
        text = lake.read(("fleet", f"day={found}", "fleet.md"), 10_000).decode()
        assert "g\\> of c | 0 | 1 | 3 | 2 |" in text

    def test_tells_the_notifiers_what_is_above_the_policy(self, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
        notifier = {"notifier": f"{__name__}.Told", "with": {"message": "{{ alert_count }}: {{ alerts_escaped }}"}}
        monkeypatch.setitem(sys.modules, __name__, sys.modules[Told.__module__])
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_NOTIFIERS", json.dumps([notifier]))
        Told.said.clear()

        assert fleet.alert(found, {}) == 1
        assert Told.said == [
            "1: &lt;g&gt; of c: process IDs changed their order; 2 stateful tasks of clients that did nothing will move"
        ]

    def test_tells_nobody_what_was_told_before(self, found: str) -> None:
        assert fleet.alert(found, {}) == 1
        fleet.summarize([found])
        with pytest.raises(AirflowSkipException, match="no new findings"):
            fleet.alert(found, {})

    def test_tells_it_again_where_a_notifier_failed(self, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_NOTIFIERS", "{}")
        with pytest.raises(InvalidInput):
            fleet.alert(found, {})
        monkeypatch.delenv("AIRFLOW_VAR_HOLDFAST_NOTIFIERS")
        assert fleet.alert(found, {}) == 1

    def test_gives_the_job_every_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_FLEET_POLICY", '{"hours_most": 24}')
        assert json.loads(fleet.limits()) == asdict(FleetPolicy(hours_most=24))

    def test_refuses_a_limit_that_is_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_FLEET_POLICY", '{"hours": 24}')
        with pytest.raises(InvalidInput, match="'hours' is not a limit of a fleet"):
            fleet.limits()

    @pytest.mark.parametrize("given", ["{}", '[{"notifier": "os.path.join"}]', '[{"notifier": "no.such.Thing"}]'])
    def test_refuses_what_is_no_notifier(self, found: str, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_NOTIFIERS", given)
        with pytest.raises(InvalidInput, match="holdfast_notifiers"):
            fleet.alert(found, {})
