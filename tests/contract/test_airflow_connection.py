"""A cluster as an Airflow connection describes it: the DAGs' own function collects the live group; no secret gets into the lake."""

import json
from pathlib import Path

import pytest
from tests.contract.conftest import GROUP, PROCESS_ID, RELEASE, Cluster
from tests.harness.kafka.secured_broker import password

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_provider.kafka_hook import KafkaHook
from holdfast.airflow_wiring import clusters, collecting
from holdfast.workflows import snapshots


@pytest.mark.live
def test_a_connection_is_all_that_a_snapshot_needs(live_cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    properties = live_cluster.broker.client_properties("reader")
    about = {"kafka_release": RELEASE, "config": {"probing.rebalance.interval.ms": 60_000}}
    extras = {**properties, "bootstrap.servers": live_cluster.broker.secured, "groups": {GROUP: about}}
    monkeypatch.setenv("AIRFLOW_CONN_HOLDFAST_KAFKA_TEST", json.dumps({"conn_type": "generic", "extra": extras}))
    monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_LAKE", str(tmp_path))
    monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_CLUSTERS", '["test"]')

    snapshot_id = clusters.collect("test", GROUP)

    snapshot = snapshots.load(FsspecLake(str(tmp_path)), snapshot_id)
    written = (tmp_path / snapshot_id).read_text()
    assert (snapshot.cluster, snapshot.group_id, snapshot.kafka_release) == ("test", GROUP, RELEASE)
    assert [str(client.process_id) for client in snapshot.clients] == [PROCESS_ID]
    assert dict(snapshot.config)["probing.rebalance.interval.ms"] == 60_000
    assert "password" not in written.lower()
    assert properties["sasl.jaas.config"] not in written

    report = collecting.collect("test", None, "manual__1")

    assert collecting.days_of(None, "manual__1") == [snapshot_id.split("/")[2].removeprefix("day=")]
    assert len(list(tmp_path.glob("snapshots/*/*/*/*.json"))) == 2
    assert properties["sasl.jaas.config"] not in (tmp_path / report).read_text()


@pytest.mark.live
def test_what_the_form_of_the_type_sends_is_a_connection(live_cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The login and the password instead of a login module, and fields that were left empty; tried by Airflow's own button."""
    properties = live_cluster.broker.client_properties("reader") | {"bootstrap.servers": live_cluster.broker.secured}
    del properties["sasl.jaas.config"]
    form = {"conn_type": "holdfast_kafka", "extra": {**properties, "ssl.keystore.location": "", "groups": None}}
    for name, secret in (("FORM", password("reader")), ("WRONG", "not the password")):
        as_sent = form | {"login": "reader", "password": secret}
        monkeypatch.setenv(f"AIRFLOW_CONN_HOLDFAST_KAFKA_{name}", json.dumps(as_sent))

    answered, said = KafkaHook("holdfast_kafka_form").test_connection()
    refused, why = KafkaHook("holdfast_kafka_wrong").test_connection()

    assert (answered, said.startswith("the cluster ")) == (True, True)
    assert not refused
    assert "credentials" in why
    assert "not the password" not in why
