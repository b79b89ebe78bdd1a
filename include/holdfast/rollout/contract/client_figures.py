"""What each client of a group has now, and how far its copies are: figures for people, by which nothing is decided."""

from holdfast.rollout.json.codec import COUNT, TEXT, nullable
from holdfast.rollout.json.record import member, record


@record
class Held:
    """One client (a consumer, for consumer groups), by process ID or member ID; `name`: where it runs, empty where unknown.

    `active`: stateful tasks, or partitions, that it has now; `copies`: standby and warm-up copies. None: unknown.
    """

    id: str = member(TEXT)
    name: str = member(TEXT)
    active: int | None = member(nullable(COUNT))
    copies: int | None = member(nullable(COUNT), default=None, omit=True)


@record
class CopiesReported:
    """What members reported of the tasks that they have now, and of their copies, when they last joined.

    `copies`: how many of both; `reported`: of how many an offset is known, or that they run; `behind`: records from there to the
    ends of the changelogs. `digest`: another one where they reported something else.
    """

    digest: int = member(COUNT)
    copies: int = member(COUNT)
    reported: int = member(COUNT)
    behind: int = member(COUNT)
