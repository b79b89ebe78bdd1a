"""The DAGs as a bundle, for an Airflow that has other DAGs:

    [dag_processor]
    dag_bundle_config_list = [
        {"name": "dags-folder", "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle", "kwargs": {}},
        {"name": "holdfast", "classpath": "holdfast.airflow_provider.bundle.HoldfastDagBundle", "kwargs": {}}]

Nothing is copied or written: Airflow reads the files where they are installed.
"""

from typing import Any

from airflow.dag_processing.bundles.local import LocalDagBundle

from holdfast import project_files


class HoldfastDagBundle(LocalDagBundle):  # type: ignore[misc]  # Airflow is not typed for us
    """The DAGs of the installed Holdfast."""

    def __init__(self, **options: Any) -> None:
        super().__init__(path=str(project_files.folder("dags")), **options)
