"""Paths of snapshots in the lake: `snapshots/cluster=C/day=YYYY-MM-DD/group=G/<time>-<fingerprint>.json`, percent-encoded.

A snapshot's ID is its path in the lake. A file is never changed once it is written: the same snapshot gives the same path.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote, unquote

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.ports import Lake, LakePath
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.json.strict import LARGEST_DOCUMENT, dumps, loads
from holdfast.rollout.kinds import any_document
from holdfast.workflows.writers import versions

FOLDER = "snapshots"
NO_DAY = "unknown"
_LONGEST_NAME = 200
_CUT = re.compile(rf"[a-z]+=.{{{_LONGEST_NAME // 2}}}-[0-9a-f]{{32}}", re.ASCII)


def segment(key: str, name: str) -> str:
    """`key=name` as one segment of a lake path, with everything but letters, digits and `-._` percent-encoded.

    A name too long for a file system keeps its beginning and gets a fingerprint.
    """
    encoded = quote(name, safe="").replace("~", "%7E")
    if len(encoded) > _LONGEST_NAME:
        encoded = f"{encoded[: _LONGEST_NAME // 2]}-{fingerprint(name)[7:39]}"
    return f"{key}={encoded}"


def keep(lake: Lake, snapshot: AnySnapshot) -> str:
    """Write the snapshot, whole, and return its ID."""
    path, content = placed(snapshot)
    lake.write(path, content)
    return "/".join(path)


def placed(snapshot: AnySnapshot) -> tuple[LakePath, bytes]:
    """Its path in a lake, and its content."""
    document = any_document.snapshot_to_json(snapshot)
    captured_at = snapshot.captured_at or ""
    day = captured_at[:10] or NO_DAY
    time = re.sub(r"[^0-9]", "", captured_at[10:]) or "0"
    path = (
        FOLDER,
        segment("cluster", snapshot.cluster),
        segment("day", day),
        segment("group", snapshot.group_id),
        f"{time}-{fingerprint(document)[7:23]}.json",
    )
    return path, dumps(document, indent=2).encode()


def load(lake: Lake, snapshot_id: str) -> AnySnapshot:
    """The snapshot with this ID. Raise InvalidInput if it is not the ID of a snapshot, StatePathTrouble if there is none."""
    path = tuple(snapshot_id.split("/"))
    if len(path) != 5 or path[0] != FOLDER:
        raise InvalidInput(
            f"{snapshot_id[:200]!r} is not a snapshot ID; the format is "
            f"'{FOLDER}/cluster=C/day=2026-11-20/group=G/134802-0123456789abcdef.json'"
        )
    with versions.explained(lake):
        return any_document.snapshot_from_json(loads(lake.read(path, LARGEST_DOCUMENT)))


def latest(lake: Lake, cluster: str, group_id: str, days_most: int = 60) -> str | None:
    """The ID of the newest snapshot of a group; None if there is none in the last `days_most` days of the cluster."""
    return next(newest_first(lake, cluster, group_id, days_most), None)


def newest_first(lake: Lake, cluster: str, group_id: str, days_most: int = 60) -> Iterator[str]:
    """The IDs of a group's snapshots. Those of no known day come last."""
    folder = (FOLDER, segment("cluster", cluster))
    found = [name for name in lake.names(folder) if name.startswith("day=")]
    dated = sorted((name for name in found if name != f"day={NO_DAY}"), reverse=True)[:days_most]
    for day in (*dated, *(name for name in found if name == f"day={NO_DAY}")):
        place = (*folder, day, segment("group", group_id))
        yield from ("/".join((*place, name)) for name in reversed(lake.names(place)) if name.endswith(".json"))


def groups(lake: Lake, days_most: int = 7) -> tuple[tuple[str, str, str], ...]:
    """Cluster, group and the newest day of every group of which there are snapshots of each cluster's last days, sorted."""
    found: dict[tuple[str, str], str] = {}
    for cluster in lake.names((FOLDER,)):
        dated = sorted(name for name in lake.names((FOLDER, cluster)) if name.startswith("day="))
        for day in dated[-days_most:]:
            for group in lake.names((FOLDER, cluster, day)):
                found[cluster, group] = day
    named = {_names(lake, (FOLDER, cluster, day, group)): day for (cluster, group), day in found.items()}
    return tuple(sorted((*names, day.removeprefix("day=")) for names, day in named.items() if names is not None))


def _names(lake: Lake, place: LakePath) -> tuple[str, str] | None:
    """Cluster and group of a folder of snapshots. One whose name was cut says it in a snapshot; None: it cannot be read."""
    segments = (place[1], place[3])
    if any(_CUT.fullmatch(one) for one in segments):
        try:
            snapshot = load(lake, "/".join((*place, lake.names(place)[-1])))
        except (HoldfastError, IndexError):
            return None
        return snapshot.cluster, snapshot.group_id
    cluster, group = (unquote(one.partition("=")[2]) for one in segments)
    return cluster, group


def days(lake: Lake) -> tuple[str, ...]:
    """The days of which there are snapshots of any cluster, the latest last."""
    found = [
        name.removeprefix("day=")
        for cluster in lake.names((FOLDER,))
        for name in lake.names((FOLDER, cluster))
        if name.startswith("day=")
    ]
    return tuple(sorted(dict.fromkeys(found)))
