"""Where Spark's drivers may run is found before Spark starts."""

import json

import pytest

from holdfast.airflow_wiring import spark
from holdfast.errors import InvalidInput


@pytest.mark.parametrize(("host", "port"), [("spark://m:7077", None), ("spark://k8s-1", 7077), ("m", 7077), ("local[2]", None)])
def test_a_driver_in_a_cluster_that_runs_none_of_python_is_refused(
    monkeypatch: pytest.MonkeyPatch, host: str, port: int | None
) -> None:
    _connect(monkeypatch, host, port)
    with pytest.raises(InvalidInput, match=r"deploy-mode cluster and the master (spark|local).* Set deploy-mode to client"):
        spark.refuse_unready()


@pytest.mark.parametrize("host", ["yarn", "k8s://https://m:443"])
def test_it_may_run_in_others(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    _connect(monkeypatch, host, None)
    spark.refuse_unready()


def _connect(monkeypatch: pytest.MonkeyPatch, host: str, port: int | None) -> None:
    connection = {"conn_type": "spark", "host": host, "port": port, "extra": {"deploy-mode": "cluster"}}
    monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", json.dumps(connection))
