"""Plans for random changes to a consumer group, carried out exactly as forecast under IDs that a broker made: nothing in
the group says then that a step has not happened, and the verdict is "as forecast"."""

import random
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from tests.harness.examples import examples
from tests.harness.plain_groups import change, group

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.consumer.group import LeaderFailure
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.change.json import consumer_change_from_json
from holdfast.rollout.consumer.events import batches
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.consumer.execution.courses import named
from holdfast.rollout.consumer.execution.memberships import stays
from holdfast.rollout.consumer.forecast.forecast import forecast, settings_of
from holdfast.rollout.consumer.kind.kind import ConsumerKind
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json
from holdfast.rollout.consumer.snapshot.member_order import readers_of
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.execution.step_evidence import Shown
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.policy.policy import Policy

Case = dict[str, Any]
NOON = datetime(2026, 11, 24, 5, tzinfo=UTC)
KIND = ConsumerKind()
ASSIGNORS = ("cooperative-sticky", "cooperative-sticky", "range", "roundrobin", "sticky")


class _Events:
    """Of a group with the consumers a, b and c. `there`: their member IDs at any moment; one of them stays."""

    def __init__(self, chance: random.Random, static: bool, assignor: str) -> None:
        self._chance, self._static, self._assignor = chance, static, assignor
        self.there = ["a", "b", "c"]
        self._partitions = {"orders": 6, "returns": 2}
        self._ids = count()

    def some(self) -> list[Case]:
        found: list[Case] = []
        for _ in range(self._chance.randint(1, 4)):
            found += [*self._one(), {"then": self._chance.choice(("stable", "stable", "rebalance"))}]
        return found[:-1]

    def _one(self) -> Iterator[Case]:
        chance, who = self._chance, self._chance.choice(self.there)
        match chance.randint(0, 7):
            case 0 if len(self.there) > 1:
                self.there.remove(who)
                yield {"remove_consumer": {"member_id": who} | chance.choice([{"leaves": False}, {"hangs": True}, {}])}
            case 1:
                name = f"n{next(self._ids)}"
                self.there.append(name)
                yield {"add_consumer": self._named(name) | {"assignors": [self._assignor], "subscription": ["orders", "returns"]}}
            case 2:
                name = self._instead(who)
                yield {"replace_consumer": {"member_id": who, "by": self._named(name)} | self._fast()}
            case 3:
                topic = chance.choice(sorted(self._partitions))
                self._partitions[topic] += chance.randint(1, 2)
                yield {"add_partitions": {"topic": topic, "partitions": self._partitions[topic]}}
            case 4 if "returns" in self._partitions and chance.random() < 0.3:
                del self._partitions["returns"]
                yield {"remove_topic": {"topic": "returns"}}
            case 4 if "returns" not in self._partitions:
                self._partitions["returns"] = 3
                yield {"add_topic": {"topic": "returns", "partitions": 3}}
            case 5:
                olds = chance.sample(self.there, chance.randint(1, len(self.there)))
                yield {"set_assignors": {"assignors": [self._assignor], "member_ids": {old: self._instead(old) for old in olds}}}
            case _:
                back = self._instead(who) if chance.random() < 0.7 else who
                within = {"within_session": True} if self._static and chance.random() < 0.3 else self._fast()
                yield {"restart_consumer": {"member_id": who, "new_member_id": back} | within}

    def _fast(self) -> Case:
        return self._chance.choice([{}, {}, {"within_rebalance": True}])

    def _instead(self, who: str) -> str:
        name = self.there[self.there.index(who)] = f"n{next(self._ids)}"
        return name

    def _named(self, name: str) -> Case:
        static = {"group_instance_id": f"i-{name}"} if self._static else {}
        return {"member_id": name, "client_id": "app", "host": f"host-{name}"} | static


def _group(chance: random.Random, static: bool, assignor: str) -> ConsumerSnapshot:
    def one(name: str) -> Case:
        instance = {"group_instance_id": f"i-{name}"} if static else {}
        return {
            "assignors": [assignor],
            "subscription": ["orders", "returns"],
            "owned": [],
            "owned_generation": None,
            "client_id": "app",
            "host": f"host-{name}",
        } | instance

    ids = sorted(("a", "b", "c"), key=lambda _: chance.random())
    topics = {"orders": {"partitions": [{"id": at} for at in range(6)]}, "returns": {"partitions": [{"id": at} for at in range(2)]}}
    first = consumer_snapshot_from_json(group({name: one(name) for name in ids}, topics=topics, group_state="Stable"))
    outcome = forecast(first, consumer_change_from_json(change({"then": "rebalance"}))).outcome
    decision = outcome.rounds[-1].decision
    assert not isinstance(decision, LeaderFailure)
    handed = tuple(part.partitions for part in decision.members)
    return replace(first, members=outcome.members, generation=20, assigned=handed)


