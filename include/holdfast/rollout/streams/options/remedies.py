"""The ways to make a change, as data: one entry of `REMEDIES` each.

To add a way, write a function that turns the operator's change into what Kafka will see (`rewrites`; None: it makes no sense here),
and add an entry. Nothing else knows the ways by name, but for `plainly`, which the others are compared with.
"""

from dataclasses import dataclass

from holdfast.rollout.contract.verdicts import PLAINLY
from holdfast.rollout.streams.cost.evaluation import Effort
from holdfast.rollout.streams.options.recipes import Identity
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


_ONE_ID = "Nothing else may run under the old process ID: two clients with one ID are one to Kafka, and it does not notice."
_ON_DISK = "The application keeps a store on disk and runs Kafka Streams 2.6.2, 2.7.1, 2.8.0 or later: others read no process ID."
_ROOM = "The disks have room for a second copy of every store, and brokers and clients can bear to restore it."
_MANY_RESTORES = "Brokers and clients can bear that many restores at once."
_STILL_BEHIND = "Wrong if a standby has not caught up when the client goes: Kafka calls the group stable before they have."
_OTHER_ID = "Wrong if the new client comes up under another process ID than {ids}."
_DOWN_AT_ONCE = "The application bears that the tasks of all these clients stand still for as long as a restart takes."
_SOMEBODY_ELSE = "Wrong if a client that is not in this plan joins, leaves or restarts before the group is stable."

REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        name=PLAINLY,
        title="Make the change as it is",
        rewrite=as_it_is,
        wrong_if="Wrong if a client comes up under another process ID than {ids}.",
    ),
    Remedy(
        name="static-return",
        title="Restart within the session time-out: the members are static, so that no rebalance happens",
        rewrite=sequence.without_a_rebalance,
        wrong_if="Wrong if a client takes longer than the session time-out to come back: the others then take its tasks over.",
        preconditions=("Each client is back, with the same group.instance.id, before its session times out.",),
    ),
    Remedy(
        name="then-a-rebalance",
        title="Restart all within their sessions, then have one client stay away for longer, so that the group rebalances",
        rewrite=sequence.then_a_rebalance,
        wrong_if="Wrong if the last client comes back before its session has timed out: then there is no rebalance.",
        preconditions=("Its tasks may run elsewhere, or restore there, while the last client is away.",),
    ),
    Remedy(
        name="one-at-a-time",
        title="Change one client after the other, each once the group is stable",
        rewrite=sequence.one_at_a_time,
        wrong_if=_SOMEBODY_ELSE,
    ),
    Remedy(
        name="in-waves",
        title="Restart the clients in three waves",
        rewrite=sequence.in_waves,
        wrong_if=_SOMEBODY_ELSE,
        preconditions=(_DOWN_AT_ONCE,),
        if_allowed=True,
    ),
    Remedy(
        name="all-together",
        title="Change all clients at once",
        rewrite=sequence.all_together,
        wrong_if=_SOMEBODY_ELSE,
        preconditions=(_DOWN_AT_ONCE,),
        if_allowed=True,
    ),
    Remedy(
        name="reverse-order", title="Change the clients in the opposite order", rewrite=sequence.reverse, wrong_if=_SOMEBODY_ELSE
    ),
    Remedy(
        name="static-membership",
        title="Give each stream thread a group.instance.id with this restart, so that the next one needs no rebalance",
        rewrite=sequence.becoming_static,
        wrong_if=_SOMEBODY_ELSE,
        effort=Effort.ONE_SETTING,
        preconditions=("group.instance.id is another one on every client; session.timeout.ms is longer than a restart takes.",),
    ),
    Remedy(
        name="copy-process-metadata",
        title="Give the client its old process ID before it starts",
        rewrite=with_old_id,
        wrong_if=_OTHER_ID,
        effort=Effort.ONE_FILE,
        preconditions=(_ON_DISK, _ONE_ID),
        identity=Identity.FILE,
    ),
    Remedy(
        name="seed-process-id",
        title="Give the new client a process ID that keeps the order",
        rewrite=with_seeds,
        wrong_if=_OTHER_ID,
        effort=Effort.ONE_FILE,
        preconditions=(_ON_DISK,),
        identity=Identity.FILE,
    ),
    Remedy(
        name="relabel",
        title="Have the clients that restart change process IDs with one another, so that the least state moves",
        rewrite=relabelled,
        wrong_if="Wrong if one of them comes up under another process ID than it was given ({ids}).",
        effort=Effort.DOWN_TOGETHER,
        preconditions=(_ON_DISK, _ONE_ID, "The application may stand still for as long as these clients are down together."),
        identity=Identity.FILE,
    ),
    Remedy(
        name="copy-state-directory",
        title="Move the whole state directory, process ID included",
        rewrite=with_old_disk,
        wrong_if="Wrong if the copying takes longer than the session time-out: the others then take the tasks over first.",
        effort=Effort.COPY_DISK,
        preconditions=(_ON_DISK, _ONE_ID, "The disk can be copied, after the old process has ended, within the session time-out."),
        identity=Identity.DISK,
    ),
    Remedy(
        name="raise-warmups",
        title="Raise max.warmup.replicas from {was} to {to} for the window",
        rewrite=as_it_is,
        wrong_if="Wrong if the client that leads the group has not got the new max.warmup.replicas: only the leader's counts.",
        effort=Effort.ROLLING_RESTARTS,
        preconditions=(_MANY_RESTORES,),
        setting=RAISED_WARMUPS,
    ),
    Remedy(
        name="probe-more-often",
        title="Shorten probing.rebalance.interval.ms from {was} to {to} for the window",
        rewrite=as_it_is,
        wrong_if="Wrong if warm-ups need much more than a minute: the next probing rebalance then moves nothing.",
        effort=Effort.ROLLING_RESTARTS,
        preconditions=("The application bears a rebalance a minute while it warms up.",),
        setting=SHORT_PROBING,
    ),
    Remedy(
        name="standbys-first",
        title="Give every task a standby first ({was} to {to} num.standby.replicas), and put that back afterwards",
        rewrite=where_a_disk_is_lost(as_it_is),
        wrong_if=_STILL_BEHIND,
        effort=Effort.SECOND_COPIES,
        preconditions=(_ROOM,),
        setting=FIRST_STANDBYS,
    ),
    Remedy(
        name="copy-process-metadata+standbys-first",
        title="Give every task a standby first ({was} to {to} num.standby.replicas), then the client its old process ID",
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
        effort=Effort.ROLLING_RESTARTS,
        preconditions=(_ON_DISK, _ONE_ID, _MANY_RESTORES),
        identity=Identity.FILE,
        setting=RAISED_WARMUPS,
    ),
    Remedy(
        name="switch-assignor",
        title="Have another task assignor, {to}, while the change is made",
        rewrite=as_it_is,
        wrong_if="Wrong if clients with different assignors are in the group when it rebalances: each leader decides by its own.",
        effort=Effort.ROLLING_RESTARTS,
        preconditions=("internal.task.assignor.class is no public setting: Kafka may drop it.",),
        setting=ANOTHER_ASSIGNOR,
        if_allowed=True,
    ),
    Remedy(
        name="clear-state",
        title="Restart every client with the change, its local state deleted, so that all tasks go where they belong at once",
        rewrite=where_ids_are_kept(sequence.cleared),
        wrong_if="Wrong if one client keeps its state: Kafka then leaves its tasks with it at first, and moves them one by one.",
        effort=Effort.CLEARED,
        if_allowed=True,
        preconditions=(
            "The application may stand still until everything is restored.",
            "KafkaStreams#cleanUp is called before the start, or the task directories are deleted; the process ID stays.",
        ),
    ),
    Remedy(
        name="double-the-clients",
        title="Go to twice as many clients instead",
        rewrite=other_ends.doubled,
        wrong_if=_SOMEBODY_ELSE,
        preconditions=(_ON_DISK,),
        identity=Identity.FILE,
        as_asked=False,
    ),
    Remedy(
        name="halve-the-clients",
        title="Go to half as many clients instead",
        rewrite=other_ends.halved,
        wrong_if=_SOMEBODY_ELSE,
        as_asked=False,
    ),
    Remedy(
        name="another-count",
        title="Go to the number of clients that moves the fewest tasks instead",
        rewrite=other_ends.the_count_that_moves_least,
        wrong_if=_SOMEBODY_ELSE,
        preconditions=(_ON_DISK,),
        identity=Identity.FILE,
        as_asked=False,
    ),
    Remedy(
        name="nothing-now",
        title="Do nothing now",
        rewrite=other_ends.nothing_now,
        wrong_if="Wrong if somebody joins, leaves or restarts anyway.",
        as_asked=False,
    ),
)
