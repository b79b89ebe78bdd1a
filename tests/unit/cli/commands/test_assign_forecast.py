"""`holdfast assign` and `holdfast forecast` as people and pipes use them; bad input gets one message, status 1 and no output."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.harness import command_line
from tests.harness.article import AFTER, BEFORE, LAST, A, B, C, Document, altered, change, fleet, group

from holdfast.cli.main import main

JOIN = change({"add_client": {"process_id": C, "threads": 2}})


def run(arguments: Sequence[str | Path], stdin: str = "") -> subprocess.CompletedProcess[str]:
    return command_line.run(arguments, stdin=stdin)


def written(folder: Path, name: str, document: object) -> Path:
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


class TestAnswers:
    def test_assign_prints_the_assignment_and_nothing_else(self, tmp_path: Path) -> None:
        done = run(["assign", written(tmp_path, "s.json", group(AFTER))])

        assert (done.returncode, done.stderr) == (0, "")
        answer = json.loads(done.stdout)
        assert answer["clients"][C] == {"active": ["0_0", "0_3", "1_0", "1_3"], "standby": []}
        assert answer["probing_rebalance_needed"] is False
        assert len(answer["consumers"]) == 6
        assert "unknown" not in answer

    def test_assign_takes_a_release_and_settings_over_the_snapshots_own(self, tmp_path: Path) -> None:
        snapshot = group(BEFORE, release=None)
        snapshot["clients"][C] = {"consumers": {"c-1": {}, "c-2": {}}}
        path = written(tmp_path, "s.json", snapshot)

        refused = run(["assign", path])
        warm_ups = [
            [client["standby"] for client in json.loads(run(["assign", path, *options]).stdout)["clients"].values()]
            for options in (
                ("--kafka-release", "2.7.2"),
                ("--kafka-release", "4.3.1"),
                ("--kafka-release", "4.3.1", "--set", "max.warmup.replicas=1"),
            )
        ]

        assert refused.returncode == 1
        assert "release is unknown" in refused.stderr
        assert warm_ups == [[[], ["1_2"], ["1_0"]], [["1_1"], [], ["1_0"]], [[], [], ["1_0"]]]

    def test_a_source_topic_that_is_not_there_is_the_leaders_error_and_an_answer(self, tmp_path: Path) -> None:
        path = written(tmp_path, "s.json", group(BEFORE) | {"missing_topics": ["text"]})

        done = run(["assign", path])
        foreseen = json.loads(run(["forecast", path, written(tmp_path, "c.json", JOIN), "--json"]).stdout)

        assert json.loads(done.stdout)["error_code"] == 1
        assert (done.returncode, foreseen["outcomes"][0]["stable"]) == (0, False)

    def test_forecast_reads_standard_input(self, tmp_path: Path) -> None:
        done = run(["forecast", "-", written(tmp_path, "c.json", JOIN), "--json"], stdin=json.dumps(group(BEFORE)))

        assert (done.returncode, done.stderr) == (0, "")
        answer = json.loads(done.stdout)
        assert answer["format_version"] == "1.0"
        assert answer["assumptions"] == {"catch_up": "probing rebalance", "closed_copies": "as released", "dormant_copies": "kept"}
        (outcome,) = answer["outcomes"]
        assert (outcome["probability"], outcome["stable"], outcome["process_ids"]) == (1.0, True, [C, A, B])
        assert [one["trigger"] for one in outcome["rounds"]][:3] == ["change", "immediate", "probing"]
        assert outcome["rounds"][0]["assignment"]["format_version"] == "1.0"
        assert outcome["summary"]["active_moved"] == 4
        assert outcome["summary"]["rebalances"] == len(outcome["rounds"])

    def test_a_summary_has_no_rounds(self, tmp_path: Path) -> None:
        files = (written(tmp_path, "s.json", group(BEFORE)), written(tmp_path, "c.json", JOIN))
        answer = json.loads(run(["forecast", *files, "--json", "--detail", "summary"]).stdout)

        assert set(answer["outcomes"][0]) == {"probability", "process_ids", "stable", "summary"}

    def test_without_json_a_person_reads_it(self, tmp_path: Path) -> None:
        files = (written(tmp_path, "s.json", group(AFTER)), written(tmp_path, "c.json", replaced(LAST)))
        done = run(["forecast", *files])

        assert done.returncode == 0
        assert done.stdout.startswith("6 of 6 stateful tasks end on another client")
        assert "probing" in done.stdout
        assert "\x1b" not in done.stdout

    def test_of_an_id_left_to_chance_a_person_reads_every_place(self, tmp_path: Path) -> None:
        chance = change(
            {"replace_client": {"process_id": C, "by": {"process_id": None}}}, assume={"catch_up": {"records_per_second": 9}}
        )
        done = run(["forecast", written(tmp_path, "s.json", group(AFTER)), written(tmp_path, "c.json", chance)])

        assert done.returncode == 0
        assert [line.split()[0] for line in done.stdout.splitlines() if "%" in line] == ["79.4%", "14.8%", "5.7%"]
        assert "9 records per second" in done.stdout

    @pytest.mark.thorough
    def test_of_many_rebalances_a_person_reads_the_first_and_the_last(self, tmp_path: Path) -> None:
        snapshot, ids = fleet(6, 80, seed=3)
        leaves = change({"remove_client": {"process_id": ids[0]}})
        done = run(["forecast", written(tmp_path, "s.json", snapshot), written(tmp_path, "c.json", leaves)])

        numbers = [int(line.split()[0]) for line in done.stdout.splitlines() if line[:4].strip().isdigit() and line[4] == " "]
        assert numbers == [*range(1, 31), 57]
        assert "26 more, see --json" in done.stdout

    def test_hostile_names_reach_no_terminal(self, tmp_path: Path) -> None:
        hostile = altered(group(AFTER), ["clients", A, "host"], "\x1b[2Jhost\n[bold]")
        done = run(["forecast", written(tmp_path, "s.json", hostile), written(tmp_path, "c.json", replaced(LAST))])

        assert done.returncode == 0
        assert "\x1b" not in done.stdout
        assert "\\u001b[2Jhost\\u000a[bold]" in done.stdout


def replaced(by: str) -> Document:
    return change({"replace_client": {"process_id": C, "by": {"process_id": by, "threads": 2}}})


class TestLines:
    def test_lines_stay_in_order_and_a_bad_one_does_not_stop_the_others(self) -> None:
        case = {"snapshot": group(AFTER), "change": replaced(C)}
        lines = [
            json.dumps(case),
            "not json",
            json.dumps({"snapshot": group(AFTER)}),
            "",
            json.dumps({"snapshot": group(AFTER), "change": replaced(LAST)}),
            json.dumps(case | {"change": replaced(B)}),
        ]
        done = run(["forecast", "-", "--jsonl", "--detail", "summary"], stdin="\n".join(lines))

        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert done.returncode == 1
        assert [answer.get("line") for answer in answers] == [None, 2, 3, None, 6]
        assert [answer["outcomes"][0]["summary"]["active_moved"] for answer in answers if "outcomes" in answer] == [0, 6]
        assert "'change' is missing" in answers[2]["error"]
        assert "already" in answers[4]["error"]

    def test_snapshots_in_assignments_out(self) -> None:
        done = run(["assign", "-", "--jsonl"], stdin=json.dumps(group(AFTER)) + "\n" + json.dumps(group(BEFORE)) + "\n")

        assert (done.returncode, done.stderr) == (0, "")
        assert [len(json.loads(line)["clients"]) for line in done.stdout.splitlines()] == [3, 2]

    def test_an_unreadable_file_is_said_once(self, tmp_path: Path) -> None:
        done = run(["assign", tmp_path / "nowhere.jsonl", "--jsonl"])

        assert (done.returncode, done.stdout) == (1, "")
        assert "There is no file" in done.stderr


def _snapshot(path: Sequence[str | int], value: object) -> tuple[Document, Document]:
    return altered(group(AFTER), path, value), replaced(LAST)


def _change(*events: object) -> tuple[Document, Document]:
    return group(AFTER), change(*events)


BAD = {
    "a snapshot that is not JSON": ("nonsense", replaced(LAST), "not JSON"),
    "a change that is not JSON": (group(AFTER), "{", "c.json: the document is not JSON"),
    "a snapshot that is a list": ([], replaced(LAST), "an object is needed"),
    "an unknown format_version": (*_snapshot(["format_version"], "7.0"), "7.0"),
    "an unknown format_version of a change": (group(AFTER), replaced(LAST) | {"format_version": "7.0"}, "7.0"),
    "a task twice": ('{"tasks": {"0_0": {}, "0_0": {}}}', replaced(LAST), "is given twice"),
    "a process ID twice": (*_snapshot(["clients", A.upper()], {"consumers": {"m": {}}}), "is given twice"),
    "a negative offset": (*_snapshot(["tasks", "1_0", "changelogs"], [["c", 0, -5]]), "-5"),
    "a UUID that is none": (*_snapshot(["clients", "not-a-uuid"], {"consumers": {"m": {}}}), "not-a-uuid"),
    "a UUID that is none in a change": (*_change({"remove_client": {"process_id": "4b61"}}), "4b61"),
    "a client that is not there": (*_change({"remove_client": {"process_id": LAST}}), "not in the group"),
    "an unknown event": (*_change({"reboot_client": {"process_id": A}}), "reboot_client"),
    "an unknown field": (*_change({"remove_client": {"process_id": A, "force": True}}), "force"),
    "an event with two verbs": (*_change({"remove_client": {"process_id": A}, "set_config": {}}), "one verb"),
    "a partition in two tasks": (*_snapshot(["tasks", "2_0"], {"partitions": [["input", 0]], "changelogs": []}), "0_0 and 2_0"),
    "a client without consumers": (*_snapshot(["clients", A, "consumers"], {}), "one consumer or more"),
    "a leader not among the clients": (*_snapshot(["leader_process_id"], LAST), "not among the clients"),
    "a config key Kafka does not have": (*_snapshot(["config", "max.warmup.replica"], 2), "max.warmup.replica"),
    "a config value Kafka would refuse": (*_snapshot(["config", "max.warmup.replicas"], -3), "max.warmup.replicas"),
    "a config key Kafka does not have in a change": (*_change({"set_config": {"max.warmup.replica": 2}}), "max.warmup.replica"),
    "a config value Kafka would refuse in a change": (*_change({"set_config": {"max.warmup.replicas": "many"}}), "many"),
    "a release that is none": (*_snapshot(["kafka_release"], "latest"), "latest"),
    "a protocol that is not covered": (*_snapshot(["protocol"], "share"), "share"),
    "a member twice": (
        *_snapshot(["clients", LAST], {"consumers": {member: {} for member in group(AFTER)["clients"][A]["consumers"]}}),
        "twice",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_gets_a_message_and_nothing_else(what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    snapshot, requested, said = BAD[what]
    files = [str(written(tmp_path, "s.json", snapshot)), str(written(tmp_path, "c.json", requested))]
    with pytest.raises(SystemExit) as ended:
        main(["forecast", *files, "--json"])

    seen = capfd.readouterr()
    assert (ended.value.code, seen.out) == (1, "")
    assert said in seen.err
    assert seen.err.startswith("holdfast: ")
    assert "Traceback" not in seen.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["assign"], "SNAPSHOT"),
        (["assign", "-", "--set", "max.warmup.replicas"], "KEY=VALUE"),
        (["assign", "-", "--set", "a=1", "--set", "a=2"], "given twice"),
        (["assign", "nowhere.json"], "no file 'nowhere.json'"),
        (["assign", "."], "directory"),
        (["forecast", "nowhere.json"], "CHANGE"),
        (["forecast", "-", "-"], "cannot both be standard input"),
        (["forecast", "a", "b", "--jsonl"], "one argument"),
        (["forecast", "a", "b", "--detail", "little"], "little"),
        (["forecast", "a", "b", "--colour"], "--colour"),
        (["prophesy"], "prophesy"),
    ],
)
def test_wrong_usage_exits_1(arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    seen = capfd.readouterr()
    assert (ended.value.code, seen.out) == (1, "")
    assert said in seen.err
