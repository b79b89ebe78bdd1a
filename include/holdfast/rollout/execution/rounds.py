"""Whether a stable group is where its forecast has it after a batch of events: round by round, task by task.

False alarms cost more than late ones. So a group that is between two rebalances differs only where a stateful task runs on a client
that has it in no round of the batch, neither to run it nor as a copy, nor has anything of it on its disk: how soon copies catch up
decides which of the others runs it for now. At rest every task and copy must be where the forecast ends. What the forecast leaves
open is not compared.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from holdfast.rollout.facts.differences import Difference, Differs
from holdfast.rollout.journal.started import Started

MOST_DIFFERENCES = 20
"""Of one comparison."""


class Agrees(StrEnum):
    """`BETWEEN`: between two rounds of the forecast."""

    AS_FORECAST = "as forecast"
    BETWEEN = "between rounds"
    DIFFERENT = "different"
    NOT_COMPARED = "not compared"


class NotCompared(StrEnum):
    """Why not. `GOING_ON`: the group was not at rest before these events, nor is it now: too much is possible."""

    NO_BASIS = "no basis"
    STEPS = "steps"
    MEMBERS = "members"
    UNKNOWN = "unknown"
    ACCEPTED = "accepted"
    GOING_ON = "going on"


@dataclass(frozen=True, slots=True)
class WhoRunsWhat:
    """Who runs what, and who has copies (None: unknown), by the names of tasks (partitions) and clients (members). `open`: tasks
    that the forecast leaves open."""

    owners: Mapping[str, str]
    copies: Mapping[str, tuple[str, ...]] | None = None
    open: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RoundsOfBatch:
    """One possible course of a batch: where all is before it, and after each of its rebalances. `earlier`: where all may have been
    since the group was last at rest, if the batch before was not waited for until then. `anywhere`: tasks that any client may run
    until the group is at rest; `disks`: the clients with something of a task on their disk.
    """

    before: WhoRunsWhat
    rounds: tuple[WhoRunsWhat, ...]
    earlier: tuple[WhoRunsWhat, ...] = ()
    anywhere: frozenset[str] = frozenset()
    disks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def every(self) -> tuple[WhoRunsWhat, ...]:
        return (self.before, *self.rounds)

    @property
    def end(self) -> WhoRunsWhat:
        return self.every[-1]


@dataclass(frozen=True, slots=True)
class RoundCompared:
    """`round` of `rounds` in the batch; None: none of them alone. `settled`: no rebalance is pending; None: unknown. `why`, and
    `detail` in words of the refusal: where it was not compared. `course`: the number of the one that a group at rest agrees with,
    `started`: the clients that came in it, for the journal."""

    agrees: Agrees
    round: int | None = None
    rounds: int | None = None
    settled: bool | None = None
    differences: tuple[Difference, ...] = ()
    why: NotCompared | None = None
    detail: str = ""
    course: int | None = None
    started: tuple[Started, ...] = ()


def not_compared(why: NotCompared, detail: str = "") -> RoundCompared:
    return RoundCompared(Agrees.NOT_COMPARED, why=why, detail=detail)


def compare(
    found: WhoRunsWhat, courses: Sequence[RoundsOfBatch], settled: bool | None, owner: Differs = Differs.OWNER
) -> RoundCompared:
    """`courses`: at least one, the likeliest first. `owner`: how a difference in `owners` is named."""
    if settled:
        return _at_rest(found, courses, owner)
    for course in courses:
        for number, placed in reversed(tuple(enumerate(course.every))):
            if not _elsewhere(found, placed):
                total = len(course.rounds)
                agrees = Agrees.AS_FORECAST if number or not total else Agrees.BETWEEN
                return RoundCompared(agrees, number, total, settled)
    wrong = tuple(_in_no_round(found, courses, owner))
    if wrong and any(one.earlier for one in courses):
        return not_compared(NotCompared.GOING_ON)
    agrees = Agrees.DIFFERENT if wrong else Agrees.BETWEEN
    return RoundCompared(agrees, None, len(courses[0].rounds), settled, wrong[:MOST_DIFFERENCES])


def _at_rest(found: WhoRunsWhat, courses: Sequence[RoundsOfBatch], owner: Differs) -> RoundCompared:
    """Against the end that it is nearest to."""
    nearest: tuple[Difference, ...] | None = None
    for number, course in enumerate(courses):
        wrong = (*_owners(found, course.end, owner), *_copies(found, course.end))
        if not wrong:
            return RoundCompared(Agrees.AS_FORECAST, len(course.rounds), len(course.rounds), True, course=number)
        nearest = wrong if nearest is None or len(wrong) < len(nearest) else nearest
    return RoundCompared(Agrees.DIFFERENT, None, len(courses[0].rounds), True, (nearest or ())[:MOST_DIFFERENCES])


def _elsewhere(found: WhoRunsWhat, wanted: WhoRunsWhat) -> list[str]:
    """The tasks that are not where they are wanted."""
    tasks = dict.fromkeys((*wanted.owners, *found.owners))
    return [task for task in tasks if task not in wanted.open and found.owners.get(task) != wanted.owners.get(task)]


def _owners(found: WhoRunsWhat, wanted: WhoRunsWhat, owner: Differs) -> Iterable[Difference]:
    for task in sorted(_elsewhere(found, wanted)):
        if task in wanted.owners:
            yield Difference(owner, task, (wanted.owners[task],), _one(found.owners.get(task)))


def _copies(found: WhoRunsWhat, wanted: WhoRunsWhat) -> Iterable[Difference]:
    if found.copies is None or wanted.copies is None:
        return
    for task in sorted({**found.copies, **wanted.copies}):
        expected, now = (tuple(sorted(one.get(task, ()))) for one in (wanted.copies, found.copies))
        if expected != now and task in wanted.owners and task not in wanted.open:
            yield Difference(Differs.STANDBYS, task, expected, now)


def _in_no_round(found: WhoRunsWhat, courses: Sequence[RoundsOfBatch], owner: Differs) -> Iterable[Difference]:
    every = [placed for course in courses for placed in (*course.earlier, *course.every)]
    open_ = frozenset[str]().union(*(one.open for one in every), *(one.anywhere for one in courses))
    for task, client in sorted(found.owners.items()):
        runs = dict.fromkeys(one.owners[task] for one in every if task in one.owners)
        has = {each for one in every for each in (one.copies or {}).get(task, ())}
        has.update(*(one.disks.get(task, ()) for one in courses))
        if runs and task not in open_ and client not in runs and client not in has:
            yield Difference(owner, task, tuple(sorted(runs)), (client,))


def _one(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)
