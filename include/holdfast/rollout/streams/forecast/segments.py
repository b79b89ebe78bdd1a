"""Rebalances that follow on one another, kept so that the courses of one forecast share them.

The courses of a forecast differ in few places: settings that count some restarts earlier, copies that are caught up sooner. Between
those places the same group rebalances identically, and that is worked out once.
"""

from dataclasses import dataclass, field, replace

from holdfast.kafka.streams.group import Assignment, Client, Group
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.forecast.compiled.restarts import Rests
from holdfast.rollout.streams.forecast.open_copies import Copies, OpenCopies
from holdfast.rollout.streams.process_ids.sampled_ranks import Counted
from holdfast.rollout.streams.scene.assumptions import Assume, CatchUp
from holdfast.rollout.streams.scene.reports import Reports


@dataclass(frozen=True, slots=True)
class Start:
    """All that the rebalances from here on depend on. `fingerprint`: of the clients; `as_seen`: see `Reports`."""

    fingerprint: int
    group: Group
    until: Wait
    assume: Assume
    as_seen: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """Some rebalances after a start. `asked`: what each of them asks for; the group's settings say in how many seconds.

    `clients`: what they report then. `open_copies`, `unstarted`: as in `OpenCopies`.
    """

    asked: tuple[Trigger | None, ...]
    clients: tuple[Client, ...]
    open_copies: Copies
    unstarted: int


class Segments:
    """The segments of one forecast by their starts. A fingerprint of the clients finds them; equality decides."""

    def __init__(self) -> None:
        self._known: dict[int, list[tuple[Start, Segment]]] = {}

    def find(self, start: Start) -> Segment | None:
        return next((segment for known, segment in self._known.get(start.fingerprint, ()) if _alike(known, start)), None)

    def keep(self, start: Start, segment: Segment) -> None:
        """Only of a group that becomes stable: then no rebalance of a segment comes twice in any course."""
        self._known.setdefault(start.fingerprint, []).append((start, segment))


def _alike(one: Start, other: Start) -> bool:
    """Whether the same follows from both. When a probing rebalance comes decides nothing, unless copies catch up by the second."""
    if one == other or one.assume.catch_up is CatchUp.RATE:
        return one == other
    config = replace(one.group.config, probing_rebalance_interval_ms=other.group.config.probing_rebalance_interval_ms)
    return replace(one, group=replace(one.group, config=config)) == other


@dataclass(frozen=True, slots=True)
class Shared:
    """What the forecasts of one search have in common: all of it says what it is of, and counts only there."""

    segments: Segments = field(default_factory=Segments)
    rests: Rests = field(default_factory=Rests)
    counted: Counted = field(default_factory=Counted)


MOST_KEPT = 2_000_000
"""Tasks in all decisions that are kept. Of each decision little is its own: some 25 bytes a task."""


class Decisions:
    """Decisions of the leader by the group that they are for: courses that assume otherwise meet there now and then.

    Once too many are kept all are forgotten, so that a large group takes no more memory.
    """

    def __init__(self) -> None:
        self._known: dict[int, list[tuple[Group, Assignment]]] = {}
        self._kept = 0

    def find(self, start: Start) -> tuple[Group, Assignment] | None:
        """With the group for which it was made: equal to the one of `start`, and made of the objects that others have."""
        return next((known for known in self._known.get(start.fingerprint, ()) if known[0] == start.group), None)

    def keep(self, start: Start, decision: Assignment) -> None:
        self._kept += len(start.group.tasks)
        if self._kept > MOST_KEPT:
            self._known.clear()
            self._kept = len(start.group.tasks)
        self._known.setdefault(start.fingerprint, []).append((start.group, decision))


class Passed:
    """The rebalances after one batch while they are worked out, cut into segments.

    The first segments are short, each later one is as long as all before it: two courses that reach the same reports do so early,
    and few reports are kept.
    """

    def __init__(self, reports: Reports) -> None:
        self._reports = reports
        self._rebalances = 0
        self._longest = 0
        self._asked: list[Trigger | None] = []
        self._start: Start | None = None
        self._open_copies: OpenCopies | None = None
        self.segments: list[tuple[Start, Segment]] = []

    def note(self, start: Start, decision: Assignment, asked: Trigger | None) -> None:
        """One rebalance more, from `start`."""
        if len(self._asked) >= self._longest:
            self.close(start.group.clients)
        if self._start is None or self._open_copies is None:
            self._start, self._longest = start, max(1, self._rebalances)
            self._open_copies = OpenCopies(self._reports, start.group.config.acceptable_recovery_lag)
        if asked is Trigger.IMMEDIATE:
            self._open_copies.note(start.group, decision)
        self._rebalances += 1
        self._asked.append(asked)

    def close(self, clients: tuple[Client, ...]) -> None:
        """The segment ends here, with what `clients` report."""
        if self._start is not None and self._open_copies is not None:
            copies, unstarted = self._open_copies.copies, self._open_copies.unstarted
            segment = Segment(tuple(self._asked), clients, copies, unstarted)
            self.segments.append((self._start, segment))
        self._start = self._open_copies = None
        self._asked = []


class Fingerprints:
    """The fingerprints of clients that follow on one another: only those that changed are read.

    Two groups that differ agree once in 2^64.
    """

    def __init__(self) -> None:
        self._clients: tuple[Client, ...] = ()
        self._numbers: list[int] = []

    def of(self, clients: tuple[Client, ...]) -> int:
        if len(clients) == len(self._clients):
            known = zip(clients, self._clients, self._numbers, strict=True)
            self._numbers = [number if one is before else hash(one) for one, before, number in known]
        else:
            self._numbers = [hash(one) for one in clients]
        self._clients = clients
        return hash(tuple(self._numbers))
