"""When members were stopped, as journals of rollouts have it, for what is learnt of restarts."""

from collections.abc import Iterable
from datetime import datetime

Stop = tuple[str, str]
"""A member ID, and when the act on its process began (ISO 8601, UTC, to the second)."""


def moments(stopped: Iterable[Stop]) -> dict[str, int]:
    """Milliseconds since 1970, by member."""
    return {member: int(datetime.fromisoformat(at).timestamp() * 1000) for member, at in stopped}
