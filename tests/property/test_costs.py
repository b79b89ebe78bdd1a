"""What must hold of every cost: it adds up to what the forecast's rounds say, and stays below what logs and disks can hold."""

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as some
from tests.harness.article import change
from tests.harness.examples import examples
from tests.property.test_forecast import groups

from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.cost import costs_of
from holdfast.rollout.streams.cost.evaluation import COSTS
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.snapshot import changelog_sizes
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

NEW = "5a5a5a5a-0000-4000-8000-000000000001"


@some.composite
def cases(draw: some.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A group some of whose changelogs are measured and have a known leader, and a change of it."""
    document = draw(groups())
    chance = random.Random(draw(some.integers(0, 2**32)))
    known = chance.choice([0.5, 1, 1])
    document["topics"] = {
        "changelog": {
            "partitions": [
                {"id": number, "begin_offset": chance.randint(0, 20), "log_bytes": chance.randint(0, 10**6)}
                | ({"leader": chance.randint(0, 2)} if chance.random() < known else {})
                for number in range(6)
                if chance.random() < known
            ]
        }
    }
    ids = list(document["clients"])
    document["state_directories"] = [{"url": "/x", "process_id": one, "free_bytes": chance.randint(0, 10**7)} for one in ids[:1]]
    event: dict[str, Any] = chance.choice(
        [
            {"add_client": {"process_id": NEW, "threads": 2}},
            {"remove_client": {"process_id": ids[0], "leaves": chance.random() < 0.5}},
            {"replace_client": {"process_id": ids[-1], "by": {"process_id": NEW}, "state": "empty"}},
            {"replace_client": {"process_id": ids[-1], "by": {"process_id": NEW}, "state": "kept"}},
            {"restart_client": {"process_id": ids[0], "keeps_state": False}},
            {"stop_application": {"minutes": 3}},
        ]
    )
    return document, change(event)


@settings(max_examples=examples(60), deadline=None)
@given(cases())
def test_costs_add_up(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    snapshot, requested = snapshot_from_json(case[0]), change_from_json(case[1])
    found = forecast(snapshot, requested)
    (outcome,), (cost,) = found.outcomes, costs_of(snapshot, requested, found)
    ends = {task.id: task.end_offset_sum or 0 for task in snapshot.tasks if task.stateful}
    logs = changelog_sizes.task_logs(snapshot)

    for one in outcome.rounds:
        assert [(client, sum(lacks for _, lacks in tasks)) for client, tasks in one.restoring_tasks] == list(one.restoring)
        assert all(lacks <= ends[task] for _, tasks in one.restoring_tasks for task, lacks in tasks)
        assert len(one.waiting_records) == len(one.without_caught_up_copy)
    assert sum(one.total.records for one in cost.reads) == outcome.summary.restore_records == cost.restored_records
    sizes = [one.total.size for one in cost.reads]
    assert outcome.summary.restore_bytes == (None if None in sizes else sum(size for size in sizes if size is not None))
    by_task = [amount for _, amount in cost.restored_tasks]
    assert sum(one.records for one in by_task) == cost.restored_records
    assert outcome.summary.restore_bytes == (
        None if any(one.size is None for one in by_task) else sum(one.size or 0 for one in by_task)
    )
    for read in cost.reads:
        assert read.at_once.records <= read.total.records
        assert read.total.size is None or read.at_once.size is None or read.at_once.size <= read.total.size
    for disk in cost.disks:
        assert max(disk.now.records, disk.end.records) <= disk.most.records <= sum(ends.values())
        assert disk.most.size is None or disk.most.size <= sum(log.size for log in logs.values())
    in_a_round = max((sum(lacks for _, lacks in one.restoring) for one in outcome.rounds), default=0)
    restarted = len(outcome.rounds) * sum(ends.values())
    for stop in cost.stops:
        assert stop.seconds_without_copy <= stop.seconds
        assert stop.without_copy(1) <= stop.stopped(1)
        assert stop.records <= restarted
    assert {task for one in outcome.rounds for task in one.without_caught_up_copy} <= {stop.task for stop in cost.stops}
    assert in_a_round <= cost.restored_records
    assert sum(stop.seconds for stop in cost.stops) >= int(outcome.summary.stopped_task_seconds)


@settings(max_examples=examples(40), deadline=None)
@given(cases())
def test_costs_survive_their_json(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    snapshot, requested = snapshot_from_json(case[0]), change_from_json(case[1])
    costs = costs_of(snapshot, requested, forecast(snapshot, requested))

    assert COSTS.read(loads(dumps(COSTS.write(costs)))) == costs
