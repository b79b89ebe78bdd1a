"""What a forecast says of consumer groups. Whether each round is Kafka's is for tests/conformance."""

from typing import Any

import pytest
from tests.harness.plain_groups import change, group, handed, member

from holdfast.errors import CannotPredict, HoldfastError
from holdfast.rollout.consumer.change.json import consumer_change_from_json, consumer_change_to_json
from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

TWO = {"a": member(0, 1, 2), "b": member(3, 4, 5)}


def foreseen(snapshot: dict[str, Any], requested: dict[str, Any]) -> dict[str, Any]:
    """The one outcome."""
    answer = forecast_case({"snapshot": snapshot, "change": requested}, Detail.FULL)
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
            "longest_stop_seconds": [3, 300],  # until the heartbeat that says so; until a busy member polls
            "stopped_partition_seconds": [6, 600],
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


class TestTimes:
    """`session.timeout.ms` is 10 s up to 2.8 and 45 s from 3.0, `max.poll.interval.ms` 5 min, a heartbeat 3 s."""

    @pytest.mark.parametrize(
        ("release", "gone", "static", "seconds"),
        [
            ("3.9.1", {}, False, 0),
            ("3.9.1", {"leaves": True}, False, 0),
            ("3.9.1", {"leaves": False}, False, 45),
            ("2.8.2", {"leaves": False}, False, 10),
            ("3.9.1", {"leaves": False}, True, 45),
            ("3.9.1", {"hangs": True}, False, 300),
            ("3.9.1", {"hangs": True}, True, 345),
        ],
    )
    def test_when_the_others_notice(self, release: str, gone: dict[str, Any], static: bool, seconds: int) -> None:
        members = TWO | ({"a": member(0, 1, 2, group_instance_id="one")} if static else {})
        outcome = foreseen(group(members, kafka_release=release), change({"remove_consumer": {"member_id": "a"} | gone}))

        assert [(one["at_seconds"], one["noticed_seconds"], one["stopped"]) for one in outcome["rounds"]] == [(seconds, seconds, 3)]
        assert outcome["summary"]["longest_stop_seconds"] == [seconds + 3, seconds + 300]
        assert outcome["summary"]["stopped_partition_seconds"] == [3 * (seconds + 3), 3 * (seconds + 300)]

    def test_settings_of_the_group_are_heard(self) -> None:
        settings = {"session.timeout.ms": "20000", "heartbeat.interval.ms": 1000, "max.poll.interval.ms": 60_000, "other": 1}
        gone = change({"remove_consumer": {"member_id": "a", "leaves": False}})
        outcome = foreseen(group(TWO, config=settings), gone)

        assert outcome["rounds"][0]["at_seconds"] == 20
        assert outcome["rounds"][0]["lasts_seconds"] == [1, 60]

    def test_an_empty_group_waits_for_more_to_come(self) -> None:
        restarts = [{"restart_consumer": {"member_id": name, "new_member_id": f"{name}2"}} for name in TWO]
        outcome = foreseen(group(TWO, config={"heartbeat.interval.ms": 1000}), change(*restarts))

        assert outcome["rounds"][0]["lasts_seconds"] == [3, 300]

    def test_a_static_member_that_is_back_in_time_moves_nothing(self) -> None:
        members = TWO | {"a": member(0, 1, 2, group_instance_id="one")}
        back = {"restart_consumer": {"member_id": "a", "new_member_id": "a2", "within_session": True}}

        outcome = foreseen(group(members), change(back))
        assert (outcome["rounds"], outcome["member_ids"], outcome["summary"]["moved"]) == ([], ["b", "a2"], 0)
        then = foreseen(group(members), change(back, {"then": "stable"}, joins()))
        assert handed(then["rounds"][1]) == {"b": [3, 4], "a2": [0, 1], "c": [2, 5]}
        assert then["summary"]["moved"] == 2

    @pytest.mark.parametrize(
        ("setting", "said"),
        [
            ({"session.timeout.ms": "soon"}, r"snapshot: config\.session\.timeout\.ms: a number"),
            ({"session.timeout.ms": 2000}, "must be less than session.timeout.ms"),
            ({"auto.offset.reset": "by_duration:PT1H"}, "earliest, latest, none is needed"),
            ({"auto.offset.reset": "nearest"}, "nearest"),
        ],
    )
    def test_what_kafka_refuses_is_refused(self, setting: dict[str, Any], said: str) -> None:
        with pytest.raises(HoldfastError, match=said):
            foreseen(group(TWO, config=setting), change(joins()))


