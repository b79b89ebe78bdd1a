"""A new event is one module and one line: one defined here goes from its JSON through a forecast and a plan, and back."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.harness.article import AFTER, A, change, group
from tests.harness.plans import planned

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json.kafka_codecs import PROCESS_ID
from holdfast.rollout.json.record import member, record
from holdfast.rollout.streams.change import named_json, request_words
from holdfast.rollout.streams.change.change import CHANGE
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.events import table
from holdfast.rollout.streams.events.event import About, Before, Event, Name, StepContext
from holdfast.rollout.streams.events.parts import members
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.steps.drafts import Draft, StepOrder
from holdfast.rollout.streams.steps.steps import StopClient

STOPPED = {"stop_application": {"minutes": 5}}
EVICTED = {"evict_client": {"process_id": A}}


@record
class EvictClient(Event):
    """An administrator takes a client's members out of the group: it is gone at once."""

    process_id: ProcessId = member(PROCESS_ID)

    VERB = "evict_client"
    ABOUT = About.ONE_CLIENT

    def sentence(self, name: Name) -> str:
        return f"evict {name(self.process_id)}"

    def title(self, host: Name) -> tuple[str, str]:
        return "evict", host(self.process_id)

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:  # noqa: ARG002 - as every event
        return members.without(scene, members.client_of(scene, self.process_id))

    def gone_and_came(self) -> tuple[tuple[ProcessId, ...], tuple[ProcessId | None, ...]]:
        return (self.process_id,), ()

    def displaced(self) -> tuple[ProcessId, ...]:
        return (self.process_id,)

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:  # noqa: ARG002 - as every event
        stop = StopClient(self.process_id, None)
        return (Draft(StepOrder.STOP, stop, Who.OPERATOR, "It is a member.", "It is none.", "Start it.", "The group rebalances."),)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "EVENTS", (*table.EVENTS, EvictClient))


def test_it_is_read_and_written() -> None:
    assert change_to_json(change_from_json(change(EVICTED))) == change(EVICTED)


def test_what_is_wrong_is_refused_at_its_place() -> None:
    with pytest.raises(InvalidInput, match=r"events\[0\]\.evict_client: the field 'process_id' is missing"):
        change_from_json(change({"evict_client": {}}))
    with pytest.raises(InvalidInput, match=r"events\[1\]\.evict_client\.process_id: the client .* is not in the group then"):
        forecast(snapshot_from_json(group(AFTER)), change_from_json(change(EVICTED, EVICTED)))


def test_the_schema_describes_it() -> None:
    valid = Draft202012Validator(CHANGE.shape()).is_valid

    assert valid(change(EVICTED))
    assert valid(change({"evict_client": {"client": "app-1"}}))
    for wrong in ({}, {"process_id": A, "client": "app-1"}, {"process_id": A, "late": True}, {"process_id": "app-1"}):
        assert not valid(change({"evict_client": wrong}))


def test_its_client_can_be_named() -> None:
    snapshot = snapshot_from_json(group(AFTER))

    assert named_json.resolved(change({"evict_client": {"client": A[:8]}}), snapshot) == change(EVICTED)


def test_it_is_forecast() -> None:
    snapshot = snapshot_from_json(group(AFTER))
    (found,) = forecast(snapshot, change_from_json(change(EVICTED))).outcomes
    (left,) = forecast(snapshot, change_from_json(change({"remove_client": {"process_id": A, "leaves": True}}))).outcomes

    assert [one.decision for one in found.rounds] == [one.decision for one in left.rounds]
    assert found.stable


def test_it_is_put_into_words() -> None:
    requested = change_from_json(change(EVICTED, STOPPED))

    assert request_words.request_text(requested, lambda _: "app-1").startswith("evict app-1; ")
    assert request_words.title(requested, lambda _: "app-1").startswith("evict app-1, ")


def test_a_plan_has_its_steps_and_comes_back() -> None:
    plan = planned(group(AFTER, "3.9.1"), EVICTED)
    document: Any = plan_json.plan_to_json(plan)

    assert plan.steps[0].action == StopClient(ProcessId.parse(A), None)
    assert document["change"]["events"] == [EVICTED]
    assert plan_json.plan_to_json(plan_json.plan_from_json(document)) == document
