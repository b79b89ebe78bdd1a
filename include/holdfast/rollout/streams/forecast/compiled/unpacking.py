"""The rebalances of one batch by the compiled functions: what a stage notes of them, unpacked."""

import functools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from holdfast.kafka.streams.compiled import queue
from holdfast.kafka.streams.compiled.arrays import IMMEDIATE, PROBING, Flags, Ints
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.forecast.compiled import at_restart, packing, rebalances, reports
from holdfast.rollout.streams.forecast.compiled.decisions import Decision, Reader
from holdfast.rollout.streams.forecast.compiled.known_walks import NOTHING, End, KnownWalks, Piece, State
from holdfast.rollout.streams.forecast.compiled.packing import Packed
from holdfast.rollout.streams.forecast.compiled.rebalances import GOES_ON, MEETS, STABLE, Kept
from holdfast.rollout.streams.forecast.compiled.restarts import Restarted, Running
from holdfast.rollout.streams.forecast.compiled.walk_result import Restores, Walk
from holdfast.rollout.streams.forecast.compiled.workspace import AT_ONCE, Workspaces
from holdfast.rollout.streams.forecast.open_copies import Copies

_FIRST_PIECE = 2
"""The rebalances of the first piece of a walk; each later piece is as long as all before it."""
_TRIGGERS = {0: None, PROBING: Trigger.PROBING, IMMEDIATE: Trigger.IMMEDIATE}


