"""Deletes raw snapshots past their retention, one day of a cluster at a time, except those that plans were made from.

A draft names the snapshot that its plan was made from (`drafts/<run>/origin.json`): as long as there is the draft, there is that
snapshot, whatever became of the plan. A draft of which no plan was made goes with the snapshots of its day. Documents next to plans
are never touched.
"""

from collections.abc import Iterator

from holdfast.errors import InvalidInput
from holdfast.ports import Lake, LakePath
from holdfast.rollout.json.codec import TEXT
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.strict import LARGEST_DOCUMENT, loads
from holdfast.workflows import snapshots
from holdfast.workflows.collecting import collect_runs


@record(closed=False)
class _DraftedFrom:
    """What retention needs of an `Origin`, of any version."""

    snapshot: str = member(TEXT)
    at: str = member(TEXT, default="")


_DRAFTED_FROM = codec_of(_DraftedFrom)


def forget(lake: Lake, before: str) -> list[str]:
    """Delete snapshots, reports and drafts without a plan of days before that one (such as 2026-11-20); return what went, a line a
    day or draft.

    A run that is killed in between has deleted some of it; the next run deletes the rest. Raise StatePathTrouble or InvalidInput
    where a draft cannot be read: what it refers to is unknown then, and nothing is deleted.
    """
    drafts = dict(_drafts(lake))
    gone = [f"drafts/{name}" for name, draft in drafts.items() if "" < draft.at[:10] < before and not _made_a_plan(lake, name)]
    for place in gone:
        lake.remove(tuple(place.split("/")))
    kept = frozenset(draft.snapshot for name, draft in drafts.items() if f"drafts/{name}" not in gone)
    for cluster in lake.names((snapshots.FOLDER,)):
        for day in _days_before(lake, (snapshots.FOLDER, cluster), before):
            left = _forget_day(lake, (snapshots.FOLDER, cluster, day), kept)
            gone.append(f"{snapshots.FOLDER}/{cluster}/{day}" + (f" but for {left} that plans refer to" if left else ""))
    for cluster in lake.names((collect_runs.FOLDER,)):
        for day in _days_before(lake, (collect_runs.FOLDER, cluster), before):
            _forget_reports(lake, (collect_runs.FOLDER, cluster), day)
            gone.append(f"{collect_runs.FOLDER}/{cluster}/{day}")
    return gone


def _made_a_plan(lake: Lake, draft: str) -> bool:
    return lake.exists(("drafts", draft, "plan.json"))


def _drafts(lake: Lake) -> Iterator[tuple[str, _DraftedFrom]]:
    """By name, and what they were made from."""
    for draft in lake.names(("drafts",)):
        origin: LakePath = ("drafts", draft, "origin.json")
        if lake.exists(origin):
            try:
                found = _DRAFTED_FROM.read(loads(lake.read(origin, LARGEST_DOCUMENT)))
            except InvalidInput as problem:
                raise InvalidInput(
                    f"{problem}: the snapshot of this draft is unknown, so nothing is deleted", "/".join(origin)
                ) from None
            yield draft, found


def _days_before(lake: Lake, folder: LakePath, before: str) -> list[str]:
    days = [name for name in lake.names(folder) if name.startswith("day=") and name[4:5].isdigit()]
    return [name for name in days if name.removeprefix("day=") < before]


def _forget_day(lake: Lake, folder: LakePath, kept: frozenset[str]) -> int:
    """Return how many snapshots of the day stay."""
    prefix = "/".join(folder) + "/"
    staying = frozenset(one for one in kept if one.startswith(prefix))
    if not staying:
        lake.remove(folder)
        return 0
    left = 0
    for group in lake.names(folder):
        if not any(one.startswith(f"{prefix}{group}/") for one in staying):
            lake.remove((*folder, group))
            continue
        for name in lake.names((*folder, group)):
            if f"{prefix}{group}/{name}" in staying:
                left += 1
            else:
                lake.remove((*folder, group, name))
    return left


def _forget_reports(lake: Lake, cluster: LakePath, day: str) -> None:
    """And what those runs recorded while they worked; the report is deleted last, so that it is found again."""
    for name in lake.names((*cluster, day)):
        lake.remove((*cluster, "runs", name.removesuffix(".json")))
        lake.remove((*cluster, day, name))
    lake.remove((*cluster, day))
