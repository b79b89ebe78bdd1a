"""A classic consumer group whose consumers move to the new protocol: the forecast from its own snapshot.
`tests/conformance/coordinator/consumer` holds it against whole coordinators, the leader's rebalance before it included."""

from typing import Any

import pytest
from tests.unit.rollout.broker_consumer.groups import NEW, TOPIC_ID
from tests.unit.rollout.broker_consumer.plans import NOON, QUICK

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.rollout.contract.rebalances import Detail
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
    assert "before the conversion" in found["unknown"]


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


def test_a_plan_waits_until_the_first_one_has_converted() -> None:
    document = classic() | {"cluster": "prod", "captured_at": "2026-11-23T11:59:00Z"}

    plan = planning.make_from(("s", document), ("c", {"format_version": "1.0", "events": [convert("a")]}), QUICK, NOON)

    assert plan.recommended_option is None
    assert "until the first consumer has converted" in planning.markdown(plan)
