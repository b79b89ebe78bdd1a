"""What a collection makes of a group: the inference of what members would report now, and everything that can be missing."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.fakes.cluster import THE_CLUSTER, FakeCluster, FakeStateDirectories
from tests.unit.workflows.collecting.streams.word_count import (
    GROUP,
    LOG,
    NOW,
    SETTINGS,
    A,
    B,
    cluster,
    disk,
    generation,
    member,
    said,
    sums,
    taken,
)

from holdfast.errors import ClusterTrouble, InvalidInput, Unsupported
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.ports import ObservedGroup
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import StateDirectory, TaskDirectory
from holdfast.rollout.streams.snapshot.json import snapshot_from_json, snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows.collecting.observed import Reading
from holdfast.workflows.collecting.settling import Patience
from holdfast.workflows.collecting.streams import collect, settings


class TestWhatMembersWouldReport:
    def test_active_tasks_run_and_what_was_handed_is_owned(self) -> None:
        found = taken(cluster(member(A, ("0_0", "1_0"), joined={"1_0": -2}), member(B, ("0_1", "1_1"), joined={"1_1": 7})))
        assert sums(found, A) == {"1_0": -2}
        assert sums(found, B) == {"1_1": -2}
        assert found.consumers()[0].owned == (TopicPartition("in", 0), TopicPartition("wc-counts-repartition", 0))
        assert "assumed for 1_1: active tasks" in said(found, f"clients.{B}")
        assert not said(found, f"clients.{A}")

    def test_a_standby_has_caught_up_and_the_assumption_is_named(self) -> None:
        found = taken(cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2, "1_1": -2}), member(B, (), ("1_1",))))
        assert sums(found, B) == {"1_1": 20}
        assert "assumed for 1_1: standby copies" in said(found, f"clients.{B}")

    def test_a_standby_whose_file_is_far_behind_is_where_its_file_is(self) -> None:
        far = {TopicPartition(LOG, 0): 10, TopicPartition(LOG, 1): 50_000}
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2, "1_1": -2}), member(B, (), ("1_1",)), ends=far)
        assert sums(taken(group, {"b": disk(B, t1_1=29_999)}), B) == {"1_1": 30_000}
        assert sums(taken(group, {"b": disk(B, t1_1=45_000)}), B) == {"1_1": 50_000}

    def test_a_closed_copy_is_what_was_reported_unless_the_disk_says_more(self) -> None:
        everything = member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2, "1_1": -2})
        group = cluster(everything, member(B, (), joined={"1_0": 9, "1_1": 4}))
        assert sums(taken(group), B) == {"1_0": 9, "1_1": 4}
        assert "no state directory was read" in said(taken(group), f"clients.{B}")
        assert sums(taken(group, {"b": disk(B, t1_1=5)}), B) == {"1_1": 5}
        assert sums(taken(group, {"b": disk(B, t1_1=None)}), B) == {}

    @pytest.mark.parametrize(("release", "reported"), [("3.9.1", 9), ("4.3.1", 10)])
    def test_a_task_that_ran_at_the_last_join_was_closed_cleanly_since(self, release: str, reported: int) -> None:
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_1": -2}), member(B, (), joined={"1_0": -2}))
        found = taken(group, given=settings.read(GROUP, release, {}, {}))
        assert sums(found, B) == {"1_0": reported}
        assert "closed since" in said(found, f"clients.{B}")

    @pytest.mark.parametrize(("release", "doubted"), [("2.6.3", True), ("2.7.2", True), ("2.8.2", False)])
    def test_with_exactly_once_up_to_2_7_what_was_closed_since_is_doubted(self, release: str, doubted: bool) -> None:
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_1": -2}), member(B, (), joined={"1_0": -2}))
        found = taken(group, given=settings.read(GROUP, release, {"processing.guarantee": "exactly_once_beta"}, {}))
        assert ("when it was started" in said(found, f"clients.{B}")) is doubted

    def test_a_standby_of_the_generation_before_was_closed_cleanly_since(self) -> None:
        before = (member(A, ("0_0", "0_1", "1_0", "1_1")), member(B, (), ("1_0",)))
        now = (member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2, "1_1": -2}), member(B, (), joined={"1_0": 10}))
        group = cluster(*now, history={GROUP: (generation(4, *before), generation(5, *now))})
        assert sums(taken(group), B) == {"1_0": 9}
        assert sums(taken(cluster(*now)), B) == {"1_0": 10}
        not_running_yet = (now[0], member(B, (), joined={"1_0": 9}))
        group = cluster(*not_running_yet, history={GROUP: (generation(4, *before), generation(5, *not_running_yet))})
        assert sums(taken(group), B) == {"1_0": 9}

    def test_with_exactly_once_no_copy_counts_the_marker_of_the_last_transaction(self) -> None:
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2}), member(B, (), ("1_1",), joined={"1_0": -2}))
        found = taken(group, given=settings.read(GROUP, "3.9.1", {"processing.guarantee": "exactly_once_v2"}, {}))
        assert sums(found, B) == {"1_0": 8, "1_1": 19}
        assert "exactly-once" in said(found, "clients")

    def test_closed_copies_are_gone_after_twice_the_cleanup_delay(self) -> None:
        now = (member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2, "1_1": -2}), member(B, (), joined={"1_0": 9}))
        old = generation(5, *now, completed=NOW - timedelta(minutes=21))
        found = taken(cluster(*now, history={GROUP: (old,)}))
        assert sums(found, B) == {}
        assert "assumed to be deleted" in said(found, f"clients.{B}")
        longer = settings.read(GROUP, "3.9.1", {"state.cleanup.delay.ms": "3600000"}, {})
        assert sums(taken(cluster(*now, history={GROUP: (old,)}), given=longer), B) == {"1_0": 9}

    @pytest.mark.parametrize(("release", "in_stores", "reported"), [("4.3.1", True, 8), ("4.3.1", False, 8), ("3.9.1", False, 7)])
    def test_from_4_3_on_a_closed_copy_counts_its_last_record(self, release: str, in_stores: bool, reported: int) -> None:
        """Also where the offset is in an older release's checkpoint file: 4.3 takes that over."""
        held = disk(B, t1_0=7)
        (task,) = held.tasks
        held = replace(held, tasks=(replace(task, offsets_in_stores=in_stores),))
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2, "1_1": -2}), member(B))

        assert sums(taken(group, {"b": held}, settings.read(GROUP, release, {}, {})), B) == {"1_0": reported}

    def test_in_4_3_a_disk_without_offsets_is_said(self) -> None:
        group = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2, "1_1": -2}), member(B, (), joined={"1_0": 9}))
        found = taken(group, {"b": disk(B, t1_0=None)}, settings.read(GROUP, "4.3.1", {}, {}))
        assert sums(found, B) == {"1_0": 9}
        assert "RocksDB" in said(found, "state_directories")

    def test_two_threads_are_one_client_and_a_disk_is_reported_by_its_first_member(self) -> None:
        second = member(A, ("0_1", "1_1"), joined={"1_1": -2}, thread=2)
        found = taken(cluster(second, member(A, ("0_0", "1_0"), joined={"1_0": -2})), {"a": disk(A, t1_7=3)})
        client = found.client(ProcessId.parse(A))
        assert client is not None
        by_member = {consumer.member_id: dict(consumer.task_offset_sums) for consumer in client.consumers}
        assert by_member[min(by_member)] == {TaskId(1, 0): -2, TaskId(1, 7): 3}
        assert next(iter(by_member)) == second.member_id


