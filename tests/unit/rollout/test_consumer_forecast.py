"""What a forecast says of plain consumer groups. Whether each round is Kafka's is for tests/conformance."""

from typing import Any

import pytest
from tests.harness.plain_groups import change, group, handed, member

from holdfast.errors import CannotPredict, HoldfastError
from holdfast.rollout import codec
from holdfast.rollout.codec.consumer_change import consumer_change_from_json, consumer_change_to_json
from holdfast.workflows.forecast import forecast_case

TWO = {"a": member(0, 1, 2), "b": member(3, 4, 5)}


def foreseen(snapshot: dict[str, Any], meant: dict[str, Any]) -> dict[str, Any]:
    """The one outcome."""
    answer = forecast_case({"snapshot": snapshot, "change": meant}, codec.Detail.FULL)
    (outcome,) = answer["outcomes"]  # type: ignore[misc]
    return outcome  # type: ignore[no-any-return]


def joins(name: str = "c", **more: object) -> dict[str, Any]:
    return {"add_consumer": {"member_id": name, "assignors": ["cooperative-sticky"], "subscription": ["orders"]} | more}


class TestRounds:
    def test_what_moves_cooperatively_is_handed_over_in_a_second_round(self) -> None:
        outcome = foreseen(group(TWO), change(joins()))

        assert [(one["trigger"], handed(one)) for one in outcome["rounds"]] == [
            ("change", {"a": [0, 1], "b": [3, 4], "c": []}),
            ("immediate", {"a": [0, 1], "b": [3, 4], "c": [2, 5]}),
        ]
        assert outcome["rounds"][0]["assignment"]["consumers"]["c"]["withheld"] == [["orders", 2], ["orders", 5]]
        assert [(one["stopped"], one["unread"]) for one in outcome["rounds"]] == [(0, 2), (0, 0)]
        assert outcome["summary"] == {
            "partitions": 6,
            "moved": 2,
            "needless": 0,
            "rebalances": 2,
            "stops": 2,
            "seconds_to_stable": 0,
        }

    def test_eager_members_stop_altogether(self) -> None:
        eager = {name: one | {"assignors": ["range"], "owned": [], "owned_generation": None} for name, one in TWO.items()}
        outcome = foreseen(group(eager), change(joins("aa", assignors=["range"])))

        assert [(one["trigger"], handed(one)) for one in outcome["rounds"]] == [
            ("change", {"a": [0, 1], "b": [4, 5], "aa": [2, 3]})
        ]
        assert (outcome["rounds"][0]["stopped"], outcome["summary"]["moved"], outcome["summary"]["needless"]) == (6, 2, 0)

    def test_what_follows_one_rebalance_comes_before_the_group_has_settled(self) -> None:
        outcome = foreseen(group(TWO), change(joins(), {"then": "rebalance"}, {"remove_consumer": {"member_id": "a"}}))

        assert [(one["trigger"], handed(one)) for one in outcome["rounds"]] == [
            ("change", {"a": [0, 1], "b": [3, 4], "c": []}),
            ("change", {"b": [0, 3, 4], "c": [1, 2, 5]}),
        ]

    def test_from_range_to_cooperative_sticky_in_two_bounces(self) -> None:
        eager = {name: one | {"assignors": ["range"], "owned": [], "owned_generation": None} for name, one in TWO.items()}
        both, alone = ["cooperative-sticky", "range"], ["cooperative-sticky"]
        outcome = foreseen(
            group(eager),
            change(
                {"set_assignors": {"assignors": both, "member_ids": {"a": "a1"}}},
                {"then": "stable"},
                {"set_assignors": {"assignors": both, "member_ids": {"b": "b1"}}},
                {"then": "stable"},
                {"set_assignors": {"assignors": alone, "member_ids": {"a1": "a2"}}},
                {"then": "stable"},
                {"set_assignors": {"assignors": alone, "member_ids": {"b1": "b2"}}},
            ),
        )

        assert [one["assignment"]["assignor"] for one in outcome["rounds"]] == ["range", *["cooperative-sticky"] * 3]
        assert outcome["stable"]
        assert outcome["member_ids"] == ["a2", "b2"]

    def test_no_assignor_in_common_ends_it(self) -> None:
        outcome = foreseen(group(TWO), change(joins(assignors=["range"]), {"then": "stable"}, joins("d")))

        assert ("error" in outcome["rounds"][0]["assignment"], len(outcome["rounds"])) == (True, 1)
        assert (outcome["stable"], outcome["summary"]["moved"], outcome["summary"]["seconds_to_stable"]) == (False, None, None)

    def test_a_sticky_member_remembers_what_sticky_gave_it_while_range_is_chosen(self) -> None:
        sticky = {
            "a": member(5, 1, 3, assignors=["sticky", "range"]),
            "b": member(4, 2, 0, assignors=["sticky", "range"]),
        }
        ranged = [joins(assignors=["range"]), {"then": "stable"}, {"remove_consumer": {"member_id": "c"}}]
        outcome = foreseen(group(sticky), change(*ranged))

        assert [one["assignment"]["assignor"] for one in outcome["rounds"]] == ["range", "sticky"]
        assert handed(outcome["rounds"][1]) == {"a": [1, 3, 5], "b": [0, 2, 4]}

    def test_partitions_that_vanish_are_revoked(self) -> None:
        outcome = foreseen(group(TWO), change({"remove_topic": {"topic": "orders"}}))

        assert [one["trigger"] for one in outcome["rounds"]] == ["change", "immediate"]
        assert outcome["rounds"][0]["assignment"]["consumers"]["a"]["revoked"] == [["orders", 0], ["orders", 1], ["orders", 2]]
        assert outcome["summary"]["partitions"] == 0

    def test_without_a_release_all_have_to_come_to_the_same(self) -> None:
        unordered = {name: member(*numbers, assignors=["sticky"]) for name, numbers in {"a": (2, 1, 0), "b": (5, 4, 3)}.items()}
        more = change(joins(assignors=["sticky"]))

        assert foreseen(group(TWO, kafka_release=None), change(joins()))["stable"]
        with pytest.raises(CannotPredict, match=r"3\.9\.1|4\.3\.1"):
            foreseen(group(unordered, kafka_release=None), more)

    def test_an_empty_group_is_not_forecast(self) -> None:
        with pytest.raises(CannotPredict, match="No consumer is left"):
            foreseen(group({"a": member(0)}), change({"remove_consumer": {"member_id": "a"}}))


