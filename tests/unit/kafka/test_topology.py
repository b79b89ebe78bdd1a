"""Which changelog belongs to which subtopology, as far as it can be told from outside."""

import pytest

from holdfast.kafka import topology
from holdfast.kafka.topology import Clues
from holdfast.kafka.vocabulary import TaskId, TopicPartition


def tasks(**sources: tuple[str, int]):
    """`s0=("in", 2)`: subtopology 0 reads two partitions of `in`."""
    return tuple(
        (TaskId(int(name[1:]), number), (TopicPartition(topic, number),))
        for name, (topic, partitions) in sources.items()
        for number in range(partitions)
    )


def owners(shape, counts: dict[str, int], **clues) -> dict[int, tuple[str, ...] | None]:
    return dict(topology.changelogs("app", shape, counts, Clues(**clues)).changelogs)


TWO = tasks(s0=("in", 2), s1=("app-a-repartition", 2))


@pytest.mark.parametrize(
    ("counts", "clues", "expected"),
    [
        ({"app-a-changelog": 2}, {}, {0: (), 1: ("app-a-changelog",)}),
        ({"app-x-changelog": 2}, {}, {0: None, 1: None}),
        ({"app-x-changelog": 2}, {"reported": (0,)}, {0: ("app-x-changelog",), 1: ()}),
        ({"app-x-changelog": 2}, {"silent": (0,)}, {0: (), 1: ("app-x-changelog",)}),
        ({"app-x-changelog": 2}, {"said": ((0, "app-x-changelog"),)}, {0: ("app-x-changelog",), 1: ()}),
        ({"app-x-changelog": 2}, {"checkpointed": ((1, "app-x-changelog"),)}, {0: (), 1: ("app-x-changelog",)}),
        ({"app-x-changelog": 3}, {}, {0: None, 1: None}),
        ({"other-x-changelog": 2, "app-x-repartition": 2}, {}, {0: (), 1: ()}),
        ({"app-a-changelog": 2, "app-x-changelog": 2}, {"reported": (0, 1)}, {0: ("app-x-changelog",), 1: ("app-a-changelog",)}),
        (
            {"app-x-changelog": 2, "app-y-changelog": 2},
            {"checkpointed": ((0, "app-x-changelog"),)},
            {0: ("app-x-changelog",), 1: ("app-y-changelog",)},
        ),
        ({"app-x-changelog": 2, "app-y-changelog": 2}, {"reported": (0, 1)}, {0: None, 1: None}),
        ({}, {"reported": (0,)}, {0: ("in",), 1: ()}),
        ({}, {"reported": (1,)}, {0: (), 1: None}),
    ],
)
def test_two_subtopologies_of_one_size(counts, clues, expected) -> None:
    assert owners(TWO, counts, **clues) == expected


def test_partition_counts_tell_subtopologies_apart() -> None:
    shape = tasks(s0=("in", 2), s1=("app-r-repartition", 3))
    assert owners(shape, {"app-x-changelog": 3, "app-y-changelog": 2}) == {0: ("app-y-changelog",), 1: ("app-x-changelog",)}


def test_two_stores_of_one_subtopology() -> None:
    found = owners(tasks(s0=("in", 2)), {"app-x-changelog": 2, "app-y-changelog": 2})
    assert found == {0: ("app-x-changelog", "app-y-changelog")}


def test_every_assumption_is_said() -> None:
    found = topology.changelogs("app", TWO, {"app-x-changelog": 2, "app-y-changelog": 2}, Clues(reported=(1,)))
    (assumed,) = found.assumed
    assert assumed[0] == 1
    assert "app-x-changelog" in assumed[1]
    assert "app-y-changelog" in assumed[1]


def test_tasks_that_nobody_has_are_derived() -> None:
    assigned = [(TaskId(0, 1), (TopicPartition("b", 1), TopicPartition("a", 1)))]
    assert topology.all_tasks(assigned, {"a": 3, "b": 2}) == (
        (TaskId(0, 0), (TopicPartition("a", 0), TopicPartition("b", 0))),
        (TaskId(0, 1), (TopicPartition("a", 1), TopicPartition("b", 1))),
        (TaskId(0, 2), (TopicPartition("a", 2),)),
    )


def test_a_subtopology_whose_running_tasks_are_left_out_is_stateless() -> None:
    owned = (TopicPartition("in", 0), TopicPartition("app-a-repartition", 0))
    running = ((TaskId(1, 0), -2),)
    assert topology.silent_subtopologies([(owned, running)], TWO) == (0,)
    assert topology.silent_subtopologies([(owned, ((TaskId(1, 0), 5),))], TWO) == ()
    assert topology.silent_subtopologies([(owned, running), ((), ((TaskId(0, 1), 0),))], TWO) == ()
