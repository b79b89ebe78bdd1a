"""Which changelog belongs to which subtopology, as it can be inferred from outside."""

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
            {"checkpointed": ((0, "app-x-changelog"),), "reported": (1,)},
            {0: ("app-x-changelog",), 1: ("app-y-changelog",)},
        ),
        # y may be the changelog of a store in memory, of either
        ({"app-x-changelog": 2, "app-y-changelog": 2}, {"checkpointed": ((0, "app-x-changelog"),)}, {0: None, 1: None}),
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


ONE = tasks(s0=("in", 2))
MEMORY = {"in": 2, "app-x-changelog": 2, "app-memory-changelog": 2}


def test_a_changelog_that_the_files_do_not_name_is_not_guessed() -> None:
    """It may be that of a store in memory, or left over, or another application's whose ID begins with Holdfast's."""
    found = topology.changelogs("app", ONE, MEMORY, Clues(checkpointed=((0, "app-x-changelog"),), reported=(0,)))
    assert found.changelogs == ((0, None),)
    assert "app-memory-changelog" in found.unknown[0][1]
    assert "--changelog" in found.unknown[0][1]


@pytest.mark.parametrize("in_memory", [True, False])
def test_what_is_said_of_a_subtopology_is_all_that_it_has(in_memory: bool) -> None:
    own = ("app-x-changelog", "app-memory-changelog") if in_memory else ("app-x-changelog",)
    said = tuple((0, topic) for topic in own)
    found = topology.changelogs("app", ONE, MEMORY, Clues(said=said, checkpointed=((0, "app-x-changelog"),), reported=(0,)))
    assert found.changelogs == ((0, tuple(sorted(own))),)
    assert [topic for topic, _ in found.left_over] == ([] if in_memory else ["app-memory-changelog"])


def test_a_subtopology_may_be_said_to_be_stateless() -> None:
    shape = tasks(s0=("in", 2), s1=("other", 2))
    assert owners(shape, {"app-x-changelog": 2}, said=((0, ""),)) == {0: (), 1: ("app-x-changelog",)}


def test_a_changelog_of_another_number_of_partitions_is_left_over() -> None:
    """Kafka Streams would not start on it. Where a source topic cannot be seen, the number of tasks is unknown either."""
    counts = {"in": 2, "app-x-changelog": 2, "app-old-changelog": 3}
    found = topology.changelogs("app", ONE, counts, Clues())
    assert found.changelogs == ((0, ("app-x-changelog",)),)
    assert [topic for topic, _ in found.left_over] == ["app-old-changelog"]
    assert owners(ONE, {name: counts[name] for name in counts if name != "in"}) == {0: None}


@pytest.mark.parametrize(
    ("counts", "clues", "expected"),
    [
        ({}, {}, None),
        ({"app-x-changelog": 2}, {}, None),
        ({}, {"reuses_sources": False}, ()),
        ({}, {"reuses_sources": False, "reported": (0,)}, None),
        ({}, {"reported": (0,)}, ("in",)),
        ({}, {"silent": (0,)}, ()),
        ({}, {"bare": (0,)}, ()),
        ({}, {"said": ((0, ""),)}, ()),
        ({"app-x-changelog": 2}, {"said": ((0, "in"), (0, "app-x-changelog"))}, ("app-x-changelog", "in")),
        ({"app-x-changelog": 2}, {"checkpointed": ((0, "in"), (0, "app-x-changelog"))}, ("app-x-changelog", "in")),
        ({"app-x-changelog": 2}, {"checkpointed": ((0, "app-x-changelog"),)}, ("app-x-changelog",)),
        ({"app-x-changelog": 2}, {"stored": ((0, "app-x-changelog"),)}, None),
        ({"app-x-changelog": 2}, {"stored": ((0, "app-x-changelog"),), "own": (0,)}, ("app-x-changelog",)),
        ({"app-x-changelog": 2}, {"stored": ((0, "app-x-changelog"),), "reuses_sources": False}, ("app-x-changelog",)),
    ],
)
def test_a_table_whose_source_topic_is_its_changelog(counts, clues, expected) -> None:
    """With `topology.optimization`, names do not show it; files, reports and the operator do."""
    assert owners(ONE, {"in": 2, **counts}, **({"reuses_sources": True} | clues)) == {0: expected}
