"""Forecasts of groups in which members of both protocols are. `tests/conformance/coordinator/consumer` holds their targets, and the
step with which they become classic, against whole coordinators."""

from typing import Any

import pytest
from tests.unit.rollout.broker_consumer.forecast.test_broker_consumer_forecast import epochs, outcome, owned
from tests.unit.rollout.broker_consumer.groups import NEW, A, B, C, group
from tests.unit.rollout.broker_consumer.plans import option, planned

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.document_blocks import to_text
from holdfast.workflows.forecast import read_forecast
from holdfast.workflows.plan import markdown

POLICY = "group.consumer.migration.policy"
_CLASSIC = "of the classic protocol from there on"


def moving(*classic: str, release: str = "4.3.1", policy: str | None = None, **instances: str) -> dict[str, Any]:
    """`classic`: those members are; the others are of the new protocol."""
    found = group(release=release, **instances)
    for name, one in found["members"].items():
        one["member_type"] = "classic" if name in classic else "consumer"
    return found | ({} if policy is None else {"config": {POLICY: policy}})


def convert(member_id: str, to: str, **more: object) -> dict[str, Any]:
    return {"convert_consumer": {"member_id": member_id, "new_member_id": NEW, "to": to, **more}}


def not_planned(snapshot: dict[str, Any], *events: dict[str, Any]) -> str:
    """Why the change cannot be planned as it was asked for."""
    return option(planned(*events, of=snapshot), "baseline").refused or ""


def said(snapshot: dict[str, Any], *events: dict[str, Any]) -> str:
    given, found = read_forecast(("snapshot", snapshot), ("change", {"format_version": "1.0", "events": list(events)}))
    return to_text(tuple(kind_of(given).forecast_blocks(given, found, Detail.FULL)))


def test_a_consumer_that_is_converted_moves_as_one_that_restarts() -> None:
    restarted = outcome(group(), {"restart_consumer": {"member_id": A, "new_member_id": NEW}})

    found = outcome(moving(A, B), convert(A, "consumer"))

    assert epochs(found) == [8, 9]
    assert [owned(one) for one in found["targets"]] == [owned(one) for one in restarted["targets"]]
    assert found["summary"] == restarted["summary"]
    assert "conversions" not in found


def test_the_last_one_of_the_new_protocol_leaves_a_classic_group() -> None:
    found = outcome(moving(A, B), convert(C, "classic"))

    assert found["targets"] == []
    assert found["conversions"] == [{"to": "classic", "batch": 0, "event": 0, "rebalances": True, "member_ids": [B, A]}]
    assert found["member_ids"] == [B, A]
    text = said(moving(A, B), convert(C, "classic"))
    assert "The group becomes one of the classic protocol with event 1, convert app-c to the protocol classic." in text
    assert "It rebalances at once; from there on its leader assigns." in text
    assert "nothing moves" not in text


def listing(snapshot: dict[str, Any], assignor: str, **more: object) -> dict[str, Any]:
    """The same group, and what its classic members list."""
    for one in snapshot["members"].values():
        one |= {"assignors": [assignor]} if one.get("member_type") == "classic" else {}
    return snapshot | more


def test_what_the_leader_assigns_is_forecast_where_the_assignors_are_given() -> None:
    back = convert(C, "classic", assignors=["range"])

    found = outcome(listing(moving(A, B), "range"), back)

    first, second = found["rebalances"]
    assert [one["generation"] for one in (first, second)] == [8, 9], "one without it, one with it"
    assert sorted(first["members"]) == sorted((A, B))
    assert sorted(second["members"]) == sorted((A, B, NEW))
    assert len(second["stopped"]) == 6, "eager members give all up"
    assert (found["summary"]["rebalances"], found["summary"]["targets"]) == (2, 0)
    assert sorted(found["member_ids"]) == sorted((A, B, NEW))
    assert outcome(moving(A, B), back).get("rebalances") is None, "of A and B it is unknown"
    text = said(listing(moving(A, B), "range"), back)
    assert "in 2 rebalances of the classic group." in text
    assert "its leader assigns to 2 consumers with range; 6 partitions are unread meanwhile" in text


