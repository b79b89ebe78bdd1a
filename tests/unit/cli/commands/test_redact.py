"""The command `holdfast redact`."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.harness.command_line import run

EXAMPLE = Path(__file__).parents[4] / "examples" / "streams-wordcount"
SNAPSHOT, CHANGE = EXAMPLE / "snapshot.json", EXAMPLE / "change.json"


def test_it_prints_the_snapshot_without_names() -> None:
    answer = run(["redact", SNAPSHOT])

    assert answer.returncode == 0
    assert json.loads(answer.stdout)["group_id"] == "group"
    assert "wordcount" not in answer.stdout
    assert answer.stderr == "The decision in a rebalance now is the same.\n"


def test_it_reads_standard_input_and_its_own_output() -> None:
    once = run(["redact", "-"], stdin=SNAPSHOT.read_text())

    assert run(["redact", "-"], stdin=once.stdout).stdout == once.stdout


def test_a_change_and_the_mapping_are_written_next_to_it(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.json" for name in ("output", "change-output", "mapping")}
    answer = run(["redact", SNAPSHOT, "--change", CHANGE, *(part for name, file in files.items() for part in (f"--{name}", file))])

    assert answer.returncode == 0
    assert answer.stdout == ""
    snapshot, change, mapping = (json.loads(file.read_text()) for file in files.values())
    assert change["events"][0]["replace_client"]["by"]["host"] == "host-05"
    assert mapping["names"]["host"]["host-05"] == "app-3"
    assert stat.S_IMODE(files["mapping"].stat().st_mode) == 0o600
    assert stat.S_IMODE(files["output"].stat().st_mode) & 0o044
    forecasts = [run(["forecast", *both, "--json"]) for both in ((SNAPSHOT, CHANGE), (files["output"], files["change-output"]))]
    summaries = [json.loads(one.stdout)["outcomes"][0]["summary"] for one in forecasts]
    assert list(summaries[0].pop("restore_records_by_client").values()) == list(
        summaries[1].pop("restore_records_by_client").values()
    )
    assert summaries[0] == summaries[1]
    assert snapshot["topics"].keys() == {"a-topic-01", "group-store-01-changelog", "group-store-01-repartition"}


def test_a_mapping_is_not_written_over_another(tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.json"
    mapping.write_text("kept")
    answer = run(["redact", SNAPSHOT, "--mapping", mapping])

    assert answer.returncode == 1
    assert answer.stdout == ""
    assert "exists: a mapping is needed for as long as answers come" in answer.stderr
    assert mapping.read_text() == "kept"


def test_it_says_which_hash_codes_are_kept_and_what_is_left_out(tmp_path: Path) -> None:
    document: Any = json.loads(SNAPSHOT.read_text())
    document["config"]["internal.task.assignor.class"] = (
        "org.apache.kafka.streams.processor.internals.assignment.StickyTaskAssignor"
    )
    document["config"]["client.id"] = "payments"
    document["generations"][0]["members"].popitem()[1]["subscription"] = "AAA="
    sticky = tmp_path / "sticky.json"
    sticky.write_text(json.dumps(document))
    answer = run(["redact", sticky])

    assert answer.stderr.startswith("The hash code (32 bits) of 1 group ID is kept, because the assignor decides by it")
    assert "Left out: 1 setting that Kafka does not have or that name something (client.id)." in answer.stderr
    assert "payments" not in answer.stdout + answer.stderr
    hidden = run(["redact", sticky, "--hash-codes", "hide"])
    assert hidden.returncode == 0
    assert "32 bits" not in hidden.stderr
    assert json.loads(hidden.stdout)["group_id"] == "group"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["redact", SNAPSHOT, "--change", CHANGE], "--change and --change-output belong together"),
        (["redact", "-", "--change", "-", "--change-output", "x"], "cannot both be standard input"),
        (["redact", SNAPSHOT, "-o", SNAPSHOT], "Each file can be one thing"),
        (["redact", SNAPSHOT, "-o", "same", "--mapping", "same"], "Each file can be one thing"),
        (["redact", CHANGE], f"{CHANGE}: "),
        (["redact", "nowhere.json"], "There is no file 'nowhere.json'"),
        (["redact", SNAPSHOT, "-o", "no/such/folder.json"], "'no/such/folder.json' cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str | Path], says: str, tmp_path: Path) -> None:
    answer = run(arguments, folder=tmp_path)

    assert answer.returncode == 1
    assert says in answer.stderr
    assert answer.stdout == ""
    assert not list(tmp_path.iterdir())
