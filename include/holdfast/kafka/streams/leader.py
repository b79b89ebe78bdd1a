"""What the leader of a classic Streams group decides in one rebalance.

Java: `StreamsPartitionAssignor.assign`, 2.6 to 4.3, in its order: read what the members report; let the task assignor give every
task to clients; spread each client's tasks over its threads; hold back what another member still owns; say who rejoins when.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka.release import Behaviour, behaviour
from holdfast.kafka.streams import high_availability, public_sticky, sticky, threads, version_probing
from holdfast.kafka.streams.certainty import Certainty
from holdfast.kafka.streams.client_state import ClientState, LeaderThrows
from holdfast.kafka.streams.config import TaskAssignor
from holdfast.kafka.streams.group import (
    About,
    Assignment,
    ClientAssignment,
    ConsumerAssignment,
    Doubt,
    Group,
    LeaderFailure,
    NextRebalance,
    UndeterminedTask,
)
from holdfast.kafka.streams.leader_state import Board, Readings
from holdfast.kafka.streams.rack_aware import optimize as rack_aware
from holdfast.kafka.streams.target import Target
from holdfast.kafka.streams.threads import ThreadTasks
from holdfast.kafka.vocabulary import TopicPartition

FIRST_VERSION_WITH_NEXT_REBALANCE = 7
"""Assignments of an older metadata version cannot say when to rejoin (KIP-441)."""

INCOMPLETE_TOPICS = 1
"""`AssignorError.INCOMPLETE_SOURCE_TOPIC_METADATA`: members that receive it shut down."""
SHUTDOWN_REQUESTED = 4
"""`AssignorError.SHUTDOWN_REQUESTED`: a member asks for the whole application to end (KIP-671)."""
FIRST_VERSION_WITH_ERRORS = 9
"""Members of an older metadata version cannot send an error."""

_LEADER_NOT_KNOWN = (
    "Which client leads is unknown: the probing rebalance is shown at {}, the smallest process ID; Kafka asks a member of the"
    " leader's client for it."
)

MOST_NAMED = 10
"""This many tasks are named in a sentence; all are in the data."""


class Memory:
    """What the decisions of one group have in common from rebalance to rebalance, so that it is not worked out again.

    Only for a group whose members, tasks, release and settings stay: nothing but what members report may change. A client that
    reports the same, is given the same and waits for no other client is sent the same objects again.
    """

    def __init__(self) -> None:
        self._readings: Readings | None = None
        self.members_pass: bool = False
        """Whether the leader refuses neither the group nor its members."""
        self.target = Target()
        self.sent: dict[int, _Sent] = {}

    def board(self, group: Group, line: Behaviour) -> Board:
        """A board with what the members report now. Raise LeaderThrows."""
        if self._readings is None:
            self._readings = Readings(group, line)
        else:
            self._readings.again(group)
        return Board(self._readings)


@dataclass(frozen=True, slots=True)
class _Sent:
    """What a client that waits for no other client was sent, and all that it depended on. `consumers`: in the order of the
    group."""

    lags: Mapping[int, int]
    active: AbstractSet[int]
    standby: AbstractSet[int]
    probes: bool
    decided: ClientAssignment
    consumers: tuple[ConsumerAssignment, ...]

    def fits(self, client: ClientState, *, probes: bool) -> bool:
        same = self.lags is client.lags and self.probes == probes
        return same and (self.active is client.active or self.active == client.active) and self.standby == client.standby


def assign(group: Group, memory: Memory | None = None) -> Assignment | LeaderFailure:
    """The decision of this group's leader, task for task what its release decides. `memory`: of earlier rebalances of this group.

    Raise Unsupported for a release or setting that is not modelled, and CannotPredict where the group shows too little.
    """
    line = behaviour(group.release)
    if memory is not None and memory.members_pass:
        return _decide(group, line, memory)
    _refuse_what_cannot_be_known(group)
    failure = _refuses_its_members(group, line)
    if failure is not None:
        return failure
    if version_probing.any_newer(group, line):
        return _beside_newer_members(group, line)
    if memory is not None:
        memory.members_pass = True
    return _decide(group, line, memory)


def _decide(group: Group, line: Behaviour, memory: Memory | None) -> Assignment | LeaderFailure:
    try:
        target = None if memory is None else memory.target
        memory = memory or Memory()
        board = memory.board(group, line)
        if group.config.task_assignor is TaskAssignor.PUBLIC_STICKY:
            return _as_far_as_certain(group, board, line)
        probing = _assign_tasks(board, group, line, target)
        wire = _Wire(group, board, line, probing=probing)
        sent = wire.sent() if target is None else wire.sent_again(memory)
    except LeaderThrows as thrown:
        return LeaderFailure(str(thrown))
    in_group = [sent[number] for number in board.readings.number_at]
    return Assignment(
        probing_rebalance_needed=probing,
        clients=tuple([decided for decided, _ in in_group]),
        consumers=tuple([share for _, shares in in_group for share in shares]),
        undetermined=_undetermined(group, board, probing=probing),
    )


def _beside_newer_members(group: Group, line: Behaviour) -> Assignment | LeaderFailure:
    found = version_probing.assign(group, line, lambda booked: _decide(booked, line, None))
    if isinstance(found, Assignment) and found.probing_rebalance_needed and group.leader_process_id is None:
        older = version_probing.older_clients(group, line)
        if len(older) > 1 and _can_say_when(group):
            return replace(found, undetermined=(Doubt(About.LEADER, _LEADER_NOT_KNOWN.format(min(older))), *found.undetermined))
    return found


def _as_in_group(
    group: Group,
    probing: bool,
    decided: Iterable[ClientAssignment],
    consumers: Mapping[str, ConsumerAssignment],
    undetermined: tuple[Doubt, ...],
) -> Assignment:
    by_client = {assignment.process_id: assignment for assignment in decided}
    return Assignment(
        probing_rebalance_needed=probing,
        clients=tuple(by_client[client.process_id] for client in group.clients),
        consumers=tuple(consumers[consumer.member_id] for client in group.clients for consumer in client.consumers),
        undetermined=undetermined,
    )


def _as_far_as_certain(group: Group, board: Board, line: Behaviour) -> Assignment:
    """With the public sticky assignor (KIP-924)."""
    if public_sticky.places_by_rack(group) and group.config.num_standby_replicas > 0:
        raise Unsupported(
            f"rack.aware.assignment.strategy is {group.config.rack_aware_assignment_strategy} and task.assignor.class the public"
            " StickyTaskAssignor: that is modelled without standbys only: they move by rack in an order that cannot be observed."
        )
    active, standbys = public_sticky.assign(board, group, line)
    decided = tuple(_client_assignment(board, client) for client in board.clients)
    wire = _Wire(group, board, line, probing=False)
    certainty = Certainty(board, line, active, standbys, wire.of_client)
    consumers = certainty.consumers(wire.may_wait_for)
    tasks = certainty.tasks()
    doubts = _undetermined(group, board, probing=False)
    if tasks:
        doubts = (*doubts, Doubt(About.PLACES, _not_certain(tasks, exactly=certainty.exact)))
    return replace(_as_in_group(group, False, decided, consumers, doubts), undetermined_tasks=tasks)


def _not_certain(tasks: Sequence[UndeterminedTask], *, exactly: bool) -> str:
    shown = [str(task.id) for task in tasks[:MOST_NAMED]]
    more = f" and {len(tasks) - MOST_NAMED} more" if len(tasks) > MOST_NAMED else ""
    sentence = (
        "The public StickyTaskAssignor places standbys in an order that the leader's JVM makes up anew each time. Not certain are"
        f" the places of {', '.join(shown)}{more}: undetermined_tasks says where they may be, and nothing else does."
    )
    return sentence if exactly else f"{sentence} There are too many orders to try: perhaps it names more places than there are."


def _assign_tasks(board: Board, group: Group, line: Behaviour, target: Target | None) -> bool:
    """Give every task to clients; True if a probing rebalance has to follow.

    Without end offsets the lags are unknown: only the sticky assignor works without them, and replaces the others.
    """
    match group.config.task_assignor:
        case TaskAssignor.HIGH_AVAILABILITY if board.ends_known:
            return high_availability.assign(board, group.config, line, rack_aware.optimizer(board, group, line), target)
        case TaskAssignor.STICKY:
            sticky.assign(board, group, line, preserve=False, racks=rack_aware.optimizer(board, group, line))
            return False
        case _:
            sticky.assign(board, group, line, preserve=True)
            return True


def _refuse_what_cannot_be_known(group: Group) -> None:
    if not group.clients:
        raise CannotPredict("The group has no client: there is nothing to assign to.")
    for task in group.tasks:
        if task.changelogs is None:
            raise CannotPredict(
                f"Whether task {task.id} is stateful is unknown (its changelogs are null). Give the state directory of a client "
                "that has it, or list its changelogs."
            )


def _refuses_its_members(group: Group, line: Behaviour) -> LeaderFailure | None:
    """What the leader answers before it looks at tasks: for what its members ask, for topics, or for the versions they speak."""
    failures = []
    if _asks_for_shutdown(group, line):
        message = "a member requests shutdown of the application: the leader tells all members to shut down"
        failures.append(LeaderFailure(message, SHUTDOWN_REQUESTED))
    if group.missing_topics:
        missing = ", ".join(sorted(group.missing_topics)[:MOST_NAMED])
        message = f"source topics are missing ({missing}): the leader sends all members an error"
        failures.append(LeaderFailure(message, INCOMPLETE_TOPICS))
    versions = version_probing.failure(group, line)
    if versions is not None:
        failures.insert(len(failures) if line.versions_compared_last else 0, versions)
    return failures[0] if failures else None


def _asks_for_shutdown(group: Group, line: Behaviour) -> bool:
    asking = [one for client in group.clients for one in client.consumers if one.error_code == SHUTDOWN_REQUESTED]
    return any(
        not version_probing.is_newer(one, line)
        and (line.metadata_version if one.metadata_version is None else one.metadata_version) >= FIRST_VERSION_WITH_ERRORS
        for one in asking
    )


def _undetermined(group: Group, board: Board, *, probing: bool) -> tuple[Doubt, ...]:
    doubts = [*doubts_about_the_leader(group, probing=probing)]
    hashes_decide = not board.ends_known or group.config.task_assignor is not TaskAssignor.HIGH_AVAILABILITY
    if hashes_decide and sticky.depends_on_java(board):
        why = "Without end offsets" if group.config.task_assignor is TaskAssignor.HIGH_AVAILABILITY else "With this assignor"
        doubts.append(Doubt(About.JAVA, f"{why} the leader's Java decides too: this is what one on Java 8 to 18 does."))
    return tuple(doubts)


def doubts_about_the_leader(group: Group, *, probing: bool) -> tuple[Doubt, ...]:
    """Who is asked for a probing rebalance, where it is unknown who leads."""
    if not probing or group.leader_process_id is not None or len(group.clients) == 1 or not _can_say_when(group):
        return ()
    assumed = min(client.process_id for client in group.clients)
    return (Doubt(About.LEADER, _LEADER_NOT_KNOWN.format(assumed)),)


def _can_say_when(group: Group) -> bool:
    return all(version is None or version >= FIRST_VERSION_WITH_NEXT_REBALANCE for version in version_probing.versions(group))


def _client_assignment(board: Board, client: ClientState) -> ClientAssignment:
    return ClientAssignment(client.process_id, board.ids(client.active), board.ids(client.standby))


_ToClient = tuple[ClientAssignment, tuple[ConsumerAssignment, ...]]
"""What one client is sent; its consumers in the order of the group."""


_new_share: Callable[[tuple[object, ...]], ConsumerAssignment] = functools.partial(tuple.__new__, ConsumerAssignment)


class _Wire:
    """What each consumer is sent."""

    def __init__(self, group: Group, board: Board, line: Behaviour, *, probing: bool) -> None:
        self._group = group
        self._board = board
        self._line = line
        self._news = False
        """Whether a consumer is to run what it does not own."""
        self._says_when = _can_say_when(group)
        leader = group.leader_process_id or min(client.process_id for client in group.clients)
        self._prober = leader if probing else None

    def sent(self) -> list[_ToClient]:
        """What each client is sent, in process-ID order."""
        return [self._to_client(number)[:2] for number in range(len(self._board.clients))]

    def sent_again(self, memory: Memory) -> list[_ToClient]:
        """The same; where nothing is new, what is in memory."""
        found = []
        for number, client in enumerate(self._board.clients):
            probes = client.process_id == self._prober
            sent = memory.sent.get(number)
            if sent is None or not sent.fits(client, probes=probes):
                decided, consumers, waits = self._to_client(number)
                sent = _Sent(client.lags, client.active, client.standby, probes, decided, consumers)
                if not waits:
                    memory.sent[number] = sent
            found.append((sent.decided, sent.consumers))
        return found

    def _to_client(self, number: int) -> tuple[ClientAssignment, tuple[ConsumerAssignment, ...], bool]:
        """What one client is sent; and whether one of its consumers does not own all that it is to run already, so that it matters
        to it what others own."""
        client = self._board.clients[number]
        self._news = False
        shares = self.of_client(number)
        if len(shares) == 1 and not shares[0].withheld:
            return ClientAssignment(client.process_id, shares[0].active, shares[0].standby), shares, self._news
        by_member = {share.member_id: share for share in shares}
        in_group = self._group.clients[self._board.readings.order[number]].consumers
        shares = tuple([by_member[consumer.member_id] for consumer in in_group])
        return _client_assignment(self._board, client), shares, self._news

    @functools.cached_property
    def _owned(self) -> AbstractSet[TopicPartition]:
        """By any member."""
        return frozenset().union(*(owned for client in self._board.clients for owned in client.owned.values()))

    def of_client(
        self, number: int, active: Sequence[int] | None = None, standby: Sequence[int] | None = None
    ) -> tuple[ConsumerAssignment, ...]:
        """In member-ID order. `active` and `standby` as in `threads.assign`."""
        client = self._board.clients[number]
        probes = client.process_id == self._prober
        if len(client.consumers) == 1 and active is None and standby is None:
            everything = threads.all_of(self._board, client, self._line)
            return (self._consumer(client, client.consumers[0].member_id, everything, probes=probes),)
        planned = threads.assign(self._board, number, self._line, active=active, standby=standby)
        if not probes:
            none = NextRebalance.NONE
            return tuple(
                [
                    self._consumer(client, consumer[0], tasks, probes=False)
                    if tasks[0] or tasks[1]
                    else _new_share((consumer[0], (), (), (), none))  # an idle thread: of those there may be thousands
                    for consumer, tasks in zip(client.consumers, planned, strict=True)
                ]
            )
        found = []
        for consumer, tasks in zip(client.consumers, planned, strict=True):
            assignment = self._consumer(client, consumer.member_id, tasks, probes=probes)
            # One member of the leader's client probes, unless one before it has to rejoin at once anyway.
            probes = probes and assignment.next_rebalance is NextRebalance.NONE and not assignment.withheld
            found.append(assignment)
        return tuple(found)

    def may_wait_for(self, partition: TopicPartition) -> bool:
        """Whether some member owns the partition, and one that waits for it can be asked to rejoin."""
        return self._says_when and partition in self._owned

    def _consumer(self, client: ClientState, member_id: str, tasks: ThreadTasks, *, probes: bool) -> ConsumerAssignment:
        mine, of = client.owned_by(member_id), self._board.tasks
        new = [task for task in tasks.active if not mine.issuperset(of[task].partitions)] if mine else tasks.active
        withheld: Sequence[int] = ()
        if new:
            self._news = True
            # What some other member says that it owns has to be revoked there first.
            if owned := self._owned:
                withheld = [task for task in new if any(one not in mine and one in owned for one in of[task].partitions)]
        ids = self._board.ids
        if not withheld:
            when = NextRebalance.PROBING if self._says_when and probes else NextRebalance.NONE
            return ConsumerAssignment(member_id, ids(tasks.active), ids(tasks.standby), (), when)
        temporary = [task for task in withheld if self._stands_by(client, task)]
        held_back = set(withheld)
        return ConsumerAssignment(
            member_id=member_id,
            active=ids(task for task in tasks.active if task not in held_back),
            standby=ids([*tasks.standby, *temporary]),
            withheld=ids(withheld),
            next_rebalance=NextRebalance.IMMEDIATE if self._says_when else NextRebalance.NONE,
        )

    def _stands_by(self, client: ClientState, task: int) -> bool:
        """A withheld stateful task is a standby meanwhile, so that its store stays open."""
        if not self._board.tasks[task].stateful:
            return False
        return not self._line.temporary_standby_needs_copy or self._board.tasks[task].id in client.previous_standby
