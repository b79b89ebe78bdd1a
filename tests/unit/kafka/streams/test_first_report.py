"""What a client that is started on a disk reports: each row was seen with real clients (docs/state-directory.md)."""

from dataclasses import replace

import pytest

from holdfast.kafka.streams import first_report
from holdfast.kafka.streams.first_report import Disk
from holdfast.kafka.streams.reports import DiskCopy
from holdfast.kafka.vocabulary import TaskId

TASK = TaskId(1, 0)
FILE = DiskCopy(TASK, 19)
STORES = DiskCopy(TASK, 20, in_stores=True, counts_last_record=True)
SILENT = DiskCopy(TASK, None, in_stores=True)
UNTIL_4_2 = Disk((FILE,), held=False, in_stores=False, transactional=False)
SINCE_4_3 = Disk((STORES,), held=False, in_stores=True, transactional=False)


def reported(disk: Disk, copy: DiskCopy) -> int | None:
    return dict(first_report.of(replace(disk, copies=(copy,))).task_offset_sums).get(TASK)


@pytest.mark.parametrize(
    ("disk", "copy", "at_least_once", "exactly_once"),
    [
        pytest.param(UNTIL_4_2, FILE, 19, 19, id="closed"),
        pytest.param(UNTIL_4_2, replace(FILE, raw_sum=None), None, None, id="no file"),
        pytest.param(UNTIL_4_2, replace(FILE, raw_sum=0, unknown_offset=True), 0, 0, id="-4"),
        pytest.param(UNTIL_4_2, replace(FILE, raw_sum=None, readable=False), None, None, id="broken file"),
        pytest.param(SINCE_4_3, STORES, 20, 20, id="4.3: closed"),
        pytest.param(SINCE_4_3, SILENT, 0, None, id="4.3: never flushed"),
        pytest.param(SINCE_4_3, replace(STORES, raw_sum=0, unknown_offset=True), 0, None, id="4.3: -4 of an older release"),
        pytest.param(SINCE_4_3, replace(STORES, open=True), 20, None, id="4.3: not closed"),
        pytest.param(SINCE_4_3, replace(SILENT, readable=False), None, None, id="4.3: not readable"),
    ],
)
def test_a_copy_is_reported(disk: Disk, copy: DiskCopy, at_least_once: int | None, exactly_once: int | None) -> None:
    assert reported(disk, copy) == at_least_once
    assert reported(replace(disk, transactional=True), copy) == exactly_once


def test_a_clean_disk_of_a_known_release_leaves_no_doubt() -> None:
    assert first_report.of(UNTIL_4_2).doubts == ()
    assert first_report.of(SINCE_4_3).doubts == ()


@pytest.mark.parametrize(
    ("disk", "doubt"),
    [
        (replace(UNTIL_4_2, held=True), "a client runs on this disk"),
        (replace(UNTIL_4_2, held=None), "is unknown"),
        (replace(UNTIL_4_2, copies=(replace(FILE, raw_sum=None, readable=False),)), "1_0: what is there could not be read"),
        (replace(UNTIL_4_2, in_stores=None), "from 4.3 on each changelog"),
        (replace(SINCE_4_3, in_stores=None), "4.3 or later is assumed"),
        (replace(SINCE_4_3, copies=(replace(STORES, open=True),)), "1_0: the stores were not closed cleanly"),
        (replace(SINCE_4_3, transactional=True, copies=(replace(STORES, silent=True),)), "1_0: not every store says"),
    ],
)
def test_every_doubt_is_named(disk: Disk, doubt: str) -> None:
    (said,) = first_report.of(disk).doubts
    assert doubt in said


def test_tasks_are_in_their_order() -> None:
    copies = tuple(replace(FILE, task=TaskId(*each)) for each in ((10, 0), (2, 1), (2, 0)))
    assert [str(task) for task, _ in first_report.of(replace(UNTIL_4_2, copies=copies)).task_offset_sums] == ["2_0", "2_1", "10_0"]
