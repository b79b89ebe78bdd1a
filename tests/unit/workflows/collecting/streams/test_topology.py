"""What a collection makes of tasks and changelogs, from assignments, names, disks, reports and the operator's word."""

from dataclasses import replace
from typing import ClassVar

import pytest
from tests.fakes.cluster import streams_member
from tests.unit.workflows.collecting.streams.word_count import GROUP, LOG, A, cluster, member, said, taken

from holdfast.errors import InvalidInput
from holdfast.kafka import topology_description
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.ports import ObservedGroup
from holdfast.rollout.disks.state_directory import StateDirectory, TaskDirectory
from holdfast.workflows.collecting.streams import settings


class TestTopology:
    def test_tasks_and_changelogs_come_from_assignments_and_names(self) -> None:
        found = taken(cluster(member(A, ("0_0", "0_1", "1_0", "1_1"))))
        assert {str(task.id): task.end_offset_sum if task.stateful else None for task in found.tasks} == {
            "0_0": None,
            "0_1": None,
            "1_0": 10,
            "1_1": 20,
        }
        assert "no file or report confirms it" in said(found, "tasks.1_*.changelogs")

    def test_what_cannot_be_told_is_null_and_named(self) -> None:
        unnamed = {"in": 2, "wc-counts-repartition": 2, "wc-other-changelog": 2}
        found = taken(cluster(member(A, ("0_0", "0_1", "1_0", "1_1")), partitions=unnamed))
        assert [task.changelogs for task in found.tasks] == [None] * 4
        assert "subtopologies 0, 1 all fit" in said(found, "tasks.0_*")

    def test_the_operator_a_disk_or_a_report_can_tell(self) -> None:
        unnamed = {"in": 2, "wc-counts-repartition": 2, "wc-other-changelog": 2}
        ends = {TopicPartition("wc-other-changelog", number): 5 for number in range(2)}
        quiet, loud = member(A, ("0_0", "0_1", "1_0", "1_1")), member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2})
        told = settings.read(GROUP, "3.9.1", {}, {}, ("1=wc-other-changelog",))
        checkpoint = ((TopicPartition("wc-other-changelog", 0), 4),)
        directory = StateDirectory("a", ProcessId.parse(A), tasks=(TaskDirectory(TaskId(1, 0), checkpoint, non_empty=True),))
        for found in (
            taken(cluster(quiet, partitions=unnamed, ends=ends), given=told),
            taken(cluster(quiet, partitions=unnamed, ends=ends), {"a": directory}),
            taken(cluster(loud, partitions=unnamed, ends=ends)),
        ):
            assert [task.stateful for task in found.tasks] == [False, False, True, True]

    def test_a_source_topic_can_be_the_changelog_and_its_committed_offset_is_the_end(self) -> None:
        table = streams_member(GROUP, A, active={"0_0": (("in", 0),), "0_1": (("in", 1),)}, joined={"0_0": -2, "0_1": -2})
        found = taken(cluster(table, partitions={"in": 2}, committed={GROUP: {TopicPartition("in", 0): 8}}))
        assert [(task.changelogs[0].topic, task.end_offset_sum) for task in found.tasks if task.changelogs] == [
            ("in", 8),
            ("in", 0),
        ]

    def test_another_applications_changelog_is_left_out(self) -> None:
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2}))
        group.partitions = {**group.partitions, "wc-two-counts-changelog": 2}
        group.views = {**group.views, "wc-two": [ObservedGroup("wc-two", "Stable", "consumer", "stream", ())]}
        found = taken(group)
        assert [len(task.changelogs or ()) for task in found.tasks] == [0, 0, 1, 1]
        assert "wc-two-counts-changelog" in said(found, "tasks")

    def test_a_changelog_whose_repartition_topic_is_read_here_is_ours(self) -> None:
        """Whatever other application's ID its name begins with."""
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2}))
        group.views = {**group.views, "wc-counts": [ObservedGroup("wc-counts", "Stable", "consumer", "stream", ())]}
        assert [len(task.changelogs or ()) for task in taken(group).tasks] == [0, 0, 1, 1]

    @pytest.mark.parametrize(("read", "owned"), [(False, (1, 1)), (True, (2, 2))])
    def test_a_changelog_whose_repartition_topic_nobody_here_reads_is_anothers(self, read: bool, owned: tuple[int, int]) -> None:
        """The application `wc` with a store `two-x` makes topics that look as if they were those of `wc-two` with a store `x`."""
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2}))
        group.partitions = {**group.partitions, "wc-x-changelog": 2, "wc-x-repartition": 2}
        told = settings.read(GROUP, "3.9.1", {}, {}, (f"1={LOG}", "1=wc-x-changelog") if read else ())
        found = taken(group, given=told)
        assert tuple(len(task.changelogs or ()) for task in found.tasks if task.stateful) == owned
        assert ("no member of this group reads the repartition topic" in said(found, "tasks")) is not read

    def test_the_stores_on_a_disk_tell_where_there_is_no_checkpoint(self) -> None:
        """4.3 writes none."""
        unnamed = {"in": 2, "wc-counts-repartition": 2, "wc-one-changelog": 2, "wc-two-changelog": 2}
        ends = {TopicPartition(topic, number): 5 for topic in unnamed for number in range(2)}
        tasks = (
            TaskDirectory(TaskId(0, 0), None, non_empty=True, stores=("no-log", "one")),
            TaskDirectory(TaskId(1, 1), None, non_empty=True, stores=("two",)),
        )
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1")), partitions=unnamed, ends=ends)
        found = taken(group, {"a": StateDirectory("a", ProcessId.parse(A), tasks=tasks)}, settings.read(GROUP, "4.3.1", {}, {}))
        assert [[log.topic for log in task.changelogs or ()] for task in found.tasks] == [["wc-one-changelog"]] * 2 + [
            ["wc-two-changelog"]
        ] * 2

    def test_who_reports_more_than_the_changelogs_hold_has_read_another_one(self) -> None:
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": 11}))
        found = taken(group)
        assert [task.changelogs is None for task in found.tasks] == [False, False, True, True]
        assert "reported 11 for 1_0, and its changelogs end at 10" in said(found, "tasks.1_*")
        told = settings.read(GROUP, "3.9.1", {}, {}, (f"1={LOG}",))
        assert [task.end_offset_sum for task in taken(group, given=told).tasks] == [0, 0, 10, 20]

    def test_an_optimised_application_may_keep_a_table_of_any_source_topic(self) -> None:
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": 7}))
        found = taken(group, given=settings.read(GROUP, "3.9.1", {"topology.optimization": "all"}, {}))
        assert [task.changelogs is None for task in found.tasks] == [True, True, False, False]
        assert "topology.optimization lets in be its changelog" in said(found, "tasks.0_*")
        bare = StateDirectory("a", ProcessId.parse(A), tasks=(TaskDirectory(TaskId(0, 0), None, non_empty=False),))
        for given, disks in ((("0=",), {}), ((), {"a": bare})):
            told = settings.read(GROUP, "3.9.1", {"topology.optimization": "all"}, {}, given)
            assert [task.changelogs for task in taken(group, disks, told).tasks][:2] == [(), ()]

    @pytest.mark.parametrize(("stores", "known"), [(("one",), True), (("one", "table"), False)])
    def test_stores_tell_where_each_has_a_changelog_of_its_own(self, stores: tuple[str, ...], known: bool) -> None:
        """Of a client that has written no checkpoint file yet, or is of 4.3: a store without one may be a table of the source."""
        group = cluster(member(A, ("0_0", "0_1")), partitions={"in": 2, "wc-one-changelog": 2})
        disk = StateDirectory("a", ProcessId.parse(A), tasks=(TaskDirectory(TaskId(0, 0), None, non_empty=True, stores=stores),))
        found = taken(group, {"a": disk}, settings.read(GROUP, "3.9.1", {"topology.optimization": "all"}, {}))
        logs = [[log.topic for log in task.changelogs] if task.changelogs is not None else None for task in found.tasks]
        assert logs == ([["wc-one-changelog"]] * 2 if known else [None] * 2)

    def test_a_withheld_task_is_derived_from_its_subtopology(self) -> None:
        found = taken(cluster(member(A, ("0_0", "1_0"), joined={"1_0": -2})))
        assert [str(task.id) for task in found.tasks] == ["0_0", "0_1", "1_0", "1_1"]
        assert "0_1, 1_1: assigned to no member" in said(found, "tasks")


