"""Consumer groups as rows of the lake's tables: who reads what, what a loss does, what a new member ID moved."""

import json

import pytest
from tests.harness.plain_groups import Document, change, group, handed, member

from holdfast.rollout.consumer.host_loss import losses
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json
from holdfast.rollout.consumer.snapshot.new_id_ranks import new_id_ranks
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.json.strict import loads
from holdfast.rollout.tables import group_rows, loss_rows
from holdfast.workflows.forecast import forecast_case

RANDOM = "4b61083e-57d0-457d-951f-d06556c148ca"
EAGER = {"assignors": ["range"], "owned": [], "owned_generation": None}


def eager(*assigned: int, **more: object) -> Document:
    return member(**(EAGER | {"assigned": [["orders", number] for number in assigned]} | more))


def text(document: Document) -> str:
    return json.dumps(document)


def decoded(document: Document) -> Document:
    return group_rows.decode("snapshots/cluster=c/day=2026-11-20/group=billing/1.json", text(document).encode())


class TestDecoding:
    def test_has_what_a_plain_group_has_and_no_more(self) -> None:
        partitions = [{"id": 0, "begin_offset": 5, "end_offset": 90, "committed_offset": 80}, {"id": 1}]
        found = decoded(
            group(
                {"a": member(0, host="app-0", rack="r"), "b": member(1, group_instance_id="i")},
                topics={"orders": {"partitions": partitions}, "unread": {"partitions": [{"id": 0}]}},
            )
        )

        assert found["problem"] is None
        assert found["group"]["assignor"] == "cooperative-sticky"
        assert (found["group"]["members"], found["group"]["partitions"]) == (2, 2)
        assert "clients" not in found["group"]
        assert (found["group"]["generation"], found["group"]["lag"]) == (12, 10)
        assert decoded(group({"a": member(0)}))["group"]["lag"] is None, "of no partition is it known"
        assert (found["clients"], found["tasks"], found["state_directories"]) == ([], [], [])
        assert [(one["member_id"], one["owned_partitions"], one["host"]) for one in found["members"]] == [
            ("a", 1, "app-0"),
            ("b", 1, None),
        ]
        assert [(one["topic"], one["owner"], one["lag"]) for one in found["partitions"]] == [
            ("orders", "a", 10),
            ("orders", "b", None),
            ("unread", None, None),
        ]
        assert loads(found["document"])["protocol"] == "consumer-classic"

    def test_what_members_were_assigned_counts_more_than_what_they_would_report(self) -> None:
        found = decoded(group({"a": eager(0, 1), "b": eager(2, 3, 4, 5)}))

        assert [one["owner"] for one in found["partitions"]] == list("aabbbb")

    def test_a_partition_that_two_were_assigned_is_nobodys(self) -> None:
        found = decoded(group({"a": eager(0, 1), "b": eager(1)}, partitions=2))

        assert [one["owner"] for one in found["partitions"]] == ["a", None]

    def test_votes_that_are_equal_leave_it_open_who_reads_what(self) -> None:
        lists = (["range", "roundrobin"], ["roundrobin", "range"])
        found = decoded(group({name: member(**(EAGER | {"assignors": one})) for name, one in zip("ab", lists, strict=True)}))

        assert found["problem"] is None
        assert found["group"]["assignor"] is None
        assert [one["owned_partitions"] for one in found["members"]] == [None, None]


class TestTargets:
    def test_who_would_read_what_after_a_rebalance_for_no_reason(self) -> None:
        found = group_rows.targets(text(group({"a": eager(0, 1), "b": eager(2, 3, 4, 5)})))

        assert found["problem"] is None
        assert [(one["partition"], one["owner"], one["target"], one["will_move"]) for one in found["targets"]] == [
            (0, "a", "a", False),
            (1, "a", "a", False),
            (2, "b", "a", True),
            (3, "b", "b", False),
            (4, "b", "b", False),
            (5, "b", "b", False),
        ]

    def test_say_why_there_are_none(self) -> None:
        nothing_in_common = {"a": eager(0), "b": eager(1, assignors=["sticky"])}

        assert "no assignor is in the list of every member" in group_rows.targets(text(group(nothing_in_common)))["problem"]


class TestOrderChanges:
    def test_a_new_id_in_the_middle_moves_what_others_read(self) -> None:
        before = group({"a": eager(0, 1, 2), "c": eager(3, 4, 5)})
        after = group({"a": eager(0, 1), "b": eager(2, 3), "c": eager(4, 5)})
        found = group_rows.order_change(text(before), text(after))

        assert found is not None
        assert (found["joined"], found["left"], found["shifted"]) == (["b"], [], ["c"])
        assert [(one["partition"], one["owner_before"], one["owner_after"]) for one in found["moves"]] == [
            (2, "a", "b"),
            (3, "c", "b"),
        ]
        assert (found["moved"], found["moved_between_survivors"]) == (2, 0)

    def test_moves_between_those_that_did_nothing_are_counted(self) -> None:
        before = group({"a": eager(0, 1), "b": eager(2, 3), "c": eager(4, 5)})
        after = group({"b": eager(0, 1), "c": eager(2, 3), "d": eager(4, 5)})
        found = group_rows.order_change(text(before), text(after))

        assert found is not None
        assert (found["moved"], found["moved_between_survivors"]) == (6, 2)

    def test_a_static_consumer_that_is_back_is_the_same(self) -> None:
        was, now = ({name: eager(*range(6), group_instance_id="i")} for name in ("i-1", "i-2"))

        assert group_rows.order_change(text(group(was)), text(group(now))) is None

    def test_a_group_of_another_kind_is_another_matter(self) -> None:
        streams = {"format_version": "1.0", "cluster": "", "group_id": "billing", "protocol": "streams-classic", "clients": {}}
        found = group_rows.order_change(text(group({"a": eager(0)})), text(streams))

        assert found is not None
        assert found["problem"]


