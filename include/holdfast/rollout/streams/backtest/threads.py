"""Whether the threads of a client would have other tasks with other end offsets, although the client itself has the same.

A thread keeps what it reported, the least lagging first, up to its even share (`kafka.streams.threads`). So the lags of different
tasks are compared, and where end offsets are not certain their order may not be either. It decides nothing where a thread reports
no more than it may keep, and where too little is left over for the order of a queue to matter.
"""

from collections.abc import Iterator, Mapping, Sequence

from holdfast.kafka.streams.group import Assignment, Client, Consumer, ConsumerAssignment, Group
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.streams.backtest.question import PastTask


def lags_may_decide(group: Group, answer: Assignment, tasks: Mapping[TaskId, PastTask], *, common_load: bool) -> bool:
    """`common_load`: the release counts active and standby tasks of a thread together."""
    return any(
        len(client.consumers) > 1 and _may_decide(client, shares, tasks, common_load=common_load)
        for client, shares in answer.by_client(group.clients)
    )


def _may_decide(
    client: Client, shares: Sequence[ConsumerAssignment], tasks: Mapping[TaskId, PastTask], *, common_load: bool
) -> bool:
    active = [_stateful((*share.active, *share.withheld), tasks) for share in shares]
    standby = [[task for task in share.standby if task not in share.withheld] for share in shares]
    loads = [len(one) for one in active] if common_load else [0] * len(active)
    return any(
        (*_open_orders(client, active, [0] * len(active), tasks), *_open_orders(client, standby, loads, tasks)),
    )


def _stateful(found: Sequence[TaskId], tasks: Mapping[TaskId, PastTask]) -> list[TaskId]:
    return [task for task in found if task not in tasks or tasks[task].stateful is not False]


def _open_orders(
    client: Client, handed: Sequence[Sequence[TaskId]], loads: Sequence[int], tasks: Mapping[TaskId, PastTask]
) -> Iterator[bool]:
    """By thread: whether the order of what it reported is open, and decides what it keeps."""
    given = frozenset(task for each in handed for task in each)
    least = (sum(loads) + len(given)) // len(handed)
    left_over = sum(max(0, load + len(each) - least) for load, each in zip(loads, handed, strict=True))
    for consumer, load in zip(client.consumers, loads, strict=True):
        before = [task for task, _ in consumer.task_offset_sums if task in given]
        matters = len(before) > max(0, least - load) or left_over > 1
        yield matters and _open(consumer, given, tasks)


def _open(consumer: Consumer, given: frozenset[TaskId], tasks: Mapping[TaskId, PastTask]) -> bool:
    """Whether two of its copies may lag in either order."""
    lags: list[tuple[int, int | None]] = []
    for task, total in consumer.task_offset_sums:
        known = tasks.get(task)
        if total >= 0 and task in given and known is not None:
            low = max(known.low, total)
            high = known.high if known.high is None or known.high >= low else None
            lags.append((low - total, None if high is None else high - total))
    lags.sort(key=lambda one: one[0])
    reach: int | None = -1
    all_certain = True
    for low, high in lags:
        certain = high == low
        # Equal lags are in the order of the tasks: so ranges that only touch leave the order open, unless both are one lag.
        if reach is None or low < reach or (low == reach and not (certain and all_certain)):
            return True
        all_certain = certain
        reach = None if high is None else max(reach, high)
    return False
