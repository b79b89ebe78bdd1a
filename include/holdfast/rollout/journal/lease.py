"""The lease of a group: which run applies a plan for it, until when, and when another run may take over.

The run that applies a plan holds the lease of its group: two plans for one group are never applied at once. It is a numbered
document, the highest number counts, and each number is created once. It is held for a minute, and renewed while there is something
to do. Who finds it held is refused; one whose owner is known to be dead, or whose time is over, is taken over, and the journal says
so.

The lease prevents two people from interfering with each other. That one process ID is never written into two directories does not
depend on it, nor on clocks: that is the journal's (`Journal.begun_in`).
"""

from datetime import datetime, timedelta
from enum import StrEnum

from holdfast.kafka import java
from holdfast.rollout.journal.signature import SIGNATURE
from holdfast.rollout.json.codec import INSTANT, NAME, TEXT, choice, integer, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.strict import FORMAT_VERSION

HELD_FOR = timedelta(seconds=60)
RENEWED_WITH_LESS_THAN = timedelta(seconds=40)
GIVEN_UP_WITH_LESS_THAN = timedelta(seconds=10)
"""An owner does nothing more in the last seconds of a lease it could not renew: its act would end after the lease."""
CLOCKS_AGREE_WITHIN = timedelta(seconds=10)
"""How much longer than stated a lease of another machine is waited for."""
LONGEST = HELD_FOR + 3 * CLOCKS_AGREE_WITHIN
"""No lease ends later than that from now, by any clock: one that does is refused."""


class LeaseState(StrEnum):
    """`FORCED`: an operator has declared the holder to be gone."""

    HELD = "held"
    RELEASED = "released"
    FORCED = "forced"


@record
class LeaseOwner:
    """Who applies: a person or a program by `name`, and the host. `process`: the process, where known."""

    name: str = member(NAME)
    host: str = member(TEXT, default="", needed=True)
    pid: int = member(integer(0, java.INT_MAX), default=0, needed=True)
    process: str = member(TEXT, default="", needed=True)
    run: str | None = member(nullable(TEXT), default=None, needed=True)


@record
class _Group:
    cluster: str = member(TEXT)
    group_id: str = member(TEXT)


_GROUP = codec_of(_Group).to(lambda group: (group.cluster, group.group_id), lambda pair: _Group(*pair))


@record(version=FORMAT_VERSION, also={"signature": SIGNATURE})
class Lease:
    """One state of it. `at` and `until` are ISO 8601, UTC. `plan_id`: the plan that is applied. `group`: cluster and group ID;
    None: of a former version, which held a lease a plan."""

    plan_id: str = member(NAME)
    number: int = member(integer(1, java.INT_MAX))
    state: LeaseState = member(choice(LeaseState))
    owner: LeaseOwner = member(codec_of(LeaseOwner))
    at: str = member(INSTANT)
    until: str = member(INSTANT)
    group: tuple[str, str] | None = member(nullable(_GROUP), default=None)
    renews: int | None = member(nullable(integer(1, java.INT_MAX)), "Number of the lease that it renews.", default=None, omit=True)

    @property
    def first(self) -> int:
        """The number with which its holder took it."""
        return self.number if self.renews is None else min(self.renews, self.number)


class LeaseStanding(StrEnum):
    """What the latest state means for a run that requests the lease."""

    FREE = "free"
    HELD = "held"
    OVER = "over"
    UNBELIEVABLE = "unbelievable"


def standing(lease: Lease | None, now: datetime) -> LeaseStanding:
    if lease is None or lease.state is not LeaseState.HELD:
        return LeaseStanding.FREE
    until = datetime.fromisoformat(lease.until)
    if until > now + LONGEST:
        return LeaseStanding.UNBELIEVABLE
    return LeaseStanding.OVER if now > until + CLOCKS_AGREE_WITHIN else LeaseStanding.HELD
