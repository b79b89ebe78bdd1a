"""What a forecast depends on, in words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from holdfast.rollout.facts.conditions import Assumed, Assumption, Invalid, Invalidation

_ANOTHER_CLIENT = "a client that is not in this plan joins, leaves or restarts before the group is stable"
_INVALID: Mapping[Invalid, str] = {
    Invalid.NEW_CLIENT_OTHER_ID: "the new client starts with a process ID other than {ids}",
    Invalid.CLIENT_OTHER_ID: "a client starts with a process ID other than {ids}",
    Invalid.GIVEN_OTHER_ID: "one of them starts with a process ID other than the one it was given ({ids})",
    Invalid.ANOTHER_CLIENT: _ANOTHER_CLIENT,
    Invalid.ANOTHER_EVENT: "a client joins, leaves or restarts anyway",
    Invalid.SESSION_OVER: "a client takes longer than the session timeout to return: the other clients then take over its tasks",
    Invalid.SESSION_NOT_OVER: "the last client returns before its session has timed out: then there is no rebalance",
    Invalid.COPY_LATE: "copying takes longer than the session timeout: the other clients then take over the tasks first",
    Invalid.LEADER_WITHOUT_WARM_UPS: "the group leader does not have the new max.warmup.replicas: only the leader's value counts",
    Invalid.WARM_UPS_SLOW: "warm-ups take much more than a minute: the next probing rebalance then moves nothing",
    Invalid.STANDBY_BEHIND: (
        "a standby is not caught up when the client stops: Kafka reports the group as stable before standbys are caught up"
    ),
    Invalid.ASSIGNORS_MIXED: "clients with different assignors are in the group when it rebalances: each leader uses its own",
    Invalid.STATE_KEPT: "one client keeps its state: Kafka then leaves its tasks there at first, and moves them one by one",
    Invalid.BACK_LATE: (
        "a client returns, or is replaced, more than {seconds:g} s after its stop began: its session has timed out then"
    ),
    Invalid.OTHER_ENDPOINT: "a static client comes back under another application.server: it then asks for a rebalance at once",
    Invalid.MEMBER_ID_RANK: (
        "a consumer joins under a member ID of another rank than in the change (the broker makes it of its client.id and a random"
        " UUID): the order of member IDs decides the assignment"
    ),
    Invalid.ANOTHER_CONSUMER: "a consumer that is not in this plan joins, leaves or restarts before the group is stable",
    Invalid.CONSUMER_SESSION_OVER: (
        "a consumer is stopped for longer than the session timeout: then the group rebalances without it, and when it returns"
    ),
    Invalid.INTERVAL_OVER: (
        "a client is not back before the assignment interval is over: the coordinator then computes a target without it"
    ),
    Invalid.DELAY_OVER: "a client joins after the initial rebalance delay: the first target is then computed without it",
    Invalid.STARTED_EARLY: (
        "a client starts with group.protocol=streams while the classic group still has members: the coordinator answers"
        " GROUP_ID_NOT_FOUND, and the client fails"
    ),
    Invalid.INSTANCE_ID_TWICE: "two consumers have the same group.instance.id: then the older one is fenced",
}
_ASSUMED: Mapping[Assumed, str] = {
    Assumed.READS_PROCESS_ID: (
        "The application keeps a store on disk and runs Kafka Streams 2.6.2, 2.7.1, 2.8.0 or later: others read no process ID."
    ),
    Assumed.ONE_CLIENT_AN_ID: (
        "No other client runs with the old process ID: Kafka takes two clients with one process ID for one, without an error."
    ),
    Assumed.ROOM_FOR_COPIES: (
        "The disks have room for a second copy of every store, and brokers and clients have the capacity to restore it."
    ),
    Assumed.MANY_RESTORES: "Brokers and clients have the capacity for that many restores at once.",
    Assumed.DOWN_AT_ONCE: "The application tolerates downtime of all tasks of these clients for the duration of a restart.",
    Assumed.DOWN_TOGETHER: "The application tolerates downtime while these clients are down together.",
    Assumed.DOWN_UNTIL_RESTORED: "The application tolerates downtime until all state is restored.",
    Assumed.STATE_DELETED: (
        "KafkaStreams#cleanUp is called before the start, or the task directories are deleted; the process ID stays."
    ),
    Assumed.BACK_IN_SESSION: "Each client returns, with the same group.instance.id, before its session times out.",
    Assumed.RUNS_ELSEWHERE: "While the last client is stopped, its tasks may run, or restore, on other clients.",
    Assumed.INSTANCE_IDS_UNIQUE: (
        "group.instance.id is unique on every client; session.timeout.ms is longer than a restart takes."
    ),
    Assumed.COPIED_IN_SESSION: "The disk can be copied within the session timeout, after the old process has ended.",
    Assumed.REBALANCE_A_MINUTE: "The application tolerates a rebalance per minute during warm-up.",
    Assumed.INTERNAL_SETTING: "internal.task.assignor.class is not a public setting: Kafka may remove it.",
    Assumed.CONSUMER_BACK_IN_SESSION: (
        "Each consumer returns, with its group.instance.id, before its session times out (session.timeout.ms)."
    ),
    Assumed.LONGER_SESSION_SET: (
        "Each consumer has the longer timeout before its restart, and returns within it, with its group.instance.id."
    ),
    Assumed.ALL_BACK_FIRST: "All consumers return before the first of them is assigned partitions.",
    Assumed.EVERY_CONSUMER_RESTARTS: (
        "The change restarts every consumer of the group: while one supports only {assignor}, the others need it too."
    ),
    Assumed.INSTANCE_ID_KEPT: "Each consumer has a unique group.instance.id, and keeps it.",
    Assumed.LEAVES_ON_CLOSE: "Each client that stops leaves the group (KafkaStreams#close).",
    Assumed.INTERVAL_ALLOWED: (
        "The brokers allow streams.assignment.interval.ms=15000 (group.streams.max.assignment.interval.ms, 15000 by default)."
    ),
    Assumed.STOPPED_AT_ONCE: (
        "Each client is stopped as soon as the coordinator has computed a target, and all its threads join before the assignment"
        " interval is over."
    ),
    Assumed.STANDBYS_CAUGHT_UP: "The standby copies are caught up before the first client stops: compare their lag.",
    Assumed.ALL_IN_DELAY: (
        "All clients join within the initial rebalance delay (streams.initial.rebalance.delay.ms) of the first of them."
    ),
    Assumed.FILE_WRITTEN_STOPPED: (
        "The process ID is written into kafka-streams-process-metadata of a client that is stopped, and no other client has it."
    ),
    Assumed.FIRST_THREAD_ALONE: (
        "The first thread of a client that starts gets a target of its own; its other threads follow one assignment interval later."
    ),
    Assumed.BACK_IN_INTERVAL: (
        "A client that restarts is back, with all its threads, within an assignment interval of the target that its stop causes."
    ),
    Assumed.THREADS_TOGETHER: (
        "All threads of a client are in one target. Without an assignment interval (up to 4.2, or set to 0) each thread that joins"
        " causes a target of its own: there are more targets than forecast."
    ),
    Assumed.DIRECTORIES_REPORTED: (
        "Members that start report the offsets in the state directory of their client where the snapshot has it, and nothing where"
        " it has none. The coordinator assigns by that (from 4.4 on); assume.offsets of the change says otherwise."
    ),
    Assumed.NOTHING_REPORTED: "Members that start report no offsets, whatever their disks hold (assume.offsets of the change).",
    Assumed.DISKS_REPORTED: (
        "Members report the offsets of all state that the snapshot shows on their client's disk (assume.offsets of the change)."
    ),
    Assumed.CLASSIC_MEMBERS_STAY: (
        "Classic clients do not leave the group when they stop: it is empty once their session timeout is over."
    ),
    Assumed.STREAMS_FEATURE: (
        "The brokers allow group.protocol=streams: the feature streams.version is 1 or higher (kafka-features.sh describe)."
    ),
    Assumed.NO_SOURCE_PATTERNS: (
        "The topology subscribes to topics by name, and not by a pattern: no request shows that, and KafkaStreams refuses patterns"
        " with group.protocol=streams."
    ),
    Assumed.WARM_UPS_IGNORED: (
        "No warm-up replicas: max.warmup.replicas and acceptable.recovery.lag are ignored with group.protocol=streams, and a task"
        " that moves restores where it goes."
    ),
    Assumed.CONSUMER_LEAVES_ON_CLOSE: "Each consumer that stops leaves the group (KafkaConsumer#close), unless it is static.",
    Assumed.CONSUMER_INTERVAL_ALLOWED: (
        "The brokers allow consumer.assignment.interval.ms=15000 (group.consumer.max.assignment.interval.ms, 15000 by default)."
    ),
    Assumed.CONSUMER_STOPPED_AT_ONCE: (
        "Each consumer is stopped as soon as the coordinator has computed a target, and joins before the assignment interval is"
        " over."
    ),
    Assumed.CONSUMERS_DOWN_TOGETHER: "The application tolerates that no partition is read until the consumers are back.",
    Assumed.NO_ASSIGNOR_ASKED: (
        "No consumer sets group.remote.assignor now: the first that asks for {assignor} decides. Where others ask for another"
        " assignor, the group changes once most of those that ask have restarted."
    ),
    Assumed.LISTENER_COOPERATES: (
        "The code of every consumer supports losing some partitions while it keeps others (ConsumerRebalanceListener)."
    ),
}


def invalid_if(found: Iterable[Invalidation]) -> str:
    """The text after "Invalid if": `the new client starts with … . Or if …`. Empty: no such condition is known."""
    return " Or if ".join(f"{_clause(one)}." for one in found)


def _clause(one: Invalidation) -> str:
    return _INVALID[one.kind].format(ids=", ".join(map(str, one.process_ids)), seconds=one.seconds or 0)


def assumptions(found: Iterable[Assumption]) -> tuple[str, ...]:
    """A sentence each."""
    return tuple(_ASSUMED[one.kind].format(assignor=one.assignor) for one in found)


class Conditioned(Protocol):
    """A plan of any kind of group."""

    @property
    def wrong_if(self) -> str: ...

    @property
    def invalidations(self) -> Sequence[Invalidation]: ...


def labelled(plan: Conditioned) -> tuple[str, str]:
    """What makes a plan's forecast invalid, with its label. The beginning of another version's sentence is unknown: it is
    under a label that fits any. Both empty: no condition."""
    if not plan.wrong_if:
        return "", ""
    return ("Invalid if" if plan.invalidations else "Condition of the forecast"), plan.wrong_if
