"""The DAGs for a DAG folder, by one line in a file of it: `from holdfast.airflow_provider.dags import *`.

Airflow looks into a file that has both words, "airflow" and "dag". A bundle (`bundle`) shows the code of each DAG as well.
"""

import importlib.util
from pathlib import Path

from airflow.sdk import DAG

from holdfast import project_files


def _made_in(path: Path) -> dict[str, DAG]:
    """The DAGs of a file, by ID."""
    spec = importlib.util.spec_from_file_location(f"holdfast_dag_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {one.dag_id: one for one in vars(module).values() if isinstance(one, DAG)}


_DAGS = {name: dag for path in sorted(project_files.folder("dags").glob("*.py")) for name, dag in _made_in(path).items()}
globals().update(_DAGS)
__all__ = list(_DAGS)
