"""An exchange of process IDs between clients that restart anyway, so that the least state moves.

The target of the HighAvailabilityTaskAssignor depends on the kind of client at each rank (threads, tags), not on which client it
is. So once the kinds of clients are laid out over the IDs, the rest is an assignment problem, solved exactly; and as there are few
arrangements of kinds (one, where all clients are alike), the best of all of them is the best there is.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka import java
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.config import HIGH_AVAILABILITY
from holdfast.kafka.streams.group import Client, ClientAssignment, Group, LeaderFailure
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId
from holdfast.rollout.streams.scene.reports import reported
from holdfast.rollout.streams.snapshot import ownership

MOST_LAYOUTS = 1_000
"""Each is one decision of the leader."""
_EXACT_IN_A_DOUBLE = 2**53


Labels = tuple[tuple[ProcessId, ProcessId], ...]
"""(A client's process ID now, the one it is to come back under.)"""


@dataclass(frozen=True, slots=True)
class Moved:
    """What moves: records that copies of stateful tasks, standbys included, lack where they are to be; and active tasks that
    migrate. Ordered by records, then by tasks."""

    records: int
    tasks: int


@dataclass(frozen=True, slots=True)
class Relabelling:
    """`labels` in the order of the present IDs. `baseline`: what moves if every client keeps its own."""

    labels: Labels
    moved: Moved
    baseline: Moved

    @property
    def worth_it(self) -> bool:
        return (self.moved.records, self.moved.tasks) < (self.baseline.records, self.baseline.tasks)


def relabel(group: Group, restarting: Sequence[ProcessId]) -> Relabelling:
    """The best assignment of the IDs of `restarting` among these clients of `group`, each with the state it has.

    `group` is the group as it will be, every client under the ID that it would keep. Raise CannotPredict where the target does not
    follow from the order alone, or there are too many arrangements.
    """
    _refuse(group)
    present = {client.process_id: client for client in group.clients}
    missing = [str(one) for one in restarting if one not in present]
    if missing:
        raise InvalidInput(f"no client of the group has the process ID {missing[0]}")
    ids = sorted(dict.fromkeys(restarting))
    clients = [present[one] for one in ids]
    loads = _Loads(group)
    baseline = loads.of(group, ())
    best: tuple[tuple[int, int], Labels] | None = None
    for layout in _layouts([_kind(client) for client in clients]):
        labels = _best_of(loads, group, clients, ids, layout)
        moved = loads.of(group, labels)
        found = (moved.records, moved.tasks)
        if best is None or found < best[0]:
            best = (found, labels)
    assert best is not None, "there is always the present layout"
    if (baseline.records, baseline.tasks) <= best[0]:
        return Relabelling(tuple((one, one) for one in ids), baseline, baseline)
    return Relabelling(best[1], Moved(*best[0]), baseline)


def _refuse(group: Group) -> None:
    if group.config.task_assignor != HIGH_AVAILABILITY:
        raise CannotPredict(f"With {group.config.task_assignor} process-ID order does not affect task placement.")
    if group.config.rack_aware_assignment_strategy != "none":
        raise CannotPredict(
            "With a rack-aware strategy the target depends on the present placement, not on process-ID order alone."
        )


def _kind(client: Client) -> Hashable:
    """Everything except the process ID that the target of a client depends on."""
    return len(client.consumers), tuple(sorted(client.client_tags))


def _layouts(kinds: Sequence[Hashable]) -> Iterator[tuple[Hashable, ...]]:
    """Every different order of these kinds. Raise CannotPredict if there are too many."""
    names = list(dict.fromkeys(kinds))
    counts = [kinds.count(name) for name in names]
    options, left = 1, len(kinds)
    for count in counts:
        options, left = options * comb(left, count), left - count
    if options > MOST_LAYOUTS:
        raise CannotPredict(
            f"{len(kinds)} clients of {len(names)} kinds (threads, tags) have {options:,} possible orders;"
            f" {MOST_LAYOUTS:,} are allowed."
        )
    stack: list[tuple[tuple[Hashable, ...], tuple[int, ...]]] = [((), tuple(counts))]
    while stack:
        placed, remaining = stack.pop()
        if len(placed) == len(kinds):
            yield placed
        stack.extend(
            ((*placed, names[index]), (*remaining[:index], remaining[index] - 1, *remaining[index + 1 :]))
            for index in reversed(range(len(names)))
            if remaining[index]
        )


def _best_of(
    loads: "_Loads", group: Group, clients: Sequence[Client], ids: Sequence[ProcessId], layout: Sequence[Hashable]
) -> Labels:
    """The best labels among those that put clients of these kinds on these IDs: kind by kind an assignment problem."""
    from scipy.optimize import linear_sum_assignment  # the whole of SciPy, for those who ask for it only

    of_kind: dict[Hashable, list[Client]] = {}
    places: dict[Hashable, list[ProcessId]] = {}
    for client in clients:
        of_kind.setdefault(_kind(client), []).append(client)
    for process_id, kind in zip(ids, layout, strict=True):
        places.setdefault(kind, []).append(process_id)
    any_labels = tuple(
        (client.process_id, one)
        for kind, of_this_kind in of_kind.items()
        for client, one in zip(of_this_kind, places[kind], strict=True)
    )
    shares = loads.target(_renamed(group, any_labels))
    labels: list[tuple[ProcessId, ProcessId]] = []
    for kind, of_this_kind in of_kind.items():
        costs = [[loads.weight(loads.moved(client, shares[one])) for one in places[kind]] for client in of_this_kind]
        rows, columns = linear_sum_assignment(costs)
        labels += [(of_this_kind[row].process_id, places[kind][column]) for row, column in zip(rows, columns, strict=True)]
    return tuple(sorted(labels))


def _renamed(group: Group, labels: Labels) -> Group:
    new = dict(labels)
    clients = tuple(replace(client, process_id=new.get(client.process_id, client.process_id)) for client in group.clients)
    return replace(group, clients=clients, leader_process_id=None)


class _Loads:
    """What clients have, and what they would lack of what a target gives them."""

    def __init__(self, group: Group) -> None:
        self._ends = {task.id: task.end_offset_sum or 0 for task in group.tasks if task.stateful}
        self._owners = dict(ownership.owners_among(group.clients, group.tasks))
        self._reports = {id(client): reported(client) for client in group.clients}
        copies = 1 + group.config.num_standby_replicas
        self._tie_break = 1 + len(self._ends)
        self._exact = sum(self._ends.values()) * copies * self._tie_break < _EXACT_IN_A_DOUBLE

    def weight(self, moved: Moved) -> int:
        """One number for the solver, which reckons in doubles: where tasks and records do not fit together, records alone."""
        return moved.records * self._tie_break + moved.tasks if self._exact else moved.records

    def target(self, group: Group) -> dict[ProcessId, ClientAssignment]:
        """The kind of client at each ID once every client has caught up (see `order.target`)."""
        decision = leader.assign(replace(group, config=replace(group.config, acceptable_recovery_lag=java.LONG_MAX)))
        if isinstance(decision, LeaderFailure):
            raise CannotPredict(f"The leader itself fails: {decision.error}")
        return {client.process_id: client for client in decision.clients}

    def moved(self, client: Client, share: ClientAssignment) -> Moved:
        """What this client lacks of this share."""
        had = self._reports[id(client)]
        tasks = [task for task in share.active if task in self._ends]
        lacking = sum(self._lacking(task, had.get(task)) for task in (*tasks, *share.standby))
        return Moved(lacking, sum(self._owners.get(task) != client.process_id for task in tasks))

    def of(self, group: Group, labels: Labels) -> Moved:
        """What all clients of the group lack together once some come back under other IDs: those that do not restart count too."""
        new = dict(labels)
        shares = self.target(_renamed(group, labels))
        moved = [self.moved(client, shares[new.get(client.process_id, client.process_id)]) for client in group.clients]
        return Moved(sum(one.records for one in moved), sum(one.tasks for one in moved))

    def _lacking(self, task: TaskId, total: int | None) -> int:
        end = self._ends[task]
        if total == LATEST_OFFSET:
            return 0
        return end if total is None or not 0 <= total <= end else end - total
