"""Rows of the lake's tables (`docs/tables.md`), read with Arrow, no Spark: for pages that show a day, or one group of it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from holdfast.adapters.lake import objects
from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.lake.lake_connection import address_of
from holdfast.adapters.lake.table_schemas import TABLES, VERSION
from holdfast.errors import StatePathTrouble

Row = Mapping[str, Any]
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|unknown", re.ASCII)
_TROUBLES = (OSError, ValueError, ImportError, pa.ArrowException)


class ParquetTables:
    """`place`: the lake. A table, or a day of it, that is not there has no rows."""

    def __init__(self, place: str | LakeAddress) -> None:
        self._files, root = address_of(place).opened()
        self._objects = objects.of(self._files)
        self._root = root.rstrip("/")

    def days(self, table: str, cluster: str = "") -> tuple[str, ...]:
        """The days of a cluster, or of any, the latest last."""
        clusters = [place for named, place in self._clusters(table) if cluster in ("", named)]
        return tuple(sorted({_value(day) for place in clusters for day in self._folders(place, "day=")}))

    def rows(
        self,
        table: str,
        days: Sequence[str],
        columns: Sequence[str],
        among: Mapping[str, tuple[str, ...]] | None = None,
        cluster: str = "",
    ) -> tuple[Row, ...]:
        """Of these days, the rows where every column of `among` has one of its values. `cluster` and `day` are always columns.

        Columns that an older release did not write are null. Raise StatePathTrouble for a table that cannot be read.
        """
        found: list[Row] = []
        for named, place in self._clusters(table):
            if cluster not in ("", named):
                continue
            for day in sorted(one for one in dict.fromkeys(days) if _DAY.fullmatch(one)):
                read = self._read(table, f"{place}/day={day}", columns, among or {})
                found += [{**row, "cluster": named, "day": day} for row in read.to_pylist()]
        return tuple(found)

    def unread(self, table: str) -> tuple[tuple[str, str], ...]:
        """Of the newest day of each cluster the files that could not be read, and why; what is in them is not looked at."""
        found = []
        for cluster, place in self._clusters(table):
            for day in self.days(table, cluster)[-1:]:
                folder = f"{place}/day={day}"
                files = [f"{folder}/{name}" for name in self._names(folder) if name.endswith(".parquet")]
                found += [(file, problem) for file in files if (problem := self._problem(table, file))]
        return tuple((file.removeprefix(self._root).lstrip("/"), problem) for file, problem in found)

    def _problem(self, table: str, file: str) -> str | None:
        """Columns that this version does not have are left alone, as are those that it has and an older one had not."""
        try:
            schema = pq.read_schema(file, filesystem=self._files)
        except _TROUBLES as error:
            return str(error)
        known = {one.name: one.type for one in TABLES[table]}
        other = [f"{one.name} is {one.type}, not {known[one.name]}" for one in schema if one.type != known.get(one.name, one.type)]
        return f"columns of other types: {'; '.join(other)}" if other else None

    def _clusters(self, table: str) -> list[tuple[str, str]]:
        """Name and folder of each."""
        place = f"{self._root}/tables/{VERSION}/{table}"
        return [(unquote(_value(one)), one) for one in self._folders(place, "cluster=")]

    def _folders(self, place: str, beginning: str) -> list[str]:
        return [f"{place}/{name}" for name in self._names(place) if name.startswith(beginning)]

    def _names(self, place: str) -> list[str]:
        try:
            return sorted(self._objects.names(place))
        except Exception as error:  # noqa: BLE001 - each file system has errors of its own
            if objects.is_absent(error):
                return []
            raise objects.trouble(self._objects, f"{place} cannot be listed", self._root, error) from None

    def _read(self, table: str, place: str, columns: Sequence[str], among: Mapping[str, tuple[str, ...]]) -> pa.Table:
        try:
            names = [f"{place}/{name}" for name in self._names(place) if name.endswith(".parquet")]
            schema = pa.schema([one for one in TABLES[table] if one.name not in ("cluster", "day")])
            dataset = pq.ParquetDataset(
                names,
                filesystem=self._files,
                schema=schema,
                partitioning=None,
                filters=[(name, "in", list(values)) for name, values in among.items()] or None,
            )
            return dataset.read(columns=list(columns)) if names else schema.empty_table().select(list(columns))
        except _TROUBLES as error:
            raise StatePathTrouble(f"The table {table} cannot be read at {place}: {error}") from None


def _value(folder: str) -> str:
    return folder.rstrip("/").rsplit("/", 1)[-1].partition("=")[2]