class Walker:
    """The arrays of one walk, which it gives back to `workspaces` in the end (`close`)."""

    def __init__(self, one: Packed, workspaces: Workspaces, *, records: bool, known: KnownWalks | None = None) -> None:
        self._one = one
        self._records = records
        self._workspaces, self._workspace = workspaces, workspaces.take(one.facts)
        self._noted, self._kept = self._workspace.noted, self._workspace.kept
        if not records:
            self._kept = Kept._make((*(each[:0] for each in self._kept[:-1]), 0))
        self._before = np.zeros(0, np.int64)
        self._walks = known
        self._known = None if known is None else known.of(one)
        self._looked_at = 0
        self._begins = True
        self._reader = Reader(one)
        self._asked: list[int] = []
        self._decisions: list[Decision] = []
        self._restores: list[Restores] = []
        self._number_of = {one.group.clients[at].process_id: number for number, at in enumerate(one.clients)}
        self._remembered: tuple[State, Ints, Flags] | None = None
        """What was reported; where that of each client begins; and what ran."""

    def close(self) -> None:
        """Nothing can be asked of it any more. Not for one that was refused, or came back to where it was."""
        self._workspaces.give_back(self._one.facts, self._one.reported, self._workspace)

    @functools.cached_property
    def _place_of(self) -> list[int]:
        """Where each task is in the group."""
        place_of = {task.id: place for place, task in enumerate(self._one.group.tasks)}
        return [place_of[task] for task in self._one.tasks]

    def run_before(self, running: Running) -> None:
        """What each client runs already: it is not restored anew."""
        row_of = self._one.rows
        for number, at in enumerate(self._one.clients):
            rows = [row_of[task] for task in running.get(self._one.group.clients[at].process_id, ()) if task in row_of]
            self._noted.running[number, rows] = 1
            self._noted.ran[number, : len(rows)] = rows
            self._noted.ran_counts[number] = len(rows)

    def walk(self, most: int) -> Walk | None:
        """At most `most` rebalances. None: the group comes back to where it was, or is not modelled after all."""
        pieces: list[Piece] = []
        digests: list[int] = []
        met: Piece | None = None
        ended, state = GOES_ON, None
        while ended == GOES_ON and len(self._asked) < most and met is None:
            passed = len(self._asked)
            longest = AT_ONCE if self._known is None else max(_FIRST_PIECE, passed)
            ended = self._part(min(AT_ONCE, longest, most - passed))
            if ended not in (GOES_ON, STABLE, MEETS):
                return None
            if len(self._asked) > passed:
                digests.append(int(self._before[passed]))
                pieces.append(self._piece(passed, state))
                if ended != STABLE and self._known is not None:
                    state = State.of(self._one.reported, self._noted, records=self._records)
            if ended == MEETS:
                met = self._met(state, most)
                ended = GOES_ON
        return self._walk_of(pieces, digests, met, stable=ended == STABLE)

    def _met(self, state: State | None, most: int) -> Piece | None:
        """What is known to follow from here, if it is no more than that."""
        self._looked_at = len(self._asked)
        if self._known is None or state is None:
            return None
        found = self._known.find(int(self._before[self._looked_at]), state)
        return found if found is not None and self._looked_at + sum(len(one.asked) for one in found.on()) <= most else None

    def _piece(self, passed: int, state: State | None) -> Piece:
        """What has come about since, which is noted no more."""
        found = Piece(
            state=state,
            asked=self.asked()[passed:],
            open_copies=self.open_copies(),
            unstarted=self.unstarted(),
            in_doubt=self._in_doubt(),
            decisions=tuple(self._decisions[passed:]),
            restores=tuple(self._restores[passed:]),
        )
        if found.open_copies:
            self._noted.open_copies[:] = 0
        self._noted.in_doubt[:] = 0
        self._noted.counts[reports.UNSTARTED] = 0
        return found

    def _walk_of(self, pieces: list[Piece], digests: list[int], met: Piece | None, *, stable: bool) -> Walk:
        """And keep its pieces, if it became stable."""
        if met is None:
            end = End(packing.unpacked(self._one), self.running() if self._records else {})
            every = pieces
        else:
            every = [*pieces, *met.on()]
            assert isinstance(every[-1].then, End), "what is kept became stable"
            end = every[-1].then
        if stable or met is not None:
            for piece, then in zip(pieces, (*pieces[1:], met or end), strict=True):
                piece.then = then
            if self._walks is not None and self._known is not None:
                self._walks.keep(self._known, dict(zip(digests[1:], pieces[1:], strict=True)))
        return Walk(
            asked=tuple(one for piece in every for one in piece.asked),
            clients=end.clients,
            running=end.running,
            open_copies=frozenset[tuple[ProcessId, TaskId]]().union(*(piece.open_copies for piece in every)),
            unstarted=sum(piece.unstarted for piece in every),
            in_doubt=tuple(sorted({task for piece in every for task in piece.in_doubt})),
            decisions=tuple(one for piece in every for one in piece.decisions),
            restores=tuple(one for piece in every for one in piece.restores),
        )

    def restart(self, process_ids: Sequence[ProcessId], most: int) -> Restarted | None:
        """These clients stop, and are back once their sessions are over; then at most `most` rebalances. None: see `walk`, or the
        group does not become stable by then. Nothing can be asked of the walker after that."""
        one, noted = self._one, self._noted
        self._asked, self._decisions, self._restores = [], [], []
        noted.in_doubt[:] = 0
        noted.counts[reports.SEEN] = 0
        restarted = np.zeros(len(one.clients), np.uint8)
        numbers = [self._number_of[process_id] for process_id in process_ids]
        restarted[numbers] = 1
        count = at_restart.restart(one.facts, one.rules, one.reported, self._workspace.shares, noted, restarted)
        rows = sorted(
            (numbers.index(client), self._place_of[row], row, alone) for row, client, alone in noted.stopped[:count].tolist()
        )
        stopped = tuple((one.tasks[row], bool(alone)) for _, _, row, alone in rows)
        if self._go_on(most) != STABLE:
            return None
        return Restarted(stopped, self.asked(), self._in_doubt(), tuple(self._decisions), tuple(self._restores))

    def remember(self) -> None:
        """What is reported now is what `is_as_before` compares with."""
        state = State.of(self._one.reported, self._noted, records=False)
        self._remembered = state, np.concatenate(([0], np.cumsum(state.counts))), self._noted.running.copy()
        self._noted.touched[:] = 0

    def reports_as_before(self, *, runs: bool = False) -> bool:
        """Whether members report what they did when `remember` was called; `runs`: and run it."""
        assert self._remembered is not None, "remembered before"
        state, first, running = self._remembered
        reports = first, state.tasks, state.sums, state.by, state.owner
        return bool(at_restart.is_as(self._one.reported, self._noted, *reports, running, runs))

    def is_as_before(self) -> bool:
        """And run what they did, if decisions are kept."""
        return self.reports_as_before(runs=self._records)

    def moved_nothing(self) -> bool:
        """Whether no task had to wait for a copy in the last rebalance."""
        return not self._workspace.queue.state[queue.MOVEMENTS]

    def differs_as_seen(self) -> bool:
        """Whether it made a difference since the last restart if a group was `as_seen`."""
        return bool(self._noted.counts[reports.SEEN])

    def asked(self) -> tuple[Trigger | None, ...]:
        return tuple(_TRIGGERS[each] for each in self._asked)

    def clients(self) -> tuple[Client, ...]:
        return packing.unpacked(self._one)

    def running(self) -> Mapping[ProcessId, tuple[TaskId, ...]]:
        one, noted = self._one, self._noted
        return {
            process_id: tuple(one.tasks[row] for row in noted.ran[number, : noted.ran_counts[number]].tolist())
            for process_id, number in self._number_of.items()
        }

    def open_copies(self) -> Copies:
        ids, tasks = list(self._number_of), self._one.tasks
        found = np.flatnonzero(self._noted.open_copies.view(bool)).tolist()
        return frozenset((ids[one // len(tasks)], tasks[one % len(tasks)]) for one in found)

    def unstarted(self) -> int:
        return int(self._noted.counts[reports.UNSTARTED])

    def _in_doubt(self) -> tuple[TaskId, ...]:
        return tuple(self._one.tasks[row] for row in np.flatnonzero(self._noted.in_doubt).tolist())

    def _go_on(self, most: int) -> int:
        ended = GOES_ON
        while ended == GOES_ON and len(self._asked) < most:
            ended = self._part(min(AT_ONCE, most - len(self._asked)))
        return ended

    def _part(self, most: int) -> int:
        one, passed = self._one, len(self._asked)
        self._before = np.concatenate((self._before[:passed], np.zeros(most, np.int64)))
        kept = self._kept._replace(
            before=self._before, known=NOTHING if self._known is None else self._known.digests, looked_at=self._looked_at
        )
        arguments = (one.facts, one.rules, one.reported, *self._workspace[:-1], kept)
        ended, count = rebalances.go_on(*arguments, passed, most, self._begins)
        self._begins = False
        if ended in (GOES_ON, STABLE, MEETS):
            self._asked.extend(self._noted.asked[:count].tolist())
            if self._records:
                self._decisions.extend(self._reader.decisions(kept, self._noted, count))
                self._restores.extend(self._read(count))
        return int(ended)

    def _read(self, count: int) -> Iterator[Restores]:
        one, noted = self._one, self._noted
        begins, waits = 0, 0
        for number in range(count):
            rows, begins = noted.restoring[begins : noted.restoring_end[number]], int(noted.restoring_end[number])
            late, waits = noted.waiting[waits : noted.waiting_end[number]], int(noted.waiting_end[number])
            by_client: dict[int, list[tuple[int, int, TaskId, int]]] = {}
            for client, member, task, records, standby in rows.tolist():
                row = (standby, one.members[member][1], one.tasks[task], records)
                by_client.setdefault(one.clients[client], []).append(row)
            yield Restores(
                tuple(
                    (one.group.clients[at].process_id, tuple((task, records) for _, _, task, records in sorted(found)))
                    for at, found in sorted(by_client.items())
                ),
                tuple(sorted((one.tasks[task], records) for task, records in late.tolist())),
            )
