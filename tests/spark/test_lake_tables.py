"""Days of tables appear whole or not at all, replace what was there, and go when they are old."""

import re
import shutil
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapters.lake.table_schemas import TABLES
from holdfast.adapters.spark import documents as lake_documents
from holdfast.adapters.spark import hadoop_files, submissions
from holdfast.adapters.spark import spark as lake_tables
from holdfast.errors import InvalidInput

pytestmark = pytest.mark.spark
DAYS = ["2026-11-20", "2026-11-21"]


def quarantine(spark: SparkSession, *rows: tuple[str, str, str]) -> DataFrame:
    return spark.createDataFrame(
        [(*row, "s", "p") for row in rows], "cluster string, day string, group_id string, snapshot string, problem string"
    )


def found(spark: SparkSession, lake: Path | str) -> list[tuple[str, str, str]]:
    rows = lake_tables.read_table(spark, str(lake), "quarantine").select("cluster", "day", "group_id").collect()
    return sorted(tuple(row) for row in rows)


def test_a_second_run_replaces_its_days_and_no_others(spark: SparkSession, tmp_path: Path) -> None:
    first = [("a", DAYS[0], "1"), ("a", DAYS[1], "2"), ("007", DAYS[1], "3"), ("b c/ü", DAYS[1], "4")]
    lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, *first)}, DAYS)
    assert found(spark, tmp_path) == sorted(first)

    lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, ("a", DAYS[1], "5"))}, DAYS[1:])

    assert found(spark, tmp_path) == [("a", DAYS[0], "1"), ("a", DAYS[1], "5")]
    assert list((tmp_path / "tables" / ".staging").iterdir()) == []


def test_a_run_that_fails_leaves_what_was_there(spark: SparkSession, tmp_path: Path) -> None:
    good = quarantine(spark, ("a", DAYS[0], "1"))
    lake_tables.write_days(spark, str(tmp_path), {"quarantine": good, "quarantine_targets": good}, DAYS)
    worse = {
        "quarantine": quarantine(spark, ("a", DAYS[0], "2")),
        "quarantine_targets": good.selectExpr("*", "1 / 0 as x").where("x > 0"),
    }
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        lake_tables.write_days(spark, str(tmp_path), worse, DAYS)

    assert found(spark, tmp_path) == [("a", DAYS[0], "1")]
    assert list((tmp_path / "tables" / ".staging").iterdir()) == []


def test_old_days_go(spark: SparkSession, tmp_path: Path) -> None:
    rows = [("a", DAYS[0], "1"), ("a", DAYS[1], "2"), ("b", DAYS[0], "3"), ("b", "unknown", "4")]
    lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, *rows)}, [*DAYS, "unknown"])

    gone = lake_tables.forget_days(spark, str(tmp_path), DAYS[1])

    assert gone == [f"quarantine/cluster=a/day={DAYS[0]}", f"quarantine/cluster=b/day={DAYS[0]}"]
    assert found(spark, tmp_path) == [("a", DAYS[1], "2"), ("b", "unknown", "4")]


def test_a_table_that_nobody_wrote_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="has no table targets"):
        lake_tables.read_table(spark, str(tmp_path), "targets")


def test_a_day_without_snapshots_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no snapshots of 2026-11-20"):
        lake_documents.read_snapshots(spark, str(tmp_path), DAYS[:1])


def test_a_lake_that_cannot_be_written_to_is_named(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "tables").write_text("a file where the tables should be")

    with pytest.raises(Exception, match="tables") as caught:
        lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, ("a", DAYS[0], "1"))}, DAYS)

    said = lake_tables.told(caught.value) or ""
    assert re.match(r"Spark has no permission to read or write there: .*It needs to read and write", said), str(caught.value)[:500]


