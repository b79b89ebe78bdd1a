"""What the compiled functions work on: a group as arrays. Clients, their members (threads) and tasks are numbers.

Clients count in process-ID order, members in the order of clients and then of member IDs, tasks in the order of TaskId: so
comparing numbers compares as Java compares.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Flags = NDArray[np.uint8]

LATEST = -2
ABSENT = -(2**63)
"""In `Reported.sums`: the client reports nothing of the task."""
NONE = -1
"""No client, no member."""

PROBING, IMMEDIATE = 1, 2
"""What a decision asks for; 0: nothing."""


class Facts(NamedTuple):
    """What no rebalance changes. `first_member`: of each client, and the number of all members last."""

    members: Ints
    first_member: Ints
    client_of: Ints
    ends: Ints
    stateful: Flags
    stateful_tasks: Ints
    stateless_tasks: Ints
    weights: Ints
    """For each client what a task adds to its load: loads are whole numbers that compare as tasks a thread, then as process IDs. It
    is a multiple of the least power of two that is no less than the number of clients: the bits below are the client's number."""
    client_codes: Ints
    """The bits of each process ID's hash that choose its bucket."""
    task_codes: Ints
    crowded: Flags
    """Whether nine of all clients, or of all tasks, meet in a bucket of a table with 2 to the power of 4, 5, … buckets."""
    crowded_tasks: Flags
    target: Ints
    """The client that each stateful task is to run on in the end."""
    target_standbys: Ints
    """The clients of its standbys then, task by task; `NONE` where there are fewer."""
    prober: int
    acceptable_lag: int
    max_warmups: int
    in_priority_order: bool
    moves_to_most_caught_up: bool
    balances_all_kinds: bool
    temporary_standby_needs_copy: bool


class Reported(NamedTuple):
    """What members report. `tasks`: of each client, ascending; `counts` says how many.

    `by`: the member that reports a task for its client. `owner`: the member that owns a task's partitions.
    `reporters`: the clients that report a task, ascending; `reporter_counts` says how many. `changed`: the tasks of which something
    else is reported than at the decision before.
    """

    sums: Ints
    by: Ints
    tasks: Ints
    counts: Ints
    owner: Ints
    reporters: Ints
    reporter_counts: Ints
    changed: Flags


class Board(NamedTuple):
    """What clients are given. `runs`: the client of each active task; `holders`: the clients with a standby of a task.

    `standby`: for each client and task 1, and 2 for a warm-up; `load`: by which clients wait (`Facts.weights`). `moved`: tasks that
    are given otherwise than in the target.
    """

    runs: Ints
    standby: Flags
    holders: Ints
    holder_counts: Ints
    active_counts: Ints
    standby_counts: Ints
    load: Ints
    moved: Flags


class Shares(NamedTuple):
    """What members are handed. `active`: the member of each task, unless it is withheld; `withheld`: the member that waits for it.

    `standby_tasks`, `standby_members`: client after client, with those of withheld tasks. `of_client`, `held`: the tasks that each
    client is given, active and as standbys, ascending; `held_by`: the members of the latter. `…_end`: where those of a client end.
    `said`: whether a probing rebalance is needed, what is asked for, and the member that probes.
    `settled`: clients whose members report just what they were handed, and are given the same again.
    """

    planned: Ints
    """The client of each active task."""
    active: Ints
    withheld: Ints
    standby_tasks: Ints
    standby_members: Ints
    standbys_end: Ints
    of_client: Ints
    of_client_end: Ints
    held: Ints
    held_by: Ints
    held_end: Ints
    said: Ints
    settled: Flags


class Queue(NamedTuple):
    """Kafka's queue of clients by load; `queue` says what the fields mean."""

    waiting: Flags
    loads: Ints
    began_waiting: Flags
    began_loads: Ints
    offered: Ints
    array: Ints
    array_loads: Ints
    order: Ints
    buckets: Ints
    passed_over: Ints
    eligible: Ints
    event_source: Ints
    event_destination: Ints
    event_own: Ints
    event_after: Ints
    state: Ints


