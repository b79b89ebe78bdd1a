"""`holdfast forecast` for a consumer group whose broker assigns. `tests/conformance/coordinator/consumer` holds its targets and
times against whole coordinators."""

from typing import Any

import pytest
from tests.unit.rollout.broker_consumer.groups import NEW, TOPIC_ID, A, B, C, group

from holdfast.errors import CannotPredict, HoldfastError, InvalidInput
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.document_blocks import to_text
from holdfast.workflows.forecast import forecast_case, read_forecast


def outcome(snapshot: dict[str, Any], *events: dict[str, Any]) -> Any:
    answer: Any = forecast_case({"snapshot": snapshot, "change": {"format_version": "1.0", "events": list(events)}}, Detail.FULL)
    return answer["outcomes"][0]


def epochs(found: Any) -> list[int]:
    return [one["group_epoch"] for one in found["targets"]]


def owned(target: Any) -> dict[str, list[int]]:
    return {name: [number for _, number in one["partitions"]] for name, one in target["assignment"]["members"].items()}


def test_a_restart_is_two_targets_and_ranges_follow_the_new_member_id() -> None:
    found = outcome(group(), {"restart_consumer": {"member_id": A, "new_member_id": NEW}})

    assert epochs(found) == [8, 9]
    assert owned(found["targets"][0]) == {B: [0, 1, 2], C: [3, 4, 5]}
    assert owned(found["targets"][1]) == {B: [0, 1], C: [2, 3], NEW: [4, 5]}
    assert (found["summary"]["moved"], found["summary"]["moves"]) == (6, 3 + 3)
    assert found["summary"]["collateral"] == 2, "orders-2 and orders-3 go from one untouched consumer to another"


def test_a_restart_within_the_interval_is_one_target() -> None:
    found = outcome(group("uniform"), {"restart_consumer": {"member_id": A, "new_member_id": NEW, "within_interval": True}})

    assert epochs(found) == [9]
    assert owned(found["targets"][0])[NEW] == [0, 1]
    assert (found["summary"]["moves"], found["summary"]["moved"]) == (0, 0)
    assert found["positions"]["committed"] == 2, "it begins to read them anew"
    assert found["unowned_seconds"] == {"orders-0": None, "orders-1": None}


def test_a_wait_for_a_stable_group_stays_one_before_a_wait_for_a_target() -> None:
    """Sessions are over by then, and nothing is pending that the second wait could be for."""
    crash = {"remove_consumer": {"member_id": A, "leaves": False}}
    add = {"add_consumer": {"member_id": NEW, "subscription": ["orders"]}}
    waits = [{"then": "target"}, {"then": "stable"}, {"then": "target"}]

    found = outcome(group(), crash, *waits, add)

    assert [one["trigger"] for one in found["targets"]] == ["session over", "change"]
    assert found["summary"] == outcome(group(), crash, {"then": "stable"}, add)["summary"]


def test_after_events_that_show_no_effect_the_assignment_interval_may_be_over() -> None:
    """Who carries the change out sees no target to go by."""
    of = group() | {"config": {"consumer.assignment.interval.ms": 15_000, "consumer.heartbeat.interval.ms": 5_000}}
    add = {"add_consumer": {"member_id": NEW, "subscription": ["orders"]}}
    remove = {"remove_consumer": {"member_id": B}}
    session = {"set_config": {"consumer.session.timeout.ms": 50_000}}
    stable = {"then": "stable"}

    at_once = outcome(of, add, stable, remove)["unowned_seconds"]["orders-3"]
    later = outcome(of, add, stable, session, stable, remove)["unowned_seconds"]["orders-3"]

    assert (at_once[0], later[0]) == (15 - 2 * 5, 0)
    assert later[1:] == at_once[1:]


