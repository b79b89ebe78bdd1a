"""The options for a change to a streams group whose broker assigns: the change as requested, and those that may spare hand-overs.

An option that a reader may look for, and that this group cannot have, is listed with the reason.
"""

from collections.abc import Iterator
from dataclasses import replace

from holdfast.errors import Unsupported
from holdfast.kafka.coordinator.config_keys import (
    ASSIGNMENT_INTERVAL,
    INITIAL_DELAY,
    LONGEST_INTERVAL_MS,
    MOST_STANDBYS,
    STANDBYS,
    number_of,
)
from holdfast.kafka.coordinator.release import Behaviour, behaviour
from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.set_config import SetConfig
from holdfast.rollout.broker_streams.options import cold_start, replacing, restarts, seeding, usual_assumptions
from holdfast.rollout.broker_streams.options.option import (
    AFTER_TARGET,
    LONGER_DELAY,
    NEW_FIRST,
    OLD_FIRST,
    ONE_BY_ONE,
    OTHER_ORDER,
    SEED_AND_DELAY,
    SEED_PROCESS_IDS,
    STANDBYS_FIRST,
    STATIC,
    TOGETHER,
    WITHIN_INTERVAL,
    BrokerOption,
)
from holdfast.rollout.broker_streams.options.plannable import refuse_unsettled
from holdfast.rollout.broker_streams.snapshot.processes import static_clients
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.coordinated import temporary_configs
from holdfast.rollout.facts.conditions import Assumed, Assumption, Invalid, Invalidation
from holdfast.rollout.facts.refusals import Refusal, Refuses
from holdfast.rollout.json.kafka import ConfigValue

LONGER_DELAY_MS, LONGEST_DELAY_MS = 60_000, 600_000
"""The initial rebalance delay where all clients stop: every one of them is to join within it. At least, and at most: all tasks are
down for so long."""
A_START_MS, START_UP_MS = 15_000, 30_000
"""What of it each further client takes, where one is started after the other, and what the last one takes to join: the upper bounds
of a policy that states none."""
_ANOTHER_ORDER = "Restart one client at a time, in another order"
_NOW = "On the group (kafka-configs.sh --entity-type groups): it takes effect at once, without a restart."