def test_a_damaged_file_is_named(spark: SparkSession, tmp_path: Path) -> None:
    lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, ("a", DAYS[0], "1"))}, DAYS)
    (part,) = tmp_path.glob("tables/v1/quarantine/*/*/*.parquet")
    part.write_bytes(b"PAR1 but not really")
    (part.parent / f".{part.name}.crc").unlink(missing_ok=True)

    with pytest.raises(Exception) as caught:  # noqa: PT011 - Spark's own, whichever
        found(spark, tmp_path)

    assert re.match(r"a file in the lake is damaged: .*Delete that day", lake_tables.told(caught.value) or "")


def test_a_number_too_large_for_its_column_costs_one_row() -> None:
    schema = pa.schema([("group_id", pa.string()), ("problem", pa.string()), ("count", pa.int32())])
    rows = [{"group_id": name, "problem": None, "count": count} for name, count in (("a", 1), ("b", 2**40), ("c", 3))]

    assert lake_tables.in_columns(rows, schema).to_pylist() == [
        rows[0],
        {"group_id": "b", "problem": "a number in it is too large for the column of a table", "count": None},
        rows[2],
    ]


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-20,2026-11-2", "2026-11-20/.."])
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="format is 2026-11-20"):
        lake_tables.days_of(text)


def test_lines_are_written_whole(spark: SparkSession, tmp_path: Path) -> None:
    for count in (3, 5):
        lake_tables.write_lines(spark, spark.range(count).selectExpr("cast(id as string) as value"), str(tmp_path / "out"))

    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert spark.read.text(str(tmp_path / "out")).count() == 5


def test_every_table_is_described(request: pytest.FixtureRequest) -> None:
    page = (Path(request.config.rootpath) / "docs" / "tables.md").read_text()
    about_all, *sections = page.split("\n### ")
    for name, schema in TABLES.items():
        described = [section for section in sections if f"`{name}`" in section.partition("\n")[0]]
        assert len(described) == 1, f"docs/tables.md has no section about {name}, or several"
        missing = [column for column in schema.names if f"`{column}`" not in described[0] + about_all]
        assert missing == [], f"docs/tables.md does not say what these columns of {name} mean"


class Killed(BaseException):
    """What happens to a driver, in terms of files: from then on it does nothing to them."""


@pytest.mark.parametrize("files_moved", range(4))
def test_a_run_killed_between_any_two_renames_and_run_again_loses_nothing_and_doubles_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files_moved: int
) -> None:
    """Until then each day is whole, old or new, or aside; that one is found again even if the job does not run again."""
    old, new = ([("a", day, f"{what} {number}") for day in DAYS for number in (1, 2)] for what in ("old", "new"))
    lake, left_alone = tmp_path / "lake", tmp_path / "left alone"
    lake_tables.write_days(spark, str(lake), {"quarantine": quarantine(spark, *old)}, DAYS)
    left = files_moved
    move = hadoop_files.move

    def some(spark: SparkSession, source: str, place: str) -> None:
        nonlocal left
        if not left:
            raise Killed
        left -= 1
        move(spark, source, place)

    def nothing(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(hadoop_files, "move", some)
        dying.setattr(hadoop_files, "delete", nothing)
        with pytest.raises(Killed):
            lake_tables.write_days(spark, str(lake), {"quarantine": quarantine(spark, *new)}, DAYS)
    shutil.copytree(lake, left_alone)

    days = {day: {row[2].split()[0] for row in found(spark, lake) if row[1] == day} for day in DAYS}
    there = {day: len([row for row in found(spark, lake) if row[1] == day]) for day in DAYS}
    away = [day for day in DAYS if not days[day]]
    assert all(len(days[day]) == 1 and there[day] == 2 for day in DAYS if day not in away)
    assert len(away) == files_moved % 2

    lake_tables.write_days(spark, str(lake), {"quarantine": quarantine(spark, *new)}, DAYS)
    assert found(spark, lake) == sorted(new)

    monkeypatch.setattr(lake_tables, "_ABANDONED_S", -1)
    lake_tables.forget_days(spark, str(left_alone), DAYS[0])
    assert {day for _, day, _ in found(spark, left_alone)} == set(DAYS)
    assert len(found(spark, left_alone)) == len(new)
    assert list((left_alone / "tables" / ".staging").iterdir()) == []


def test_a_day_that_cannot_be_moved_in_leaves_the_old_one(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = [("a", day, "old") for day in DAYS]
    lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, *old)}, DAYS)
    move = hadoop_files.move

    def not_in(spark: SparkSession, source: str, place: str) -> None:
        if "/new/" in source:
            raise OSError("no space left on device")
        move(spark, source, place)

    with monkeypatch.context() as full:
        full.setattr(hadoop_files, "move", not_in)
        with pytest.raises(OSError, match="no space"):
            lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, ("a", DAYS[0], "new"))}, DAYS)

    assert found(spark, tmp_path) == sorted(old)