class TestWhatCanBeMissing:
    @pytest.mark.parametrize("state", ["Empty", "PreparingRebalance", "CompletingRebalance"])
    def test_a_group_without_metadata_is_a_snapshot_that_says_so(self, state: str) -> None:
        bare = replace(member(A), subscription=b"", assignment=b"")
        found = taken(cluster(*(() if state == "Empty" else (bare,)), state=state), limit_s=3)
        assert (found.clients, found.tasks, found.group_state) == ((), (), state)
        assert ("no member is running" if state == "Empty" else "middle of a rebalance") in said(found, "clients")
        assert snapshot_from_json(snapshot_to_json(found)) == found

    @pytest.mark.parametrize("state", ["Stable", "PreparingRebalance"])
    def test_a_client_that_dies_again_and_again_is_said_in_whatever_state(self, state: str) -> None:
        """Every generation has another member under the thread's name."""
        died = member(B, ("0_1", "1_1"), thread=2)
        history = tuple(
            generation(
                number, replace(died, member_id=f"{died.client_id}-{number}"), completed=NOW - timedelta(seconds=60 - number)
            )
            for number in range(1, 6)
        )
        bare = member(A, ("0_0", "0_1", "1_0", "1_1"))
        bare = bare if state == "Stable" else replace(bare, subscription=b"", assignment=b"")
        found = taken(cluster(bare, state=state, history={GROUP: history}))
        assert "was started 5 times within 4 seconds, with 5 rebalances" in said(found, f"clients.{B}")

    def test_a_rebalance_is_waited_for_and_so_is_an_immediate_follow_up(self) -> None:
        group = ObservedGroup(GROUP, "Stable", "consumer", "stream", (member(A, ("0_0", "0_1", "1_0", "1_1")),))
        views = [
            replace(group, state="PreparingRebalance", protocol="", members=()),
            replace(group, members=(member(A, ("0_0",), next_rebalance_ms=0),)),
            group,
        ]
        assert len(taken(cluster(views={GROUP: views}), limit_s=30).tasks) == 4

    def test_a_follow_up_that_never_comes_is_said(self) -> None:
        found = taken(cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), next_rebalance_ms=0)))
        assert "immediate follow-up" in said(found, "group_state")
        assert len(found.tasks) == 4

    @pytest.mark.parametrize(
        ("kind", "protocol", "name"),
        [
            ("consumer", "range", "is a consumer group"),
            ("connect", "sessioned", "connect"),
            ("consumer", "", "is a consumer group"),
        ],
    )
    def test_a_group_of_another_kind_is_refused_by_name(self, kind: str, protocol: str, name: str) -> None:
        group = ObservedGroup(GROUP, "Stable", kind, protocol, (member(A),))
        with pytest.raises(Unsupported, match=name):
            taken(cluster(views={GROUP: [group]}))

    def test_what_may_not_be_read_is_named_and_the_rest_is_there(self) -> None:
        group = cluster(
            member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2}), forbidden=frozenset({"__consumer_offsets", "in", LOG})
        )
        found = taken(group)
        assert "not authorized" in said(found, "generations")
        assert said(found, "topics.in")
        assert "present generation was not found" in said(found, "leader_process_id")
        assert "no changelog topic fits it" in said(found, "tasks.1_*")
        assert [task.changelogs for task in found.tasks] == [(), (), None, None]
        assert sums(found, A)["1_0"] == -2

    def test_end_offsets_that_cannot_be_read_make_a_changelog_unknown(self) -> None:
        class Silent(FakeCluster):
            def end_offsets(self, partitions):
                return (), tuple(Unknown(f"end_offset.{each}", "no leader") for each in partitions)

        made = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2}))
        found = taken(Silent(made.views, made.partitions))
        assert [task.changelogs for task in found.tasks] == [(), (), None, None]
        assert "could not be read" in said(found, "tasks.1_0")

    def test_changelogs_are_measured_and_nothing_else_is(self) -> None:
        begins = {TopicPartition(LOG, 1): 5}
        sizes = {TopicPartition(LOG, number): 100 * (number + 1) for number in range(2)}
        found = taken(cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2}), begins=begins, sizes=sizes))
        measured = {topic.name: [(each.begin_offset, each.log_bytes) for each in topic.partitions] for topic in found.topics}
        assert measured.pop(LOG) == [(0, 100), (5, 200)]
        assert {pair for pairs in measured.values() for pair in pairs} == {(None, None)}

    def test_without_the_right_to_measure_the_rest_is_there(self) -> None:
        running = member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2})
        found = taken(cluster(running, forbidden=frozenset({THE_CLUSTER})))
        assert "DESCRIBE on the cluster" in said(found, f"log_bytes.{LOG}")
        assert found.tasks == taken(cluster(running)).tasks

    def test_a_cluster_that_stops_answering_while_it_is_measured_does_not_stop_the_rest(self) -> None:
        class Tired(FakeCluster):
            def begin_offsets(self, partitions):
                raise ClusterTrouble(f"reading {len(partitions)} offsets: no answer within 60 s")

        made = cluster(member(A, ("0_0", "0_1", "1_0", "1_1"), joined={"1_0": -2}))
        found = taken(Tired(made.views, made.partitions, made.ends))
        assert "no answer" in said(found, "begin_offset.")
        assert [task.end_offset_sum for task in found.tasks if task.stateful] == [10, 20]

    def test_a_state_directory_that_is_not_there_does_not_stop_the_rest(self) -> None:
        fake = cluster(member(A, ("0_0", "0_1", "1_0", "1_1")))
        found = collect.snapshot(
            fake,
            FakeStateDirectories(),
            Reading("prod", GROUP, ("/gone",), Patience(1), lambda: NOW),
            SETTINGS,
        )
        assert "/gone" in said(found, "state_directories")
        assert found.cluster == "prod"

    @pytest.mark.parametrize(("stores", "noted"), [((), True), (("counts",), False)])
    def test_without_a_store_on_any_disk_process_ids_are_new_at_each_start(self, stores: tuple[str, ...], noted: bool) -> None:
        tasks = (TaskDirectory(TaskId(1, 0), None, non_empty=bool(stores), stores=stores),)
        directory = StateDirectory("a", ProcessId.parse(A), tasks=tasks)
        found = taken(cluster(member(A, ("0_0", "0_1", "1_0", "1_1"))), {"a": directory})
        assert ("a new process ID at each start" in said(found, "state_directories")) is noted

    def test_two_directories_with_one_process_id_are_said(self) -> None:
        twin = replace(disk(A, t1_0=1), url="other")
        found = taken(cluster(member(A, ("0_0", "0_1", "1_0", "1_1"))), {"a": disk(A, t1_0=1), "b": twin})
        assert "one process ID" in said(found, "state_directories")

    def test_a_member_of_a_newer_version_is_refused_by_name(self) -> None:
        from holdfast.kafka.wire import consumer_protocol
        from holdfast.kafka.wire.consumer_protocol import ConsumerProtocolSubscription

        future = (12).to_bytes(4, "big") * 2
        newer = replace(
            member(A), subscription=consumer_protocol.encode_subscription(ConsumerProtocolSubscription(1, ("in",), future))
        )
        with pytest.raises(Unsupported, match="metadata version 12"):
            taken(cluster(newer))

    def test_no_such_group(self) -> None:
        with pytest.raises(ClusterTrouble, match="no group 'wc'"):
            taken(FakeCluster({}, {}))

    def test_the_leader_is_the_latest_generations_if_that_is_the_present_one(self) -> None:
        now = (member(B, ("0_0", "0_1")), member(A, ("1_0", "1_1"), joined={"1_0": -2}))
        assert taken(cluster(*now, history={GROUP: (generation(3, *now),)})).leader_process_id == ProcessId.parse(B)
        other = generation(3, member(B, ("0_0",)), now[1])
        assert taken(cluster(*now, history={GROUP: (other,)})).leader_process_id is None

    def test_the_session_timeout_is_what_members_told_the_broker(self) -> None:
        now = (member(B, ("0_0", "0_1")), member(A, ("1_0", "1_1"), joined={"1_0": -2}))

        def seen(*told: int | None, given=SETTINGS) -> Snapshot:
            stored = [replace(one, session_timeout_ms=ms) for one, ms in zip(now, told, strict=True)]
            return taken(cluster(*now, history={GROUP: (generation(3, *stored),)}), given=given)

        key = "session.timeout.ms"
        operators = settings.read(GROUP, "3.9.1", {f"consumer.{key}": "7000"}, {})
        assert dict(seen(6_000, 6_000).config)[key] == 6_000
        assert (dict(seen(6_000, 9_000).config)[key], "from 6000 to 9000" in said(seen(6_000, 9_000), "config")) == (9_000, True)
        assert key not in dict(seen(None, None).config)
        assert dict(seen(6_000, 6_000, given=operators).config)[key] == 7_000


