"""What the DAGs need to submit a Spark job."""

from pathlib import Path

import holdfast
from holdfast.airflow_wiring.objects import SPARK_CONNECTION, SPARK_POOL, lake
from holdfast.errors import InvalidInput


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
