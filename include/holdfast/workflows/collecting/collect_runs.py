"""The record of a collection in the lake: what it is about to write, and its result.

    collections/cluster=<cluster>/runs/<run>/began.json, part-00001.json, …
    collections/cluster=<cluster>/day=<day it began>/<run>.json

A part names snapshots before they are written. So a run that was killed and begins again knows which exist, and takes the
others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from holdfast.ports import Lake, LakePath
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.json.strict import LARGEST_DOCUMENT, dumps, loads
from holdfast.workflows import snapshots

FOLDER = "collections"
_FORMAT = "1.0"


class Why(StrEnum):
    """NOT_COVERED: a group that only a pattern asked for turned out to be of a kind that Holdfast does not model."""

    NOT_READ = "not read"
    NOT_COVERED = "not covered"


@dataclass(frozen=True, slots=True)
class Unread:
    """A group of which there is no snapshot."""

    group_id: str
    why: Why
    problem: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a run. `left_out`: (what fitted a pattern and was not meant, how many); `unlisted`: brokers that did not say
    which groups they have. `days`: those of the snapshots."""

    cluster: str
    run: str
    began_at: str
    groups: int
    taken: int
    days: tuple[str, ...]
    unread: tuple[Unread, ...] = ()
    left_out: tuple[tuple[str, int], ...] = ()
    unlisted: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def path(self) -> LakePath:
        return (FOLDER, snapshots.segment("cluster", self.cluster), f"day={self.began_at[:10]}", f"{self.run}.json")


def report_to_json(report: Report) -> dict[str, object]:
    return {
        "format_version": _FORMAT,
        "cluster": report.cluster,
        "run": report.run,
        "began_at": report.began_at,
        "groups": report.groups,
        "taken": report.taken,
        "days": list(report.days),
        "unread": [{"group_id": one.group_id, "why": str(one.why), "problem": one.problem} for one in report.unread],
        "left_out": dict(report.left_out),
        "unlisted": list(report.unlisted),
        "seconds": round(report.seconds, 3),
    }


def report_from_json(document: Any) -> Report:
    """A report that `Run` wrote."""
    return Report(
        cluster=document["cluster"],
        run=document["run"],
        began_at=document["began_at"],
        groups=document["groups"],
        taken=document["taken"],
        days=tuple(document["days"]),
        unread=tuple(Unread(one["group_id"], Why(one["why"]), one["problem"]) for one in document["unread"]),
        left_out=tuple(document["left_out"].items()),
        unlisted=tuple(document["unlisted"]),
        seconds=document["seconds"],
    )


def report_of(lake: Lake, cluster: str, name: str) -> Report | None:
    """What came of the run of that name in a cluster; None: it has not ended, or there is none."""
    began = (FOLDER, snapshots.segment("cluster", cluster), "runs", name, "began.json")
    if not lake.exists(began):
        return None
    place: LakePath = (FOLDER, began[1], f"day={str(_read(lake, began)['at'])[:10]}", f"{name}.json")
    return report_from_json(_read(lake, place)) if lake.exists(place) else None


def load(lake: Lake, path: str) -> Report:
    """The stored report."""
    return report_from_json(_read(lake, tuple(path.split("/"))))


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
        folder = (FOLDER, snapshots.segment("cluster", cluster), "runs", name)
        began = (*folder, "began.json")
        if not lake.exists(began):
            moment = now.isoformat(timespec="seconds").replace("+00:00", "Z")
            lake.write(began, dumps({"format_version": _FORMAT, "at": moment}).encode())
        run = cls(lake, cluster, name, str(_read(lake, began)["at"]))
        parts = [part for part in lake.names(folder) if part.startswith("part-")]
        for part in parts:
            listed: Sequence[str] = _read(lake, (*folder, part))["snapshots"]
            # Only of the last part is it unknown whether all of it was written.
            existing = listed if part != parts[-1] else [one for one in listed if lake.exists(tuple(one.split("/")))]
            run._note(existing)
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
        part = (FOLDER, snapshots.segment("cluster", self.cluster), "runs", self.name, f"part-{self._parts:05}.json")
        ids = ["/".join(path) for path, _ in placed]
        self.lake.write(part, dumps({"format_version": _FORMAT, "snapshots": ids}).encode())
        for path, content in placed:
            self.lake.write(path, content)
        self._note(ids)

    def finish(
        self, *, groups: int, unread: Iterable[Unread], left_out: Mapping[str, int], unlisted: Iterable[str], seconds: float
    ) -> Report:
        """Write the report, in the place of an earlier one of this run."""
        days = {part.removeprefix("day=") for one in self._taken.values() for part in one.split("/") if part.startswith("day=")}
        report = Report(
            cluster=self.cluster,
            run=self.name,
            began_at=self.began_at,
            groups=groups,
            taken=self.taken,
            days=tuple(sorted(days)),
            unread=tuple(sorted(unread, key=lambda one: one.group_id)),
            left_out=tuple(sorted(left_out.items())),
            unlisted=tuple(unlisted),
            seconds=seconds,
        )
        self.lake.write(report.path, dumps(report_to_json(report), indent=2).encode())
        return report

    def _note(self, ids: Iterable[str]) -> None:
        self._taken |= {one.split("/")[3]: one for one in ids}


def _read(lake: Lake, path: LakePath) -> dict[str, Any]:
    found = loads(lake.read(path, LARGEST_DOCUMENT))
    assert isinstance(found, dict), "written by Run"
    return found
