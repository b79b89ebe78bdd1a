"""The options for a change as data: one of `OPTION_ENTRIES` each.

To add an option, write a function that turns the operator's change into what Kafka will see (`rewrites`; None: it makes no sense
here), and add an entry. No other code knows options by name, but for `baseline`, which the others are compared with.
"""

from dataclasses import dataclass

from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.facts.conditions import Assumed, Invalid
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
class OptionEntry:
    """One option. `title` may name `{was}` and `{to}`, the values of `setting`, where it has one. Not `as_asked`: it does something
    else, is there to be compared, and is never recommended. `if_allowed`: recommended only where the policy allows it by name.
    """

    name: str
    title: str
    rewrite: Rewrite
    invalid_if: Invalid
    effort: Effort = Effort.NONE
    assumptions: tuple[Assumed, ...] = ()
    identity: Identity = Identity.AS_IT_COMES
    setting: PassingSetting | None = None
    as_asked: bool = True
    if_allowed: bool = False


_ON_DISK, _ONE_ID, _ROOM, _MANY_RESTORES, _DOWN_AT_ONCE = (
    Assumed.READS_PROCESS_ID,
    Assumed.ONE_CLIENT_AN_ID,
    Assumed.ROOM_FOR_COPIES,
    Assumed.MANY_RESTORES,
    Assumed.DOWN_AT_ONCE,
)