class TestSettings:
    @pytest.mark.parametrize(
        ("application", "found"),
        [
            ({"session.timeout.ms": "1", "consumer.session.timeout.ms": "2", "main.consumer.session.timeout.ms": "3"}, 3),
            ({"session.timeout.ms": "1", "consumer.session.timeout.ms": "2"}, 2),
            ({"session.timeout.ms": "1"}, 1),
            ({"restore.consumer.session.timeout.ms": "1"}, None),
        ],
    )
    def test_the_main_consumers_session_timeout_counts(self, application: dict[str, str], found: int | None) -> None:
        assert dict(settings.read(GROUP, "3.9.1", application, {}).config).get("session.timeout.ms") == found

    def test_each_default_is_named(self) -> None:
        given = settings.read(
            GROUP, None, {"num.standby.replicas": "1", "sasl.jaas.config": "secret"}, {"max.warmup.replicas": "6"}
        )
        assert dict(given.config)["num.standby.replicas"] == 1
        assert dict(given.config)["max.warmup.replicas"] == 6
        named = [each.what for each in given.unknown]
        assert "kafka_release" in named
        assert "config.acceptable.recovery.lag" in named
        assert "config.num.standby.replicas" not in named
        assert "secret" not in repr(given)

    def test_an_assignor_of_the_application_is_taken(self) -> None:
        name = "org.apache.kafka.streams.processor.internals.assignment.HighAvailabilityTaskAssignor"
        assert (
            settings.read(GROUP, "3.9.1", {"internal.task.assignor.class": name}, {}).task_assignor
            == "HighAvailabilityTaskAssignor"
        )

    @pytest.mark.parametrize(
        ("release", "application", "overrides", "changelogs", "wrong"),
        [
            ("3.9.1", {"application.id": "other"}, {}, (), "'other'"),
            ("3.9.1", {}, {"no.such.key": "1"}, (), "no.such.key"),
            ("3.9.1", {"max.warmup.replicas": "0"}, {}, (), "max.warmup.replicas"),
            ("3.9.1", {}, {}, ("one=topic",), "SUBTOPOLOGY=TOPIC"),
        ],
    )
    def test_what_kafka_would_refuse_is_refused(self, release, application, overrides, changelogs, wrong) -> None:
        with pytest.raises(InvalidInput, match=wrong):
            settings.read(GROUP, release, application, overrides, changelogs)

    def test_a_release_that_is_not_covered_is_refused_by_name(self) -> None:
        with pytest.raises(Unsupported, match=r"1\.0\.0"):
            settings.read(GROUP, "1.0.0", {}, {})
