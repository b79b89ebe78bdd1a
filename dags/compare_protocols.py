"""### Which protocol

What the deploys of a month cost a classic group, of Kafka Streams or consumers, under the protocol that it has, and under those
that it could have. A run takes a snapshot that is in the lake, and writes `comparison.json` and `comparison.md` below
`comparisons/`; the page *Which protocol* shows them (docs/protocols.md). It asks no broker and changes nothing. A run compares
once: if cleared, it keeps its comparison.
"""

import pendulum
from airflow.sdk import dag, get_current_context, task

from holdfast.airflow_wiring import airflow_objects, runs
from holdfast.airflow_wiring.protocols import comparing, form


@dag(
    schedule=None,
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    default_args=airflow_objects.DEFAULTS,
    tags=["holdfast", "rollout"],
    doc_md=__doc__,
    params=form.fields(),
)
def compare_protocols():
    @task
    def compare(params: dict, run_id: str) -> str:
        return comparing.compare(run_id, params, runs.who_triggered(get_current_context()))

    compare()


made = compare_protocols()
