"""A Kafka Streams group whose leader assigns: unchanged, and with static members."""

from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.release import RELEASES
from holdfast.kafka.streams.group import Assignment, Client
from holdfast.rollout.disks.logs import total_or_none
from holdfast.rollout.kinds.protocols.comparison import Applied, DeployKind
from holdfast.rollout.kinds.protocols.side import WORK, Drawn, Side, in_turn, requests
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.request import change_of
from holdfast.rollout.streams.cost import cost
from holdfast.rollout.streams.cost.changed_shares import changed_shares
from holdfast.rollout.streams.cost.evaluation import Cost
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Outcome
from holdfast.rollout.streams.forecast.segments import Shared
from holdfast.rollout.streams.options import usual_assumptions
from holdfast.rollout.streams.snapshot import groups, ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

MOST_OUTCOMES = 4
"""Of a large group this many ranks of a new random process ID represent all that it can have, as where options are compared."""

WARM_UPS_AT_ONCE = 50
"""This many rebalances that only warm tasks up take as long to forecast as another one (measured: 50 clients of 500 tasks)."""


class ClassicStreams(Side):
    protocol = "streams-classic"

    def __init__(self, snapshot: Snapshot, policy: Policy, *, static: bool = False) -> None:
        self._policy = policy
        self.now = not static
        self.applied = (Applied.STATIC,) if static else ()
        clients = tuple(_static(one) if static else one for one in snapshot.clients)
        self._snapshot = replace(snapshot, clients=clients)
        self._shared = Shared()
        ranks = len(clients) + 1
        every = self.work() * self._of_each_rank() * ranks * len(clients) <= WORK  # each client is replaced then, too
        self._ranks = max(ranks, MOST_OUTCOMES) if every else MOST_OUTCOMES

    def members(self) -> int:
        return len(self._snapshot.clients)

    def is_random(self, deploy: DeployKind) -> bool:  # noqa: ARG002 - all ranks of new process IDs are forecast in one draw
        return False

    def work(self) -> int:
        return len(self._snapshot.tasks) + sum(len(one.consumers) for one in self._snapshot.clients)

    def rebalances(self, deploy: DeployKind) -> int:
        """Of a client that is new most tasks are warmed up, a few in each rebalance; forecasts of these are cheaper."""
        if deploy not in (DeployKind.REPLACE, DeployKind.SCALE_OUT):
            return super().rebalances(deploy)
        return self._ranks * self._of_each_rank()

    def _of_each_rank(self) -> int:
        """About how many rebalances there are where a client with that rank is new."""
        warm_ups = max(1, groups.settings_of(self._snapshot, self._snapshot.kafka_release or RELEASES[-1]).max_warmup_replicas)
        return 2 + len(self._snapshot.tasks) // (warm_ups * WARM_UPS_AT_ONCE)

    def drawn(self, deploy: DeployKind, draw: int) -> tuple[Drawn, ...]:
        change = self._change(deploy, draw)
        found = forecast(self._snapshot, change, self._ranks, shared=self._shared)
        costs = cost.costs_of(self._snapshot, found.change, found)
        away = self._away(found.change)
        return tuple(self._figures(one, outcome, away) for one, outcome in zip(costs, found.outcomes, strict=True))

    def _change(self, deploy: DeployKind, draw: int) -> Change:
        clients = self._snapshot.clients
        name = str(clients[draw % len(clients)].process_id)
        asked = requests(deploy, len(clients), name)
        events = in_turn(change_of(one, self._snapshot).events for one in asked)
        return usual_assumptions.as_usual(self._snapshot, Change(events))

    def _figures(self, found: Cost, outcome: Outcome, away_s: int) -> Drawn:
        if outcome.unsettled is not None:
            raise CannotPredict(outcome.unsettled)
        speed = self._policy.restore_records_per_second
        return Drawn(
            moves=found.handovers,
            rebalances=found.usual_rebalances,
            downtime_s=found.downtime_task_seconds(speed) + away_s,
            cold_moves=self._cold(outcome),
            restored_bytes=total_or_none(one.size for one in found.restores),
            restored_records=found.restored_records,
            share=found.probability,
        )

    def _away(self, change: Change) -> int:
        """Task-seconds of static members that are back in time: their tasks wait for them, and no forecast of a rebalance has
        that."""
        back = {item.process_id for item in change.events if isinstance(item, RestartClient) and item.within_session}
        back |= {one.process_id for one in self._snapshot.clients if any(_all_back(item) for item in change.events)}
        return self._policy.start_up.usual * sum(owner in back for _, owner in ownership.owners(self._snapshot))

    def _cold(self, outcome: Outcome) -> int:
        """Stateful tasks that are given to a client whose disk has never had them."""
        stateful = frozenset(one.id for one in self._snapshot.tasks if one.stateful)
        had = {
            client.process_id: {task for one in client.consumers for task, _ in one.task_offset_sums}
            for client in self._snapshot.clients
        }
        for task, owner in ownership.owners(self._snapshot):
            had[owner].add(task)
        cold = 0
        decisions = (one.decision for one in outcome.rounds if isinstance(one.decision, Assignment))
        for shares in changed_shares(decisions):  # a client whose share is as before gets nothing
            for client in shares:
                there = had.setdefault(client.process_id, set())
                cold += len(stateful.intersection(client.active) - there)
                there.update(client.active, client.standby)
        return cold


def _all_back(item: object) -> bool:
    return isinstance(item, RollingRestart) and bool(item.within_session) and item.process_ids is None


def _static(client: Client) -> Client:
    """As Streams does it: an instance ID a thread. Members keep their IDs, and so their order."""
    return replace(
        client,
        consumers=tuple(
            replace(one, group_instance_id=one.group_instance_id or f"{client.process_id}-{number}")
            for number, one in enumerate(client.consumers, 1)
        ),
    )
