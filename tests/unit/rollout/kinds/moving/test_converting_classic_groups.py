"""A classic consumer group whose consumers move to the new protocol: the forecast from its own snapshot.
`tests/conformance/coordinator/consumer` holds it against whole coordinators, the leader's rebalance before it included."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.unit.rollout.broker_consumer.groups import NEW, TOPIC_ID
from tests.unit.rollout.broker_consumer.plans import NOON, QUICK

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.execution.next_actions import NothingLeft, WaitForOutside
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent
from holdfast.rollout.kinds import any_document, registry
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.registry import kind_of
from holdfast.workflows import apply
from holdfast.workflows import plan as planning
from holdfast.workflows.forecast import forecast_case

STABLE: dict[str, Any] = {"then": "stable"}


def classic(release: str | None = "4.3.1", *, static: bool = False, **more: Any) -> dict[str, Any]:
    """Three consumers with `range`, two partitions each."""
    consumers = {
        f"app-{name}-1f0c": {
            "assignors": ["range"],
            "subscription": ["orders"],
            "client_id": f"app-{name}",
            "group_instance_id": f"i-{name}" if static else None,
            "assigned": [["orders", 2 * number], ["orders", 2 * number + 1]],
        }
        for number, name in enumerate("abc")
    }
    topics = {"orders": {"id": TOPIC_ID, "partitions": [{"id": number} for number in range(6)]}}
    found = {"format_version": "1.0", "protocol": "consumer-classic", "group_id": "shop", "kafka_release": "4.0.0", "generation": 5}
    return found | {"broker_release": release, "group_state": "Stable", "topics": topics, "consumers": consumers} | more


def convert(name: str, **more: object) -> dict[str, Any]:
    return {"convert_consumer": {"member_id": f"app-{name}-1f0c", "to": "consumer", **more}}


def outcome(snapshot: dict[str, Any], *events: dict[str, Any]) -> Any:
    answer: Any = forecast_case({"snapshot": snapshot, "change": {"format_version": "1.0", "events": list(events)}}, Detail.FULL)
    return answer["outcomes"][0] | {"unknown": [one["what"] for one in answer["unknown"]]}


def test_a_dynamic_consumer_joins_what_the_leader_has_left() -> None:
    found = outcome(classic(), convert("a", new_member_id=NEW), STABLE)

    (target,) = found["targets"]
    owned = {name: [number for _, number in one["partitions"]] for name, one in target["assignment"]["members"].items()}
    assert target["group_epoch"] == 5 + 1 + 1, "the rebalance without it, and the target"
    assert {name: owned[name] for name in ("app-b-1f0c", "app-c-1f0c")} == {"app-b-1f0c": [0, 1], "app-c-1f0c": [3, 4]}
    assert owned[NEW] == [2, 5]
    (conversion,) = found["conversions"]
    assert (conversion["to"], conversion["event"], conversion["rebalances"]) == ("consumer", 0, True)
    (rebalance,) = found["rebalances"]
    assert (rebalance["generation"], rebalance["assignor"]) == (6, "range")
    assert {name: [number for _, number in one] for name, one in rebalance["members"].items()} == {
        "app-b-1f0c": [0, 1, 2],
        "app-c-1f0c": [3, 4, 5],
    }
    assert len(rebalance["stopped"]) == 6, "eager consumers give all up"
    assert (found["summary"]["rebalances"], found["summary"]["targets"]) == (1, 1)
    assert found["summary"]["moves"] == 3 + 2, "two of the one that left and one between the others; two when it is back"
    assert found["summary"]["moved"] == 5
    assert found["unowned_seconds"]["orders-1"] == [0, 3, 300], "from a to b in the rebalance, and there they stay"
    assert found["unknown"] == []


def test_a_first_consumer_that_is_back_at_once_leaves_no_rebalance_behind() -> None:
    found = outcome(classic(), convert("a", new_member_id=NEW, within_rebalance=True), STABLE)

    assert "rebalances" not in found
    usual, most = found["summary"]["seconds_to_stable"][1:]
    slow = outcome(classic(), convert("a", new_member_id=NEW), STABLE)["summary"]["seconds_to_stable"]
    assert slow[1] - usual >= 3, "a heartbeat"
    assert slow[2] - most >= 300, "max.poll.interval.ms"
    (target,) = found["targets"]
    owned = {name: [number for _, number in one["partitions"]] for name, one in target["assignment"]["members"].items()}
    assert (target["group_epoch"], owned) == (6, {NEW: [0, 1], "app-c-1f0c": [4, 5], "app-b-1f0c": [2, 3]})


def test_cooperative_consumers_read_on_while_their_leader_assigns() -> None:
    snapshot = classic()
    for one in snapshot["consumers"].values():
        one |= {"assignors": ["cooperative-sticky"], "owned": one["assigned"], "owned_generation": 5}

    (rebalance,) = outcome(snapshot, convert("a", new_member_id=NEW), STABLE)["rebalances"]

    assert rebalance["stopped"] == [["orders", 0], ["orders", 1]]


def test_a_group_that_is_still_classic_takes_one_consumer_of_the_new_protocol_first() -> None:
    group, _ = move.followed(kind_of_document(classic()), change_of(convert("a")))
    together: dict[str, Any] = convert("a"), convert("b")

    with pytest.raises(CannotPredict, match="let the first one convert alone"):
        forecast_of(group, *together)
    with pytest.raises(CannotPredict, match="remove_consumer: the group is classic until"):
        forecast_of(group, {"remove_consumer": {"member_id": "app-b-1f0c"}})
    joined = forecast_of(group, {"add_consumer": {"member_id": NEW, "subscription": ["orders"]}}).outcome
    assert [one.group_epoch for one in joined.targets] == [6], "no rebalance before it"
    assert joined.rebalances == ()


def test_static_consumers_convert_without_a_target() -> None:
    events = [event for name in "abc" for event in (convert(name), STABLE)]

    found = outcome(classic(static=True), *events)

    assert found["targets"] == []
    assert [one["rebalances"] for one in found["conversions"]] == [False]
    assert found["summary"]["moves"] == 0


def test_every_consumer_of_a_roll_converts() -> None:
    found = outcome(classic(), *(event for name in "abc" for event in (convert(name), STABLE)))

    assert [one["group_epoch"] for one in found["targets"]] == [7, 8, 9, 10, 11]
    assert len(found["conversions"]) == 1


@pytest.mark.parametrize(
    ("snapshot", "needed"),
    [
        (classic(None), "Kafka 4.0 or later is needed, none was found"),
        (classic("3.9.1"), "Kafka 4.0 or later is needed, 3.9.1 was found"),
        (classic("4.0.0", static=True), "not covered"),
        (classic(config={"group.consumer.migration.policy": "downgrade"}), "refuse a consumer of the new protocol"),
        (classic(config={"group.consumer.max.size": 2}), "group.consumer.max.size: the brokers refuse"),
        (classic(topics={"orders": {"partitions": [{"id": 0}]}}), "topics.orders.id is unknown"),
    ],
    ids=["unknown", "old", "4.0.0", "policy", "full", "topic"],
)
def test_what_no_coordinator_would_decide_so_is_refused(snapshot: dict[str, Any], needed: str) -> None:
    with pytest.raises(CannotPredict, match=needed):
        outcome(snapshot, convert("a"))


def test_up_to_4_3_a_static_member_that_has_its_place_back_counts_twice() -> None:
    full = {"static": True, "config": {"group.consumer.max.size": 3}}

    with pytest.raises(CannotPredict, match=r"group.consumer.max.size: the brokers refuse"):
        outcome(classic("4.3.1", **full), convert("a"))
    assert outcome(classic("4.4.0", **full), convert("a"))["conversions"]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidInput, match="has no other events"):
        outcome(classic(), convert("a"), STABLE, {"remove_consumer": {"member_id": "app-b-1f0c"}})
    with pytest.raises(InvalidInput, match="is no consumer of the group"):
        outcome(classic(), convert("x"))
    with pytest.raises(InvalidInput, match="the first consumer converts alone"):
        outcome(classic(), convert("a"), convert("b"))


def test_a_plan_has_the_whole_move() -> None:
    document = classic() | {"cluster": "prod", "captured_at": "2026-11-23T11:59:00Z"}
    events = [event for name in "abc" for event in (convert(name), STABLE)]

    plan = planning.make_from(("s", document), ("c", {"format_version": "1.0", "events": events}), QUICK, NOON)

    baseline = plan.baseline_option
    assert (baseline.summary.rebalances, baseline.summary.targets) == (1, 5)
    assert [one.hand_overs for one in baseline.course.rebalances] == [3]
    refused = {one.name for one in plan.candidates if one.refused is not None}
    assert "all-together" in refused, "of all of them no one takes over"
    text = planning.markdown(plan)
    assert "1 rebalance of the classic group, 5 targets" in text
    assert "Restart app-a" in text
    assert any_document.plan_from_json(any_document.plan_to_json(plan)) == plan


def test_a_plan_for_a_classic_group_is_followed_from_snapshot_to_snapshot() -> None:
    document = classic() | {"cluster": "prod", "captured_at": "2026-11-23T11:59:00Z"}
    change = {"format_version": "1.0", "events": [convert("a"), STABLE]}
    plan = planning.make_from(("s", document), ("c", change), QUICK, NOON)
    kind = kind_of(plan)
    before = move.seen_for(plan, kind_of_document(document | {"captured_at": "2026-11-23T12:01:00Z"}))
    outcome_of = forecast_of(before, convert("a", new_member_id=NEW), STABLE).outcome
    after = replace(
        before,
        captured_at="2026-11-23T12:05:00Z",
        still_classic=False,
        classic=None,
        group_epoch=7,
        assignment_epoch=7,
        members=tuple(
            BrokerConsumer(
                name,
                client_id="app-a" if name == NEW else name[:5],
                member_type="consumer" if name == NEW else "classic",
                subscription=("orders",),
                assignment=(given := tuple(sorted(one for one, owner in outcome_of.targets[-1].owners.items() if owner == name))),
                target=given,
            )
            for name in outcome_of.member_ids
        ),
    )

    assert kind.staleness(plan, before).stale is False
    assert kind.verify(plan, before).result is Result.NOT_YET
    assert kind.verify(plan, after).result is Result.AS_FORECAST
    assert isinstance(next_of(plan, before), WaitForOutside), "the consumer that converts"
    assert isinstance(next_of(plan, after), NothingLeft)
    configured = replace(after, config=(("consumer.heartbeat.interval.ms", 5_000),))
    assert isinstance(next_of(plan, configured, "1"), NothingLeft), "of a classic group its configs were not read"
    other = replace(after, members=(replace(after.members[0], assignment=(), target=()), *after.members[1:]))
    assert kind.verify(plan, other).result is Result.DIFFERENT


def next_of(plan: Any, fresh: Any, *done: str) -> Any:
    entries = tuple(JournalEntry("2026-11-23T12:02:00Z", one, JournalEvent.DONE, "ops", "done") for one in done)
    return apply.next_of(plan, Journal(plan.plan_id, entries), fresh, NOON + timedelta(minutes=6))


def kind_of_document(document: dict[str, Any]) -> Any:
    return registry.of_snapshot(document).snapshot_from_json(document)


def change_of(*events: dict[str, Any]) -> Any:
    return registry.of_snapshot(classic()).change_from_json({"format_version": "1.0", "events": list(events)})


def forecast_of(group: Any, *events: dict[str, Any]) -> Any:
    kind = kind_of(group)
    return kind.forecast(group, kind.change_from_json({"format_version": "1.0", "events": list(events)}), 1)
