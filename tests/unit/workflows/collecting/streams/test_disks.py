"""What a collection makes of state directories: who runs on them, what contradicts the group, and what a start on them reports."""

from dataclasses import replace

import pytest
from tests.unit.workflows.collecting.streams.word_count import GROUP, A, B, cluster, disk, member, said, taken

from holdfast.kafka.streams.first_report import FirstReport
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.disks.state_directory import Lock, StateDirectory
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.snapshot.json import snapshot_from_json, snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows.collecting.streams import settings

TASKS = ("0_0", "0_1", "1_0", "1_1")
FREE, HELD = Lock(held=False), Lock(held=True, pid=4711)


def of_one_member(directory: StateDirectory, release: str = "3.9.1", **config: str) -> Snapshot:
    given = settings.read(GROUP, release, {key.replace("_", "."): value for key, value in config.items()}, {})
    return taken(cluster(member(A, TASKS, joined={"1_0": -2, "1_1": -2})), {"a": directory}, given)


class TestWhoRuns:
    @pytest.mark.parametrize(
        ("process", "lock", "noted"),
        [
            (A, HELD, ""),
            (A, None, ""),
            (A, Lock(None, reason="read over sftp"), ""),
            (A, FREE, "has stopped and its session has not timed out"),
            (B, FREE, ""),
            (B, HELD, "is no member's"),
        ],
    )
    def test_a_lock_and_a_group_that_contradict_each_other_are_said(self, process: str, lock: Lock | None, noted: str) -> None:
        found = said(of_one_member(replace(disk(process, t1_0=7), lock=lock)), "state_directories")
        assert (noted in found) if noted else ("lock" not in found)

    def test_in_a_rebalance_nobody_is_shown_and_nothing_contradicts(self) -> None:
        directory = replace(disk(A, t1_0=7), lock=HELD)
        found = taken(cluster(member(A, TASKS), state="PreparingRebalance"), {"a": directory})
        assert "lock" not in said(found, "state_directories")

    def test_of_a_group_that_nobody_is_in_too(self) -> None:
        found = taken(cluster(state="Empty"), {"a": replace(disk(A, t1_0=7), lock=HELD)})
        assert "is no member's" in said(found, "state_directories")


class TestTheFirstReport:
    def test_of_a_stopped_client_is_in_the_snapshot_and_survives_its_json(self) -> None:
        found = taken(cluster(state="Empty"), {"a": replace(disk(A, t1_0=7, t1_1=None), lock=FREE)})
        assert found.state_directories[0].first_report == FirstReport(((TaskId(1, 0), 7),))
        again = snapshot_from_json(loads(dumps(snapshot_to_json(found))))
        assert again.state_directories == found.state_directories

    @pytest.mark.parametrize(("guarantee", "expected"), [("at_least_once", {"1_0": 8, "1_1": 0}), ("exactly_once_v2", {"1_0": 8})])
    def test_of_4_3_depends_on_the_guarantee(self, guarantee: str, expected: dict[str, int]) -> None:
        directory = replace(disk(A, t1_0=7, t1_1=-4), lock=FREE)
        report = of_one_member(directory, "4.3.1", processing_guarantee=guarantee).state_directories[0].first_report
        assert report is not None
        assert {str(task): total for task, total in report.task_offset_sums} == expected
        assert report.doubts == ()

    def test_of_a_running_client_s_disk_says_that_files_lie(self) -> None:
        report = of_one_member(replace(disk(A, t1_0=7), lock=HELD)).state_directories[0].first_report
        assert report is not None
        assert any("a client runs on this disk" in doubt for doubt in report.doubts)


@pytest.mark.parametrize(("release", "noted"), [("2.6.1", True), ("2.7.0", True), ("2.6.2", False), ("3.9.1", False)])
def test_a_release_that_knows_no_process_metadata_is_said(release: str, noted: bool) -> None:
    found = of_one_member(disk(A, t1_0=7), release)
    assert ("has no process metadata" in said(found, "state_directories")) is noted
