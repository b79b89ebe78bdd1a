"""The options for a change as data: one entry of `REMEDIES` each.

To add a way, write a function that turns the operator's change into what Kafka will see (`rewrites`; None: it makes no sense here),
and add an entry. Nothing else knows the ways by name, but for `plainly`, which the others are compared with.
"""

from dataclasses import dataclass

from holdfast.rollout.contract.verdicts import PLAINLY
from holdfast.rollout.streams.cost.evaluation import Effort
from holdfast.rollout.streams.options.rewrites import Rewrite, as_it_is, other_ends, sequence
from holdfast.rollout.streams.options.rewrites.identities import (
    relabelled,
    where_a_disk_is_lost,
    where_ids_are_kept,
    where_the_count_changes,
    with_old_disk,
    with_old_id,
    with_seeds,
)
from holdfast.rollout.streams.snapshot.passing_settings import (
    ANOTHER_ASSIGNOR,
    FIRST_STANDBYS,
    RAISED_WARMUPS,
    SHORT_PROBING,
    PassingSetting,
)
from holdfast.rollout.streams.steps.identity import Identity


@dataclass(frozen=True, slots=True)
class Remedy:
    """A way to make a change. `title` may name `{was}` and `{to}`, the values of `setting`, where it has one; `wrong_if` may name
    `{ids}`, the new process IDs. Not `as_asked`: it does something else, is there to be compared, and is never chosen.
    `if_allowed`: it is chosen only where the policy allows it by name.
    """

    name: str
    title: str
    rewrite: Rewrite
    wrong_if: str
    effort: Effort = Effort.NONE
    preconditions: tuple[str, ...] = ()
    identity: Identity = Identity.AS_IT_COMES
    setting: PassingSetting | None = None
    as_asked: bool = True
    if_allowed: bool = False
    names_ids: bool = False
    """Whether `wrong_if` names them."""


_ONE_ID = "No other client runs with the old process ID: Kafka takes two clients with one process ID for one, without an error."
_ON_DISK = "The application keeps a store on disk and runs Kafka Streams 2.6.2, 2.7.1, 2.8.0 or later: others read no process ID."
_ROOM = "The disks have room for a second copy of every store, and brokers and clients have the capacity to restore it."
_MANY_RESTORES = "Brokers and clients have the capacity for that many restores at once."
_STILL_BEHIND = "a standby is not caught up when the client stops: Kafka reports the group as stable before standbys are caught up."
_OTHER_ID = "the new client starts with a process ID other than {ids}."
_DOWN_AT_ONCE = "The application tolerates downtime of all tasks of these clients for the duration of a restart."
_ANOTHER_CLIENT = "a client that is not in this plan joins, leaves or restarts before the group is stable."

REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        name=PLAINLY,
        title="Make the change as requested",
        rewrite=as_it_is,
        wrong_if="a client starts with a process ID other than {ids}.",
        names_ids=True,
    ),
    Remedy(
        name="static-return",
        title="Restart static members within the session timeout, without a rebalance",
        rewrite=sequence.without_a_rebalance,
        wrong_if="a client takes longer than the session timeout to return: the other clients then take over its tasks.",
        preconditions=("Each client returns, with the same group.instance.id, before its session times out.",),
    ),
    Remedy(
        name="then-a-rebalance",
        title="Restart all clients within the session timeout, then keep one stopped for longer, to trigger a rebalance",
        rewrite=sequence.then_a_rebalance,
        wrong_if="the last client returns before its session has timed out: then there is no rebalance.",
        preconditions=("While the last client is stopped, its tasks may run, or restore, on other clients.",),
    ),
    Remedy(
        name="one-at-a-time",
        title="Change one client at a time, each once the group is stable",
        rewrite=sequence.one_at_a_time,
        wrong_if=_ANOTHER_CLIENT,
    ),
    Remedy(
        name="in-waves",
        title="Restart the clients in three waves",
        rewrite=sequence.in_waves,
        wrong_if=_ANOTHER_CLIENT,
        preconditions=(_DOWN_AT_ONCE,),
        if_allowed=True,
    ),
    Remedy(
        name="all-together",
        title="Change all clients at once",
        rewrite=sequence.all_together,
        wrong_if=_ANOTHER_CLIENT,
        preconditions=(_DOWN_AT_ONCE,),
        if_allowed=True,
    ),
    Remedy(name="reverse-order", title="Change the clients in reverse order", rewrite=sequence.reverse, wrong_if=_ANOTHER_CLIENT),
    Remedy(
        name="static-membership",
        title="Set a group.instance.id for each stream thread with this restart, so that the next one needs no rebalance",
        rewrite=sequence.becoming_static,
        wrong_if=_ANOTHER_CLIENT,
        effort=Effort.ONE_SETTING,
        preconditions=("group.instance.id is unique on every client; session.timeout.ms is longer than a restart takes.",),
    ),
    Remedy(
        name="copy-process-metadata",
        title="Give the client its old process ID before it starts",
        rewrite=with_old_id,
        wrong_if=_OTHER_ID,
        names_ids=True,
        effort=Effort.ONE_FILE,
        preconditions=(_ON_DISK, _ONE_ID),
        identity=Identity.FILE,
    ),
    Remedy(
        name="seed-process-id",
        title="Give the new client a process ID that keeps the order",
        rewrite=with_seeds,
        wrong_if=_OTHER_ID,
        names_ids=True,
        effort=Effort.ONE_FILE,
        preconditions=(_ON_DISK,),
        identity=Identity.FILE,
    ),
    Remedy(
        name="relabel",
        title="Swap process IDs between the clients that restart, so that the least state moves",
        rewrite=relabelled,
        wrong_if="one of them starts with a process ID other than the one it was given ({ids}).",
        names_ids=True,
        effort=Effort.DOWN_TOGETHER,
        preconditions=(_ON_DISK, _ONE_ID, "The application tolerates downtime while these clients are down together."),
        identity=Identity.FILE,
    ),
    Remedy(
        name="copy-state-directory",
        title="Move the whole state directory, process ID included",
        rewrite=with_old_disk,
        wrong_if="copying takes longer than the session timeout: the other clients then take over the tasks first.",
        effort=Effort.COPY_DISK,
        preconditions=(_ON_DISK, _ONE_ID, "The disk can be copied within the session timeout, after the old process has ended."),
        identity=Identity.DISK,
    ),
    Remedy(
        name="raise-warmups",
        title="Raise max.warmup.replicas from {was} to {to} during the rollout",
        rewrite=as_it_is,
        wrong_if="the group leader does not have the new max.warmup.replicas: only the leader's value counts.",
        effort=Effort.ROLLING_RESTARTS,
        preconditions=(_MANY_RESTORES,),
        setting=RAISED_WARMUPS,
    ),
    Remedy(
        name="probe-more-often",
        title="Shorten probing.rebalance.interval.ms from {was} to {to} during the rollout",
        rewrite=as_it_is,
        wrong_if="warm-ups take much more than a minute: the next probing rebalance then moves nothing.",
        effort=Effort.ROLLING_RESTARTS,
        preconditions=("The application tolerates a rebalance per minute during warm-up.",),
        setting=SHORT_PROBING,
    ),
    Remedy(
        name="standbys-first",
        title="Add a standby for every task first (num.standby.replicas from {was} to {to}), and revert it afterwards",
        rewrite=where_a_disk_is_lost(as_it_is),
        wrong_if=_STILL_BEHIND,
        effort=Effort.SECOND_COPIES,
        preconditions=(_ROOM,),
        setting=FIRST_STANDBYS,
    ),
    Remedy(
        name="copy-process-metadata+standbys-first",
        title="Add a standby for every task first (num.standby.replicas {was} to {to}), then give the client its old process ID",
        rewrite=where_a_disk_is_lost(with_old_id),
        wrong_if=_STILL_BEHIND,
        effort=Effort.SECOND_COPIES,
        preconditions=(_ON_DISK, _ONE_ID, _ROOM),
        identity=Identity.FILE,
        setting=FIRST_STANDBYS,
    ),
    Remedy(
        name="seed-process-id+raise-warmups",
        title="Give the new client a process ID that keeps the order, and raise max.warmup.replicas from {was} to {to} meanwhile",
        rewrite=where_the_count_changes(with_seeds),
        wrong_if=_OTHER_ID,
        names_ids=True,
        effort=Effort.ROLLING_RESTARTS,
        preconditions=(_ON_DISK, _MANY_RESTORES),
        identity=Identity.FILE,
        setting=RAISED_WARMUPS,
    ),
    Remedy(
        name="copy-process-metadata+raise-warmups",
        title="Give the client its old process ID before it starts, and raise max.warmup.replicas from {was} to {to} meanwhile",
        rewrite=where_the_count_changes(with_old_id),
        wrong_if=_OTHER_ID,
        names_ids=True,
        effort=Effort.ROLLING_RESTARTS,
        preconditions=(_ON_DISK, _ONE_ID, _MANY_RESTORES),
        identity=Identity.FILE,
        setting=RAISED_WARMUPS,
    ),
    Remedy(
        name="switch-assignor",
        title="Switch the task assignor to {to} during the rollout",
        rewrite=as_it_is,
        wrong_if="clients with different assignors are in the group when it rebalances: each leader uses its own.",
        effort=Effort.ROLLING_RESTARTS,
        preconditions=("internal.task.assignor.class is not a public setting: Kafka may remove it.",),
        setting=ANOTHER_ASSIGNOR,
        if_allowed=True,
    ),
    Remedy(
        name="clear-state",
        title="Delete the local state of every client with the restart, so that all tasks reach their final client at once",
        rewrite=where_ids_are_kept(sequence.cleared),
        wrong_if="one client keeps its state: Kafka then leaves its tasks there at first, and moves them one by one.",
        effort=Effort.CLEARED,
        if_allowed=True,
        preconditions=(
            "The application tolerates downtime until all state is restored.",
            "KafkaStreams#cleanUp is called before the start, or the task directories are deleted; the process ID stays.",
        ),
    ),
    Remedy(
        name="double-the-clients",
        title="Scale to twice as many clients instead",
        rewrite=other_ends.doubled,
        wrong_if=_ANOTHER_CLIENT,
        preconditions=(_ON_DISK,),
        identity=Identity.FILE,
        as_asked=False,
    ),
    Remedy(
        name="halve-the-clients",
        title="Scale to half as many clients instead",
        rewrite=other_ends.halved,
        wrong_if=_ANOTHER_CLIENT,
        as_asked=False,
    ),
    Remedy(
        name="another-count",
        title="Scale to the number of clients that moves the fewest tasks instead",
        rewrite=other_ends.the_count_that_moves_least,
        wrong_if=_ANOTHER_CLIENT,
        preconditions=(_ON_DISK,),
        identity=Identity.FILE,
        as_asked=False,
    ),
    Remedy(
        name="nothing-now",
        title="Do nothing now",
        rewrite=other_ends.nothing_now,
        wrong_if="a client joins, leaves or restarts anyway.",
        as_asked=False,
    ),
)