def test_before_4_3_the_heartbeat_with_which_a_member_joins_computes_a_target() -> None:
    both = [{"add_consumer": {"member_id": one, "subscription": ["orders"]}} for one in (NEW, "new")]

    assert epochs(outcome(group(release="4.2.1"), *both)) == [8, 9]
    assert epochs(outcome(group(), *both)) == [9]
    assert epochs(outcome(group() | {"config": {"consumer.assignment.interval.ms": 0}}, *both)) == [8, 9]


def test_a_static_member_that_is_back_in_time_moves_nothing() -> None:
    found = outcome(group(a="host-a"), {"restart_consumer": {"member_id": A}})

    assert found["targets"] == []
    assert "bounds" in found, "its ID is random, whatever it is"
    assert found["bounds"]["moves"] == [0, 0, 0]
    assert found["unowned_seconds"] == {"orders-0": None, "orders-1": None}
    assert found["positions"]["committed"] == 2


@pytest.mark.parametrize(
    ("event", "targets", "triggers"),
    [
        ({"within_session": False}, [8, 9], ["session over", "change"]),
        ({"leaves": False}, [8, 9], ["session over", "change"]),
        ({"leaves_group": True}, [8, 9], ["change", "change"]),
        ({"subscription": ["payments"]}, [8], ["change"]),
    ],
)
def test_a_static_member_that_is_not_back_as_it_was(event: dict[str, Any], targets: list[int], triggers: list[str]) -> None:
    found = outcome(group(a="host-a"), {"restart_consumer": {"member_id": A, "new_member_id": NEW} | event})

    assert epochs(found) == targets
    assert [one["trigger"] for one in found["targets"]] == triggers


def test_a_crash_keeps_partitions_until_the_session_is_over() -> None:
    found = outcome(group("uniform"), {"remove_consumer": {"member_id": A, "leaves": False}})

    assert [one["trigger"] for one in found["targets"]] == ["session over"]
    least, usual, most = found["unowned_seconds"]["orders-0"]
    assert (least, most) == (40, 50)  # the session began up to a heartbeat before; a heartbeat follows it
    assert least < usual < most
    assert found["positions"]["records_read_twice_at_most"] == 20


def test_partitions_that_move_between_running_members_wait_for_a_heartbeat() -> None:
    found = outcome(group("uniform"), {"add_consumer": {"member_id": NEW, "subscription": ["orders"]}})

    assert owned(found["targets"][0])[NEW] == [3]
    assert found["unowned_seconds"] == {"orders-3": [0, 2.5, 5]}
    assert found["positions"]["records_read_twice_at_most"] == 0, "it is committed before it is given up"
    assert found["summary"]["longest_unowned_seconds"] == [0, 2.5, 5]


def test_every_order_of_new_ids_of_a_group_with_ranges_is_forecast() -> None:
    one = outcome(group(), {"restart_consumer": {"member_id": A}})
    two = outcome(group(), {"rolling_restart": {"member_ids": [A, B]}})

    assert (one["bounds"]["count"], two["bounds"]["count"]) == (4, 4 * 5)
    assert one["bounds"]["exhaustive"]
    assert one["bounds"]["missed_at_most"] == 0
    for found in (one, two):
        likely = found["targets"][-1]["likely_owners"]
        assert all(sum(shares.values()) == pytest.approx(1, abs=0.001) for shares in likely.values())
    assert one["targets"][0]["assignment"]["undetermined_partitions"] == []
    assert len(one["targets"][1]["assignment"]["undetermined_partitions"]) == 6


def test_what_every_possibility_gives_is_within_the_bounds_of_all() -> None:
    bounds = outcome(group(), {"restart_consumer": {"member_id": A}})["bounds"]
    moves = {
        outcome(group(), {"restart_consumer": {"member_id": A, "new_member_id": first + "qTh3bWlTqSg1sYb5rT1z"}})["summary"][
            "moves"
        ]
        for first in "0257ACYZahz"
    }

    assert (min(moves), max(moves)) == (bounds["moves"][0], bounds["moves"][2])