class TestPositions:
    """Where those go on who begin to read a partition."""

    TOPIC = (
        {"id": 0, "begin_offset": 5, "end_offset": 90, "committed_offset": 80},
        {"id": 1, "begin_offset": 5, "end_offset": 90, "committed_offset": None},
        {"id": 2, "begin_offset": 50, "end_offset": 90, "committed_offset": 40},
        {"id": 3},
    )

    def _outcome(self, reset: str | None, *events: object, release: str = "4.1.1") -> dict[str, Any]:
        eager = {name: one | {"assignors": ["range"], "owned": [], "owned_generation": None} for name, one in TWO.items()}
        settings = {} if reset is None else {"auto.offset.reset": reset}
        topics = {"orders": {"partitions": list(self.TOPIC)}}
        return foreseen(group(eager, topics=topics, config=settings, kafka_release=release), change(*events))

    def test_latest_skips_data_and_says_so_first(self) -> None:
        outcome = self._outcome("latest")

        assert outcome["positions"] == {
            "committed": 1,
            "reset": 2,
            "unknown": 1,
            "reset_to": "latest",
            "records_skipped": 85 + 40,
            "records_read_twice_at_most": 0,
            "skipping": [["orders", 1, 85], ["orders", 2, 40]],
        }
        (warning,) = outcome["warnings"]
        assert warning.startswith("SKIPS DATA: 2 partitions (orders-1 orders-2)")
        assert "125 records are never read" in warning

    def test_kafkas_default_is_latest(self) -> None:
        assert "Kafka's default; it is not set" in self._outcome(None)["warnings"][0]

    @pytest.mark.parametrize(
        ("reset", "warned"), [("earliest", ""), ("none", "STOPS CONSUMERS: 2 "), ("by_duration:PT1H30M", "older than PT1H30M")]
    )
    def test_the_other_ways(self, reset: str, warned: str) -> None:
        warnings = self._outcome(reset)["warnings"]

        assert bool(warnings) == bool(warned)
        assert all(warned in one for one in warnings)

    def test_what_is_written_to_new_partitions_before_they_are_found_is_skipped(self) -> None:
        outcome = self._outcome("latest", {"add_partitions": {"topic": "orders", "partitions": 5}})

        assert outcome["positions"]["skipping"][-1] == ["orders", 4, None]
        assert outcome["positions"]["records_skipped"] is None

    def test_who_just_ends_has_not_committed(self) -> None:
        """What it read since the last commit is read again: at most all that there is."""
        members = {"a": member(0), "b": member(1)}
        topic = {"orders": {"partitions": [{"id": n, "end_offset": 90, "committed_offset": 80} for n in range(2)]}}
        gone = {"remove_consumer": {"member_id": "a"}}
        orderly, crash = (
            foreseen(group(members, topics=topic), change({"remove_consumer": gone["remove_consumer"] | how}))
            for how in ({}, {"leaves": False})
        )

        assert orderly["positions"]["records_read_twice_at_most"] == 0
        assert crash["positions"]["records_read_twice_at_most"] == 10
        assert crash["positions"]["committed"] == 1

    def test_what_moves_cooperatively_was_read_on_after_the_last_commit(self) -> None:
        topic = {"orders": {"partitions": [{"id": n, "end_offset": 90, "committed_offset": 80} for n in range(6)]}}

        assert foreseen(group(TWO, topics=topic), change(joins()))["positions"]["records_read_twice_at_most"] == 2 * 10


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
    {"remove_consumer": {"member_id": "z", "leaves": False}},
    {"remove_consumer": {"member_id": "z", "hangs": True}},
    {"restart_consumer": {"member_id": "b", "within_session": True}},
]


