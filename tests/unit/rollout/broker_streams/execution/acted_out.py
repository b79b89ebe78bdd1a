"""Plans for a small streams group, and the group after some of their targets: with other IDs than the plan's example."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from tests.unit.rollout.broker_streams.streams_groups import Case, snapshot

from holdfast.rollout.broker_streams.change.change import CHANGE, BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.forecast import course, draws
from holdfast.rollout.broker_streams.forecast.forecast import ground_of
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_streams.kind.kind import BrokerStreamsKind
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedMember, RecordedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT, Owned, StreamsGroupSnapshot, StreamThread, Topic
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.policy.policy import Policy

NOW = datetime(2026, 11, 23, 5, tzinfo=UTC)
KIND = BrokerStreamsKind()
A_DRAW = 4_711
"""None of those that a plan goes by."""


def plan_for(*events: Case, of: Case | None = None, only: str | None = None) -> BrokerPlan:
    """`only`: of all options this one."""
    return _planned(dumps(of or snapshot()), dumps(list(events)), only)


@cache
def _planned(group: str, events: str, only: str | None) -> BrokerPlan:
    basis = SNAPSHOT.read({"captured_at": "2026-11-23T05:00:00Z", "cluster": "local"} | json.loads(group))
    change = CHANGE.read({"format_version": "1.0", "events": json.loads(events)})
    options = [one for one in KIND.propose(basis, change) if only is None or one.name == only]
    evaluated = KIND.evaluate_all(basis, options, lambda _: None, 1)
    return KIND.assemble(basis, change, evaluated, Policy(), NOW, None)


def change_of(plan: BrokerPlan) -> BrokerChange:
    """With IDs that differ from the plan's example."""
    assert plan.recommended_option is not None
    return draws.drawn(plan.basis, plan.recommended_option.change, A_DRAW)


def after(
    plan: BrokerPlan, targets: int | None = None, *, recorded: bool = True, first_thread_alone: bool | None = None, **differs: Any
) -> StreamsGroupSnapshot:
    """The stable group after the first `targets` targets (None: all). `first_thread_alone` of all starts; None: as planned."""
    change = change_of(plan)
    if first_thread_alone is not None:
        change = BrokerChange(tuple(_first_alone(item, first_thread_alone) for item in change.events))
    computed = course.carried_out(ground_of(plan.basis), change)[:targets]
    config = dict(plan.basis.config)
    topics = {one.name: one.partitions for one in plan.basis.topics}
    for event in _begun(change, computed, whole=targets is None):
        config |= dict(event.configures())
        if (grows := event.grows()) is not None:
            topics |= {grows[0]: grows[1]}
    fresh = replace(
        plan.basis,
        captured_at="2026-11-23T05:10:00Z",
        members=_members(plan, computed[-1]) if computed else plan.basis.members,
        config=tuple((key, value) for key, value in config.items() if value is not None),
        topics=tuple(Topic(name, count) for name, count in topics.items()),
        group_epoch=_epoch(computed, plan),
        assignment_epoch=_epoch(computed, plan),
        recorded_targets=(_of_plan(plan), *map(_recorded, computed)) if recorded else (),
    )
    return replace(fresh, **differs)


def _first_alone(item: BrokerItem, alone: bool) -> BrokerItem:
    comes = None if isinstance(item, Then) else item.comes()
    return item if isinstance(item, Then) or comes is None else item.drawn(replace(comes[0], first_thread_alone=alone))


def _begun(change: BrokerChange, computed: tuple[ComputedTarget, ...], *, whole: bool) -> Iterator[BrokerEvent]:
    """The events of the batches of these targets; `whole`: all."""
    last = computed[-1].batch if computed else -1
    for number, batch in enumerate(change.numbered_batches()):
        yield from (event for _, event in batch.events if whole or number <= last)


def _epoch(computed: tuple[ComputedTarget, ...], plan: BrokerPlan) -> int | None:
    return computed[-1].group_epoch if computed else plan.basis.group_epoch


def _members(plan: BrokerPlan, target: ComputedTarget) -> tuple[StreamThread, ...]:
    was = {one.member_id: one for one in plan.basis.members}
    processes = dict(target.processes)
    return tuple(
        replace(
            was.get(one.member_id, StreamThread(one.member_id, host="new")),
            process_id=processes[one.member_id],
            assignment=Owned(one.active, one.standby),
            target=Owned(one.active, one.standby),
        )
        for one in target.assignment.members
    )


def _of_plan(plan: BrokerPlan) -> RecordedTarget:
    """The target that the plan was made with."""
    owned = [(one, one.target or Owned(())) for one in plan.basis.members]
    members = (RecordedMember(one.member_id, each.active, each.standby, (), one.process_id) for one, each in owned)
    return RecordedTarget(plan.basis.assignment_epoch or 0, "2026-11-23T04:00:00Z", tuple(members))


def _recorded(target: ComputedTarget) -> RecordedTarget:
    processes = dict(target.processes)
    return RecordedTarget(
        target.group_epoch or 0,
        "2026-11-23T05:09:00Z",
        tuple(
            RecordedMember(one.member_id, one.active, one.standby, (), processes[one.member_id])
            for one in target.assignment.members
        ),
    )
