"""A lake on S3 in Airflow: its keys are those of the connection and are never shown."""

import json
from pathlib import Path

import pytest
from airflow.sdk._shared.secrets_masker import redact

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import airflow_objects, spark
from holdfast.airflow_wiring.jobs import SparkJob
from holdfast.errors import InvalidInput

PASSWORD = "open-sesame-4712"
URL = "s3://bucket/lake"


@pytest.fixture(autouse=True)
def _on_s3(monkeypatch: pytest.MonkeyPatch, lake: FsspecLake) -> None:
    monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_LAKE", URL)
    connection = {"conn_type": "aws", "login": "the-key", "password": PASSWORD, "extra": {"endpoint_url": "http://127.0.0.1:1"}}
    monkeypatch.setenv("AIRFLOW_CONN_HOLDFAST_LAKE", json.dumps(connection))


def test_its_keys_are_those_of_the_connection_and_are_masked() -> None:
    address = airflow_objects.lake_address()
    assert (address.url, address.settings["key"], address.settings["secret"]) == (URL, "the-key", PASSWORD)
    assert PASSWORD not in repr(address)
    assert redact(f"it was {PASSWORD}") == "it was ***"
    assert airflow_objects.lake().url == URL


def test_without_a_connection_they_are_those_of_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIRFLOW_CONN_HOLDFAST_LAKE")
    assert "key" not in airflow_objects.lake_address().settings


def test_a_connection_of_another_type_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_HOLDFAST_LAKE", json.dumps({"conn_type": "generic", "password": PASSWORD}))
    with pytest.raises(InvalidInput, match=r"holdfast_lake is of type generic.* type aws is needed"):
        airflow_objects.lake_address()


def test_a_local_lake_needs_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_LAKE", str(tmp_path))
    monkeypatch.setenv("AIRFLOW_CONN_HOLDFAST_LAKE", "no connection at all")
    assert airflow_objects.lake_address().settings == {}


@pytest.mark.parametrize(
    ("connection", "given"),
    [
        ({"conn_type": "spark", "host": "local[2]"}, True),
        ({"conn_type": "spark", "host": "spark://m:7077"}, True),
        ({"conn_type": "spark", "host": "m", "port": 7077}, True),
        ({"conn_type": "spark", "host": "yarn"}, False),
        ({"conn_type": "yarn", "host": "m"}, False),
        ({"conn_type": "spark", "host": "spark://on-yarn-1", "port": 7077}, False),  # Airflow takes it for YARN
    ],
)
def test_spark_gets_them_by_its_environment_and_no_command_line_shows_them(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, connection: dict[str, object], given: bool
) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", json.dumps(connection))
    monkeypatch.setattr(spark, "prepare_spark", lambda: "s3a://bucket/lake/packages/holdfast.zip")
    monkeypatch.setattr(spark, "begin_submission", lambda _: {"spark.of.this": "submission"})
    from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook

    started: list[tuple[list[str], dict[str, str]]] = []

    def submit(hook: SparkSubmitHook, application: str) -> None:
        started.append((hook._build_spark_submit_command(application), hook._env or {}))

    monkeypatch.setattr(SparkSubmitHook, "submit", submit)
    SparkJob(task_id="decode", job="decode_snapshots", arguments=lambda _: ["--days", "2026-11-20"]).execute({})

    ((command, environment),) = started
    assert command[-4:] == ["--lake", "s3a://bucket/lake", "--days", "2026-11-20"]
    assert {"spark.hadoop.fs.s3a.endpoint=http://127.0.0.1:1", "spark.of.this=submission"} <= set(command)
    assert PASSWORD not in " ".join(command) + caplog.text
    assert environment == ({"AWS_ACCESS_KEY_ID": "the-key", "AWS_SECRET_ACCESS_KEY": PASSWORD} if given else {})


@pytest.mark.parametrize("host", ["k8s://https://m:443", "spark://k8s-1:7077"])
def test_spark_on_kubernetes_gets_none(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", json.dumps({"conn_type": "spark", "host": host}))
    assert spark.lake_for_spark().environment == {}
