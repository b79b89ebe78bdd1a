"""What a policy check compares, as values: the words of its `found` and `limit` are made of them."""

from holdfast.rollout.contract.times import Condition
from holdfast.rollout.json.codec import COUNT, INSTANT, NAME, TEXT, TEXTS, items, nullable, number
from holdfast.rollout.json.record import codec_of, member, record

_FIGURE = nullable(number("a figure, 0 or more", 0))
_INSTANT = nullable(INSTANT)


@record
class Room:
    """A disk on which a plan does not fit: the bytes that it `needs`, and those that are `free`."""

    name: str = member(NAME)
    needs: int = member(COUNT)
    free: int = member(COUNT)


@record(about="What a policy check compares, as values. Left out: unknown, without end, or not part of this check.")
class Measured:
    """Of one check. Units are those of its limit in the policy: percent and counts, seconds, bytes.

    `least`, `usual`, `most`: what was found; `of`: in all; `limit`: the most that is allowed (free space on disks: the least).
    `names`: what it is about: actions, hosts, clients, what would settle it; `unknown`: those of which it is unknown. `allowed`:
    what the policy allows, or keeps off. `rooms`: disks without room. `speed`: records restored per second, for the most.
    `condition`: the figures hold only if it is met, and otherwise exceed the limit. `ends`, `ends_if_met`: when it is
    over if begun now; `until`: when it must be; `opens`: the next window. `reason`: why not, in the words of the refusal.
    """

    least: float | None = member(_FIGURE, default=None, omit=True)
    usual: float | None = member(_FIGURE, default=None, omit=True)
    most: float | None = member(_FIGURE, default=None, omit=True)
    of: int | None = member(nullable(COUNT), default=None, omit=True)
    limit: float | None = member(_FIGURE, default=None, omit=True)
    names: tuple[str, ...] = member(TEXTS, default=(), omit=True)
    unknown: tuple[str, ...] = member(TEXTS, default=(), omit=True)
    allowed: tuple[str, ...] = member(TEXTS, default=(), omit=True)
    rooms: tuple[Room, ...] = member(items(codec_of(Room)), default=(), omit=True)
    speed: int | None = member(nullable(COUNT), default=None, omit=True)
    condition: Condition | None = member(nullable(codec_of(Condition)), default=None, omit=True)
    ends: str | None = member(_INSTANT, default=None, omit=True)
    ends_if_met: str | None = member(_INSTANT, default=None, omit=True)
    until: str | None = member(_INSTANT, default=None, omit=True)
    opens: str | None = member(_INSTANT, default=None, omit=True)
    reason: str | None = member(nullable(TEXT), default=None, omit=True)
