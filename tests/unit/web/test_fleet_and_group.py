"""The views of a group and of the fleet: lags, orders of rows, what is unknown."""

from pathlib import Path

from tests.harness.article import AFTER, A, C, group
from tests.harness.pages.web_lake import WebLake, article, write_scores, write_tables
from tests.harness.plain_groups import group as plain_group
from tests.harness.plain_groups import member
from tests.harness.plans import NOON, read

from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json
from holdfast.rollout.teams.sight import EVERYTHING, User, sight_of
from holdfast.rollout.teams.teams import GroupPattern, Members, Team, Teams
from holdfast.web import fleet_view, group_view, overview
from holdfast.web.group_view import GroupInLake


def test_clients_stand_in_process_id_order_with_their_lags() -> None:
    document = group(AFTER)
    (consumer, *_) = document["clients"][A]["consumers"].values()
    consumer["task_offset_sums"] |= {"1_2": 3, "1_0": 2}
    found = group_view.view(read(document), GroupInLake(), NOON)

    assert [one.place for one in found.members.rows] == [1, 2, 3]
    assert [one.process_id for one in found.members.rows][:2] == [C, A]
    assert [(one.task, one.lag) for one in found.members.rows[1].copies] == [("1_2", 5), ("1_0", 0)]
    assert (found.members.rows[1].caught_up, found.members.rows[0].active) == (1, ("1_0", "1_3"))


def test_losses_are_read_from_the_tables_the_worst_first(tmp_path: Path) -> None:
    web = WebLake(tmp_path, NOON)
    write_tables(tmp_path, [web.snapshot(article()), web.snapshot(article("another"))], [])
    found = overview.group(str(tmp_path), "local", "streams-wordcount", NOON)

    assert len(found.losses) == 3
    assert [name for name, _, _ in found.losses[0].cells] == [
        "not replaced",
        "same ID",
        "new random ID, likeliest",
        "new random ID, worst",
    ]
    assert [one.worst for one in found.losses] == sorted((one.worst for one in found.losses), reverse=True)


def test_a_group_has_the_score_of_the_newest_night(tmp_path: Path) -> None:
    document = WebLake(tmp_path, NOON).snapshot(article())
    assert overview.group(str(tmp_path), "local", "streams-wordcount", NOON).past == ""

    write_scores(tmp_path, document, equal=412, different=1)
    found = overview.group(str(tmp_path), "local", "streams-wordcount", NOON)
    assert found.past == "Holdfast decided 412 of 413 past rebalances of this group as Kafka did."
    assert dict(found.learnt)["Restore speed"] == "800 to 2,400 records/s, learnt from 41 restores of this group"


def test_the_fleet_by_risk_and_by_search(tmp_path: Path) -> None:
    web = WebLake(tmp_path, NOON)
    before = web.snapshot(article("drifted"), 60)
    after = web.snapshot(article("drifted") | {"clients": {one: two for one, two in before["clients"].items() if one != C}}, 1)
    after["leader_process_id"] = None
    write_tables(tmp_path, [web.snapshot(article()), web.snapshot(article("another"))], [(before, after)])
    everything, one = (overview.fleet(str(tmp_path), (), text, 1, "", NOON, EVERYTHING) for text in ("", "ANOTHER local"))

    assert dict(everything.counts) == {"clusters": 1, "groups": 2, "clients": 6, "stateful tasks": 24}
    assert ([risk.group_id for risk in one.risks], one.found) == (["another"], 1)
    assert [row["group_id"] for row in everything.changes] == ["drifted"]


def test_a_team_sees_the_fleet_of_its_own_groups(tmp_path: Path) -> None:
    """Counted from their rows: as in the table of whole clusters where every group is the team's."""
    web = WebLake(tmp_path, NOON)
    smaller = {name: one for name, one in article()["clients"].items() if name != C}
    before, after = web.snapshot(article("drifted"), 60), web.snapshot(article("drifted") | {"clients": smaller}, 1)
    after["leader_process_id"] = None
    write_tables(tmp_path, [web.snapshot(article()), before], [(before, after)])

    def seen(pattern: str) -> fleet_view.FleetView:
        team = Team("ours", (GroupPattern("local", pattern),), Members(users=("bob",)), ("17",))
        return overview.fleet(str(tmp_path), (), "", 1, "", NOON, sight_of(Teams((team,)), User("bob", "1")))

    everything = overview.fleet(str(tmp_path), (), "", 1, "", NOON, EVERYTHING)
    assert seen("*").counts == everything.counts
    assert dict(seen("drifted").counts) == {"clusters": 1, "groups": 1, "clients": 3, "stateful tasks": 12}
    assert {risk.group_id for risk in seen("drifted").risks} == {"drifted"}
    assert [seen(one).changes != () for one in ("drifted", "streams-*")] == [True, False]
    assert dict(seen("other").counts) == dict(seen("[x]").counts)


