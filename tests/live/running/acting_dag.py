"""A DAG of a team, for a real Airflow of the tests: a run of it stops, starts or restarts a client, and takes its time."""

import os
import subprocess
import time
from typing import Any

from airflow.sdk import dag, task


@dag(dag_id="restart_streams_client", schedule=None, catchup=False, max_active_runs=1)
def restart_streams_client() -> None:
    @task
    def act(**context: Any) -> None:
        conf = context["dag_run"].conf
        time.sleep(float(os.environ["LIVE_DAG_TAKES_S"]))
        words = ["sh", os.environ["LIVE_SERVICES_SCRIPT"], os.environ["LIVE_SERVICES"], conf["does"], conf["host"]]
        subprocess.run(words, check=True, timeout=120)

    act()


restart_streams_client()
