"""What a consumer group whose broker assigns is to commands, jobs and pages that know no kind of group."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.rollout.broker_consumer.groups import A, B, C, group
from tests.unit.rollout.broker_consumer.plans import after, option, planned, restart

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.host_loss import losses
from holdfast.rollout.broker_consumer.kind.kind import KIND
from holdfast.rollout.broker_consumer.snapshot.snapshot import SNAPSHOT, BrokerConsumerSnapshot
from holdfast.rollout.contract.requests import request_from_form
from holdfast.rollout.contract.scenarios import NO_CLIENT_LEFT, TOO_LARGE, Scenario
from holdfast.rollout.kinds import registry
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.rule import Measure, World
from holdfast.rollout.settings.rule import Scenario as Priced


def read(document: dict[str, Any]) -> BrokerConsumerSnapshot:
    return SNAPSHOT.read({"cluster": "prod", "group_state": "Stable"} | document)


def changed(form: dict[str, Any], document: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    found: Any = KIND.change_to_json(KIND.change_of(request_from_form(form), read(document or group("uniform"))))
    return found["events"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("form", "events"),
    [
        ({"what": "replace a host", "hosts": ["app-a"]}, [{"replace_consumer": {"member_id": A, "by": {"host": "app-a"}}}]),
        (
            {"what": "replace a host", "hosts": ["app-a"], "new_host": "app-z"},
            [{"replace_consumer": {"member_id": A, "by": {"instance_id": None, "host": "app-z"}}}],
        ),
        ({"what": "scale", "clients": 2, "hosts": ["app-c"]}, [{"remove_consumer": {"member_id": C}}]),
        (
            {"what": "rolling restart", "at_once": 2},
            [restart(B), restart(A), {"then": "stable"}, restart(C)],
        ),
        (
            {"what": "change settings", "settings": "consumer.heartbeat.interval.ms=6000"},
            [{"set_config": {"consumer.heartbeat.interval.ms": 6000}}],
        ),
    ],
)
def test_a_few_fields_are_a_change(form: dict[str, Any], events: list[dict[str, Any]]) -> None:
    assert changed(form) == events


def test_those_that_are_still_classic_convert() -> None:
    document = group("uniform")
    with pytest.raises(InvalidInput, match="of the consumer protocol already"):
        changed({"what": "move to the consumer protocol"}, document)
    document["members"][C]["member_type"] = "classic"

    found = changed({"what": "move to the consumer protocol"}, document)

    assert found == [{"convert_consumer": {"member_id": C, "to": "consumer"}}]


def test_a_new_consumer_reads_what_most_read() -> None:
    document = group("uniform")
    document["members"][C]["subscription"] = ["payments"]

    (event,) = changed({"what": "scale", "clients": 4}, document)
    assert event["add_consumer"]["subscription"] == ["orders"]
    with pytest.raises(InvalidInput, match="no consumer of the group runs on 'nowhere'"):
        changed({"what": "replace a host", "hosts": ["nowhere"]})


@pytest.mark.parametrize(
    "events",
    [
        [{"set_assignor": {"assignor": "range"}}],
        [{"restart_consumer": {"member_id": "a", "leaves_group": True}}],
        [{"rolling_restart": {"member_ids": ["a"]}}],
        [{"restart_consumer": {"member_id": "a", "within_rebalance": True}}],  # of the other kind of consumer group
    ],
)
def test_a_change_is_checked_before_its_group_is_known(events: list[Any]) -> None:
    registry.check_change({"format_version": "1.0", "events": events})


def test_what_fits_no_kind_of_consumer_group_is_refused() -> None:
    with pytest.raises(InvalidInput, match="member_idd"):
        registry.check_change({"format_version": "1.0", "events": [{"restart_consumer": {"member_idd": "a"}}]})


def test_its_rows() -> None:
    snapshot = read(group("uniform"))
    rows: Any = KIND.decoded(snapshot)

    assert (rows["group"]["protocol"], rows["group"]["members"], rows["group"]["lag"]) == ("consumer", 3, 60)
    assert [one["owned_partitions"] for one in rows["members"]] == [2, 2, 2]
    assert {one["owner"] for one in rows["partitions"]} == {A, B, C}
    assert [one["will_move"] for one in KIND.targets(snapshot)] == [False] * 6
    assert [one["will_move"] for one in KIND.targets(replace(snapshot, members=snapshot.members[:2]))].count(True) == 2
    (moved,) = [one for one in KIND.option_rows(planned(restart(A))) if one.get("moved") is not None][:1]
    assert moved["partitions"] == 6
    assert KIND.order_change(snapshot, snapshot) is None


def test_what_the_loss_of_each_consumer_does() -> None:
    found: Any = KIND.losses(read(group("uniform", c="host-c")), 0, None, None)
    rows = {(one["member_id"], one["scenario"]): one for one in found["losses"]}

    assert set(rows) == {
        (B, str(Scenario.NOT_REPLACED)),
        (B, str(Scenario.NEW_ID_LIKELIEST)),
        (A, str(Scenario.NOT_REPLACED)),
        (A, str(Scenario.NEW_ID_LIKELIEST)),
        (C, str(Scenario.NOT_REPLACED)),
        (C, str(Scenario.SAME_ID)),
    }
    gone, back = rows[A, str(Scenario.NOT_REPLACED)], rows[C, str(Scenario.SAME_ID)]
    assert (gone["moved"], gone["rebalances"], gone["basis"]) == (2, 1, "forecast")
    assert 40 < gone["longest_stop_seconds"] < 50
    assert (back["moved"], back["rebalances"], back["longest_stop_seconds"]) == (0, 0, None)


def test_losses_that_are_not_forecast_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = group("uniform")
    alone["members"] = {A: alone["members"][A]}
    assert losses.losses(read(alone))[0].reason == NO_CLIENT_LEFT
    monkeypatch.setattr(losses, "MOST_FORECAST", 1)
    assert {one.reason for one in losses.losses(read(group("uniform")))} == {TOO_LARGE}


def test_what_differs_is_named() -> None:
    plan = planned(restart(A), of=group("range"))

    lines = {(one.part, one.what): (one.before, one.after) for one in KIND.snapshot_lines(plan.basis, after(plan))}
    assert lines["group", "group epoch"] == ("7", "9")
    assert ("consumer", A) in lines
    assert any(part == "reader" for part, _ in lines)
    other = planned(restart(B), of=group("range"))
    assert any(one.part == "step" for one in KIND.plan_lines(plan, other))


def test_what_its_page_and_the_doctor_show() -> None:
    snapshot = read(group("uniform", a="host-a"))

    assert dict(KIND.facts(snapshot))["Members"] == "3, 1 static"
    assert [one.detail for one in KIND.hosts(snapshot)] == ["reads 2 partitions"] * 3
    assert [one.name for one in KIND.held(snapshot)] == ["app-b", "host-a on app-a", "app-c"]
    assert {one.key for one in KIND.settings(snapshot)} >= {"consumer.assignment.interval.ms"}
    assert KIND.example(snapshot) == {"replace_consumer": {"member_id": B, "by": {}}}
    case = KIND.settings_case(snapshot, {"session.timeout.ms": "10000"}, Policy())
    assert case.subject.settings.properties["group.protocol"] == "consumer"
    assert case.prices(Priced.LOSS, World({}))[Measure.STOPPED_S] == pytest.approx(50)
    longer = case.prices(Priced.LOSS, World({"consumer.session.timeout.ms": 60_000}))
    assert longer[Measure.STOPPED_S] == pytest.approx(65)


def test_what_it_is_not() -> None:
    snapshot = read(group("uniform"))

    with pytest.raises(Unsupported, match="consumer group"):
        KIND.guarded(snapshot)
    change = KIND.change_from_json({"format_version": "1.0", "events": []})
    assert move.followed(snapshot, change) == (snapshot, change)
    assert snapshot.members[0].target is not None
    assert snapshot.members[0].target[0] == TopicPartition("orders", 2)
    assert option(planned(), "baseline").summary is not None
