"""A run starts clients of a group that has none: the steps before have stopped them all, or it was Empty when the plan was made."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.harness.running_group import JOINS_S, LISTED_S, Process, RunningGroup
from tests.unit.rollout.broker_streams import plans
from tests.unit.rollout.broker_streams.execution.acted_out import after
from tests.unit.rollout.broker_streams.plans import NOON
from tests.unit.rollout.broker_streams.streams_groups import snapshot

from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.journal.journal import Approval, JournalEvent
from holdfast.rollout.kinds.approval import fingerprint
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows.running import run as running
from holdfast.workflows.running.walking import Ran

CLIENTS = "abc"
STOPS = tuple({"remove_client": {"process_id": one}} for one in CLIENTS)
STABLE = {"then": "stable"}
STARTS = {"add_client": {"process_id": "a", "member_ids": ["x0"], "host": "host-a"}}


def planned(*events: Any, **differs: Any) -> BrokerPlan:
    of = snapshot(cluster="prod", captured_at="2026-11-23T11:59:00Z", **differs)
    return plans.planned(*events, of=of, policy=Policy(acts=("stop_client", "start_client"), allow=("baseline",)))


class EmptyGroup(RunningGroup):
    """A group whose broker assigns, without members while no process runs. `runs`: whether its processes do at first."""

    def __init__(self, plan: BrokerPlan, *, runs: bool) -> None:
        super().__init__({"clients": {one: {} for one in CLIENTS}})
        self.plan = plan
        for process in self.processes.values():
            process.runs = runs

    def now(self) -> datetime:
        return NOON + timedelta(minutes=1, seconds=self.time)

    def look(self, _limit_s: float) -> AnySnapshot:
        listed = {one for one, process in self.processes.items() if self._is_listed(process)}
        if any(process.identity > 1 for process in self.processes.values()) and listed:
            return after(self.plan, captured_at=self.now().isoformat(), group_state="Stable")
        members = tuple(one for one in self.plan.basis.members if one.process_id in listed)
        state = "Stable" if members else "Empty"
        return replace(self.plan.basis, captured_at=self.now().isoformat(), members=members, group_state=state)

    def _is_listed(self, process: Process) -> bool:
        since = self.time - process.changed_at
        return since >= JOINS_S if process.runs else since < LISTED_S

    def goes(self) -> Ran:
        approval = Approval(self.plan.plan_id, True, "vera", "", "2026-11-23T12:00:30Z", plan_fingerprint=fingerprint(self.plan))
        return running.run(self.plan, approval, self.means())


@pytest.mark.parametrize(
    ("plan", "stops"),
    [
        pytest.param(planned(*STOPS, STABLE, STARTS), CLIENTS, id="the plan stops all"),
        pytest.param(planned(STARTS, members={}, group_state="Empty"), "", id="it was empty before the plan"),
    ],
)
def test_clients_are_started(plan: BrokerPlan, stops: str) -> None:
    reality = EmptyGroup(plan, runs=bool(stops))
    ran = reality.goes()

    assert (ran.halted, ran.applied.waiting_for) == (None, None)
    assert reality.done == [*((Does.STOP, one) for one in stops), (Does.START, "a")]
    assert all(reality.journal(plan).has(step.id, JournalEvent.DONE) for step in plan.steps)