def test_bucket_and_slot_of_a_new_id_decide_with_uniform() -> None:
    found = outcome(group("uniform"), {"add_consumer": {"subscription": ["orders"]}})["bounds"]

    assert found["exhaustive"]
    assert found["count"] == 16 << 3
    drawn = outcome(group("uniform"), {"rolling_restart": {}})["bounds"]
    assert not drawn["exhaustive"]
    assert drawn["missed_at_most"] == pytest.approx(0.0099, abs=0.0002)


def test_an_assignor_that_most_ask_for_decides_from_the_next_target_on() -> None:
    events = ({"set_assignor": {"assignor": "range"}}, {"then": "target"}, {"remove_consumer": {"member_id": A}})

    assert epochs(outcome(group("uniform"), *events)) == [8]
    assert epochs(outcome(group("uniform", release="4.4.0"), *events)) == [8, 9]
    assert owned(outcome(group("uniform"), *events)["targets"][0]) == {B: [0, 1, 2], C: [3, 4, 5]}


def test_topics_and_configs() -> None:
    grown = outcome(group("uniform"), {"add_partitions": {"topic": "orders", "partitions": 8}})
    assert epochs(grown) == [8]
    assert grown["summary"]["partitions"] == 8
    assert outcome(group(), {"add_topic": {"topic": "unread", "id": "A" * 22, "partitions": 2}})["targets"] == []
    assert outcome(group(), {"remove_topic": {"topic": "orders"}})["summary"]["partitions"] == 0

    slower = {"set_config": {"consumer.heartbeat.interval.ms": 10_000}}
    found = outcome(group("uniform"), slower, {"add_consumer": {"member_id": NEW, "subscription": ["orders"]}})
    assert found["unowned_seconds"]["orders-3"][2] == 10


def test_a_new_reader_without_an_offset_is_warned_of() -> None:
    snapshot = group("uniform") | {"config": {"auto.offset.reset": "latest"}}
    snapshot["topics"]["orders"]["partitions"][3] = {"id": 3, "committed_offset": None, "begin_offset": 0, "end_offset": 90}

    found = outcome(snapshot, {"add_consumer": {"member_id": NEW, "subscription": ["orders"]}})
    assert "90 records are never read" in found["warnings"][0]


@pytest.mark.parametrize(
    ("event", "refusal", "said"),
    [
        (
            {"remove_consumer": {"member_id": "nobody"}},
            InvalidInput,
            r"events\[0\].remove_consumer.member_id: .*'nobody' is not in",
        ),
        ({"remove_consumer": {"member_id": A, "leaves_group": True}}, InvalidInput, "the member is dynamic"),
        ({"remove_consumer": {"member_id": A, "leaves": False, "leaves_group": True}}, InvalidInput, "leave one of the two out"),
        ({"add_consumer": {"member_id": NEW}}, InvalidInput, "needs topics, or a regular expression"),
        ({"add_consumer": {"member_id": A, "subscription": ["orders"]}}, InvalidInput, "in the group already"),
        (
            {"add_consumer": {"member_id": NEW, "subscription": ["orders"], "instance_id": "host-b"}},
            InvalidInput,
            "refuses it until the session",
        ),
        ({"restart_consumer": {"member_id": B, "instance_id": "other"}}, InvalidInput, "another instance ID is another member"),
        (
            {"restart_consumer": {"member_id": A, "within_interval": True, "leaves": False}},
            InvalidInput,
            "leave one of the two out",
        ),
        (
            {"replace_consumer": {"member_id": B, "by": {"member_id": NEW}, "leaves": False}},
            InvalidInput,
            "refuses the instance ID 'host-b'",
        ),
        ({"add_partitions": {"topic": "orders", "partitions": 6}}, InvalidInput, "can only grow"),
        ({"add_topic": {"topic": "orders", "id": TOPIC_ID, "partitions": 6}}, InvalidInput, "exists already"),
        ({"set_assignor": {"assignor": "sticky"}}, InvalidInput, "sticky"),
        ({"set_config": {"consumer.assignment.interval": 1}}, InvalidInput, "consumer.assignment.interval.ms"),
        ({"set_config": {"consumer.session.timeout.ms": "soon"}}, InvalidInput, "a number, 0 or more"),
        ({"rolling_restart": {"member_ids": "all"}}, InvalidInput, "rolling_restart.*member_ids: a list is needed"),
        ({"set_assignors": {"assignors": ["range"]}}, InvalidInput, "none of a consumer group whose broker assigns"),
    ],
)
def test_what_does_not_fit_is_named(event: dict[str, Any], refusal: type[HoldfastError], said: str) -> None:
    with pytest.raises(refusal, match=said):
        outcome(group(b="host-b"), event)


