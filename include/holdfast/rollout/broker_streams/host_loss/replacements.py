"""The effect of losing any client of a group whose broker assigns, if a client with an empty disk replaces it immediately.

It joins while the sessions of the lost members last: the coordinator first assigns to both, and once more when the sessions are
over. Every start makes new member IDs, and they decide ties: each case is forecast with several draws of IDs, within a budget of
work per group. What all draws have in common (`least`, `most`) fails in at most `missed_at_most` of all starts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import repeat

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.streams.group import Task, each_task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.events.restart_client import RestartClient
from holdfast.rollout.broker_streams.forecast import draw_summary
from holdfast.rollout.broker_streams.forecast.forecast import each_draw, ground_of
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome
from holdfast.rollout.broker_streams.host_loss.losses import running
from holdfast.rollout.broker_streams.options.usual_assumptions import as_usual
from holdfast.rollout.broker_streams.snapshot.processes import Process, processes
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.loss_budget import BEYOND, BUDGET_MS, MOST_FOR_THE_WORST_MS, affordable
from holdfast.rollout.contract.scenarios import Scenario

FEWEST_DRAWS, MOST_DRAWS = 5, 60
"""Of one case: more clients come before more draws. Fewer only of the worst client of a large group: as many as the worst loss of
a group may take."""
_A_DRAW_US, _A_COPY_OR_MEMBER_US = 700, 50
CASES = (Scenario.NEW_ID_LIKELIEST, Scenario.SAME_ID)
"""In the order in which the budget goes to them; each of all clients, those that run most tasks first."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """`stateful`: the subtopologies with state. `outcomes`: of each draw; none: `reason` says why it is not forecast."""

    client: Process
    scenario: Scenario
    stateful: frozenset[str]
    outcomes: tuple[BrokerOutcome, ...] = ()
    reason: str | None = None

    @property
    def usual(self) -> BrokerOutcome:
        """The draw in the middle, as in a Forecast."""
        return self.outcomes[draw_summary.usual(self.outcomes)]

    @property
    def worst(self) -> BrokerOutcome:
        """The draw that moves most tasks, and of those the one that restores most of them."""
        return max(self.outcomes, key=lambda one: (one.summary.active_moved, self.without_copy(one), one.summary.moves))

    @property
    def moved(self) -> tuple[int, ...]:
        """Of each draw, the stateful tasks that end up with another client."""
        return tuple(one.summary.active_moved for one in self.outcomes)

    def without_copy(self, outcome: BrokerOutcome) -> int:
        """Of one draw: the hand-overs to a disk that has never had the task, and the tasks that the client runs again, with a disk
        that has lost them."""
        return outcome.summary.cold_moves + len(self._runs_again(outcome))

    def _runs_again(self, outcome: BrokerOutcome) -> set[Task]:
        """Those that no target gives to another client."""
        owned = (one.assignment or one.target for one in self.client.members)
        found = {task for each in owned if each is not None for task in each_task(each.active)}
        for target in outcome.targets:
            mine = {member for member, process in target.processes if process == self.client.name}
            given = (one.active for one in target.assignment.members if one.member_id in mine)
            found &= {task for each in given for task in each_task(each)}
        return {task for task in found if task.subtopology in self.stateful}


def change_of(snapshot: StreamsGroupSnapshot, client: Process, scenario: Scenario) -> BrokerChange:
    """The Change whose forecast this is: as a plan has it where the change does not say how threads join. Static members come back
    under their instance IDs, which the coordinator refuses until the sessions of the lost ones are over."""
    same = scenario is Scenario.SAME_ID
    event = RestartClient(client.name, leaves=False, keeps_process_id=same, keeps_state=False, threads=len(client.members))
    return as_usual(snapshot, BrokerChange((event,)))


def work_us(snapshot: StreamsGroupSnapshot) -> int:
    """The approximate time, on one processor, of one draw. Measured: 25 to 50 µs for each copy of a task and each member."""
    ground = ground_of(snapshot)
    copies = sum(one.tasks * (1 + ground.group.num_standby_replicas * one.stateful) for one in ground.group.subtopologies)
    return _A_DRAW_US + _A_COPY_OR_MEMBER_US * (copies + len(snapshot.members))


def replacements(
    snapshot: StreamsGroupSnapshot, budget_ms: int | None, only: slice = slice(None)
) -> tuple[tuple[Replacement, ...], ...]:
    """Of every client, in the order of the Snapshot, or of `only` these: each of its CASES. What is forecast of a client does not
    depend on `only`. Raise CannotPredict or Unsupported for a group of which no forecast can be made at all."""
    clients = processes(snapshot)
    stateful = frozenset(one.id for one in ground_of(snapshot).group.subtopologies if one.stateful)
    runs = [running(client, stateful) for client in clients]
    in_order = [(case, at) for case in CASES for at in sorted(range(len(clients)), key=lambda at: -runs[at])]
    draws = dict(zip(in_order, _shares(snapshot, len(in_order), budget_ms), strict=True))

    def found(at: int, case: Scenario) -> Replacement:
        none = Replacement(clients[at], case, stateful, reason=BEYOND)
        return _forecast(snapshot, none, count) if (count := draws[case, at]) else none

    return tuple(tuple(found(at, case) for case in CASES) for at in range(len(clients))[only])


def _shares(snapshot: StreamsGroupSnapshot, cases: int, budget_ms: int | None) -> Iterator[int]:
    """How many draws each case gets, in the order of the budget."""
    work = work_us(snapshot)
    count = affordable(repeat(FEWEST_DRAWS * work, cases), budget_ms)
    budget_ms = BUDGET_MS if budget_ms is None else budget_ms
    if count:
        each = max(FEWEST_DRAWS, min(MOST_DRAWS, 1_000 * budget_ms // (count * work)))
    else:
        each, count = (1_000 * max(budget_ms, MOST_FOR_THE_WORST_MS) // work if budget_ms else 0), 1
    yield from (each if at < count else 0 for at in range(cases))


def _forecast(snapshot: StreamsGroupSnapshot, one: Replacement, draws: int) -> Replacement:
    try:
        outcomes = each_draw(snapshot, change_of(snapshot, one.client, one.scenario), draws)
    except CannotPredict as refusal:
        return replace(one, reason=str(refusal))
    return replace(one, outcomes=tuple(outcomes), reason=None)