def test_a_classic_group_that_is_full_refuses_who_joins_last() -> None:
    snapshot = listing(moving(A, B), "range", config={"group.max.size": 2})

    with pytest.raises(CannotPredict, match=r"config.group.max.size: the classic group takes fewer than 3 members"):
        outcome(snapshot, convert(C, "classic", assignors=["range"]))


def test_a_consumer_that_joins_a_classic_group_has_an_id_that_begins_with_its_client_id() -> None:
    event = {"convert_consumer": {"member_id": C, "to": "classic", "assignors": ["range"]}}

    found = outcome(listing(moving(A, B), "range"), event)

    (new,) = set(found["member_ids"]) - {A, B}
    assert new.startswith("shop-")


def test_cooperative_members_keep_what_they_had_when_the_group_became_classic() -> None:
    snapshot = listing(moving(A, B), "cooperative-sticky", client_release="4.0.0")

    found = outcome(snapshot, convert(C, "classic", assignors=["cooperative-sticky"]))

    had = {name: {*map(tuple, one["target"])} for name, one in snapshot["members"].items() if name != C}
    first = found["rebalances"][0]["members"]
    assert all(had[name] <= {*map(tuple, first[name])} for name in had)
    assert len(found["rebalances"][0]["stopped"]) == 2, "only what the one that left has read"


def test_a_plan_leads_back_to_a_classic_group() -> None:
    snapshot = listing(moving(), "range")
    events = [
        event
        for one in (A, B, C)
        for event in ({"convert_consumer": {"member_id": one, "to": "classic", "assignors": ["range"]}}, {"then": "stable"})
    ]

    plan = planned(*events, of=snapshot)

    baseline = option(plan, "baseline")
    assert (baseline.summary.rebalances, baseline.summary.targets) == (2, 4)
    assert "2 rebalances of the classic group" in markdown(plan)
    assert kind_of(plan).comes_from_another(plan)


def test_a_static_one_hands_its_place_over_and_nothing_rebalances() -> None:
    static = moving(A, B, a="i-a", b="i-b", c="i-c")

    there = outcome(static, convert(A, "consumer"))
    back = outcome(static, convert(C, "classic"))
    otherwise = outcome(static, convert(C, "classic", subscription=["other"]))

    assert (there["targets"], there["summary"]["moves"]) == ([], 0)
    assert back["conversions"] == [{"to": "classic", "batch": 0, "event": 0, "rebalances": False, "member_ids": [NEW, B, A]}]
    assert otherwise["conversions"][0]["rebalances"]
    assert "Its members keep what they have until the next rebalance" in said(static, convert(C, "classic"))


def test_a_static_one_that_crashed_is_replaced_by_one_of_the_other_protocol_at_once() -> None:
    crash = {"leaves": False}

    assert outcome(moving(A, a="i-a"), convert(A, "consumer", **crash))["targets"] == []
    late = outcome(moving(a="i-a"), {"restart_consumer": {"member_id": A, "new_member_id": NEW, **crash}})
    assert [one["trigger"] for one in late["targets"]] == ["session over", "change"]


def test_a_place_that_is_handed_over_while_a_target_is_due_makes_the_classic_group_rebalance() -> None:
    """A member has left, and no target was computed since. Up to 4.2 it depends on the leader."""
    events = {"remove_consumer": {"member_id": B}}, convert(C, "classic", within_interval=True)
    static = {"a": "i-a", "c": "i-c"}

    assert [one["rebalances"] for one in outcome(moving(A, B, **static), *events)["conversions"]] == [True]
    with pytest.raises(CannotPredict, match="depends on the leader"):
        outcome(moving(A, B, release="4.2.1", **static), *events)