def test_a_change_comes_back_as_it_was_written() -> None:
    assert consumer_change_to_json(consumer_change_from_json(change(*EVENTS))) == change(*EVENTS)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"add_client": {}}, r"events\[0\]: the event 'add_client' is none of a consumer group without Kafka Streams"),
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
        ({"remove_consumer": {"member_id": "a", "hangs": True, "leaves": False}}, r"remove_consumer\.hangs"),
        ({"restart_consumer": {"member_id": "a", "within_session": True}}, r"restart_consumer\.within_session: 'a' has no group"),
        ({"restart_consumer": {"member_id": "b", "within_session": True, "subscription": []}}, "leave subscription out"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(event: object, said: str) -> None:
    snapshot = group(TWO | {"b": member(3, group_instance_id="one")})

    with pytest.raises(HoldfastError, match=said):
        foreseen(snapshot, change(event))


def test_what_is_assumed_about_state_means_nothing_here() -> None:
    with pytest.raises(HoldfastError, match=r"change: assume\.catch_up: a consumer group without Kafka Streams keeps no state"):
        foreseen(group(TWO), change(joins(), assume={"catch_up": "next rebalance"}))


class TestBackAfterARebalance:
    """A dynamic consumer leaves when it is closed, and a process takes longer to start than the others to join."""

    @pytest.mark.parametrize(
        "back",
        [
            {"restart_consumer": {"member_id": "a", "new_member_id": "x"}},
            {"replace_consumer": {"member_id": "a", "by": {"member_id": "x"}}},
            {"set_assignors": {"member_ids": {"a": "x"}, "assignors": ["cooperative-sticky"]}},
        ],
        ids=lambda event: next(iter(event)),
    )
    def test_the_group_rebalances_without_it_and_with_it(self, back: dict[str, Any]) -> None:
        ((verb, fields),) = back.items()
        outcome = foreseen(group(TWO), change({verb: fields | {"within_rebalance": False}}))
        apart = foreseen(group(TWO), change({"remove_consumer": {"member_id": "a"}}, {"then": "stable"}, joins("x")))

        assert outcome["rounds"] == apart["rounds"]
        assert [(one["trigger"], handed(one)) for one in outcome["rounds"]] == [
            ("change", {"b": [0, 1, 2, 3, 4, 5]}),
            ("change", {"b": [0, 1, 2], "x": []}),
            ("immediate", {"b": [0, 1, 2], "x": [3, 4, 5]}),
        ]
        assert [(one["stopped"], one["unread"]) for one in outcome["rounds"]] == [(3, 0), (0, 3), (0, 0)]
        fast = foreseen(group(TWO), change({verb: fields | {"within_rebalance": True}}))
        assert fast["rounds"] == foreseen(group(TWO), change(back))["rounds"]
        assert len(fast["rounds"]) == 1

    def test_what_it_assumes_is_said_once(self) -> None:
        restarts = [{"restart_consumer": {"member_id": name, "within_rebalance": False}} for name in TWO]
        snapshot = group(TWO | {"c": member(6)}, partitions=7)
        answer: Any = forecast_case({"snapshot": snapshot, "change": change(*restarts)}, Detail.FULL)
        assert sum("leave the group when they are stopped" in str(one) for one in answer["unknown"]) == 1

    def test_where_all_are_away_the_group_is_empty(self) -> None:
        restarts = [{"restart_consumer": {"member_id": name, "within_rebalance": False}} for name in TWO]
        (only,) = foreseen(group(TWO, config={"heartbeat.interval.ms": 1000}), change(*restarts))["rounds"]
        assert only["lasts_seconds"] == [3, 300]

    def test_a_static_one_keeps_its_place(self) -> None:
        members = TWO | {"a": member(0, 1, 2, group_instance_id="one")}
        back = {"restart_consumer": {"member_id": "a", "new_member_id": "x", "within_rebalance": False}}
        assert len(foreseen(group(members), change(back))["rounds"]) == 1

    def test_a_session_that_was_over_is_counted_once(self) -> None:
        crash = {"remove_consumer": {"member_id": "c", "leaves": False}}
        snapshot = group(TWO | {"c": member(6)}, partitions=7)
        outcome = foreseen(snapshot, change(crash, {"restart_consumer": {"member_id": "a", "within_rebalance": False}}))
        assert [one["noticed_seconds"] for one in outcome["rounds"]] == [45, *[0] * (len(outcome["rounds"]) - 1)]