def described(table: str = "in", store: str = "table", reads: str = "counts-repartition") -> str:
    """A table of a source topic, and a store of another name behind a repartition."""
    return f"""Topologies:
   Sub-topology: 0
    Source: KSTREAM-SOURCE-0 (topics: [{table}])
      --> KTABLE-SOURCE-1
    Processor: KTABLE-SOURCE-1 (stores: [{store}])
      --> none
      <-- KSTREAM-SOURCE-0
   Sub-topology: 1
    Source: KSTREAM-SOURCE-2 (topics: [{reads}])
      --> KSTREAM-AGGREGATE-3
    Processor: KSTREAM-AGGREGATE-3 (stores: [one, unlogged])
      --> none
      <-- KSTREAM-SOURCE-2
"""


class TestDescribedTopology:
    UNNAMED: ClassVar = {"in": 2, "wc-counts-repartition": 2, "wc-one-changelog": 2, "wc-table-changelog": 2}
    ENDS: ClassVar = {TopicPartition(topic, number): 5 for topic in UNNAMED for number in range(2)}

    def logs(self, text: str, optimised: str | None, without: str = "", changelogs: tuple[str, ...] = ()) -> list[list[str] | None]:
        application = {} if optimised is None else {"topology.optimization": optimised}
        given = replace(settings.read(GROUP, "3.9.1", application, {}, changelogs), described=topology_description.read(text))
        partitions = {name: count for name, count in self.UNNAMED.items() if name != without}
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1")), partitions=partitions, ends=self.ENDS)
        tasks = taken(group, given=given).tasks[::2]
        return [None if one.changelogs is None else [log.topic for log in one.changelogs] for one in tasks]

    def test_shows_what_neither_names_nor_disks_do(self) -> None:
        assert self.logs(described(), "none") == [["wc-table-changelog"], ["wc-one-changelog"]]

    def test_a_table_has_its_source_topic_where_the_application_lets_it(self) -> None:
        """A changelog topic of its name is left over from before."""
        assert self.logs(described(), "all") == [["in"], ["wc-one-changelog"]]
        assert self.logs(described(), "none", without="wc-table-changelog") == [[], ["wc-one-changelog"]]

    def test_whether_it_lets_it_is_not_guessed(self) -> None:
        assert self.logs(described(), None) == [["wc-table-changelog"], ["wc-one-changelog"]]
        assert self.logs(described(), None, without="wc-table-changelog") == [None, ["wc-one-changelog"]]

    def test_changelogs_that_are_given_themselves_count_more(self) -> None:
        assert self.logs(described(), "none", changelogs=("0=",)) == [[], ["wc-one-changelog"]]

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            (described(reads="other-repartition"), "its subtopology 1 reads other-repartition; that of the group reads wc-counts"),
            (described().partition("   Sub-topology: 1")[0], "it has no subtopology 1, of which the group runs tasks"),
        ],
    )
    def test_that_of_another_version_is_refused(self, text: str, problem: str) -> None:
        with pytest.raises(InvalidInput, match=problem):
            self.logs(text, "none")
