"""How long the targets of a change take, and what random member IDs leave open, in words."""

from holdfast.rollout.coordinated.chance import Spread
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.text.format import duration, many


def stable_after(span: Seconds, start_ups: int, of: str) -> str:
    """`of`: what starts, such as "clients"."""
    least, usual, most = (duration(round(one)) for one in span)
    without = f", without {many(start_ups, 'start-up')} of {of}" if start_ups else ""
    return f"Stable {least} to {most} after the first event{without} (usually {usual})."


def counts(found: Spread) -> str:
    return f"{found.least:,} to {found.most:,} (usually {found.usual:,})"
