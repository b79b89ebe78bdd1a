"""A Snapshot as rows of tables: one group, its members, its tasks, the cost of losing a host.

Plain values only (str, int, bool, None, lists and dicts of them), so that any table engine takes them. What cannot be answered for
one group is a `problem` in its row: one group never costs the others theirs.
"""

from urllib.parse import unquote

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.rollout.json import strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import A_ROW, dumps, loads
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of, kind_of_both
from holdfast.rollout.tables.collection_report import CollectionReport

Row = dict[str, object]
LARGEST = 64 * 1024 * 1024
"""Bytes of one document. A larger one goes to the quarantine rather than take an executor down."""
_REPORT = codec_of(CollectionReport)
NO_DAY = UNNAMED = "unknown"
_LONGEST_FOLDER = 240
"""Bytes of a cluster's name in that of a folder, of which file systems allow 255."""
_NO_NAME_OF_SPARK = "__HIVE_DEFAULT_PARTITION__"
"""A folder of this name holds rows without a name."""


def decode(path: str, content: bytes) -> Row:
    """One document as one row. What is not a Snapshot is a row with a `problem`, and its location."""
    cluster, day, group_id = place_of(path)
    found: Row = {"cluster": cluster, "day": day, "group_id": group_id, "snapshot": path}
    try:
        if len(content) > LARGEST:
            raise InvalidInput(f"the document has {len(content):,} bytes; {LARGEST:,} are allowed here")
        snapshot = any_document.snapshot_from_text(content, A_ROW)
        _refuse_what_names_no_folder(snapshot.cluster or UNNAMED)
        parts = kind_of(snapshot).decoded(snapshot)
    except HoldfastError as refusal:
        return found | {"problem": str(refusal)}
    return (
        found
        | {
            "cluster": snapshot.cluster or UNNAMED,
            "day": day or (snapshot.captured_at or "")[:10] or NO_DAY,
            "group_id": snapshot.group_id,
            "captured_at": snapshot.captured_at,
            "problem": None,
            "document": dumps(any_document.snapshot_to_json(snapshot)),
        }
        | parts
    )


def unread(path: str, content: bytes) -> Row:
    """The report of a run of collecting → `unread`: the groups that it could not read, each with the reason, as of `day`."""
    cluster, day, _ = place_of(path)
    found: Row = {"cluster": cluster, "day": day or NO_DAY, "snapshot": path}
    try:
        report = _REPORT.read(loads(content, A_ROW))
    except HoldfastError as trouble:
        return found | {"unread": [{"group_id": "", "problem": f"a report that cannot be read: {trouble}"}]}
    groups = [{"group_id": one.group_id, "problem": f"{one.why}: {one.problem}"} for one in report.unread]
    return found | {"unread": [*groups, *({"group_id": "", "problem": one} for one in report.unlisted)]}


def _refuse_what_names_no_folder(cluster: str) -> None:
    """Tables lie in folders that are called after clusters; one name that does not fit would cost all others their rows."""
    as_written = len(cluster.encode()) + 2 * sum(not one.isalnum() for one in cluster)  # what is escaped takes three bytes
    if as_written > _LONGEST_FOLDER or cluster == _NO_NAME_OF_SPARK:
        raise InvalidInput(f"the cluster's name ({strict.shown(cluster)}) cannot be that of a folder, which tables need", "cluster")


def place_of(path: str) -> tuple[str, str, str]:
    """What the path in the lake says of cluster, day and group."""
    parts = dict(part.split("=", 1) for part in path.split("/") if "=" in part)
    return unquote(parts.get("cluster", "")) or UNNAMED, unquote(parts.get("day", "")), unquote(parts.get("group", ""))


def targets(document: str) -> Row:
    """Where each stateful task of a Snapshot (each partition, of a consumer group) is going, and whose it is now: `targets`, or the
    `problem` why that is unknown."""
    try:
        snapshot = any_document.snapshot_from_text(document, A_ROW)
        return {"problem": None, "targets": kind_of(snapshot).targets(snapshot)}
    except HoldfastError as refusal:
        return {"problem": str(refusal), "targets": []}


def order_change(before: str, after: str) -> Row | None:
    """What happened to the order of process IDs (of members) between two Snapshots of a group, or None if no client joined or
    left."""
    try:
        was, now = (any_document.snapshot_from_text(document, A_ROW) for document in (before, after))
        found = kind_of_both(was, now, "one of the two snapshots is of {}, the other of {}").order_change(was, now)
    except HoldfastError as refusal:
        return {"problem": str(refusal)}
    return None if found is None else {"problem": None} | found
