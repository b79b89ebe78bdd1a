"""The snapshot, change and policy that a plan was created from."""

from datetime import UTC, datetime

from holdfast.rollout.json.codec import INSTANT, NAME
from holdfast.rollout.json.record import member, record

_FINGERPRINT = "sha256: and 64 hexadecimal digits."


@record
class CreatedFrom:
    """Fingerprints of what a plan was made from, `sha256:` and 64 digits each.

    `captured_at`: when the snapshot was taken; None: it does not say, or the plan is from before this was kept. It is not written
    then, for a plan's ID is a digest of what it says.
    """

    snapshot: str = member(NAME, _FINGERPRINT)
    change: str = member(NAME, _FINGERPRINT)
    policy: str = member(NAME, _FINGERPRINT)
    captured_at: str | None = member(INSTANT, default=None, omit=True)

    def valid_from(self, made: datetime) -> datetime:
        """From when a plan's validity counts: from its snapshot. One that claims to be of the future buys no time."""
        return made if self.captured_at is None else min(made, datetime.fromisoformat(self.captured_at).astimezone(UTC))
