"""What a plan was made from."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class CreatedFrom:
    """Fingerprints of what a plan was made from, `sha256:` and 64 digits each.

    `captured_at`: when the snapshot was taken; None: it does not say, or the plan is from before this was kept.
    """

    snapshot: str
    change: str
    policy: str
    captured_at: str | None = None

    def valid_from(self, made: datetime) -> datetime:
        """From when a plan's validity counts: from its snapshot. One that claims to be of the future buys no time."""
        return made if self.captured_at is None else min(made, datetime.fromisoformat(self.captured_at).astimezone(UTC))
