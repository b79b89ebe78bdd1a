"""A run carries out the move of a classic group to group.protocol=streams: the setting, which may be a person's, and the rest."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

import pytest
from tests.harness.running_group import JOINS_S, LISTED_S, Killed, Process, RunningGroup
from tests.unit.rollout.broker_streams.execution.acted_out import after
from tests.unit.rollout.kinds.moving.test_move import NOW, A, B, C, Case, change, classic, owned_by_nobody

from holdfast.ports import GroupConfig, GroupConfigs
from holdfast.rollout.broker_streams.events.set_group_protocol import SetGroupProtocol
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.journal.acted import Does, Halt
from holdfast.rollout.journal.journal import Approval, JournalEvent
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.approval import fingerprint
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import apply as applying
from holdfast.workflows import verify
from holdfast.workflows.apply import Confirmation
from holdfast.workflows.running import run as running
from holdfast.workflows.running.walking import Ran

DELAY = "streams.initial.rebalance.delay.ms"
MOVES = ("set_config", "stop_classic_clients", "start_moved_client")
CLIENTS = (A, B, C)


@cache
def planned(*acts: str, only: str = "longer-initial-delay", lag_most: int | None = None) -> BrokerPlan:
    snapshot = any_document.snapshot_from_json(classic())
    basis, asked = move.followed(snapshot, any_document.change_from_json(change(), snapshot))
    kind = kind_of(basis)
    options = [one for one in kind.propose(basis, asked) if one.name == only]
    policy = Policy(acts=acts or MOVES, allow=(only,), lag_most=lag_most)  # type: ignore[arg-type]
    found = kind.assemble(basis, asked, kind.evaluate_all(basis, options, lambda _: None, 1), policy, NOW, None)
    assert isinstance(found, BrokerPlan)
    return found


class MovingGroup(RunningGroup):
    """`protocol`: the setting that clients start with. Its configs are the brokers'."""

    def __init__(self, plan: BrokerPlan | None = None) -> None:
        super().__init__(classic())
        self.plan = plan or planned()
        self.protocol = "classic"
        self.started_with: dict[str, str] = {}
        self.own: dict[str, str] = {}
        self.moved = after(self.plan, classic=None)

    def now(self) -> datetime:
        return NOW + timedelta(minutes=1, seconds=self.time)

    def take_effect(self, does: Does, client: str) -> None:
        super().take_effect(does, client)
        if does is Does.START:
            self.started_with[client] = self.configs[client].get("group.protocol", self.protocol)

    def look(self, _limit_s: float) -> AnySnapshot:
        self.lake.life.lives()
        there = {client for client, process in self.processes.items() if process.runs and self._since(process) >= JOINS_S}
        streams = {one for one in there if self.started_with.get(one) == "streams"}
        return self._streams(streams) if streams else self._classic(there)

    def _since(self, process: Process) -> float:
        return self.time - process.changed_at

    def _classic(self, there: set[str]) -> AnySnapshot:
        listed = there | {one for one, process in self.processes.items() if not process.runs and self._since(process) < LISTED_S}
        found: Case = classic(captured_at=self.now().isoformat(), group_state="Stable", leader_process_id=None)
        found["clients"] = {one: self._anew(one, self.processes[one].identity) for one in found["clients"] if one in listed}
        return any_document.snapshot_from_json(found if listed else owned_by_nobody(found))

    def _streams(self, there: set[str]) -> AnySnapshot:
        """The target is computed once all are there: the initial delay is long enough."""
        members = tuple(one for one in self.moved.members if one.process_id in there)
        shown = replace(self.moved, captured_at=self.now().isoformat(), config=tuple(self.own.items()))
        if len(there) == len(CLIENTS):
            return replace(shown, group_state="Stable")
        nothing = tuple(replace(one, assignment=None, target=None) for one in members)
        return replace(shown, members=nothing, group_state="Assigning", assignment_epoch=1, recorded_targets=())

    # The brokers' configs.

    def group_configs(self, _group_id: str) -> GroupConfigs:
        return (GroupConfig(DELAY, self.own.get(DELAY, "3000"), of_group=DELAY in self.own),)

    def alter_group_configs(self, _group_id: str, settings: Mapping[str, str | None]) -> None:
        self.lake.life.lives()
        for key, value in settings.items():
            self.own.pop(key, None)
            self.own |= {} if value is None else {key: value}

    # Runs.

    def goes(self, *, dies_after: int | None = None) -> Ran:
        self.lake.life.left = dies_after
        try:
            return running.run(self.plan, _approved(self.plan), replace(self.means(), configs=self))
        finally:
            self.lake.life.left = None

    def person_sets_the_protocol(self, protocol: str = "streams") -> None:
        self.protocol = protocol
        hands = self.means().hands
        step = next(one.id for one in self.plan.steps if isinstance(one.item, SetGroupProtocol))
        words = (Confirmation(step, "ann", "the unit files have it"),)
        applying.apply(self.plan, self.look(1), _approved(self.plan), words, hands)