def test_most_members_ask_for_another_assignor() -> None:
    """Those that ended without leaving have votes too."""
    crashes = [{"remove_consumer": {"member_id": one, "leaves": False}} for one in (A, B)]
    other = {"set_assignor": {"assignor": "range"}}
    with pytest.raises(InvalidInput, match="keep their votes until their sessions are over"):
        outcome(group(), *crashes, other)
    assert outcome(group(), crashes[0], other)["targets"][0]["assignment"]["assignor"] == "range"
    assert outcome(group(), *crashes, {"then": "stable"}, other)


def test_what_cannot_be_known_is_refused() -> None:
    by_regex = group()
    by_regex["members"][A] |= {"subscription": [], "subscription_regex": "ord.*"}
    with pytest.raises(CannotPredict, match="resolves the expression anew"):
        outcome(by_regex, {"remove_topic": {"topic": "orders"}})

    with pytest.raises(CannotPredict, match=r"no other member has the regular expression 'ord\.\*'"):
        outcome(by_regex, {"restart_consumer": {"member_id": A}})
    by_regex["members"][B] |= {"subscription": [], "subscription_regex": "ord.*"}
    assert epochs(outcome(by_regex, {"restart_consumer": {"member_id": A}})) == [8, 9]

    with pytest.raises(InvalidInput, match=r"this config from Kafka 4\.3 on"):
        outcome(group(release="4.2.1"), {"set_config": {"consumer.assignment.interval.ms": 1}})


def test_the_forecast_reads_as_text() -> None:
    change = {"format_version": "1.0", "events": [{"restart_consumer": {"member_id": A}}]}
    snapshot, found = read_forecast(("snapshot", group()), ("change", change))
    text = to_text(tuple(kind_of(snapshot).forecast_blocks(snapshot, found, Detail.FULL)))

    assert "one of 4 possibilities" in text
    assert "max.poll.interval.ms" in text
    assert "orders-0 0pTh3bWlTqSg1sYb5rT1zw→6xWoaDM3c1X_bdpqRBHJpg" in text


COLLIDING = ("j8GqCCpaRn2zMq37Dzw97A", "VcCwA60NRUGDGRa_PQZp0A", "siVRCWleR1yRyn5LAs_bnA")
"""Of members of `group` with these, some share a bucket of the assignor's map: who is put into it last comes last in it."""


def test_whose_heartbeat_computes_a_target_is_open_where_several_join_at_once() -> None:
    """From 4.3 on one target sees all of them; the one that computes it is not in the coordinator's table yet."""
    both = [{"add_consumer": {"member_id": one, "subscription": ["orders"]}} for one in COLLIDING]
    (target,) = outcome(group("uniform"), *both)["targets"]
    assert target["assignment"]["undetermined_partitions"] == [["orders", 3], ["orders", 5]]

    before = outcome(group("uniform", release="4.2.1"), *both)["targets"]
    assert not any(one["assignment"]["undetermined_partitions"] for one in before), "each has a target of its own"
    (alone,) = outcome(group("uniform"), both[0])["targets"]
    assert alone["assignment"]["undetermined_partitions"] == []
    later = outcome(group("uniform"), *both, {"then": "stable"}, {"remove_consumer": {"member_id": A}})["targets"][-1]
    assert later["assignment"]["undetermined_partitions"] == []
    assert later["after_undetermined"]