class TestLosses:
    def test_are_what_their_forecasts_say(self) -> None:
        ids = [f"app-{number}{RANDOM[1:]}" for number in (1, 7, 9)]
        consumers = {name: eager(2 * place, 2 * place + 1, client_id="app") for place, name in enumerate(ids)}
        snapshot = group(consumers)
        rows = loss_rows.losses(text(snapshot))["losses"]
        by_scenario = {row["scenario"]: row for row in rows if row["member_id"] == ids[0]}

        assert list(by_scenario) == ["not replaced", "new random ID, likeliest", "new random ID, worst"]
        crash = forecast_case(
            {"snapshot": snapshot, "change": change({"remove_consumer": {"member_id": ids[0], "leaves": False}})}, Detail.FULL
        )
        summary = crash["outcomes"][0]["summary"]
        gone = by_scenario["not replaced"]
        assert (gone["moved"], gone["needless"]) == (summary["moved"], summary["needless"]) == (3, 1)
        assert gone["longest_stop_seconds"] == summary["longest_stop_seconds"][0] == 48
        assert handed(crash["outcomes"][0]["rounds"][0]) == {ids[1]: [0, 1, 2], ids[2]: [3, 4, 5]}
        assert by_scenario["new random ID, likeliest"]["place"] == 0
        assert by_scenario["new random ID, likeliest"]["needless"] == 0
        assert (by_scenario["new random ID, worst"]["place"], by_scenario["new random ID, worst"]["moved"]) == (2, 6)

    def test_of_a_static_consumer_know_that_it_may_come_back(self) -> None:
        rows = loss_rows.losses(text(group({"a": member(0, 1, 2, group_instance_id="i"), "b": member(3, 4, 5)})), 0, 1)["losses"]

        assert [row["scenario"] for row in rows] == ["not replaced", "same ID"]
        assert (rows[1]["moved"], rows[1]["rebalances"], rows[1]["longest_stop_seconds"]) == (0, 0, None)
        assert "are unavailable until it returns" in rows[1]["reason"]

    def test_of_the_only_consumer_cannot_be_told(self) -> None:
        rows = loss_rows.losses(text(group({"a": member(0, 1)})))["losses"]

        assert (rows[0]["basis"], rows[0]["moved" if "moved" in rows[0] else "basis"]) == ("not forecast", "not forecast")
        assert "No consumer is left" in rows[0]["reason"]

    def test_of_a_group_that_cannot_be_forecast_are_a_problem(self) -> None:
        assert "9.9" in loss_rows.losses(text(group({"a": member(0)}, kafka_release="9.9.9")))["problem"]


class TestFreshPlaces:
    @staticmethod
    def of(*others: str, client_id: str = "app") -> list[tuple[int, float]]:
        members = {"lost": member(client_id=client_id)} | {name: member() for name in others}
        snapshot = consumer_snapshot_from_json(group(members))
        return [(one.place, round(one.probability, 4)) for one in new_id_ranks(snapshot.members[0], snapshot.members[1:])]

    @pytest.mark.parametrize(
        ("others", "places"),
        [
            ((), [(0, 1.0)]),
            (("a", "zebra"), [(1, 1.0)]),
            (("app-8" + RANDOM[1:],), [(0, 0.5444), (1, 0.4556)]),
            (("app-0", "app-f"), [(1, 0.9375), (2, 0.0625)]),
            (("app-not a UUID",), [(0, 1.0)]),
            (("app-4b61083e.",), [(0, 0.2944), (1, 0.7056)]),
        ],
    )
    def test_are_as_likely_as_the_gap_is_wide(self, others: tuple[str, ...], places: list[tuple[int, float]]) -> None:
        assert self.of(*others) == places

    def test_stand_for_ids_that_fall_there(self) -> None:
        """By comparing the made-up IDs with the others, as text: all of them are ASCII."""
        others = [f"app-{first}{RANDOM[1:]}" for first in "09af"]
        snapshot = consumer_snapshot_from_json(group({"lost": member(client_id="app")} | {name: member() for name in others}))
        for place in new_id_ranks(snapshot.members[0], snapshot.members[1:]):
            assert sum(name < place.member_id for name in others) == place.place

    def test_follow_the_lost_ones_id_where_its_client_id_is_not_known(self) -> None:
        snapshot = consumer_snapshot_from_json(group({f"app-x-{RANDOM}": member(), "b": member()}))
        (place,) = new_id_ranks(snapshot.members[0], snapshot.members[1:])

        assert place.member_id.startswith("app-x-")
        assert len(place.member_id) == len(f"app-x-{RANDOM}")


def test_of_a_very_large_group_no_loss_is_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "MOST_FORECAST", 11)
    rows = loss_rows.losses(text(group({"a": member(0, 1, 2), "b": member(3, 4, 5)})))["losses"]

    assert [(row["member_id"], row["basis"]) for row in rows] == [("a", "not forecast"), ("b", "not forecast")]
    assert "too large" in rows[0]["reason"]


def test_many_positions_are_not_all_forecast() -> None:
    consumers = {f"app-{number:x}{RANDOM[1:]}": member(number, client_id="app") for number in range(16)}
    partitions = losses.MOST_WORK // 16 + 1
    rows = loss_rows.losses(text(group(consumers, partitions=partitions)), 0, 1)["losses"]

    assert [row["scenario"] for row in rows] == ["not replaced", "new random ID, likeliest"]
    assert rows[1]["expected_moved"] is None
