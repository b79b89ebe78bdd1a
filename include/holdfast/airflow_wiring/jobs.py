"""A Spark job as an airflow task: what it runs is worked out when it runs, and nothing of it comes from an XCom.

| what Airflow's operator does                                  | what is done about it                                      |
|---------------------------------------------------------------|------------------------------------------------------------|
| takes the script, packages and arguments from templates       | there are none: all of it is worked out in `execute`       |
| takes up the job that the task state store names, and may end | `durable=False`: it always submits; jobs replace what they |
| its pod; all who may trigger the DAG may write there          | wrote before                                               |
| tries a task again whose process was killed, while the job    | a new submission of the job stops the older one from       |
| that it submitted runs on                                     | replacing anything (`submissions`)                         |
| submits to YARN where there is no connection                  | refused (`spark.refuse_unready`)                           |
| writes variables of the environment into the command line     | on YARN and Kubernetes: none are given (`LakeForSpark`)   |
| lets executors fetch packages by their URL                    | they come from the driver (`spark.package_file`)          |
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from holdfast.airflow_wiring import spark
from holdfast.airflow_wiring.airflow_objects import SPARK_CONNECTION, SPARK_POOL

Arguments = Callable[[Mapping[str, Any]], list[str] | None]
"""From Airflow's context to the parameters of the job in addition to the lake; None: there is nothing to do."""


class SparkJob(SparkSubmitOperator):  # type: ignore[misc]  # Airflow is not typed for us
    """`job`: a file of `spark_jobs/`, without its ending. `replaces`: it replaces what a run of the same job wrote before, of
    which Airflow starts one at a time; else each run has a place of its own."""

    template_fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *, job: str, arguments: Arguments, replaces: bool = True, **options: Any) -> None:
        fixed = {"conn_id": SPARK_CONNECTION, "pool": SPARK_POOL, "name": f"holdfast {job}", "durable": False}
        super().__init__(**(options | fixed))
        self.job = job
        self.arguments = arguments
        self.replaces = replaces

    def execute(self, context: Any) -> None:
        arguments = self.arguments(context)
        if arguments is None:
            self.log.info("There is nothing left to do for %s", self.job)
            return
        self.application = spark.script(self.job)
        spark.prepare_spark()
        lake = spark.lake_for_spark()
        self.application_args = ["--lake", lake.url, *arguments]
        submission = spark.begin_submission(self.job) if self.replaces else {}
        self.conf, self.env_vars = lake.settings | submission, lake.environment
        with spark.package_file() as self.py_files:
            super().execute(context)
