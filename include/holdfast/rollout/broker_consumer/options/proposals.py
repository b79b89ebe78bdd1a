"""The options for a change to a consumer group whose broker assigns: the change as requested, and those that may spare hand-overs.

An option that a reader may look for, and that this group cannot have, is listed with the reason.
"""

from collections.abc import Iterator

from holdfast.errors import Unsupported
from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, LONGEST_INTERVAL_MS, number_of
from holdfast.kafka.coordinator.consumer.group import Assignor
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.events.set_assignor import SetAssignor
from holdfast.rollout.broker_consumer.events.set_config import SetConfig
from holdfast.rollout.broker_consumer.options import replacing, restarts
from holdfast.rollout.broker_consumer.options.option import (
    MAKE_STATIC,
    NEW_FIRST,
    OLD_FIRST,
    ONE_BY_ONE,
    OTHER_ASSIGNOR,
    OTHER_ORDER,
    TOGETHER,
    WITHIN_INTERVAL,
    GroupOption,
)
from holdfast.rollout.broker_consumer.options.plannable import refuse_unsettled
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.coordinated import temporary_configs
from holdfast.rollout.facts.conditions import Assumed, Assumption, Invalid, Invalidation
from holdfast.rollout.facts.refusals import Refusal, Refuses

_ANOTHER_ORDER = "Restart one consumer at a time, in another order"
_NOW = "On the group (kafka-configs.sh --entity-type groups): it takes effect at once, without a restart."


def propose(snapshot: BrokerConsumerSnapshot, change: GroupChange) -> tuple[GroupOption, ...]:
    """The baseline first. An option with the same events and settings as one before it is left out.

    Raise CannotPredict for a group that is handing partitions over, and for one without members that the change gives none.
    """
    refuse_unsettled(snapshot, change)
    found: dict[object, GroupOption] = {}
    for option in _Group(snapshot, change).options():
        key = (option.name,) if option.refused is not None else (option.change.events, option.settings)
        found.setdefault(key, option)
    return tuple(found.values())