def _plan(basis: ConsumerSnapshot, events: list[Case]) -> ConsumerPlan | None:
    asked = consumer_change_from_json(change(*events))
    options = [one for one in KIND.propose(basis, asked) if one.name == "baseline"]
    plan = KIND.assemble(basis, asked, KIND.evaluate_all(basis, options, lambda _: None, 1), Policy(), NOON, None)
    return None if plan.recommended_option is None else plan


def _as_a_broker_names_them(plan: ConsumerPlan, asked: ConsumerChange, chance: random.Random) -> ConsumerChange:
    joining = (one.member for one in stays(plan.basis, asked.events) if one.joined is not None)
    made = {
        number: f"{one.group_instance_id or one.client_id}-{uuid.UUID(int=chance.getrandbits(128))}"
        for number, one in enumerate(joining)
    }
    return named(asked, {}, made)


def _after(plan: ConsumerPlan, chance: random.Random) -> ConsumerSnapshot:
    assert plan.recommended_option is not None
    real = _as_a_broker_names_them(plan, plan.recommended_option.change, chance)
    basis = plan.basis
    outcome = forecast(basis, real).outcome
    scene = Scene(basis.members, basis.topics, basis.leader_member_id)
    for batch in real.numbered_batches():
        scene = batches.returned(batches.apply(scene, batch, settings_of(basis)), batch)
    assigned = basis.assigned
    if outcome.rounds:
        decision = outcome.rounds[-1].decision
        assert not isinstance(decision, LeaderFailure)
        back = {new: old for item in real.statements() for old, new in item.renamed()}
        handed = {part.member_id: part.partitions for part in decision.members}
        assigned = tuple(handed[_known_in(handed, one.member_id, back)] for one in outcome.members)
    assert basis.generation is not None
    return replace(
        basis,
        members=outcome.members,
        topics=scene.topics,
        assigned=assigned,
        leader_member_id=None,
        generation=basis.generation + len(outcome.rounds),
    )


def _known_in(handed: Mapping[str, object], member_id: str, back: Mapping[str, str]) -> str:
    """The ID that a consumer had in the last rebalance: it may have returned since, within its session."""
    while member_id not in handed:
        member_id = back[member_id]
    return member_id


def carried_out(seed: int) -> tuple[ConsumerPlan, ConsumerSnapshot] | None:
    chance = random.Random(seed)
    static, assignor = chance.random() < 0.3, chance.choice(ASSIGNORS)
    basis = _group(chance, static, assignor)
    events = _Events(chance, static, assignor).some()
    try:
        plan = _plan(basis, events)
    except (CannotPredict, InvalidInput):
        return None
    return None if plan is None else (plan, _after(plan, chance))


@pytest.mark.thorough
@settings(max_examples=examples(25), deadline=None)
@example(4)  # a static member that returns in time: no rebalance
@given(some.integers(0, 2**32))
def test_what_was_carried_out_as_forecast_is_verified_so(seed: int) -> None:
    found = carried_out(seed)
    if found is None:
        return
    plan, fresh = found
    verdict = KIND.verify(plan, fresh)

    assert [one for one in verdict.steps if one.evidence.shown in (Shown.NOT_YET, Shown.CONTRADICTED)] == []
    assert (verdict.result, verdict.differences) == (Result.AS_FORECAST, ())
    assert KIND.verify(plan, plan.basis).result is Result.NOT_YET
    elsewhere = KIND.verify(plan, _with_one_moved(fresh))
    assert elsewhere.result is Result.DIFFERENT or elsewhere.unknown or len(fresh.members) == 1


def _with_one_moved(fresh: ConsumerSnapshot) -> ConsumerSnapshot:
    """A partition is read by the member after its reader."""
    reads = readers_of(fresh)
    assert reads
    handed = [tuple(one for one, reader in reads.items() if reader == member.member_id) for member in fresh.members]
    reader = next(number for number, one in enumerate(handed) if one)
    moved, handed[reader] = handed[reader][:1], handed[reader][1:]
    handed[(reader + 1) % len(handed)] += moved
    return replace(fresh, assigned=tuple(handed))
