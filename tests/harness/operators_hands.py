"""An operator who applies a plan again and again, and the groups at each attempt."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from tests.harness.article import AFTER, C, Document, group
from tests.harness.plans import (
    NOON,
    read,
    with_client,
    without_client,
)

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.state_dirs.process_metadata import FILE_NAME, LocalProcessMetadataFiles
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows import apply as workflow
from holdfast.workflows import plan as plans
from holdfast.workflows.apply import Applied, Confirmation, Hands

MINUTE = timedelta(minutes=1)
STRANGER = "11111111-57d0-457d-951f-d06556c148ca"
GONE = without_client(group(AFTER), C)
NEW_MEMBERS = json.loads(json.dumps(group(AFTER)).replace("0f6d8a3e-0000", "77777777-0000"))
BACK = with_client(group(AFTER), C, NEW_MEMBERS["clients"][C])
"""The replacement is there under the old ID: other members, the same tasks."""


def approved(plan: Plan, by: str = "ann") -> Approval:
    return Approval(plan.plan_id, True, by, "seen", "2026-11-20T12:00:30Z")


def taken(fresh: Document, now: datetime) -> Snapshot:
    """The group as a snapshot that was taken now."""
    return read(fresh | {"captured_at": now.isoformat().replace("+00:00", "Z")})


class Operator:
    """Applies one plan again and again, with a lake and state directories of its own."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.plan = plan
        self.lake = FsspecLake(str(folder / "lake"))
        self.state_dir = folder / "state" / "streams-wordcount"
        self.state_dir.mkdir(parents=True)
        self.now = NOON + MINUTE
        self.dirs = {ProcessId.parse(C): str(self.state_dir)}
        self.files = LocalProcessMetadataFiles()

    def apply(self, fresh: Document, confirm: Sequence[str] = (), approval: Approval | None = None) -> Applied:
        words = tuple(Confirmation(step, "ann", "done by hand") for step in confirm)
        hands = Hands(self.lake, self.files, self.dirs, lambda: self.now)
        return workflow.apply(self.plan, taken(fresh, self.now), approval or approved(self.plan), words, hands)

    def written(self) -> object:
        file = self.state_dir / FILE_NAME
        return json.loads(file.read_text()) if file.exists() else None

    def events(self) -> list[tuple[str, str]]:
        return [(entry.step, str(entry.event)) for entry in plans.journal_of(self.lake, self.plan.plan_id).entries]


def waits_for(applied: Applied) -> str | None:
    return None if applied.waiting_for is None else applied.waiting_for.step.id