class _Group:
    """The group, and what is asked for, as the options see it."""

    def __init__(self, snapshot: BrokerConsumerSnapshot, change: GroupChange) -> None:
        self._snapshot, self._change = snapshot, change
        self._afterwards = temporary_configs.afterwards(dict(snapshot.config), change.statements())
        self._restarts = restarts.restarts_of(change)
        leaving = {one.stops() for one in change.statements() if one.leaves_as_static()}
        self._static = frozenset(one.member_id for one in snapshot.members if one.instance_id is not None) - leaving
        self._all_static = bool(self._restarts) and self._static.issuperset(one.member_id for one in self._restarts)

    def options(self) -> Iterator[GroupOption]:
        yield GroupOption(
            BASELINE_NAME,
            "Make the change as requested",
            self._change,
            self._closing(),
            (*self._in_time(), *self._late(), *_OTHERS),
        )
        if len(self._restarts) > 1:
            yield from self._sequences()
            if not self._all_static:
                yield self._within_interval()
        yield from self._replacements()
        if any(one.restarts() for one in self._change.statements()):
            yield self._make_static()
        if self._restarts and len(self._restarts) == len(self._snapshot.members):
            yield from self._other_assignor()

    def _closing(self) -> tuple[Assumption, ...]:
        """What consumers that stop do: dynamic members leave, static ones stay and come back within their session."""
        stopped = {name for one in self._change.statements() if (name := one.stops()) is not None}
        leaves = (Assumption(Assumed.CONSUMER_LEAVES_ON_CLOSE),) if stopped - self._static else ()
        return (*leaves, Assumption(Assumed.CONSUMER_BACK_IN_SESSION)) if self._late() else leaves

    def _late(self) -> tuple[Invalidation, ...]:
        """Where static consumers restart."""
        back = {one.stops() for one in self._change.statements() if one.restarts()}
        return (Invalidation(Invalid.CONSUMER_SESSION_OVER),) if back & self._static else ()

    def _in_time(self) -> tuple[Invalidation, ...]:
        """Where a consumer has to be back before the next target."""
        return (Invalidation(Invalid.INTERVAL_OVER),) if any(one.in_interval() for one in self._change.statements()) else ()

    # In which sequence.

    def _sequences(self) -> Iterator[GroupOption]:
        conditions, closing = (*self._late(), *_OTHERS), self._closing()
        turn = "Restart one consumer at a time, each once the group is stable"
        yield GroupOption(ONE_BY_ONE, turn, restarts.in_turn(self._restarts), closing, conditions)
        if not self._all_static:
            yield from self._another_order(closing, conditions)
        yield GroupOption(
            TOGETHER,
            "Stop all of these consumers, then start all",
            GroupChange(self._restarts),
            (*closing, Assumption(Assumed.CONSUMERS_DOWN_TOGETHER)),
            conditions,
            drawback="What these consumers read is unread until they are back; that time is not in the figures.",
        )

    def _another_order(self, closing: tuple[Assumption, ...], conditions: tuple[Invalidation, ...]) -> Iterator[GroupOption]:
        best = restarts.best_order(self._snapshot, self._restarts)
        if best is None:
            return
        if isinstance(best, Refusal):
            yield GroupOption(OTHER_ORDER, _ANOTHER_ORDER, self._change, refused=best)
            return
        order, tried = best
        if order == self._restarts:
            yield GroupOption(OTHER_ORDER, _ANOTHER_ORDER, self._change, refused=Refusal(Refuses.NO_BETTER_ORDER, str(tried)))
            return
        title = f"Restart one consumer at a time, in the best of {tried}"
        yield GroupOption(OTHER_ORDER, title, restarts.in_turn(order), closing, conditions, orders=tried)

    # Within the assignment interval.

    def _within_interval(self) -> GroupOption:
        title = "Raise the assignment interval, and restart each consumer but the first within an interval of the target before"
        refused = self._without_interval()
        if refused is not None:
            return GroupOption(WITHIN_INTERVAL, title, self._change, refused=refused)
        longer = {ASSIGNMENT_INTERVAL: max(LONGEST_INTERVAL_MS, number_of(dict(self._snapshot.config), ASSIGNMENT_INTERVAL))}
        events = restarts.within(self._restarts, self._static)
        return GroupOption(
            WITHIN_INTERVAL,
            title,
            GroupChange(temporary_configs.during(longer, events, self._afterwards, SetConfig)),
            (*self._closing(), Assumption(Assumed.CONSUMER_STOPPED_AT_ONCE), Assumption(Assumed.CONSUMER_INTERVAL_ALLOWED)),
            (Invalidation(Invalid.INTERVAL_OVER), *_OTHERS),
            settings=tuple(SettingChange(key, value, self._afterwards.get(key), _NOW) for key, value in longer.items()),
        )

    def _without_interval(self) -> Refusal | None:
        release = self._snapshot.broker_release
        try:
            has_it = release is None or behaviour(release).has_interval  # of an unknown release the forecast says more
        except Unsupported:
            return None
        return None if has_it else Refusal(Refuses.NO_INTERVAL, str(release))

    # Replacements.

    def _replacements(self) -> Iterator[GroupOption]:
        """A consumer that is replaced is one target only where the new one joins before the coordinator computes without the
        old."""
        for name, title, parted in (
            (OLD_FIRST, "Stop the old consumer, and start the new one once the group is stable", replacing.old_first),
            (NEW_FIRST, "Start the new consumer, and stop the old one once the group is stable", replacing.new_first),
        ):
            change = parted(self._snapshot, self._change)
            if change is not None:
                yield GroupOption(name, title, change, self._closing(), _OTHERS)

    # What would serve the next change too, but takes a decision of the team.

    def _make_static(self) -> GroupOption:
        title = "Give each consumer that restarts a group.instance.id, for later restarts within its session"
        static = restarts.as_static(self._change, self._static)
        if static == self._change:
            return GroupOption(MAKE_STATIC, title, self._change, refused=Refusal(Refuses.NO_DYNAMIC_MEMBER))
        return GroupOption(
            MAKE_STATIC,
            title,
            static,
            (*self._closing(), Assumption(Assumed.INSTANCE_ID_KEPT)),
            (*self._late(), Invalidation(Invalid.INSTANCE_ID_TWICE), *_OTHERS),
            drawback="This rollout moves what the baseline moves; later restarts within the session timeout move nothing. It needs"
            " a setting in each consumer: decide first.",
            if_allowed=True,
        )

    def _other_assignor(self) -> Iterator[GroupOption]:
        other = {str(Assignor.RANGE): Assignor.UNIFORM, str(Assignor.UNIFORM): Assignor.RANGE}.get(self._snapshot.assignor or "")
        if other is None or any(one.assignor_afterwards() for one in self._change.statements()):
            return
        yield GroupOption(
            OTHER_ASSIGNOR,
            f"Restart each consumer with group.remote.assignor={other}",
            GroupChange((SetAssignor(other, once_back=True), *self._change.events)),
            (*self._closing(), Assumption(Assumed.NO_ASSIGNOR_ASKED, str(other))),
            (*self._late(), *_OTHERS),
            drawback=f"It needs a setting in each consumer, and assigns by {other} from then on: decide first. Request it with"
            " set_assignor.",
            if_allowed=True,
        )


_OTHERS = (Invalidation(Invalid.ANOTHER_CONSUMER),)
