"""A new event of a consumer group is one module and one line: one defined here goes from its JSON through a forecast and a plan."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.harness.plain_groups import change, group, member

from holdfast.errors import HoldfastError
from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.change import request_words
from holdfast.rollout.consumer.change.json import consumer_change_from_json, consumer_change_to_json
from holdfast.rollout.consumer.events import table
from holdfast.rollout.consumer.events.event import ConsumerEvent, Name
from holdfast.rollout.consumer.events.parts import scene as scenes
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.consumer.plan.json import consumer_plan_from_json, consumer_plan_to_json
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import member as field
from holdfast.rollout.json.record import record
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import plan as planning
from holdfast.workflows.forecast import forecast_case

TWO = {"a": member(0, 1, 2), "b": member(3, 4, 5)}
EVICTED = {"evict_consumer": {"member_id": "a"}}


@record
class EvictConsumer(ConsumerEvent):
    """An administrator takes a member out of the group (removeMembersFromConsumerGroup)."""

    member_id: str = field(NAME)

    VERB = "evict_consumer"
    ACTIONS = (ActionName.STOP_CLIENT,)

    def sentence(self, name: Name) -> str:
        return f"evict {name(self.member_id)}"

    def title(self, name: Name) -> tuple[str, str]:
        return "evict", name(self.member_id)

    def step(self, hosts: Mapping[str, Member]) -> StepWords:  # noqa: ARG002 - as every event
        return StepWords(f"Evict {self.member_id}", "It is a member.", "Start it again.", "It is no member any more.")

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:  # noqa: ARG002 - as every event
        return scenes.without(scene, scenes.member_of(scene, self.member_id))

    def swaps(self) -> tuple[tuple[str | None, str | None], ...]:
        return ((self.member_id, None),)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "EVENTS", (*table.EVENTS, EvictConsumer))


def foreseen(*events: object) -> Any:
    return forecast_case({"snapshot": group(TWO), "change": change(*events)}, Detail.FULL)["outcomes"]


def test_it_is_read_and_written() -> None:
    assert consumer_change_to_json(consumer_change_from_json(change(EVICTED))) == change(EVICTED)


def test_it_is_forecast() -> None:
    assert foreseen(EVICTED) == foreseen({"remove_consumer": {"member_id": "a"}})


def test_what_does_not_fit_is_refused_at_its_place() -> None:
    with pytest.raises(HoldfastError, match=r"events\[1\]\.evict_consumer\.member_id: the consumer 'a' is not in the group then"):
        foreseen(EVICTED, EVICTED)


def test_it_is_put_into_words() -> None:
    requested, snapshot = consumer_change_from_json(change(EVICTED)), consumer_snapshot_from_json(group(TWO))

    assert request_words.request_text(requested, snapshot).startswith("evict ")
    assert request_words.title(requested, snapshot).startswith("evict ")


def test_a_plan_has_its_step_and_comes_back() -> None:
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    plan = planning.make_from(("s", group(TWO)), ("c", change(EVICTED)), Policy(), now)

    assert isinstance(plan, ConsumerPlan)
    assert plan.steps[0].says == "Evict a"
    assert consumer_plan_from_json(json.loads(json.dumps(consumer_plan_to_json(plan)))) == plan
