"""`holdfast forecast` and `assign` on consumer groups: what is printed, line by line, and hostile names."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.harness.plain_groups import change, group, handed, member
from tests.unit.rollout.consumer.forecast.test_forecast import TWO, joins

from holdfast.cli.main import holdfast, main


def run(*arguments: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(holdfast, [str(one) for one in arguments], input=stdin, standalone_mode=False)


def files(folder: Path, snapshot: object, requested: object) -> tuple[Path, Path]:
    paths = folder / "s.json", folder / "c.json"
    for path, document in zip(paths, (snapshot, requested), strict=True):
        path.write_text(json.dumps(document))
    return paths


def test_a_person_reads_who_ends_where(tmp_path: Path) -> None:
    shown = run("forecast", *files(tmp_path, group(TWO), change(joins(host="app-9")))).stdout

    assert shown.startswith("2 of 6 partitions end on another member, in 2 rebalances.")
    assert "2 interruptions of partitions, up to 3 s each (5 min if a consumer is busy and does not poll)" in shown
    assert "orders-2 orders-5" in shown
    assert "c (new)" in shown
    assert "app-9" in shown


def test_what_is_skipped_stands_on_the_first_line(tmp_path: Path) -> None:
    lost = {"orders": {"partitions": [{"id": 0, "begin_offset": 0, "end_offset": 7, "committed_offset": None}]}}
    shown = run("forecast", *files(tmp_path, group({"a": member()}, topics=lost), change(joins()))).stdout

    assert shown.startswith("SKIPS DATA: 1 partition (orders-0)")


def test_a_leader_that_fails_is_shown(tmp_path: Path) -> None:
    shown = run("forecast", *files(tmp_path, group(TWO), change(joins(assignors=["range"])))).stdout

    assert shown.startswith("The group does not become stable")
    assert "no assignor is in the list of every member" in shown


def test_hostile_names_reach_no_terminal(tmp_path: Path) -> None:
    hostile = {"\x1b[2Ja": member(0, host="\x1b[31m\nhost"), "b": member(1, group_instance_id="\u202eb")}
    topics = {"orders": {"partitions": [{"id": 0}, {"id": 1}]}}
    shown = run("forecast", *files(tmp_path, group(hostile, topics=topics), change(joins("\x07c")))).stdout

    assert not any(one in shown for one in ("\x1b", "\x07", "\u202e"))
    assert "\\u001b[2Ja" in shown


def test_many_members_are_cut_short(tmp_path: Path) -> None:
    many = {f"m{number:03}": member(number) for number in range(60)}
    shown = run("forecast", *files(tmp_path, group(many, partitions=60), change())).stdout

    assert "20 more, see --json" in shown


def test_lines_stay_in_order_beside_kafka_streams_and_bad_ones() -> None:
    cases = [
        {"snapshot": group(TWO), "change": change(joins())},
        {"snapshot": group(TWO), "change": change({"add_client": {}})},
        {"snapshot": group({"a": member(0, group_instance_id="x"), "b": member(1, group_instance_id="x")}), "change": change()},
        {"snapshot": group(TWO), "change": change({"remove_consumer": {"member_id": "a"}})},
    ]
    done = run("forecast", "-", "--jsonl", stdin="\n".join(json.dumps(case) for case in cases))
    answers = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.return_value == 1
    assert [answer.get("line") for answer in answers] == [None, 2, 3, None]
    assert answers[1]["error"].startswith("change: events[0]: the event 'add_client' is none of a consumer group")
    assert answers[2]["error"].startswith("snapshot: consumers: the group instance ID 'x' is given twice")
    assert handed(answers[3]["outcomes"][0]["rounds"][0]) == {"b": [0, 1, 2, 3, 4, 5]}


def test_a_summary_has_no_rounds(tmp_path: Path) -> None:
    answer = json.loads(run("forecast", *files(tmp_path, group(TWO), change()), "--json", "--detail", "summary").stdout)

    assert "rounds" not in answer["outcomes"][0]
    assert answer["outcomes"][0]["summary"]["rebalances"] == 1


def test_a_file_is_named_where_something_is_wrong_in_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    snapshot, requested = files(tmp_path, group(TWO), change(joins("a")))
    with pytest.raises(SystemExit) as ended:
        main(["forecast", str(snapshot), str(requested)])

    seen = capfd.readouterr()
    assert (ended.value.code, seen.out) == (1, "")
    assert "c.json: events[0].add_consumer.member_id: the member ID 'a' is in the group already" in seen.err
