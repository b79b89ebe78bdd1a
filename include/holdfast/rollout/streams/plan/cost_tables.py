"""The part of a plan's review that shows cost by task, broker and disk: downtime, reads of restores, disk usage."""

from collections.abc import Callable, Iterator

from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost.evaluation import Cost, TaskStop
from holdfast.rollout.streams.forecast.amounts import Amount
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import amount_of_bytes, duration, many

MOST_ROWS = 40


def cost_tables(cost: Cost, policy: Policy, named: Callable[[ProcessId], str]) -> Iterator[Block]:
    """`named`: what a client is called."""
    yield from _tasks(cost, policy)
    yield from _brokers(cost, policy)
    yield from _disks(cost, policy, named)


def _tasks(cost: Cost, policy: Policy) -> Iterator[Block]:
    """The longest downtime first, then those of which most is read."""
    speed = policy.restore_records_per_second
    if not any(one.stopped(speed) for one in cost.stops):
        return
    stops, amounts = {one.task: one for one in cost.stops}, dict(cost.restored_tasks)

    def weight(task: TaskId) -> tuple[int, int, TaskId]:
        still = stops[task].stopped(speed) if task in stops else 0
        return -still, -amounts[task].records if task in amounts else 0, task

    rows = sorted({**stops, **amounts}, key=weight)[:MOST_ROWS]
    yield Heading(2, "Downtime and restore by task", aside=True)
    yield Table(
        ("task", "restore", "downtime", "of that, without a caught-up copy"),
        tuple(
            (
                str(task),
                f"{many(amounts[task].records, 'record')} ({_bytes(amounts[task], policy)})" if task in amounts else "nothing",
                _at_most(stops[task].stopped(speed)) if task in stops else "none",
                _without_copy(stops.get(task), speed),
            )
            for task in rows
        ),
    )
    in_all = sum(one.stopped(speed) for one in cost.stops)
    yield Paragraph(
        f"Downtime of {many(len(cost.stops), 'task')}, {many(in_all, 'task-second')} in total, at {speed:,} records/s per client."
        " An upper bound: each task is counted until its client has restored all its tasks. The start-up of clients comes on top."
    )


def _without_copy(stop: TaskStop | None, speed: int) -> str:
    if stop is None or not (stop.seconds_without_copy or stop.records):
        return "none"
    return _at_most(stop.without_copy(speed))


def _at_most(seconds: int) -> str:
    return duration(seconds) if seconds else "under 1 s"


def _brokers(cost: Cost, policy: Policy) -> Iterator[Block]:
    if not any(one.broker is not None for one in cost.reads):
        return
    yield Heading(2, "Restore reads by broker", aside=True)
    yield Table(
        ("broker", "records", "bytes", "most in one rebalance"),
        tuple(
            (
                "unknown" if one.broker is None else str(one.broker),
                f"{one.total.records:,}",
                _bytes(one.total, policy),
                f"{many(one.at_once.records, 'record')} ({_bytes(one.at_once, policy)})",
            )
            for one in cost.reads[:MOST_ROWS]
        ),
    )


def _disks(cost: Cost, policy: Policy, named: Callable[[ProcessId], str]) -> Iterator[Block]:
    """Those that get more to hold, where something is known of bytes: records say nothing of a disk."""
    grown = [one for one in cost.disks if one.grows_by(policy.bytes_per_record)]
    if not grown:
        return
    yield Heading(2, "State-store disk usage", aside=True)
    yield Table(
        ("client", "now", "peak", "after", "free now"),
        tuple(
            (
                named(one.process_id),
                _bytes(one.now, policy),
                _bytes(one.most, policy),
                _bytes(one.end, policy),
                "unknown" if one.free is None else amount_of_bytes(one.free),
            )
            for one in grown[:MOST_ROWS]
        ),
    )
    yield Paragraph(
        "Estimated from changelog sizes on the brokers. Stores that a client no longer needs are deleted later. Other disks do not"
        " grow."
    )


def _bytes(amount: Amount, policy: Policy) -> str:
    size = amount.bytes_at(policy.bytes_per_record)
    return "size unknown" if size is None else amount_of_bytes(size)
