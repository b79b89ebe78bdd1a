"""What a setting costs a classic Streams group: figures of forecasts, each of the group with certain settings.

The group is first brought to rest with the settings of the world that is asked about: a group with another number of standbys has
other copies. Then the scenario is forecast. Where a new process ID is random, a figure is the mean over the outcomes.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.kafka.streams.group import Client
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.case import Figures
from holdfast.rollout.settings.rule import Measure, Scenario, World
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.add_client import AddClient
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.events.parts.new_client import NewClient
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.set_config import SetConfig
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Outcome
from holdfast.rollout.streams.scene.assume import Assume, CatchUp, DormantCopies
from holdfast.rollout.streams.snapshot import groups, ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

MOST_OUTCOMES = 4
"""Ranks of a new random process ID that represent all."""
_PLACING = ("num.standby.replicas", "internal.task.assignor.class", "task.assignor.class")
_PLACING_PREFIX = "rack.aware.assignment."
"""Settings with which a group at rest has other copies, or has them elsewhere."""


class Pricing:
    """`observed`: as the Snapshot has the group; `effective`: with the settings of the application."""

    def __init__(self, observed: Snapshot, effective: Snapshot, policy: Policy) -> None:
        self._observed, self._effective, self._policy = observed, effective, policy
        self._settled: dict[tuple[tuple[str, ConfigValue], ...], Snapshot] = {}

    def figures(self, scenario: Scenario, world: World) -> Figures:
        """Raise CannotPredict, Unsupported, InvalidInput or TooMuchWork where the group cannot be forecast."""
        snapshot = self.group_in(world)
        outcomes = forecast(snapshot, change_in(snapshot, scenario, world, self._policy), MOST_OUTCOMES).outcomes
        rate = self._policy.restore_records_per_second
        return {measure: _mean(outcomes, of, rate) for measure, of in _MEASURED.items()}

    def group_in(self, world: World) -> Snapshot:
        """The group at rest with the settings of this world."""
        if world.settings not in self._settled:
            self._settled[world.settings] = self._at_rest(world.settings)
        return self._settled[world.settings]

    def _at_rest(self, settings: tuple[tuple[str, ConfigValue], ...]) -> Snapshot:
        wanted = _without_nothing(dict(self._effective.config) | dict(settings))
        snapshot = groups.of_a_release(replace(self._observed, config=tuple(sorted(wanted.items()))))
        before = dict(self._observed.config)
        placing = [key for key in {*before, *wanted} if key in _PLACING or key.startswith(_PLACING_PREFIX)]
        if all(str(before.get(key)) == str(wanted.get(key)) for key in placing):
            return snapshot
        outcome = forecast(snapshot, Change((SetConfig(tuple(sorted(wanted.items()))),))).outcomes[0]
        if not outcome.stable:
            raise CannotPredict(f"The group does not become stable with these settings: {outcome.unsettled}")
        return replace(snapshot, clients=outcome.clients, evidence=(), generations=())


def change_in(snapshot: Snapshot, scenario: Scenario, world: World, policy: Policy) -> Change:
    """The Change that is forecast."""
    return Change((_event(snapshot, scenario, world),), _assume(world, policy))


def _event(snapshot: Snapshot, scenario: Scenario, world: World) -> Event:
    if scenario is Scenario.SCALE_OUT:
        threads = Counter(len(client.consumers) for client in snapshot.clients).most_common(1)[0][0]
        like = snapshot.clients[0]
        return AddClient(NewClient(None, threads, None, like.rack, like.client_tags))
    client = busiest(snapshot)
    if scenario is Scenario.LOSS:
        if len(snapshot.clients) < 2:
            raise CannotPredict("The group has one client: without it nothing runs.")
        return RemoveClient(client.process_id, leaves=False)
    return RestartClient(
        client.process_id,
        keeps_process_id=not world.new_id,
        keeps_state=not world.loses_state,
        within_session=True if world.in_session else None,
        late=world.away,
    )


def busiest(snapshot: Snapshot) -> Client:
    """The client that runs most stateful tasks; of several, the first in process-ID order."""
    stateful = {task.id for task in snapshot.tasks if task.stateful}
    runs = Counter(owner for task, owner in ownership.owners(snapshot) if task in stateful)
    return min(snapshot.clients, key=lambda client: (-runs[client.process_id], client.process_id))


def _assume(world: World, policy: Policy) -> Assume:
    assume = Assume()
    if world.by_rate:
        assume = replace(assume, catch_up=CatchUp.RATE, records_per_second=float(policy.restore_records_per_second))
    return replace(assume, dormant_copies=DormantCopies.DROPPED) if world.forgets else assume


def _without_nothing(config: dict[str, ConfigValue]) -> dict[str, ConfigValue]:
    return {key: value for key, value in config.items() if value is not None}


def _mean(outcomes: tuple[Outcome, ...], of: Callable[[Outcome, int], float | None], rate: int) -> float | None:
    total = 0.0
    for one in outcomes:
        value = of(one, rate)
        if value is None:
            return None
        total += one.probability * value
    return round(total, 3)


def _restoring_s(outcome: Outcome, rate: int) -> float:
    return max((records for one in outcome.rounds for records in one.waiting_records), default=0) / rate


def _at_once(outcome: Outcome) -> float:
    return max((sum(records for _, records in one.restoring) for one in outcome.rounds), default=0)


_MEASURED: dict[Measure, Callable[[Outcome, int], float | None]] = {
    Measure.PROBING: lambda one, _: one.probing,
    Measure.REBALANCES: lambda one, _: one.summary.rebalances,
    Measure.STABLE_S: lambda one, _: one.summary.seconds_to_stable,
    Measure.RESTORING_S: _restoring_s,
    Measure.STOPPED_S: lambda one, _: max((stopped.seconds for stopped in one.summary.stopped), default=0),
    Measure.AT_ONCE: lambda one, _: _at_once(one),
    Measure.RESTORED: lambda one, _: one.summary.restore_records,
    Measure.MOVED: lambda one, _: one.summary.active_moved,
}
