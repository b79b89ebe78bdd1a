"""The record of a collection in the lake: what it is about to write, and its result.

    collections/cluster=<cluster>/runs/<run>/began.json, part-00001.json, …
    collections/cluster=<cluster>/day=<day it began>/<run>.json

A part names snapshots before they are written. So a run that was killed and begins again knows which exist, and takes the
others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.ports import Lake, LakePath
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.json import instants
from holdfast.rollout.json.codec import INSTANT, TEXTS
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.strict import LARGEST_DOCUMENT, dumps, loads
from holdfast.rollout.tables.collection_report import VERSION, CollectionReport, Unread
from holdfast.workflows import snapshots
from holdfast.workflows.writers import versions

D = TypeVar("D")
FOLDER = "collections"


REPORT = codec_of(CollectionReport)


@record(closed=False, version=VERSION)
class _Began:
    at: str = member(INSTANT)


@record(closed=False, version=VERSION)
class _Part:
    """`snapshots`: the IDs of those that are written after it."""

    snapshots: tuple[str, ...] = member(TEXTS)


def place(report: CollectionReport) -> LakePath:
    return _place(report.cluster, report.began_at, report.run)


def _place(cluster: str, began_at: str, run: str) -> LakePath:
    return (FOLDER, snapshots.segment("cluster", cluster), f"day={began_at[:10]}", f"{run}.json")


def report_of(lake: Lake, cluster: str, name: str) -> CollectionReport | None:
    """What came of the run of that name in a cluster; None: it has not ended, or there is none."""
    began = (*_folder(cluster, name), "began.json")
    if not lake.exists(began):
        return None
    stored = _place(cluster, _read(lake, began, _Began).at, name)
    return _read(lake, stored, CollectionReport) if lake.exists(stored) else None


def load(lake: Lake, path: str) -> CollectionReport:
    """The stored report."""
    return _read(lake, tuple(path.split("/")), CollectionReport)


def _folder(cluster: str, run: str) -> LakePath:
    return (FOLDER, snapshots.segment("cluster", cluster), "runs", run)


@dataclass(slots=True)
class Run:
    """A run while it goes on. `_taken`: snapshot IDs by the group's segment of the path."""

    lake: Lake
    cluster: str
    name: str
    began_at: str
    _parts: int = 0
    _taken: dict[str, str] = field(default_factory=dict)

    @classmethod
    def begin(cls, lake: Lake, cluster: str, name: str, now: datetime) -> "Run":
        """A new run of this name, or the one that was begun before."""
        folder = _folder(cluster, name)
        began = (*folder, "began.json")
        if not lake.exists(began):
            _write(lake, began, _Began(instants.to_second(now)))
        run = cls(lake, cluster, name, _read(lake, began, _Began).at)
        parts = [part for part in lake.names(folder) if part.startswith("part-")]
        for part in parts:
            listed: Sequence[str] = _read(lake, (*folder, part), _Part).snapshots
            if part == parts[-1]:  # only of this one is it unknown whether all of it was written
                existing = tuple(one for one in listed if lake.exists(tuple(one.split("/"))))
                if len(existing) < len(listed):  # another part follows, and then all of this one counts as written
                    _write(lake, (*folder, part), _Part(existing))
                listed = existing
            run._note(listed)
        run._parts = len(parts)
        return run

    @property
    def taken(self) -> int:
        return len(self._taken)

    def has(self, group_id: str) -> bool:
        return snapshots.segment("group", group_id) in self._taken

    def keep(self, taken: Iterable[AnySnapshot]) -> None:
        """Write these snapshots, after recording their names."""
        placed = [snapshots.placed(snapshot) for snapshot in taken]
        if not placed:
            return
        self._parts += 1
        ids = tuple("/".join(path) for path, _ in placed)
        _write(self.lake, (*_folder(self.cluster, self.name), f"part-{self._parts:05}.json"), _Part(ids))
        for path, content in placed:
            self.lake.write(path, content)
        self._note(ids)

    def finish(
        self, *, groups: int, unread: Iterable[Unread], left_out: Mapping[str, int], unlisted: Iterable[str], seconds: float
    ) -> CollectionReport:
        """Write the report, in the place of an earlier one of this run."""
        days = {part.removeprefix("day=") for one in self._taken.values() for part in one.split("/") if part.startswith("day=")}
        report = CollectionReport(
            cluster=self.cluster,
            run=self.name,
            began_at=self.began_at,
            groups=groups,
            taken=self.taken,
            days=tuple(sorted(days)),
            unread=tuple(sorted(unread, key=lambda one: one.group_id)),
            left_out=tuple(sorted(left_out.items())),
            unlisted=tuple(unlisted),
            seconds=round(seconds, 3),
        )
        versions.note(self.lake)
        self.lake.write(place(report), dumps(REPORT.write(report), indent=2).encode())
        return report

    def _note(self, ids: Iterable[str]) -> None:
        self._taken |= {one.split("/")[3]: one for one in ids}


def _read(lake: Lake, path: LakePath, kind: type[D]) -> D:
    """Raise InvalidInput that names the document."""
    try:
        return codec_of(kind).read(loads(lake.read(path, LARGEST_DOCUMENT)))
    except InvalidInput as problem:
        raise InvalidInput(str(problem), "/".join(path)) from None


def _write(lake: Lake, path: LakePath, document: object) -> None:
    lake.write(path, dumps(codec_of(type(document)).write(document)).encode())
