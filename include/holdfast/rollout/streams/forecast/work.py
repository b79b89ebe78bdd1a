"""The work limit of a forecast, counted while it runs and not timed, so that every machine refuses the same.

A unit is a member, a client or a task that one rebalance looks at; some 2 to 6 µs. What is allowed grows with the group as it was
given, not with what a change makes of it: a small order cannot ask for the work of a large group.
"""

from holdfast.errors import TooMuchWork
from holdfast.rollout.streams.events.batches import Batch
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

A_REBALANCE = 100
"""Units that any rebalance takes, however small the group."""
ANEW = 4
"""Factor of work where the rebalance before is of no use: members, settings or tasks differ."""
AN_EVENT = 16
"""For each event, one unit is counted for this many members, clients and tasks: it is searched among them."""
AT_LEAST = 400_000
"""Units that any forecast may take: some seconds."""
REBALANCES = 1_000
REBALANCES_A_TASK = 10
REBALANCES_A_CLIENT = 200
"""The budget holds this many rebalances: warm-ups one by one, rolling restarts forth and back."""
OPTIONS = 4
"""The options of one plan together may use this many times the budget of one."""


class Work:
    """The part of the budget that was used."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0

    @property
    def left(self) -> int:
        return max(0, self.most - self.taken)

    def take(self, units: int) -> None:
        """Raise TooMuchWork where that is more than is left."""
        self.taken += units
        if self.taken > self.most:
            raise TooMuchWork(
                f"This exceeds the limit of {self.most:,} units of work for a group of this size (a unit: a member or a task in one"
                " rebalance). Split the change, give process IDs instead of null, assume a faster restore, or raise the limit:"
                " --work 10 allows ten times as much."
            )

    def part(self, of: int) -> "Work":
        """One of the given number of equal parts of what is left. The caller reports its use with `used`."""
        return Work(self.left // of)

    def used(self, part: "Work") -> None:
        self.taken += part.taken


def size_of(scene: Scene) -> int:
    return len(scene.tasks) + len(scene.clients) + sum([len(client.consumers) for client in scene.clients])


def allowed(snapshot: Snapshot, times: int = 1) -> Work:
    """For a forecast of every position that new random IDs can take."""
    rebalances = REBALANCES + (REBALANCES_A_TASK + len(snapshot.clients)) * len(snapshot.tasks)
    rebalances += REBALANCES_A_CLIENT * len(snapshot.clients)
    return Work(times * (AT_LEAST + rebalances * (A_REBALANCE + size_of(Scene.of(snapshot)))))


def allowed_for_an_option(snapshot: Snapshot, times: int = 1) -> Work:
    """For one option of a plan, in which a few positions stand for all."""
    rebalances = REBALANCES_A_TASK * len(snapshot.tasks) + REBALANCES_A_CLIENT * len(snapshot.clients)
    return Work(times * (AT_LEAST // 4 + rebalances * (A_REBALANCE + size_of(Scene.of(snapshot)))))


def of_a_rebalance(members: int, *, anew: bool) -> int:
    """`members`: and clients and tasks."""
    return (A_REBALANCE + members) * (ANEW if anew else 1)


def of_events(size: int, batch: Batch) -> int:
    """To let them take effect, before the rebalance that they cause. `size`: of the scene before them."""
    units = 0
    for _, event in batch.events:
        grown = event.threads_made() or event.partitions_made() or 1
        size += grown
        units += grown + 1 + size // AN_EVENT
    return units