EVENTS: list[object] = [
    joins(client_id="app", host=None, rack=None, group_instance_id="one"),
    {"then": "rebalance"},
    {"replace_consumer": {"member_id": "a", "by": {"member_id": "x", "group_instance_id": None}}},
    {"restart_consumer": {"member_id": "b", "new_member_id": "y", "rack": "r"}},
    {"restart_consumer": {"member_id": "c"}},
    {"set_assignors": {"assignors": ["range"], "member_ids": {"x": "z"}}},
    {"add_topic": {"topic": "t", "partitions": 1, "replica_racks": [["a", None]]}},
    {"add_partitions": {"topic": "t", "partitions": 2}},
    {"remove_topic": {"topic": "t"}},
    {"remove_consumer": {"member_id": "z"}},
]


def test_a_change_comes_back_as_it_was_written() -> None:
    assert consumer_change_to_json(consumer_change_from_json(change(*EVENTS))) == change(*EVENTS)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"add_client": {}}, r"events\[0\]: the event 'add_client' is for Kafka Streams"),
        ({"add_consumer": {"member_id": "c"}}, r"events\[0\]\.add_consumer: the field 'assignors' is missing"),
        (joins("a"), r"events\[0\]\.add_consumer\.member_id: the member ID 'a' is in the group already"),
        (joins(assignors=["stickyy"]), r"did you mean 'sticky'"),
        (joins(colour="red"), r"events\[0\]\.add_consumer: the field 'colour' is unknown"),
        (joins(group_instance_id="one"), r"events\[0\]\.add_consumer\.group_instance_id: .*'one' is that of 'b'"),
        (
            {"remove_consumer": {"member_id": "\x1b[2J"}},
            r"remove_consumer\.member_id: the consumer '\\u001b\[2J' is not in the group",
        ),
        ({"replace_consumer": {"member_id": "a", "by": {"member_id": "b"}}}, r"replace_consumer\.by\.member_id: the member ID 'b'"),
        ({"restart_consumer": {"member_id": "a", "new_member_id": "b"}}, r"restart_consumer\.new_member_id"),
        ({"set_assignors": {"assignors": ["range"], "member_ids": {}}}, r"set_assignors\.member_ids: one member or more"),
        ({"set_assignors": {"assignors": ["range"], "member_ids": {"a": "x", "b": "x"}}}, "under one ID"),
        ({"set_assignors": {"assignors": ["range"], "member_ids": {"q": "x"}}}, r"set_assignors\.member_ids\.q"),
        ({"add_partitions": {"topic": "orders", "partitions": 6}}, r"add_partitions\.partitions: 'orders' has 6 partitions"),
        ({"add_partitions": {"topic": "order", "partitions": 6}}, r"add_partitions\.topic: the topic 'order' does not exist"),
        (
            {"add_partitions": {"topic": "orders", "partitions": 8, "replica_racks": [[]]}},
            r"add_partitions\.replica_racks: .*\(2\), 1",
        ),
        ({"add_topic": {"topic": "orders", "partitions": 6}}, r"add_topic\.topic: the topic 'orders' exists"),
        ({"remove_topic": {"topic": "order"}}, r"remove_topic\.topic"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(event: object, said: str) -> None:
    snapshot = group(TWO | {"b": member(3, group_instance_id="one")})

    with pytest.raises(HoldfastError, match=said):
        foreseen(snapshot, change(event))


def test_what_is_assumed_about_state_means_nothing_here() -> None:
    with pytest.raises(HoldfastError, match=r"change: assume\.catch_up: this means nothing"):
        foreseen(group(TWO), change(joins(), assume={"catch_up": "next rebalance"}))
