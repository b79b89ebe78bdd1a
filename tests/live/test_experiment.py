"""Was the forecast what happened? The published experiment on real brokers and real Streams clients, release by release."""

import pytest
from tests.live import compare
from tests.live.experiment import Experiment, Record, Step

from holdfast.kafka.vocabulary import ProcessId

pytestmark = pytest.mark.live


def test_every_rebalance_is_decided_as_we_decide(record: Record) -> None:
    """Given what its members reported, our decision is the leader's, from the first deploy on, to every member."""
    first = record.steps[0].before
    rows = compare.leaders_disagreements(record.started, first, compare.before_any_record(first.tasks))
    for step in record.steps:
        rows += compare.leaders_disagreements(step.generations, step.before, step.before.tasks)
    columns = ("generation", "member", "what", "ours", "leader's")
    assert not rows, compare.table(f"Kafka Streams {record.experiment.release}", columns, rows)


def test_members_reported_what_the_snapshot_said_they_would(record: Record) -> None:
    """The clients that stay, at the rebalance after the snapshot: partitions they own, and the sum of every task's offsets."""
    for step in record.steps:
        rows = compare.report_differences(step)
        assert not rows, compare.table(_title(record, step), ("client", "what", "snapshot", "reported"), rows)


def test_every_stable_end_is_the_one_forecast(record: Record) -> None:
    """Task by task, active and standby, client by client."""
    for step in record.steps:
        rows = compare.end_differences(step)
        assert not rows, compare.table(_title(record, step), ("task", "what", "forecast", "happened"), rows)


def test_it_took_as_many_rebalances_as_forecast(record: Record) -> None:
    """Kafka leaves open whether a follow-up finds a warm-up caught up: the forecast is a range."""
    for step in record.steps:
        summary = step.forecast.outcomes[0].summary
        took = len(step.rebalances)
        assert summary.rebalances_at_least <= took <= summary.rebalances_at_most, (
            f"{_title(record, step)}: {took} rebalances; forecast {summary.rebalances_at_least} to {summary.rebalances_at_most}"
        )


def test_a_replacement_with_its_own_process_metadata_leaves_the_others_alone(record: Record) -> None:
    """Empty disk and all: in no rebalance does another client get, lose or restore a task."""
    step = record.step("own metadata")
    before = compare.real_end(record.started[-1])
    assert step.forecast.outcomes[0].summary.active_moved == 0
    assert len(step.rebalances) == 1
    assert compare.real_end(step.generations[-1]) == before


def test_the_tasks_that_moved_are_those_that_were_forecast_to_move(record: Record) -> None:
    """Also where other clients' disks hold old copies of the replaced client's tasks."""
    before = compare.active(compare.real_end(record.started[-1]))
    for step in record.steps:
        after = compare.active(compare.real_end(step.generations[-1]))
        stateful = [task.id for task in step.before.tasks if task.stateful]
        moved = sum(before[task] != after[task] for task in stateful)
        assert moved == step.forecast.outcomes[0].summary.active_moved, _title(record, step)
        before = after


def test_the_published_group_reshuffles_wholly(record: Record) -> None:
    """Six tasks over C, A, B: when the client that sorts first is replaced by one that sorts last, all six migrate."""
    step = record.step("sorts last")
    clients = sorted(client.process_id for client in step.before.clients)
    assert [str(clients[0])] == [str(one) for one in clients if step.after.client(one) is None], "the first is replaced"
    assert clients[-1] < ProcessId.parse(record.experiment.last), "the replacement sorts last"
    published = Experiment("any")
    if (len(clients), record.experiment.partitions, record.experiment.threads) == (3, published.partitions, published.threads):
        assert step.forecast.outcomes[0].summary.active_moved == published.partitions


def _title(record: Record, step: Step) -> str:
    return f"Kafka Streams {record.experiment.release}, step {step.name!r}"
