"""What `astro dev parse` runs: every DAG imports. (The CLI's own template passes an argument that Airflow 3.3 no longer has.)"""

from pathlib import Path

import pytest
from airflow.dag_processing.dagbag import DagBag

PROJECT = Path(__file__).resolve().parent.parent
EXCEPTIONS = {
    line
    for line in (PROJECT / ".astro" / "dag_integrity_exceptions.txt").read_text().splitlines()
    if line and not line.startswith("#")
}


@pytest.mark.parametrize("path", sorted((PROJECT / "dags").glob("*.py")), ids=lambda path: path.name)
def test_the_dag_file_imports(path: Path) -> None:
    if str(path.relative_to(PROJECT)) in EXCEPTIONS:
        return
    assert DagBag(dag_folder=str(path)).import_errors == {}
