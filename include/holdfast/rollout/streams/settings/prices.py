"""What a setting costs a classic Streams group: figures of forecasts, each of the group with certain settings.

The group is first brought to rest with the settings of the world that is asked about: a group with another number of standbys has
other copies. Then the scenario is forecast. Where a new process ID is random, a figure is the mean over the outcomes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.kafka.streams.group import Assignment, Client
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.case import Figures
from holdfast.rollout.settings.rule import Measure, Scenario, World
from holdfast.rollout.streams.change import in_memory
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.add_client import AddClient
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.events.parts.new_client import NewClient
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.set_config import SetConfig
from holdfast.rollout.streams.forecast.course import carried_out
from holdfast.rollout.streams.forecast.final_owners import owners_at_the_end
from holdfast.rollout.streams.forecast.outcomes import Course, Round
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import allowed
from holdfast.rollout.streams.process_ids import sampled_ranks
from holdfast.rollout.streams.scene.assumptions import Assume, CatchUp, DormantCopies
from holdfast.rollout.streams.snapshot import groups, ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores

RANKS, RANKS_OF_MANY, MANY_COPIES = 4, 2, 2_000
"""Ranks of a new random process ID that represent all; in a group with many copies (stateful tasks by clients), fewer."""
FOLLOW_UP_S = 30
"""An immediate follow-up comes some seconds after a rebalance, a probing rebalance a minute or more."""
MOST_REBALANCES = 1_000
"""A group that takes more is treated as one that does not become stable."""
_PLACING = ("num.standby.replicas", "internal.task.assignor.class", "task.assignor.class")
_PLACING_PREFIX = "rack.aware.assignment."
"""Settings with which a group at rest has other copies, or has them elsewhere."""


def ranks_of(snapshot: Snapshot) -> int:
    """How many ranks of a new random process ID are forecast."""
    many = sum(task.stateful for task in snapshot.tasks) * len(snapshot.clients) > MANY_COPIES
    return RANKS_OF_MANY if many else RANKS


class Pricing:
    """`observed`: as the Snapshot has the group; `effective`: with the settings of the application."""

    def __init__(self, observed: Snapshot, effective: Snapshot, policy: Policy) -> None:
        self._observed, self._effective, self._policy = observed, effective, policy
        self._settled: dict[tuple[tuple[str, ConfigValue], ...], Snapshot] = {}

    def figures(self, scenario: Scenario, world: World) -> Figures:
        """Raise CannotPredict, Unsupported, InvalidInput or TooMuchWork where the group cannot be forecast."""
        snapshot = self.group_in(world)
        change = in_memory.as_stored(snapshot, change_in(snapshot, scenario, world, self._policy))
        courses = []
        options, _ = sampled_ranks.options(snapshot, change, ranks_of(snapshot))
        work = allowed(snapshot)
        for option in options:
            ground = Ground(snapshot, work, most_rounds=MOST_REBALANCES)
            courses.append((float(option.probability), carried_out(ground, change.with_process_ids(option.process_ids))))
        before, rate = dict(ownership.owners(snapshot)), self._policy.restore_records_per_second
        return _figures(snapshot, before, courses, rate)

    def group_in(self, world: World) -> Snapshot:
        """The group at rest with the settings of this world."""
        if world.settings not in self._settled:
            self._settled[world.settings] = self._at_rest(world.settings)
        found = self._settled[world.settings]
        return replace(found, stores=Stores.PERSISTENT) if world.on_disk else found

    def _at_rest(self, settings: tuple[tuple[str, ConfigValue], ...]) -> Snapshot:
        wanted = _without_nothing(dict(self._effective.config) | dict(settings))
        snapshot = groups.of_a_release(replace(self._observed, config=tuple(sorted(wanted.items()))))
        before = dict(self._observed.config)
        placing = [key for key in {*before, *wanted} if key in _PLACING or key.startswith(_PLACING_PREFIX)]
        if all(str(before.get(key)) == str(wanted.get(key)) for key in placing):
            return snapshot
        change = Change((SetConfig(tuple(sorted(wanted.items()))),), Assume(dormant_copies=DormantCopies.DROPPED))
        course = carried_out(Ground(snapshot, allowed(snapshot), most_rounds=MOST_REBALANCES), change)
        if course.length.trouble is not None:
            raise CannotPredict(f"The group does not become stable with these settings: {course.length.trouble}")
        return replace(snapshot, clients=course.clients, evidence=(), generations=())


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


def _figures(
    snapshot: Snapshot, before: Mapping[TaskId, ProcessId], courses: Sequence[tuple[float, Course]], rate: int
) -> dict[Measure, float | None]:
    of_each = [(probability, _of_course(snapshot, before, course, rate)) for probability, course in courses]
    found: dict[Measure, float | None] = {}
    for measure in Measure:
        values = [(probability, figures[measure]) for probability, figures in of_each]
        known = [probability * value for probability, value in values if value is not None]
        found[measure] = round(sum(known), 3) if len(known) == len(values) else None
    return found


def _restored_before_running(rounds: Sequence[Round]) -> int:
    """The records of the largest state that a client restores for a task that it runs already. A copy that began to restore before
    the last probing rebalance has caught up, as the forecast assumes, whatever the leader counts as caught up."""
    begun: dict[tuple[ProcessId, TaskId], tuple[float, int]] = {}
    most = 0
    for one in rounds:
        for process_id, copies in one.restoring_tasks:
            begun |= {(process_id, task): (one.at_seconds, records) for task, records in copies}
        if not isinstance(one.decision, Assignment):
            continue
        withheld = {task for consumer in one.decision.consumers for task in consumer.withheld}
        for client in one.decision.clients:
            for task in client.active:
                since, records = begun.get((client.process_id, task), (one.at_seconds, 0))
                if task not in withheld and one.at_seconds - since <= FOLLOW_UP_S:
                    most = max(most, records)
    return most


def _of_course(snapshot: Snapshot, before: Mapping[TaskId, ProcessId], course: Course, rate: int) -> dict[Measure, float | None]:
    rounds = course.rounds
    stable = course.length.trouble is None
    after = owners_at_the_end(course, before, snapshot.tasks)
    return {
        Measure.PROBING: course.length.probing if stable else None,
        Measure.REBALANCES: course.length.rebalances if stable else None,
        Measure.STABLE_S: course.length.ends_s if stable else None,
        Measure.RESTORING_S: _restored_before_running(rounds) / rate,
        Measure.STOPPED_S: max((stopped.seconds for stopped in course.stopped), default=0),
        Measure.AT_ONCE: max((sum(records for _, records in one.restoring) for one in rounds), default=0),
        Measure.RESTORED: sum(records for one in rounds for _, records in one.restoring),
        Measure.MOVED: sum(before.get(task.id) != after.get(task.id) for task in snapshot.tasks if task.stateful),
    }