class Rooms(NamedTuple):
    """Room for intermediate results: movements, and the tasks of one client over its threads.

    `caught_up`: the clients that could take each task over at once, ascending; `caught_up_counts` says how many. `waits`,
    `standby_waits`: as `lags.has_to_wait`, of each task at its target, and of the standbys there. `target_actives`,
    `target_standbys`, `by_target`: as `lags.list_targets`. `in_order`: the numbers of movements as they are made.
    """

    caught_up: Ints
    caught_up_counts: Ints
    waits: Ints
    standby_waits: Ints
    target_actives: Ints
    target_standbys: Ints
    by_target: Ints
    movement_task: Ints
    movement_destination: Ints
    movement_urgency: Ints
    movement_source: Ints
    heap: Ints
    in_order: Ints
    movement_of_task: Ints
    urgency_end: Ints
    by_client: Ints
    by_client_waits: Ints
    by_client_end: Ints
    held_before_end: Ints
    tasks: Ints
    place: Ints
    given: Ints
    previous_owner: Ints
    previous: Ints
    lags: Ints
    taken: Ints
    to_fill: Ints
    order: Ints
    buckets: Ints
    load: Ints
    dealt: Ints
    room: Ints


MOST_EVENTS = 4096
MOST_BUCKETS = 1 << 16
FEWEST_BUCKETS = 1 << 4


def board(clients: int, tasks: int) -> Board:
    return Board(
        runs=zeros(tasks),
        standby=np.zeros((clients, tasks), np.uint8),
        holders=zeros(tasks, clients),
        holder_counts=zeros(tasks),
        active_counts=zeros(clients),
        standby_counts=zeros(clients),
        load=zeros(clients),
        moved=np.zeros(tasks, np.uint8),
    )


def shares(clients: int, tasks: int, standbys: int) -> Shares:
    """`standbys`: the most copies that can be handed out at a time."""
    return Shares(
        planned=zeros(tasks),
        active=zeros(tasks),
        withheld=zeros(tasks),
        standby_tasks=zeros(standbys),
        standby_members=zeros(standbys),
        standbys_end=zeros(clients + 1),
        of_client=zeros(tasks),
        of_client_end=zeros(clients + 1),
        held=zeros(standbys),
        held_by=zeros(standbys),
        held_end=zeros(clients + 1),
        said=zeros(3),
        settled=np.zeros(clients, np.uint8),
    )


def queue(clients: int) -> Queue:
    return Queue(
        waiting=np.zeros(clients, np.uint8),
        loads=zeros(clients),
        began_waiting=np.zeros(clients, np.uint8),
        began_loads=zeros(clients),
        offered=zeros(clients),
        array=zeros(clients + 1),
        array_loads=zeros(clients),
        order=zeros(clients),
        buckets=zeros(MOST_BUCKETS + 1),
        passed_over=zeros(clients),
        eligible=zeros(clients),
        event_source=zeros(MOST_EVENTS),
        event_destination=zeros(MOST_EVENTS),
        event_own=zeros(MOST_EVENTS),
        event_after=zeros(MOST_EVENTS),
        state=zeros(10),
    )


def rooms(clients: int, tasks: int, members: int, standbys: int) -> Rooms:
    most = max(tasks, standbys) + 1
    return Rooms(
        caught_up=zeros(tasks, clients),
        caught_up_counts=zeros(tasks),
        waits=zeros(tasks),
        standby_waits=zeros(tasks, standbys // tasks),
        target_actives=zeros(clients),
        target_standbys=zeros(clients),
        by_target=zeros(tasks),
        movement_task=zeros(most),
        movement_destination=zeros(most),
        movement_urgency=zeros(most),
        movement_source=zeros(most),
        heap=zeros(most),
        in_order=zeros(most),
        movement_of_task=zeros(tasks),
        urgency_end=zeros(clients + 1),
        by_client=zeros(most),
        by_client_waits=zeros(most),
        by_client_end=zeros(clients + 1),
        held_before_end=zeros(clients + 1),
        tasks=zeros(most),
        place=np.full(tasks, NONE, np.int64),
        given=zeros(most),
        previous_owner=zeros(most),
        previous=zeros(most),
        lags=zeros(most),
        taken=zeros(most),
        to_fill=zeros(most + members),
        order=zeros(most),
        buckets=zeros(MOST_BUCKETS + 1),
        load=zeros(members),
        dealt=zeros(members),
        room=zeros(members),
    )


def zeros(*shape: int) -> Any:
    """Whole numbers."""
    return np.zeros(shape, np.int64)


def room(*shape: int) -> Any:
    """For whole numbers that are written before they are read."""
    return np.empty(shape, np.int64)