def propose(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> tuple[BrokerOption, ...]:
    """The baseline first. An option with the same events and settings as one before it is left out.

    Raise CannotPredict for a group that is handing tasks over, and for one without members that the change gives none.
    """
    refuse_unsettled(snapshot, change)
    found: dict[object, BrokerOption] = {}
    for proposed in _Group(snapshot, change).options():
        option = _as_usual(snapshot, replace(proposed, change=replace(proposed.change, assume=change.assume)))
        key = (option.name,) if option.refused is not None else (option.change.events, option.settings)
        found.setdefault(key, option)
    return tuple(found.values())


def _as_usual(snapshot: StreamsGroupSnapshot, option: BrokerOption) -> BrokerOption:
    """With the change that is forecast, and what is assumed of the starts in it."""
    if option.refused is not None:
        return option
    more = tuple(one for one in usual_assumptions.assumed(snapshot, option.change) if one not in option.assumptions)
    return replace(option, change=usual_assumptions.as_usual(snapshot, option.change), assumptions=(*option.assumptions, *more))


class _Group:
    """The group, and what is asked for, as the options see it."""

    def __init__(self, snapshot: StreamsGroupSnapshot, change: BrokerChange) -> None:
        self._snapshot, self._change = snapshot, change
        self._config: dict[str, ConfigValue] = dict(snapshot.config)
        self._afterwards = temporary_configs.afterwards(self._config, change.statements())
        self._restarts = restarts.restarts_of(change)
        self._clients = len({one.process_id for one in snapshot.members})
        leaving = {name for one in change.statements() if one.leaves_as_static() for name in one.stops()}
        self._static_clients = frozenset(static_clients(snapshot)) - leaving
        self._all_static = bool(self._restarts) and self._static_clients.issuperset(one.process_id for one in self._restarts)

    def options(self) -> Iterator[BrokerOption]:
        change = self._change
        interval, cold = self._interval_conditions(change), cold_start.is_one(self._snapshot, change)
        assumed = [Assumed.DOWN_UNTIL_RESTORED, Assumed.ALL_IN_DELAY] if cold else []
        delay = self._too_soon_or_late() if cold else ()
        yield BrokerOption(
            BASELINE_NAME,
            "Make the change as requested",
            change,
            (*self._closing(), *map(Assumption, assumed)),
            (*interval, *delay, *self._late(), Invalidation(Invalid.ANOTHER_CLIENT)),
        )
        if len(self._restarts) > 1:
            yield from self._sequences()
        if self._restarts and not (cold or self._all_static):
            yield from self._within_interval()
        yield from self._replacements()
        if self._stops() and not (cold or self._all_static):
            yield self._standbys_first()
            yield self._static()
        if cold:
            yield from self._cold_start()

    def _stops(self) -> bool:
        return any(one.stops() for one in self._change.statements())

    def _closing(self) -> tuple[Assumption, ...]:
        """What clients that stop do: dynamic members leave, static ones stay and come back within their session."""
        if self._snapshot.classic is not None:
            patterns = () if self._snapshot.classic.names_topics else (Assumed.NO_SOURCE_PATTERNS,)
            found = (Assumed.CLASSIC_MEMBERS_STAY, Assumed.STREAMS_FEATURE, *patterns, Assumed.WARM_UPS_IGNORED)
            return tuple(map(Assumption, found))
        stopped = {name for one in self._change.statements() for name in one.stops()}
        leaves = (Assumption(Assumed.LEAVES_ON_CLOSE),) if stopped - self._static_clients else ()
        return (*leaves, Assumption(Assumed.BACK_IN_SESSION)) if self._late() else leaves

    def _late(self) -> tuple[Invalidation, ...]:
        """Where static clients restart."""
        back = {name for one in self._change.statements() if one.restarts() for name in one.stops()}
        return (Invalidation(Invalid.SESSION_OVER),) if back & self._static_clients else ()

    def _interval_conditions(self, change: BrokerChange) -> tuple[Invalidation, ...]:
        return (Invalidation(Invalid.INTERVAL_OVER),) if any(one.in_interval() for one in change.statements()) else ()

    # In which sequence.

    def _sequences(self) -> Iterator[BrokerOption]:
        ids, leaves = (*self._late(), Invalidation(Invalid.ANOTHER_CLIENT)), self._closing()
        yield BrokerOption(
            ONE_BY_ONE, "Restart one client at a time, each once the group is stable", restarts.in_turn(self._restarts), leaves, ids
        )
        if not self._all_static:
            yield from self._another_order(leaves, ids)
        delayed = () if self._static_clients else (Assumption(Assumed.ALL_IN_DELAY),)
        yield BrokerOption(
            TOGETHER,
            "Stop all clients, then start all",
            restarts.together(self._restarts),
            (*leaves, Assumption(Assumed.DOWN_UNTIL_RESTORED), *delayed),
            (Invalidation(Invalid.DELAY_OVER),) if delayed else self._late(),
            drawback="No task runs until all clients are back; that time is not in the figures.",
        )

    def _another_order(self, assumed: tuple[Assumption, ...], ids: tuple[Invalidation, ...]) -> Iterator[BrokerOption]:
        best = restarts.best_order(self._snapshot, self._restarts, self._change.assume)
        if best is None:
            return
        if isinstance(best, Refusal):
            yield BrokerOption(OTHER_ORDER, _ANOTHER_ORDER, self._change, refused=best)
            return
        order, tried = best
        title, change = f"Restart one client at a time, in the best of {tried}", restarts.in_turn(order)
        if order == self._restarts:
            refused = Refusal(Refuses.NO_BETTER_ORDER, str(tried))
            yield BrokerOption(OTHER_ORDER, _ANOTHER_ORDER, self._change, refused=refused)
            return
        yield BrokerOption(OTHER_ORDER, title, change, assumed, ids, orders=tried)

    # Within the assignment interval.

    def _within_interval(self) -> Iterator[BrokerOption]:
        refused = self._without_interval()
        many_restart = len(self._restarts) > 1
        if refused is not None:
            title = "Restart each client within an assignment interval"
            yield BrokerOption(WITHIN_INTERVAL, title, self._change, refused=refused)
            return
        longer = {ASSIGNMENT_INTERVAL: max(LONGEST_INTERVAL_MS, self._interval())}
        assumed = (*self._closing(), Assumption(Assumed.STOPPED_AT_ONCE), Assumption(Assumed.INTERVAL_ALLOWED))
        conditions = (Invalidation(Invalid.INTERVAL_OVER), Invalidation(Invalid.ANOTHER_CLIENT))
        if many_restart:
            yield BrokerOption(
                WITHIN_INTERVAL,
                "Raise the assignment interval, and restart each client but the first within an interval of the target before",
                self._during(longer, restarts.within(self._restarts, 1)),
                assumed,
                conditions,
                settings=self._settings(longer),
            )
        if self._no_standby() is None:
            longer[STANDBYS] = self._standbys() + 1
            yield BrokerOption(
                AFTER_TARGET,
                "Raise the assignment interval and the standbys, and restart each client within an interval of the target before",
                self._during(longer, [Then(Wait.REBALANCE), *restarts.within(self._restarts, 0)]),
                (*assumed, Assumption(Assumed.ROOM_FOR_COPIES)),
                conditions,
                settings=self._settings(longer),
            )

    def _without_interval(self) -> Refusal | None:
        facts = self._facts()
        return None if facts is None or facts.has_interval else Refusal(Refuses.NO_INTERVAL, str(self._snapshot.broker_release))

    def _facts(self) -> Behaviour | None:
        """Of the coordinator's release. None: it is unknown or not covered, which the forecast says."""
        try:
            return None if self._snapshot.broker_release is None else behaviour(self._snapshot.broker_release)
        except Unsupported:
            return None

    def _interval(self) -> int:
        return number_of(self._config, ASSIGNMENT_INTERVAL)

    # Standbys.

    def _standbys(self) -> int:
        """That the group has, or will have by the change itself."""
        return max(number_of(self._config, STANDBYS), number_of(self._afterwards, STANDBYS))

    def _no_standby(self) -> Refusal | None:
        """Why the group can have no more standbys."""
        if self._clients < 2:
            return Refusal(Refuses.NO_OTHER_CLIENT)
        most = min(MOST_STANDBYS, self._clients - 1)
        return Refusal(Refuses.NO_MORE_STANDBYS, str(self._standbys())) if self._standbys() >= most else None

    def _standbys_first(self) -> BrokerOption:
        title, refused = "Create standby copies first, and remove them afterwards", self._no_standby()
        if refused is not None:
            return BrokerOption(STANDBYS_FIRST, title, self._change, refused=refused)
        more = {STANDBYS: self._standbys() + 1}
        return BrokerOption(
            STANDBYS_FIRST,
            title,
            self._during(more, [Then(Wait.STABLE), *self._change.events]),
            (
                *self._closing(),
                Assumption(Assumed.ROOM_FOR_COPIES),
                Assumption(Assumed.STANDBYS_CAUGHT_UP),
            ),
            (Invalidation(Invalid.STANDBY_BEHIND), *self._interval_conditions(self._change), Invalidation(Invalid.ANOTHER_CLIENT)),
            settings=self._settings(more),
        )

    # Replacements.

    def _replacements(self) -> Iterator[BrokerOption]:
        """A client that is replaced is one target only where the new one joins before the coordinator computes without the old."""
        for name, title, parted in (
            (OLD_FIRST, "Stop the old client, and start the new one once the group is stable", replacing.old_first),
            (NEW_FIRST, "Start the new client, and stop the old one once the group is stable", replacing.new_first),
        ):
            change = parted(self._snapshot, self._change)
            if change is not None:
                yield BrokerOption(name, title, change, self._closing(), (Invalidation(Invalid.ANOTHER_CLIENT),))
        if not replacing.is_one(self._change):
            return
        refused = self._without_interval() or self._no_standby()
        title = (
            "Raise the assignment interval and the standbys, and replace the client within an interval of the target that follows"
        )
        if refused is not None:
            yield BrokerOption(AFTER_TARGET, title, self._change, refused=refused)
            return
        longer = {ASSIGNMENT_INTERVAL: max(LONGEST_INTERVAL_MS, self._interval()), STANDBYS: self._standbys() + 1}
        yield BrokerOption(
            AFTER_TARGET,
            title,
            self._during(longer, [Then(Wait.REBALANCE), *self._change.events]),
            (
                *self._closing(),
                Assumption(Assumed.STOPPED_AT_ONCE),
                Assumption(Assumed.INTERVAL_ALLOWED),
                Assumption(Assumed.ROOM_FOR_COPIES),
            ),
            (Invalidation(Invalid.INTERVAL_OVER), Invalidation(Invalid.ANOTHER_CLIENT)),
            settings=self._settings(longer),
        )

    # Static members.

    def _static(self) -> BrokerOption:
        title, facts = "Give each client that restarts a group.instance.id, for later restarts within its session", self._facts()
        if facts is None or not facts.static_members:
            kind = Refuses.STATIC_NOT_COVERED if facts is None else Refuses.NO_STATIC_MEMBERS
            return BrokerOption(STATIC, title, self._change, refused=Refusal(kind, str(self._snapshot.broker_release)))
        if not self._restarts:
            return BrokerOption(STATIC, title, self._change, refused=Refusal(Refuses.NO_RESTART))
        return BrokerOption(
            STATIC,
            title,
            restarts.becoming_static(self._change),
            (*self._closing(), Assumption(Assumed.INSTANCE_IDS_UNIQUE)),
            (*self._late(), Invalidation(Invalid.ANOTHER_CLIENT)),
            drawback="This rollout moves what the baseline moves; later restarts within the session timeout move nothing. It needs"
            " a setting in each client: decide first.",
            if_allowed=True,
        )

    # All stop, all start.

    def _too_soon_or_late(self) -> tuple[Invalidation, ...]:
        """Where all clients stop before one starts."""
        soon = (Invalidation(Invalid.STARTED_EARLY),) if self._snapshot.classic is not None else ()
        return (*soon, Invalidation(Invalid.DELAY_OVER))

    def _cold_start(self) -> Iterator[BrokerOption]:
        yield from self._old_ids() if self._snapshot.classic is None else self._ids_for_disks()
        delay = self._longer_delay()
        yield BrokerOption(
            LONGER_DELAY,
            "Raise the initial rebalance delay, so that the first target has all clients",
            self._during(delay, list(self._change.events)),
            (*self._closing(), Assumption(Assumed.ALL_IN_DELAY)),
            (*self._too_soon_or_late(), Invalidation(Invalid.ANOTHER_CLIENT)),
            settings=self._settings(delay),
        )

    def _longer_delay(self) -> dict[str, int]:
        needed_ms = START_UP_MS + A_START_MS * (cold_start.starts_together(self._change) - 1)
        within = min(max(LONGER_DELAY_MS, needed_ms), LONGEST_DELAY_MS)
        return {INITIAL_DELAY: max(within, number_of(self._afterwards, INITIAL_DELAY))}

    def _ids_for_disks(self) -> Iterator[BrokerOption]:
        """Of a classic group: its clients' IDs may be any. Both together too: a client that joins late changes all shares."""
        title = "Write process IDs with which the first target places tasks where their state is"
        found = seeding.seeded(self._snapshot, self._change)
        if found is None:
            return
        if isinstance(found, Refusal):
            yield BrokerOption(SEED_PROCESS_IDS, title, self._change, refused=found)
            return
        delay = self._longer_delay()
        written = (*self._closing(), Assumption(Assumed.FILE_WRITTEN_STOPPED), Assumption(Assumed.ALL_IN_DELAY))
        conditions = (*self._too_soon_or_late(), Invalidation(Invalid.ANOTHER_CLIENT))
        yield BrokerOption(SEED_PROCESS_IDS, title, found, written, conditions)
        yield BrokerOption(
            SEED_AND_DELAY,
            f"{title}, and raise the initial rebalance delay, so that it has all clients",
            self._during(delay, list(found.events)),
            written,
            conditions,
            settings=self._settings(delay),
        )

    def _old_ids(self) -> Iterator[BrokerOption]:
        title = "Give the clients the process IDs that they had"
        kept = cold_start.with_old_ids(self._change)
        if kept is None:
            yield BrokerOption(SEED_PROCESS_IDS, title, self._change, refused=Refusal(Refuses.IDS_ALREADY_KEPT))
        else:
            yield BrokerOption(
                SEED_PROCESS_IDS,
                title,
                kept,
                (Assumption(Assumed.FILE_WRITTEN_STOPPED), Assumption(Assumed.ALL_IN_DELAY)),
                (Invalidation(Invalid.DELAY_OVER), Invalidation(Invalid.ANOTHER_CLIENT)),
            )

    # Configs for the time of the rollout.

    def _during(self, values: dict[str, int], events: list[BrokerItem]) -> BrokerChange:
        return BrokerChange(temporary_configs.during(values, events, self._afterwards, SetConfig))

    def _settings(self, values: dict[str, int]) -> tuple[SettingChange, ...]:
        return tuple(SettingChange(key, value, self._afterwards.get(key), _NOW) for key, value in values.items())
