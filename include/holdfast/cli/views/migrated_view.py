"""What `holdfast migrate` prints."""

from holdfast.rollout.text.format import printable
from holdfast.workflows.upgrades.migrate import Examined
from holdfast.workflows.writers import versions

LONGEST = 600


def document(found: Examined, *, dry_run: bool) -> dict[str, object]:
    """As JSON."""
    return {
        "format_version": "1.0",
        "version": versions.own(),
        "written_by": list(found.versions),
        "newer": list(found.newer),
        "read": dict(sorted(found.read.items())),
        "cannot_read": [{"path": one.path, "problem": one.problem} for one in found.unread],
        "waiting": [{"plan_id": plan_id, "expires_at": until} for plan_id, until in found.waiting],
        "adds": _additions(found),
        "dry_run": dry_run,
    }


def text(found: Examined, url: str, *, dry_run: bool) -> str:
    """For a terminal."""
    known = ", ".join(found.versions) or "a version that did not say so, or none"
    lines = [f"The lake {printable(url, LONGEST)} was written by Holdfast {known}. This is {versions.own()}."]
    if found.newer:
        lines.append(f"{versions.says(found.newer)}.")
    read = ", ".join(f"{kind} {count:,}" for kind, count in sorted(found.read.items()))
    lines.append(f"Read: {read or 'nothing is there yet'}.")
    if found.unread:
        lines.append(f"Cannot be read, {len(found.unread):,}:")
        lines += [f"  {printable(one.path, LONGEST)}: {printable(one.problem, LONGEST)}" for one in found.unread]
    else:
        lines.append("Nothing that was read is unknown to this version.")
    for plan_id, until in found.waiting:
        lines.append(f"Plan {plan_id} waits for a decision, and may be approved as it is until {until}.")
    additions = _additions(found)
    if additions:
        lines.append("Would be added:" if dry_run else "Added:")
        lines += [f"  {one}" for one in additions]
    else:
        lines.append("Nothing is to be migrated.")
    return "\n".join(lines)


def _additions(found: Examined) -> list[str]:
    own = [f"{versions.FOLDER}/{versions.own()}.json"] if found.notes_version else []
    return [*(f"plans/{plan_id}/summary.json" for plan_id in found.missing), *own]