OPTION_ENTRIES: tuple[OptionEntry, ...] = (
    OptionEntry(
        name=BASELINE_NAME,
        title="Make the change as requested",
        rewrite=as_it_is,
        invalid_if=Invalid.CLIENT_OTHER_ID,
    ),
    OptionEntry(
        name="static-return",
        title="Restart static members within the session timeout, without a rebalance",
        rewrite=sequence.without_a_rebalance,
        invalid_if=Invalid.SESSION_OVER,
        assumptions=(Assumed.BACK_IN_SESSION,),
    ),
    OptionEntry(
        name="then-a-rebalance",
        title="Restart all clients within the session timeout, then keep one stopped for longer, to trigger a rebalance",
        rewrite=sequence.then_a_rebalance,
        invalid_if=Invalid.SESSION_NOT_OVER,
        assumptions=(Assumed.RUNS_ELSEWHERE,),
    ),
    OptionEntry(
        name="one-at-a-time",
        title="Change one client at a time, each once the group is stable",
        rewrite=sequence.one_at_a_time,
        invalid_if=Invalid.ANOTHER_CLIENT,
    ),
    OptionEntry(
        name="in-waves",
        title="Restart the clients in three waves",
        rewrite=sequence.in_waves,
        invalid_if=Invalid.ANOTHER_CLIENT,
        assumptions=(_DOWN_AT_ONCE,),
        if_allowed=True,
    ),
    OptionEntry(
        name="all-together",
        title="Change all clients at once",
        rewrite=sequence.all_together,
        invalid_if=Invalid.ANOTHER_CLIENT,
        assumptions=(_DOWN_AT_ONCE,),
        if_allowed=True,
    ),
    OptionEntry(
        name="reverse-order",
        title="Change the clients in reverse order",
        rewrite=sequence.reverse,
        invalid_if=Invalid.ANOTHER_CLIENT,
    ),
    OptionEntry(
        name="static-membership",
        title="Set a group.instance.id for each stream thread with this restart, so that the next one needs no rebalance",
        rewrite=sequence.becoming_static,
        invalid_if=Invalid.ANOTHER_CLIENT,
        effort=Effort.ONE_SETTING,
        assumptions=(Assumed.INSTANCE_IDS_UNIQUE,),
    ),
    OptionEntry(
        name="copy-process-metadata",
        title="Give the client its old process ID before it starts",
        rewrite=with_old_id,
        invalid_if=Invalid.NEW_CLIENT_OTHER_ID,
        effort=Effort.ONE_FILE,
        assumptions=(_ON_DISK, _ONE_ID),
        identity=Identity.FILE,
    ),
    OptionEntry(
        name="seed-process-id",
        title="Give the new client a process ID that keeps the order",
        rewrite=with_seeds,
        invalid_if=Invalid.NEW_CLIENT_OTHER_ID,
        effort=Effort.ONE_FILE,
        assumptions=(_ON_DISK,),
        identity=Identity.FILE,
    ),
    OptionEntry(
        name="relabel",
        title="Swap process IDs between the clients that restart, so that the least state moves",
        rewrite=relabelled,
        invalid_if=Invalid.GIVEN_OTHER_ID,
        effort=Effort.DOWN_TOGETHER,
        assumptions=(_ON_DISK, _ONE_ID, Assumed.DOWN_TOGETHER),
        identity=Identity.FILE,
    ),
    OptionEntry(
        name="copy-state-directory",
        title="Move the whole state directory, process ID included",
        rewrite=with_old_disk,
        invalid_if=Invalid.COPY_LATE,
        effort=Effort.COPY_DISK,
        assumptions=(_ON_DISK, _ONE_ID, Assumed.COPIED_IN_SESSION),
        identity=Identity.DISK,
    ),
    OptionEntry(
        name="raise-warmups",
        title="Raise max.warmup.replicas from {was} to {to} during the rollout",
        rewrite=as_it_is,
        invalid_if=Invalid.LEADER_WITHOUT_WARM_UPS,
        effort=Effort.ROLLING_RESTARTS,
        assumptions=(_MANY_RESTORES,),
        setting=RAISED_WARMUPS,
    ),
    OptionEntry(
        name="probe-more-often",
        title="Shorten probing.rebalance.interval.ms from {was} to {to} during the rollout",
        rewrite=as_it_is,
        invalid_if=Invalid.WARM_UPS_SLOW,
        effort=Effort.ROLLING_RESTARTS,
        assumptions=(Assumed.REBALANCE_A_MINUTE,),
        setting=SHORT_PROBING,
    ),
    OptionEntry(
        name="standbys-first",
        title="Add a standby for every task first (num.standby.replicas from {was} to {to}), and revert it afterwards",
        rewrite=where_a_disk_is_lost(as_it_is),
        invalid_if=Invalid.STANDBY_BEHIND,
        effort=Effort.SECOND_COPIES,
        assumptions=(_ROOM,),
        setting=FIRST_STANDBYS,
    ),
    OptionEntry(
        name="copy-process-metadata+standbys-first",
        title="Add a standby for every task first (num.standby.replicas {was} to {to}), then give the client its old process ID",
        rewrite=where_a_disk_is_lost(with_old_id),
        invalid_if=Invalid.STANDBY_BEHIND,
        effort=Effort.SECOND_COPIES,
        assumptions=(_ON_DISK, _ONE_ID, _ROOM),
        identity=Identity.FILE,
        setting=FIRST_STANDBYS,
    ),
    OptionEntry(
        name="seed-process-id+raise-warmups",
        title="Give the new client a process ID that keeps the order, and raise max.warmup.replicas from {was} to {to} meanwhile",
        rewrite=where_the_count_changes(with_seeds),
        invalid_if=Invalid.NEW_CLIENT_OTHER_ID,
        effort=Effort.ROLLING_RESTARTS,
        assumptions=(_ON_DISK, _MANY_RESTORES),
        identity=Identity.FILE,
        setting=RAISED_WARMUPS,
    ),
    OptionEntry(
        name="copy-process-metadata+raise-warmups",
        title="Give the client its old process ID before it starts, and raise max.warmup.replicas from {was} to {to} meanwhile",
        rewrite=where_the_count_changes(with_old_id),
        invalid_if=Invalid.NEW_CLIENT_OTHER_ID,
        effort=Effort.ROLLING_RESTARTS,
        assumptions=(_ON_DISK, _ONE_ID, _MANY_RESTORES),
        identity=Identity.FILE,
        setting=RAISED_WARMUPS,
    ),
    OptionEntry(
        name="switch-assignor",
        title="Switch the task assignor to {to} during the rollout",
        rewrite=as_it_is,
        invalid_if=Invalid.ASSIGNORS_MIXED,
        effort=Effort.ROLLING_RESTARTS,
        assumptions=(Assumed.INTERNAL_SETTING,),
        setting=ANOTHER_ASSIGNOR,
        if_allowed=True,
    ),
    OptionEntry(
        name="clear-state",
        title="Delete the local state of every client with the restart, so that all tasks reach their final client at once",
        rewrite=where_ids_are_kept(sequence.cleared),
        invalid_if=Invalid.STATE_KEPT,
        effort=Effort.CLEARED,
        if_allowed=True,
        assumptions=(
            Assumed.DOWN_UNTIL_RESTORED,
            Assumed.STATE_DELETED,
        ),
    ),
    OptionEntry(
        name="double-the-clients",
        title="Scale to twice as many clients instead",
        rewrite=other_ends.doubled,
        invalid_if=Invalid.ANOTHER_CLIENT,
        assumptions=(_ON_DISK,),
        identity=Identity.FILE,
        as_asked=False,
    ),
    OptionEntry(
        name="halve-the-clients",
        title="Scale to half as many clients instead",
        rewrite=other_ends.halved,
        invalid_if=Invalid.ANOTHER_CLIENT,
        as_asked=False,
    ),
    OptionEntry(
        name="another-count",
        title="Scale to the number of clients that moves the fewest tasks instead",
        rewrite=other_ends.the_count_that_moves_least,
        invalid_if=Invalid.ANOTHER_CLIENT,
        assumptions=(_ON_DISK,),
        identity=Identity.FILE,
        as_asked=False,
    ),
    OptionEntry(
        name="nothing-now",
        title="Do nothing now",
        rewrite=other_ends.nothing_now,
        invalid_if=Invalid.ANOTHER_EVENT,
        as_asked=False,
    ),
)