@pytest.mark.parametrize("there_before", [True, False])
@pytest.mark.parametrize("moved_before", range(4))
def test_two_runs_at_once_leave_the_days_of_one_of_them(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved_before: int, *, there_before: bool
) -> None:
    """Such as a driver that outlives the airflow task that submitted it, and the one of the next try."""
    old, one, other = ([("a", day, f"{what} {number}") for day in DAYS for number in (1, 2)] for what in ("old", "one", "other"))
    if there_before:
        lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, *old)}, DAYS)
    move, moved = hadoop_files.move, 0

    def and_another(spark: SparkSession, source: str, place: str) -> None:
        nonlocal moved
        moved += 1
        if moved == moved_before + 1:
            lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, *other)}, DAYS)
        move(spark, source, place)

    monkeypatch.setattr(hadoop_files, "move", and_another)
    with suppress(OSError):  # it may fail, and is tried again then
        lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, *one)}, DAYS)

    rows = found(spark, tmp_path)
    for day in DAYS:
        assert [row for row in rows if row[1] == day] in [[row for row in whole if row[1] == day] for whole in (one, other)], rows
    assert list((tmp_path / "tables" / ".staging").iterdir()) == []


def test_a_run_that_was_submitted_again_replaces_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand there is no submission to compare with; and one is the newest where the lake has lost the file."""
    job, (older, newer) = "compute_targets", (submissions.new_id(), submissions.new_id())
    newest = tmp_path.joinpath(*submissions.place(job))

    def replaced_by(submission: str | None, group: str) -> None:
        spark.conf.unset(submissions.SETTING)
        if submission is not None:
            ((name, value),) = submissions.setting(job, submission).items()
            spark.conf.set(name, value)
        lake_tables.write_days(spark, str(tmp_path), {"quarantine": quarantine(spark, ("a", DAYS[0], group))}, DAYS)

    try:
        replaced_by(older, "no file")
        newest.parent.mkdir(parents=True)
        newest.write_text(newer)
        replaced_by(newer, "newest")
        with pytest.raises(submissions.Outlived, match="compute_targets was submitted again"):
            replaced_by(older, "older")
        assert found(spark, tmp_path) == [("a", DAYS[0], "newest")]
        assert list((tmp_path / "tables" / ".staging").iterdir()) == []
        replaced_by(None, "by hand")
        assert found(spark, tmp_path) == [("a", DAYS[0], "by hand")]
    finally:
        spark.conf.unset(submissions.SETTING)


def test_lines_of_two_runs_at_once_are_those_of_one(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, move, others = str(tmp_path / "out"), hadoop_files.move, [["other"]]

    def write(*values: str) -> None:
        lake_tables.write_lines(spark, spark.createDataFrame([(value,) for value in values], "value string"), place)

    def and_another(spark: SparkSession, source: str, to: str) -> None:
        if others:
            write(*others.pop())
        move(spark, source, to)

    monkeypatch.setattr(hadoop_files, "move", and_another)
    write("one", "two")

    assert sorted(row.value for row in spark.read.text(place).collect()) == ["one", "two"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not [path for path in (tmp_path / "out").iterdir() if path.is_dir()]