def _approved(plan: BrokerPlan) -> Approval:
    return Approval(plan.plan_id, True, "vera", "", "2026-11-21T01:36:30Z", plan_fingerprint=fingerprint(plan))


def test_a_run_that_may_changes_the_setting_of_all_and_restarts_none_for_it() -> None:
    reality = MovingGroup(planned(*MOVES, "set_client_config"))
    ran = reality.goes()

    assert (ran.halted, ran.applied.waiting_for) == (None, None)
    assert sorted(reality.written) == [(one, {"group.protocol": "streams"}) for one in sorted(CLIENTS)]
    assert sorted(reality.done) == sorted((does, one) for one in CLIENTS for does in (Does.STOP, Does.START))
    assert verify.compare(None, reality.plan, reality.look(1)).result is Result.AS_FORECAST


@pytest.mark.thorough
def test_that_is_killed_at_any_moment() -> None:
    plan = planned(*MOVES, "set_client_config")
    for dies_after in itertools.count(0, 3):
        reality = MovingGroup(plan)
        try:
            reality.goes(dies_after=dies_after)
        except Killed:
            reality.sleep(1.0)
            ran = reality.goes()
            assert (ran.halted, ran.applied.waiting_for) == (None, None), dies_after
            assert sorted(reality.done) == sorted((does, one) for one in CLIENTS for does in (Does.STOP, Does.START)), dies_after
        else:
            break
    assert dies_after > 40


def test_a_person_changes_the_setting_and_the_run_does_the_rest() -> None:
    reality = MovingGroup()
    waits = reality.goes().applied.waiting_for

    assert waits is not None
    assert "group.protocol=streams" in waits.step.says
    assert (reality.done, reality.own) == ([], {DELAY: "60000"})
    reality.person_sets_the_protocol()
    ran = reality.goes()

    assert (ran.halted, ran.applied.waiting_for) == (None, None)
    assert sorted(reality.done[:3]) == [(Does.STOP, one) for one in sorted(CLIENTS)]
    assert sorted(reality.done[3:]) == [(Does.START, one) for one in sorted(CLIENTS)]
    assert all(reality.journal(reality.plan).has(step.id, JournalEvent.DONE) for step in reality.plan.steps)
    assert reality.own == {}, "the initial delay is the brokers' again"
    assert verify.compare(None, reality.plan, reality.look(1)).result is Result.AS_FORECAST


def test_no_client_starts_before_the_classic_group_is_empty_and_all_start_at_once() -> None:
    reality, starts = MovingGroup(), []
    reality.goes()
    reality.person_sets_the_protocol()
    perform = reality.perform

    def watched(does: Does, act: object) -> str | None:
        if does is Does.START:
            assert not reality._classic(set()).clients  # type: ignore[attr-defined]
            starts.append(reality.time)
        return perform(does, act)  # type: ignore[arg-type]

    reality.perform = watched  # type: ignore[method-assign,assignment]
    reality.goes()

    assert len(starts) == 3
    assert starts[-1] - starts[0] < 3 * JOINS_S, "none waits until the one before has joined"


def test_clients_that_start_as_classic_ones_halt_it() -> None:
    """The step was confirmed, but the setting is not there."""
    reality = MovingGroup()
    reality.goes()
    reality.person_sets_the_protocol("classic")
    ran = reality.goes()

    assert ran.halted is not None
    assert ran.halted.why is Halt.DRIFT
    assert "started with group.protocol=classic" in ran.halted.text


def test_the_lag_of_clients_that_are_down_does_not_leave_them_down() -> None:
    reality = MovingGroup(planned(lag_most=100))
    reality.goes()
    reality.person_sets_the_protocol()
    reality.on_sleep = lambda: setattr(reality, "lag", 100_000 if len(reality.done) in range(3, 6) else 0)
    ran = reality.goes()

    assert ran.halted is None
    assert len(reality.done) == 6


@pytest.mark.thorough
def test_a_run_that_is_killed_anywhere_does_each_act_once() -> None:
    for dies_after in itertools.count(1, 7):
        reality = MovingGroup()
        reality.goes()
        reality.person_sets_the_protocol()
        try:
            reality.goes(dies_after=dies_after)
        except Killed:
            reality.sleep(60)
            assert reality.goes().halted is None
        else:
            break
        assert sorted(reality.done) == sorted((does, one) for one in CLIENTS for does in (Does.STOP, Does.START)), dies_after
    assert dies_after > 40
