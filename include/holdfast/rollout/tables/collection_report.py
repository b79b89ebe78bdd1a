"""The report of a collection: which groups were read, and which were not. Written by the collectors; its tables list the latter."""

from enum import StrEnum

from holdfast.kafka import java
from holdfast.rollout.json.codec import INSTANT, NAME, TEXT, TEXTS, choice, integer, items, number, table
from holdfast.rollout.json.record import codec_of, member, record

VERSION = "1.0"
_COUNT = integer(0, java.LONG_MAX)


class Why(StrEnum):
    """NOT_COVERED: a group that only a pattern asked for turned out to be of a kind that Holdfast does not model."""

    NOT_READ = "not read"
    NOT_COVERED = "not covered"


@record(closed=False)
class Unread:
    """A group of which there is no snapshot."""

    group_id: str = member(TEXT)
    why: Why = member(choice(Why))
    problem: str = member(TEXT)


@record(closed=False, version=VERSION)
class CollectionReport:
    """What came of a run. `left_out`: (what fitted a pattern and was not meant, how many); `unlisted`: brokers that did not say
    which groups they have. `days`: those of the snapshots."""

    cluster: str = member(TEXT)
    run: str = member(NAME)
    began_at: str = member(INSTANT)
    groups: int = member(_COUNT)
    taken: int = member(_COUNT)
    days: tuple[str, ...] = member(TEXTS)
    unread: tuple[Unread, ...] = member(items(codec_of(Unread)), default=(), needed=True)
    left_out: tuple[tuple[str, int], ...] = member(table(TEXT, _COUNT), default=(), needed=True)
    unlisted: tuple[str, ...] = member(TEXTS, default=(), needed=True)
    seconds: float = member(number("a number of seconds, 0 or more", 0, java.LONG_MAX), default=0.0, needed=True)
