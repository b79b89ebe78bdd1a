"""A group as arrays, where the compiled functions model all that its decisions depend on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np

from holdfast.kafka import java, java_hash
from holdfast.kafka.release import Behaviour, behaviour
from holdfast.kafka.streams import high_availability, leader
from holdfast.kafka.streams.client_state import LeaderThrows, Topology
from holdfast.kafka.streams.compiled import arrays
from holdfast.kafka.streams.compiled.arrays import NONE, Facts, Flags, Ints, Reported
from holdfast.kafka.streams.config import DEFAULTS
from holdfast.kafka.streams.group import Client, Consumer, Group
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.forecast.compiled import reports
from holdfast.rollout.streams.forecast.compiled.group_reports import MOST_RECORDS, Reading
from holdfast.rollout.streams.forecast.compiled.reports import Rules
from holdfast.rollout.streams.forecast.compiled.workspace import Listed, Workspaces
from holdfast.rollout.streams.forecast.next_rebalance import until_then
from holdfast.rollout.streams.scene.assumptions import CatchUp, DormantCopies
from holdfast.rollout.streams.scene.reports import Copies, Reports

MOST_CELLS = 4_000_000
"""Clients times tasks: there are some fifty bytes for each."""
_FEWER_THAN_A_TREE = 8
_CATCH_UP = {
    CatchUp.PROBING_REBALANCE: reports.PROBING_REBALANCE,
    CatchUp.NEXT_REBALANCE: reports.NEXT_REBALANCE,
    CatchUp.RATE: reports.RATE,
}


@dataclass(frozen=True, slots=True)
class Packed:
    """A group as arrays. `clients`, `members`: those with each number, as positions in the group and in its client."""

    group: Group
    facts: Facts
    rules: Rules
    reported: Reported
    clients: tuple[int, ...]
    members: tuple[tuple[int, int], ...]
    tasks: tuple[TaskId, ...]
    rows: Mapping[TaskId, int]
    """The number of each task."""


@dataclass(slots=True)
class Layout:
    """What the arrays of a group have in common with those of any group that differs only in what its members report."""

    of: object
    facts: Facts
    clients: tuple[int, ...]
    members: tuple[tuple[int, int], ...]
    topology: Topology
    reading: Reading
    changelogs: Ints
    copies: tuple[Copies, tuple[Ints, Ints, Ints]] | None = None
    """What copies of each task report, as they were asked for last."""


@dataclass(slots=True)
class Layouts:
    """Those of one search, and arrays for its walks."""

    known: list[Layout] = field(default_factory=list)
    workspaces: Workspaces = field(default_factory=Workspaces)


MOST_LAYOUTS = 50


def packed(group: Group, rules: Reports, layouts: Layouts | None = None) -> Packed | None:
    """None: something about the group is modelled by `leader` only. `layouts`: those that are known, and this one from now on."""
    line = behaviour(group.release)
    if not _is_modelled(group, line) or rules.has_stores_in_memory:
        return None
    layouts = layouts or Layouts()
    layout = _layout(group, line, layouts.known)
    reported = None if layout is None else layout.reading.read(group.clients, layouts.workspaces.reported(layout.facts))
    if layout is None or reported is None:
        return None
    return Packed(
        group=group,
        facts=layout.facts,
        rules=_rules(group, rules, layout),
        reported=reported,
        clients=layout.clients,
        members=layout.members,
        tasks=layout.topology.ids,
        rows=layout.reading.rows,
    )


def _layout(group: Group, line: Behaviour, layouts: list[Layout]) -> Layout | None:
    members = tuple(
        (one.process_id, one.client_tags, tuple((each.member_id, each.metadata_version) for each in one.consumers))
        for one in group.clients
    )
    settings = replace(group.config, probing_rebalance_interval_ms=DEFAULTS.probing_rebalance_interval_ms)  # decides nothing
    of = group.release, settings, group.leader_process_id, members, group.tasks
    for known in layouts:
        if known.of == of:
            return known
    try:
        board = Board.of(group, line)
    except LeaderThrows:
        return None
    if not board.ends_known:
        return None
    high_availability.assign_target(board, group.config, None)
    places, topology = _members(group, board), board.readings.topology
    clients = tuple(board.readings.order)
    found = Layout(
        of=of,
        facts=_facts(group, line, board, places),
        clients=clients,
        members=places,
        topology=topology,
        reading=Reading.of(clients, places, topology),
        changelogs=_ints([len(task.changelogs or ()) for task in topology.tasks]),
    )
    layouts.insert(0, found)
    del layouts[MOST_LAYOUTS:]
    return found


def _is_modelled(group: Group, line: Behaviour) -> bool:
    """What is seen before anything is read."""
    config = group.config
    return (
        config.goes_by_lags_alone
        and not group.missing_topics
        and 0 < len(group.clients) * len(group.tasks) <= MOST_CELLS
        and math.lcm(*(len(client.consumers) for client in group.clients)) * len(group.clients) * 8 * len(group.tasks)
        < MOST_RECORDS
        and all(task.changelogs is not None for task in group.tasks)
        and all(_is_plain(consumer, line) for client in group.clients for consumer in client.consumers)
    )


def _is_plain(consumer: Consumer, line: Behaviour) -> bool:
    version = line.metadata_version if consumer.metadata_version is None else consumer.metadata_version
    return not consumer.error_code and leader.FIRST_VERSION_WITH_NEXT_REBALANCE <= version <= line.metadata_version


def _members(group: Group, board: Board) -> tuple[tuple[int, int], ...]:
    """Where each member is in the group, client by client in process-ID order, then by member ID."""
    found: list[tuple[int, int]] = []
    for client, at in zip(board.clients, board.readings.order, strict=True):
        place = {consumer.member_id: number for number, consumer in enumerate(group.clients[at].consumers)}
        found.extend((at, place[consumer.member_id]) for consumer in client.consumers)
    return tuple(found)


def _facts(group: Group, line: Behaviour, board: Board, members: Sequence[tuple[int, int]]) -> Facts:
    topology = board.readings.topology
    number_at = board.readings.number_at
    capacities = [client.capacity for client in board.clients]
    target = _filled(len(topology.tasks))
    standbys: list[list[int]] = [[] for _ in topology.tasks]
    for number, client in enumerate(board.clients):
        target[list(client.active)] = number
        for task in client.standby:
            standbys[task].append(number)
    widest = max(map(len, standbys), default=0)
    client_codes = _ints([java_hash.bits_of(java.uuid_hash(client.process_id.bits)) for client in board.clients])
    task_codes = _ints([java_hash.bits_of(line.task_hash(task.id)) for task in topology.tasks])
    leads = group.leader_process_id or min(client.process_id for client in group.clients)
    return Facts(
        members=_ints(capacities),
        first_member=_ints([0, *accumulate(capacities)]),
        client_of=_ints([number_at[at] for at, _ in members]),
        ends=_ints(topology.ends),
        stateful=np.array([bool(task.changelogs) for task in topology.tasks], np.uint8),
        stateful_tasks=_ints(topology.stateful),
        stateless_tasks=_ints(topology.stateless),
        weights=weights(capacities),
        client_codes=client_codes,
        task_codes=task_codes,
        crowded=crowded(client_codes),
        crowded_tasks=crowded(task_codes),
        target=target,
        target_standbys=_ints([[*found, *[NONE] * (widest - len(found))] for found in standbys]).reshape(len(standbys), widest),
        prober=next((number for number, client in enumerate(board.clients) if client.process_id == leads), NONE),
        acceptable_lag=group.config.acceptable_recovery_lag,
        max_warmups=group.config.max_warmup_replicas,
        in_priority_order=line.movements_in_priority_order,
        moves_to_most_caught_up=line.moves_to_most_caught_up,
        balances_all_kinds=line.threads_balance_all_kinds,
        temporary_standby_needs_copy=line.temporary_standby_needs_copy,
    )


def weights(capacities: Sequence[int]) -> Ints:
    """So that loads compare as tasks a thread do: of equal loads the smaller process ID comes first."""
    common = math.lcm(*capacities)
    numbers = 1 << (len(capacities) - 1).bit_length()
    return _ints([common // capacity * numbers for capacity in capacities])


def crowded(codes: Ints) -> Flags:
    """For tables of all sizes up to the one that holds all."""
    found: list[bool] = []
    capacity = arrays.FEWEST_BUCKETS
    while capacity <= arrays.MOST_BUCKETS:
        found.append(bool(np.bincount(codes & (capacity - 1)).max() > _FEWER_THAN_A_TREE))
        if len(codes) <= capacity * 3 // 4:
            break
        capacity *= 2
    return np.array(found, np.uint8)


def _rules(group: Group, rules: Reports, layout: Layout) -> Rules:
    if layout.copies is None or layout.copies[0] is not rules.copies:
        copies = [rules.copy_of(task) for task in layout.topology.ids]
        ends, closed, log_ends = zip(*((copy.end, copy.closed, copy.log_end) for copy in copies), strict=True)
        layout.copies = rules.copies, (_ints(ends), _ints(closed), _ints(log_ends))
    assume = rules.assume
    gained = 0
    if assume.catch_up is CatchUp.RATE:
        _, interval_s = until_then(Trigger.PROBING, group, Wait.STABLE)
        gained = int(max((assume.records_per_second or 0) - assume.grows_per_second, 0) * interval_s)
    end, closed_end, log_end = layout.copies[1]
    return Rules(
        end=end,
        closed=closed_end,
        log_end=log_end,
        changelogs=layout.changelogs,
        catch_up=_CATCH_UP[assume.catch_up],
        gained=min(gained, MOST_RECORDS),
        keeps_dormant=assume.dormant_copies is DormantCopies.KEPT,
        as_seen=rules.as_seen,
        exact=rules.exact,
        may_lose_progress=rules.may_lose_progress,
    )


def unpacked(one: Packed) -> tuple[Client, ...]:
    """The clients of the group with what they report now; one that reports what it did is the same object."""
    rows, sums, by = Listed.of(one.reported)
    sums_of: list[list[tuple[TaskId, int]]] = [[] for _ in one.members]
    for member, row, total in zip(by.tolist(), rows.tolist(), sums.tolist(), strict=True):
        sums_of[member].append((one.tasks[row], total))
    partitions = {task.id: task.partitions for task in one.group.tasks}
    owned_by: list[list[TopicPartition]] = [[] for _ in one.members]
    for task, member in zip(one.tasks, one.reported.owner.tolist(), strict=True):
        if member != NONE:
            owned_by[member].extend(partitions[task])
    consumers = [list(client.consumers) for client in one.group.clients]
    changed = [False] * len(consumers)
    for (at, place), own, reports_of in zip(one.members, owned_by, sums_of, strict=True):
        before, owned, reported = consumers[at][place], tuple(sorted(own)), tuple(reports_of)
        if before.owned != owned or before.task_offset_sums != reported:
            identity = before.member_id, before.client_id, before.group_instance_id
            consumers[at][place] = Consumer(*identity, owned, reported, before.metadata_version)
            changed[at] = True
    return tuple(
        Client(client.process_id, tuple(mine), client.host, client.rack, client.client_tags, client.user_endpoint)
        if other
        else client
        for client, mine, other in zip(one.group.clients, consumers, changed, strict=True)
    )


def _ints(values: object) -> Ints:
    return np.array(values, np.int64)


def _filled(size: int) -> Ints:
    return np.full(size, NONE, np.int64)
