"""The part of a plan's review that says who bears it: tasks that stand still, brokers that serve restores, disks that fill."""

from collections.abc import Callable, Iterator

from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost.evaluation import Cost, TaskStop
from holdfast.rollout.streams.forecast.amounts import Amount
from holdfast.rollout.text.rendering import Block, Heading, Paragraph, Table
from holdfast.rollout.text.wording import amount_of_bytes, duration, many

MOST_ROWS = 40


def burden(cost: Cost, policy: Policy, named: Callable[[ProcessId], str]) -> Iterator[Block]:
    """`named`: what a client is called."""
    yield from _tasks(cost, policy)
    yield from _brokers(cost, policy)
    yield from _disks(cost, policy, named)


def _tasks(cost: Cost, policy: Policy) -> Iterator[Block]:
    """Those that stand still longest first, then those of which most is read."""
    speed = policy.restore_records_per_second
    if not any(one.stopped(speed) for one in cost.stops):
        return
    stops, amounts = {one.task: one for one in cost.stops}, dict(cost.restored_tasks)

    def weight(task: TaskId) -> tuple[int, int, TaskId]:
        still = stops[task].stopped(speed) if task in stops else 0
        return -still, -amounts[task].records if task in amounts else 0, task

    rows = sorted({**stops, **amounts}, key=weight)[:MOST_ROWS]
    yield Heading(2, "Task by task", aside=True)
    yield Table(
        ("task", "restored", "stands still", "of that, nobody has a caught-up copy"),
        tuple(
            (
                str(task),
                f"{many(amounts[task].records, 'record')}, {_bytes(amounts[task], policy)}" if task in amounts else "nothing",
                _at_most(stops[task].stopped(speed)) if task in stops else "no",
                _without_copy(stops.get(task), speed),
            )
            for task in rows
        ),
    )
    in_all = sum(one.stopped(speed) for one in cost.stops)
    yield Paragraph(
        f"{many(len(cost.stops), 'task')} stand still, {many(in_all, 'task-second')} in all, if a client restores {speed:,}"
        " records/s. At most: what a client restores together is counted for each of its tasks. The start of a process is not."
    )


def _without_copy(stop: TaskStop | None, speed: int) -> str:
    if stop is None or not (stop.seconds_without_copy or stop.records):
        return "no"
    return _at_most(stop.without_copy(speed))


def _at_most(seconds: int) -> str:
    return duration(seconds) if seconds else "under a second"


def _brokers(cost: Cost, policy: Policy) -> Iterator[Block]:
    if not any(one.broker is not None for one in cost.reads):
        return
    yield Heading(2, "What brokers serve for it", aside=True)
    yield Table(
        ("broker", "records", "bytes", "at most in one rebalance"),
        tuple(
            (
                "not known" if one.broker is None else str(one.broker),
                f"{one.total.records:,}",
                _bytes(one.total, policy),
                f"{many(one.at_once.records, 'record')}, {_bytes(one.at_once, policy)}",
            )
            for one in cost.reads[:MOST_ROWS]
        ),
    )


def _disks(cost: Cost, policy: Policy, named: Callable[[ProcessId], str]) -> Iterator[Block]:
    """Those that get more to hold, where something is known of bytes: records say nothing of a disk."""
    grown = [one for one in cost.disks if one.grows_by(policy.bytes_per_record)]
    if not grown:
        return
    yield Heading(2, "What disks hold of stores", aside=True)
    yield Table(
        ("client", "now", "at most on the way", "in the end", "free now"),
        tuple(
            (
                named(one.process_id),
                _bytes(one.now, policy),
                _bytes(one.most, policy),
                _bytes(one.end, policy),
                "not known" if one.free is None else amount_of_bytes(one.free),
            )
            for one in grown[:MOST_ROWS]
        ),
    )
    yield Paragraph(
        "As their changelogs weigh on a broker: an estimate. What a client no longer runs stays a while. Other disks get nothing."
    )


def _bytes(amount: Amount, policy: Policy) -> str:
    size = amount.bytes_at(policy.bytes_per_record)
    return "bytes not known" if size is None else amount_of_bytes(size)
