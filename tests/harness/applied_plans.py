"""Plans as they are in the lake once they were applied: a lease of the group, and a journal."""

from datetime import UTC, datetime

from holdfast.ports import Lake
from holdfast.rollout.journal.acted import Acted, ClientProcess, Does, ProcessState
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.rollout.journal.lease import LeaseOwner
from holdfast.rollout.journal.seal import NO_KEYS
from holdfast.workflows import journals
from holdfast.workflows.leases import Leases

BEGUN = "2026-11-23T14:57:03Z"


def restarted(lake: Lake, plan_id: str, group: tuple[str, str], member: str) -> None:
    """A plan that restarted the client of this member (`BEGUN`). `group`: cluster and ID."""
    ann, now = LeaseOwner("ann", "host-a", 11, "m-1"), datetime.fromisoformat(BEGUN).astimezone(UTC)
    lake.write(("plans", plan_id, "approval.json"), b"{}")
    lease = Leases(lake, plan_id, group, NO_KEYS, ann, lambda _: False, lambda: now).take()
    acted = Acted(Does.RESTART, "a", ClientProcess(ProcessState.RUNNING, "p"), (member,))
    entry = JournalEntry(BEGUN, "1", JournalEvent.BEGUN, "holdfast", "", acted=acted)
    journals.append(lake, journals.read(lake, plan_id), entry)
    lease.release()
