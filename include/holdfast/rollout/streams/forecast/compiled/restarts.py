"""Clients that restart one after the other, as in a rolling restart: what follows from each, and what is known of that already.

In a group at rest most restarts change nothing: one rebalance, after which every member reports what it did before. Courses of a
forecast that differ in settings meet there again and again, so such restarts are worked out once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from holdfast.kafka.streams.config import DEFAULTS
from holdfast.kafka.streams.group import Assignment, Client, Group
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.events.batches import Batch
from holdfast.rollout.streams.forecast.compiled.members import Members
from holdfast.rollout.streams.forecast.compiled.walk_result import Restores
from holdfast.rollout.streams.forecast.open_copies import Copies
from holdfast.rollout.streams.scene.assumptions import Assume, CatchUp

if TYPE_CHECKING:
    from holdfast.rollout.streams.forecast.compiled.known_walks import KnownWalks  # which needs numpy
    from holdfast.rollout.streams.forecast.compiled.packing import Layouts

Running = Mapping[ProcessId, Iterable[TaskId]]
Restarting = tuple[ProcessId, ...]


@dataclass(frozen=True, slots=True)
class Restarted:
    """One batch of restarts. `stopped`: the tasks that they ran, and whether no other client has a caught-up copy of them.

    `asked`, `in_doubt`, `decisions`, `restores`: as in `Walk`.
    """

    stopped: tuple[tuple[TaskId, bool], ...]
    asked: tuple[Trigger | None, ...]
    in_doubt: tuple[TaskId, ...]
    decisions: tuple[Assignment, ...]
    restores: tuple[Restores, ...]


@dataclass(frozen=True, slots=True)
class Restarts:
    """Some batches of restarts, one after the other.

    `clients`, `running`, `open_copies`, `unstarted`: as in `Walk`, at the end; `running` None: what it was before.
    """

    batches: tuple[Restarted, ...]
    clients: tuple[Client, ...]
    running: Running | None
    open_copies: Copies
    unstarted: int


@dataclass(slots=True)
class Rest:
    """A group at rest, and the restarts after which nothing has changed. `running`: what clients run; None: not asked.

    `walked`: whether they are walked, or worked out one by one.
    """

    group: Group
    assume: Assume
    running: Mapping[ProcessId, frozenset[TaskId]] | None
    walked: bool
    hangs_on_as_seen: bool | None = None
    """Whether what follows from restarts that are worked out one by one does; None: not asked yet."""
    _as_before: dict[tuple[Restarting, bool, bool | None], Restarted] = field(default_factory=dict)
    """By who restarts, whether decisions are kept, and `as_seen`; None: it makes no difference."""

    def find(self, restarting: Restarting, *, as_seen: bool, records: bool) -> Restarted | None:
        for recorded in (True,) if records else (True, False):
            for seen in (None, as_seen):
                found = self._as_before.get((restarting, recorded, seen))
                if found is not None:
                    return found
        return None

    def keep(self, restarting: Restarting, found: Restarted, *, as_seen: bool | None, records: bool) -> None:
        self._as_before[restarting, records, as_seen] = found


class Rests:
    """Those of one forecast. The fingerprint of the clients finds them; equality decides."""

    def __init__(self) -> None:
        self._known: dict[int, list[Rest]] = {}
        self.members = Members()
        self._layouts: Layouts | None = None
        self._walks: KnownWalks | None = None

    def layouts(self) -> "Layouts":
        """Groups that were put into arrays, to be walked, without what members report."""
        from holdfast.rollout.streams.forecast.compiled.packing import Layouts

        self._layouts = self._layouts or Layouts()
        return self._layouts

    def walks(self) -> "KnownWalks":
        """Those that are known."""
        from holdfast.rollout.streams.forecast.compiled.known_walks import KnownWalks

        self._walks = self._walks or KnownWalks(self.members)
        return self._walks

    def of(self, fingerprint: int, group: Group, assume: Assume, running: Running | None, *, walked: bool = True) -> Rest:
        """What is assumed of copies that catch up is passed over: no restart that is kept leaves any behind.

        `walked`: of those that are walked, settings too that count only while copies are warmed up (`moved_nothing`).
        """
        if walked:
            warmups, interval_ms = DEFAULTS.max_warmup_replicas, DEFAULTS.probing_rebalance_interval_ms
            config = replace(group.config, max_warmup_replicas=warmups, probing_rebalance_interval_ms=interval_ms)
            group = replace(group, config=config)
        assume = replace(assume, catch_up=CatchUp.PROBING_REBALANCE, records_per_second=None, grows_per_second=0.0)
        runs = None if running is None else running_sets(running)
        for rest in self._known.get(fingerprint, ()):
            same_running = runs is None or rest.running == runs
            if rest.walked == walked and same_running and rest.assume == assume and rest.group == group:
                return rest
        rest = Rest(group, assume, runs, walked)
        self._known.setdefault(fingerprint, []).append(rest)
        return rest


def running_sets(running: Running) -> dict[ProcessId, frozenset[TaskId]]:
    return {process_id: frozenset(tasks) for process_id, tasks in running.items()}


@dataclass(frozen=True, slots=True)
class Turns:
    """The batches of a change in which clients just restart: who, for each batch; and how far those go on that follow."""

    restarting: tuple[Restarting, ...]
    until: tuple[int, ...]

    @classmethod
    def of(cls, batches: Sequence[Batch]) -> Self:
        restarting = tuple(map(_restarting_in, batches))
        until = list(range(len(batches)))
        for at in reversed(range(len(batches))):
            if restarting[at]:
                until[at] = until[at + 1] if at + 1 < len(batches) else len(batches)
        return cls(restarting, tuple(until))

    def after(self, at: int) -> tuple[Restarting, ...]:
        """From that batch on; none if anything else happens in it."""
        return self.restarting[at : self.until[at]]


def _restarting_in(batch: Batch) -> Restarting:
    """The clients that are as they were once the batch is over; empty where anything else happens in it."""
    found = tuple(one for _, event in batch.events if (one := event.restarts_as_it_was()) is not None)
    once = len(set(found)) == len(found) == len(batch.events)
    return found if once and batch.wait is not Wait.REBALANCE else ()
