"""A plan is begun before it expires, or not at all."""

from datetime import datetime

from holdfast.errors import StalePlan
from holdfast.rollout.journal.journal import Journal, JournalEvent


def refuse_expired(plan_id: str, expires_at: str, journal: Journal, now: datetime) -> None:
    """A plan whose first step is done is not old: it is in progress."""
    begun = any(entry.event is JournalEvent.DONE for entry in journal.entries)
    if not begun and now > datetime.fromisoformat(expires_at):
        raise StalePlan(plan_id, (f"It could be applied until {expires_at}; it is {now.isoformat(timespec='seconds')}.",))