def test_the_end_of_a_session_makes_a_group_classic_too() -> None:
    crash = {"remove_consumer": {"member_id": C, "leaves": False}}

    assert outcome(moving(A, B), crash)["conversions"] == [
        {"to": "classic", "batch": 0, "event": None, "rebalances": True, "member_ids": [B, A]}
    ]
    assert "once the sessions of those are over that end in batch 1" in said(moving(A, B), crash)


@pytest.mark.parametrize("config", [{POLICY: "Upgrade"}, {"group.max.size": 1}], ids=["policy", "size"])
def test_a_group_that_may_not_become_classic_waits_for_who_joins(config: dict[str, object]) -> None:
    """From 4.3 on members of the classic protocol compute no target with their heartbeats."""
    gone = {"remove_consumer": {"member_id": C}}
    add = {"add_consumer": {"member_id": NEW, "subscription": ["orders"], "member_type": "classic"}}
    since, before = moving(A, B) | {"config": config}, moving(A, B, release="4.2.1") | {"config": config}

    stalled = outcome(since, gone)

    assert (stalled["targets"], stalled["stalled"]) == ([], True)
    assert "Partitions are left without an owner" in said(since, gone)
    assert epochs(outcome(since, gone, {"then": "stable"}, add)) == [9]
    assert epochs(outcome(before, gone)) == [8]
    assert "no member computes the target that is due" in not_planned(since, gone)


def test_an_empty_group_is_classic_with_the_first_member_that_is() -> None:
    events = [{"remove_consumer": {"member_id": one}} for one in (A, B, C)]
    add = {"add_consumer": {"member_id": NEW, "subscription": ["orders"], "member_type": "classic"}}

    assert outcome(moving(), *events, {"then": "stable"}, add)["conversions"][0]["event"] == 4


@pytest.mark.parametrize(
    ("snapshot", "events", "needed"),
    [
        (
            moving(A, B),
            [convert(C, "classic"), {"then": "stable"}, convert(A, "consumer")],
            "of the classic protocol from there on",
        ),
        (moving(A, B), [{"restart_consumer": {"member_id": C}}], _CLASSIC),
        (moving(A, policy="disabled"), [convert(C, "classic")], "the brokers refuse members of the classic protocol"),
        (moving(A, B, policy="sometimes"), [convert(C, "classic")], "one of bidirectional, upgrade, downgrade, disabled"),
    ],
    ids=["after", "back at once", "refused", "policy"],
)
def test_what_no_coordinator_decides_is_refused(snapshot: dict[str, Any], events: list[dict[str, Any]], needed: str) -> None:
    with pytest.raises(CannotPredict, match=needed):
        outcome(snapshot, *events)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"is of the protocol classic already") as found:
        outcome(moving(A), convert(A, "classic"))
    assert "events[0].convert_consumer.to" in str(found.value)
    by_regex = moving()
    by_regex["members"][A] |= {"subscription": [], "subscription_regex": "ord.*"}
    with pytest.raises(InvalidInput, match="sends the names of its topics"):
        outcome(by_regex, convert(A, "classic"))
    assert epochs(outcome(by_regex, convert(A, "classic", subscription=["orders"]))) == [8, 9]
    assert "what its leader then assigns is unknown" in not_planned(moving(A, B), convert(C, "classic"))


def test_the_order_of_any_new_member_id_among_those_of_classic_members_is_forecast() -> None:
    """Their IDs are a client ID and a UUID; a client ID may have any character."""
    names = {A: "a.b-4b7a60a6", B: "billing service-839d4bca", C: C}
    found = moving(A, B)
    found["members"] = {names[one]: member for one, member in found["members"].items()}

    bounds = outcome(found, {"add_consumer": {"subscription": ["orders"]}})["bounds"]

    assert (bounds["exhaustive"], bounds["count"]) == (True, 4)


def test_a_plan_converts_consumers_one_after_the_other() -> None:
    both = [{"convert_consumer": {"member_id": one, "to": "consumer"}} for one in (A, B)]

    plan = planned(*both, of=moving(A, B))

    assert {"one-by-one", "other-order", "make-static"} <= {one.name for one in plan.candidates}
    assert "with group.protocol=consumer" in markdown(plan)
