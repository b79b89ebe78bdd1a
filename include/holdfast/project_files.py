"""Where the DAG files and the Spark jobs are: inside an installed wheel, or next to `include/` in the checkout and the Astro image.

The wheel has the same files (`[tool.hatch.build.targets.wheel]` in pyproject.toml), so there is one of each.
"""

from pathlib import Path

import holdfast

IN_WHEEL = "airflow_project"


def folder(name: str) -> Path:
    """`dags` or `spark_jobs`."""
    package = Path(holdfast.__path__[0])
    inside = package / IN_WHEEL / name
    return inside if inside.is_dir() else package.parents[1] / name
