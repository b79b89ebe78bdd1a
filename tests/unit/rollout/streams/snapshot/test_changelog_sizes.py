"""The size of a restore: from the sizes of changelogs, and where they begin and end."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.harness.article import AFTER, C, Document, altered, change, group
from tests.harness.plans import REPLACE_FIRST, measured, read

from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.logs import TaskLogs, to_restore
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.evaluation import EvaluatedOption
from holdfast.rollout.streams.forecast import forecast
from holdfast.rollout.streams.forecast import json as forecast_json
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.snapshot import changelog_sizes

TASK = TaskId(1, 2)
"""Its changelog ends at 8."""


def baseline(document: Document, event: object = REPLACE_FIRST) -> EvaluatedOption:
    snapshot = read(document)
    requested = change_from_json(change(event))
    return proposals.evaluate(snapshot, proposals.propose(snapshot, requested)[0])


def one_log(begin: int | None, size: int | None) -> dict[TaskId, TaskLogs]:
    document = group(AFTER)
    document["topics"] = {"changelog": {"partitions": [{"id": TASK.partition, "begin_offset": begin, "log_bytes": size}]}}
    return dict(changelog_sizes.task_logs(read(document)))


@pytest.mark.parametrize(
    ("begin", "lacking", "expected"),
    [
        (0, 8, 800),
        (0, 4, 400),
        (0, 1, 100),
        (0, 0, 0),
        (4, 8, 800),  # all of it is what is left of it
        (4, 1, 200),
        (4, 5, 800),
        (8, 8, 0),  # nothing is left
        (9, 8, 0),  # a group that has committed less than what is left
    ],
)
def test_bytes_are_a_share_of_the_log(begin: int, lacking: int, expected: int) -> None:
    assert to_restore(one_log(begin, 800), {TASK: lacking}) == expected


@pytest.mark.parametrize(("begin", "size"), [(None, 800), (0, None), (None, None)])
def test_a_log_of_which_either_is_missing_is_not_measured(begin: int | None, size: int | None) -> None:
    assert one_log(begin, size) == {}
    assert to_restore({}, {TASK: 1}) is None
    assert to_restore({}, {TASK: 0}) == 0


def test_the_logs_of_one_task_are_taken_together() -> None:
    document = measured(altered(group(AFTER), ["tasks", "1_2", "changelogs"], [["small", 2, 100], ["large", 2, 100]]))
    document["topics"]["large"]["partitions"][0]["log_bytes"] = 1_000_000

    (logs,) = (found for task, found in changelog_sizes.task_logs(read(document)).items() if task == TASK)

    assert logs == TaskLogs(1_150_000, 200)


@given(some.integers(0, 2**63 - 1), some.integers(0, 2**63 - 1), some.integers(1, 2**63 - 1), some.integers(0, 2**63 - 1))
def test_more_records_weigh_no_less_and_never_more_than_the_log(size: int, offsets: int, records: int, more: int) -> None:
    logs = TaskLogs(size, offsets)

    assert 0 <= logs.to_restore(records) <= logs.to_restore(records + more) <= size
    assert records < offsets or logs.to_restore(records) == size


def test_each_client_and_all_of_them() -> None:
    evaluation = baseline(measured(group(AFTER)))
    worst = evaluation.worst

    assert {one.size for one in worst.restores} == {1_500 * one.records for one in worst.restores}
    assert worst.restored_bytes(None) == 1_500 * worst.restored_records
    assert [one.size for one in worst.cold] == [1_500 * one.records for one in worst.cold]
    assert evaluation.unknown_sizes == ()


def test_a_log_that_was_not_measured_makes_its_clients_and_the_sum_unknown_and_nothing_else() -> None:
    document = measured(group(AFTER))
    document["topics"]["changelog"]["partitions"][0].pop("log_bytes")
    document["unknown"] = [{"what": "log_bytes.changelog", "reason": "partition 0: not authorized"}]

    evaluation = baseline(document)

    assert {task for one in evaluation.worst.restores if one.size is None for task in one.tasks} >= {TaskId(1, 0)}
    assert any(one.size is not None for one in evaluation.worst.restores)
    assert evaluation.worst.restored_bytes(None) is None
    assert evaluation.unknown_sizes == (Unknown("log_bytes.changelog", "partition 0: not authorized"),)
    assert evaluation.unknown == ()
    assumed = evaluation.worst.restored_bytes(1_500)
    assert assumed == 1_500 * evaluation.worst.restored_records


def test_where_nothing_is_restored_no_size_is_missed() -> None:
    evaluation = baseline(group(AFTER), {"restart_client": {"process_id": C}})

    assert evaluation.worst.restores == ()
    assert evaluation.worst.restored_bytes(None) == 0
    assert evaluation.unknown_sizes == ()


def test_the_forecasts_json_has_them() -> None:
    snapshot = read(measured(group(AFTER)))
    found = forecast_json.forecast_to_json(forecast.forecast(snapshot, change_from_json(change(REPLACE_FIRST))))
    (outcome,) = found["outcomes"]

    assert outcome["summary"]["restore_bytes"] == 1_500 * outcome["summary"]["restore_records"]
    for one in outcome["rounds"]:
        assert one["restoring_bytes"] == {client: 1_500 * records for client, records in one["restoring"].items()}


def test_an_evaluation_survives_its_json_and_one_from_before_is_read() -> None:
    evaluation = baseline(measured(group(AFTER)))
    written = codec_of(EvaluatedOption).write(evaluation)

    assert codec_of(EvaluatedOption).read(written) == evaluation
    before = copy.deepcopy(written)
    del before["unknown_sizes"]
    for restore in before["costs"][0]["restores"].values():
        del restore["bytes"]
    assert {one.size for one in codec_of(EvaluatedOption).read(before).worst.restores} == {None}