def test_of_several_snapshots_of_a_day_the_latest_is_counted() -> None:
    row = {
        "cluster": "c",
        "group_id": "g",
        "captured_at": "2026-11-20T10:00:00Z",
        "snapshot": "s",
        "clients": 3,
        "stateful_tasks": 9,
    }
    later = row | {"captured_at": "2026-11-20T11:00:00Z", "clients": 4}
    for rows in ([row, later], [later, row]):
        (counted,) = fleet_view.counted_by_cluster(rows)
        assert counted == {"cluster": "c", "groups": 1, "quarantined": 0, "clients": 4, "stateful_tasks": 9}


def test_a_lake_without_tables_is_an_empty_fleet(tmp_path: Path) -> None:
    found = overview.fleet(str(tmp_path), (), "", 1, "", NOON, EVERYTHING)

    assert (found.day, found.risks, found.accuracy.percent) == ("", (), "none yet")


def test_of_each_group_the_worst_host() -> None:
    row = {"cluster": "c", "group_id": "g", "stateful_tasks": 10, "partitions": None, "without_copy": 0, "hours": None}
    risks = fleet_view.risks_of([row | {"host": "a", "moved": 3}, row | {"host": "b", "moved": 7}, row | {"host": "c", "moved": 5}])

    assert [(one.host, one.share) for one in risks] == [("b", 700)]
    assert fleet_view.risks_of([row | {"host": "a", "moved": None}]) == ()


def test_of_hosts_that_move_as_much_the_one_that_was_forecast() -> None:
    row = {"cluster": "c", "group_id": "g", "stateful_tasks": 10, "partitions": None, "without_copy": 0, "moved": 7}
    hosts = [("a", None), ("b", 3.5), ("c", None)]
    (risk,) = fleet_view.risks_of([row | {"host": host, "hours": hours} for host, hours in hosts])

    assert (risk.host, risk.hours) == ("b", 3.5)


def test_groups_are_counted_by_what_moves_and_for_how_long() -> None:
    """A row for each time between the shortest and the longest there is, and one for what is unknown."""
    row = {"cluster": "c", "stateful_tasks": 4_000, "partitions": None, "without_copy": 0, "host": "h"}
    losses = [
        row | {"group_id": name, "moved": moved, "hours": hours}
        for name, moved, hours in (("a", 0, 0.0), ("b", 1, 0.5), ("c", 4_000, 30.0), ("d", 2_000, None), ("e", 1_000, 0.5))
    ]
    found = fleet_view.view(fleet_view.Tables("2026-11-20", losses=losses), (), cell="1-2")

    assert [(says, [one.count for one in cells]) for says, cells in found.matrix] == [
        ("longer", [0, 0, 0, 0, 0, 1]),
        ("to a day", [0] * 6),
        ("to 6 h", [0] * 6),
        ("to 1 h", [0, 1, 1, 0, 0, 0]),
        ("up to 10 min", [0] * 6),
        ("immediate", [1, 0, 0, 0, 0, 0]),
        ("unknown", [0, 0, 0, 1, 0, 0]),
    ]
    assert [one.group_id for one in found.risks] == ["b"]
    assert (found.matrix[0][1][5].level, found.matrix[3][1][1].level) == ("bad", "good")


def test_a_plain_group_s_members_stand_in_kafka_s_order_with_what_they_are_behind() -> None:
    read_by = [{"id": number, "begin_offset": 0, "end_offset": 100, "committed_offset": 100 - number} for number in range(3)]
    members = {"b": member(0, host="h-b"), "a": member(1, 2, host="h-a"), "z": member(group_instance_id="i", host="h-z")}
    document = plain_group(members, topics={"orders": {"partitions": read_by}})
    found = group_view.view(consumer_snapshot_from_json(document), GroupInLake(), NOON)

    assert [(one.place, one.name, one.count, one.share, one.behind) for one in found.members.rows] == [
        (1, "i on h-z", 0, 0, 0),
        (2, "h-a", 2, 1000, 3),
        (3, "h-b", 1, 500, 0),
    ]
    assert dict(found.facts)["Members"] == "3, 1 static"


def test_the_release_says_which_assignor_where_nothing_else_does() -> None:
    old = read(group(AFTER) | {"task_assignor": None, "kafka_release": "2.8.2"})

    assert dict(group_view.view(old, GroupInLake(), NOON).facts)["Assignor"] == "HighAvailabilityTaskAssignor, Kafka's default"


def test_first_steps_say_what_is_done(tmp_path: Path) -> None:
    nothing = overview.first_steps(str(tmp_path), clusters=False, planned=False)
    web = WebLake(tmp_path, NOON)
    collected = web.snapshot(article())
    some = overview.first_steps(str(tmp_path), clusters=False, planned=False)
    write_tables(tmp_path, [collected], [])

    assert [done for _, done in nothing] == [False] * 4
    assert [name for name, done in some if done] == ["collected"], "nobody has named a cluster"
    assert [name for name, done in overview.first_steps(str(tmp_path), clusters=True, planned=False) if not done] == ["planned"]
