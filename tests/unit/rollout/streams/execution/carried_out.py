"""Plans for the article's group, and the group once they are carried out as forecast: each start with member IDs of its own."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.harness.article import AFTER, change, group

from holdfast.kafka.streams.group import Assignment
from holdfast.kafka.vocabulary import ProcessId
from holdfast.kafka.wire import consumer_protocol, subscription_info
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change import shorthands
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast import course
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import allowed
from holdfast.rollout.streams.kind.kind import StreamsKind
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.evidence import Assigned, Evidence
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember, Snapshot

Case = dict[str, Any]
NOON = datetime(2026, 11, 20, 14, tzinfo=UTC)
KIND = StreamsKind()


def before(release: str, recorded: bool) -> Snapshot:
    """The group; `recorded`: with the last rebalance in its snapshot."""
    basis = snapshot_from_json(group(AFTER, release=release))
    if not recorded:
        return basis
    members = {each.member_id: one.process_id for one in basis.clients for each in one.consumers}
    return replace(basis, generations=(_generation(0, members),))


class _Stage(course.RecordedStage):
    """It keeps who was there in each rebalance, by their starts."""

    def __init__(self, ground: Ground, asked: Change) -> None:
        super().__init__(ground, asked.assume)
        self.starts: Counter[ProcessId] = Counter()
        self.groups: list[dict[str, ProcessId]] = []

    def named(self, process_id: ProcessId, member_id: str) -> str:
        return f"{member_id}~{self.starts[process_id]}" if self.starts[process_id] else member_id

    def restart_in_turn(self, *_: object) -> int:
        """None: who restarts, and who is there then, is not noted where restarts that are known are taken over in one piece."""
        return 0

    def _walk(self, _group: object) -> None:
        """Nor where rebalances are walked."""

    def _started(self, process_ids: tuple[ProcessId, ...]) -> None:
        super()._started(process_ids)
        self.starts.update(process_ids)

    def _rebalanced(self, trigger: Any, group: Any, decision: Any) -> None:
        super()._rebalanced(trigger, group, decision)
        self.groups.append(
            {self.named(one.process_id, each.member_id): one.process_id for one in group.clients for each in one.consumers}
        )


def planned(basis: Snapshot, events: list[Case]) -> Plan | None:
    asked = change_from_json(change(*events))
    options = [one for one in KIND.propose(basis, asked) if one.name == "baseline"]
    plan = KIND.assemble(basis, asked, KIND.evaluate_all(basis, options, lambda _: None, 1), Policy(), NOON, None)
    return None if plan.recommended_option is None else plan


def after(basis: Snapshot, plan: Plan) -> Snapshot:
    """With the rebalances, where `basis` has its last one."""
    assert plan.recommended_option is not None
    asked = shorthands.written_out(basis, plan.recommended_option.change)
    stage = _Stage(Ground(basis, allowed(basis, 10)), asked)
    trouble = course._through(stage, asked)
    assert trouble is None, trouble
    rounds = stage.course(trouble).rounds
    clients = tuple(
        replace(
            one, consumers=tuple(replace(each, member_id=stage.named(one.process_id, each.member_id)) for each in one.consumers)
        )
        for one in stage.scene.clients
    )
    fresh = replace(basis, clients=clients, tasks=stage.scene.tasks, leader_process_id=None, captured_at="2026-11-20T15:00:00Z")
    if rounds:
        decision = rounds[-1].decision
        assert isinstance(decision, Assignment)
        process_of = {each.member_id: one.process_id for one in stage.scene.clients for each in one.consumers}
        fresh = replace(
            fresh,
            evidence=tuple(
                Evidence(stage.named(process_of[one.member_id], one.member_id), Assigned(one.active, one.standby))
                for one in decision.consumers
                if one.member_id in process_of
            ),
        )
    if basis.generations:
        first = basis.generations[0].number
        made = [_generation(first + number, members) for number, members in enumerate(stage.groups, start=1)]
        fresh = replace(fresh, generations=(*basis.generations, *made))
    return fresh


def _generation(number: int, members: dict[str, ProcessId]) -> Generation:
    when = NOON - timedelta(minutes=1) + timedelta(minutes=number)
    return Generation(
        number,
        when.isoformat(),
        None,
        "stream",
        tuple(
            GenerationMember(one, one.partition("~")[0], "/host", None, _subscription(process_id), b"", None)
            for one, process_id in members.items()
        ),
    )


def _subscription(process_id: ProcessId) -> bytes:
    user_data = subscription_info.encode(subscription_info.SubscriptionInfo(11, 11, process_id))
    return consumer_protocol.encode_subscription(consumer_protocol.ConsumerProtocolSubscription(1, ("input",), user_data))
