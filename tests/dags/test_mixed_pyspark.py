"""What pyspark-client does to pyspark is found before Spark starts (decision 3)."""

from pathlib import Path

import pytest

from holdfast.airflow_wiring import spark
from holdfast.errors import InvalidInput

RECORD = "pyspark/version.py,sha256=T2iF4vIUFxz7a9OcH5H6QnVwQ9z3jo3xTsPp_3l0Xps,20\n"


@pytest.mark.parametrize("replaced", ['__version__ = "4.2.0"\n', None])
def test_files_of_another_version_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, replaced: str | None) -> None:
    """`None`: pyspark-client was removed again, and its files with it."""
    monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", '{"conn_type": "spark", "host": "local[2]"}')
    spark.refuse_unready()  # the installed one is whole
    about = tmp_path / "pyspark-4.3.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: pyspark\nVersion: 4.3.0\n")
    (about / "RECORD").write_text(RECORD)
    (tmp_path / "pyspark").mkdir()
    if replaced is not None:
        (tmp_path / "pyspark" / "version.py").write_text(replaced)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(InvalidInput, match=r"files of pyspark 4\.3\.0 .* pyspark-client has replaced"):
        spark.refuse_unready()
