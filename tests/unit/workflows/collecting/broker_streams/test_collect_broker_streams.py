"""A streams group whose broker assigns becomes a Snapshot; what could not be read, or contradicts itself, is named."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.fakes.cluster import THE_CLUSTER, FakeCluster, FakeStateDirectories
from tests.fakes.lake import MemoryLake
from tests.harness.kafka import described_groups as groups
from tests.harness.kafka.described_groups import CONFIGS, MEMBERS, PARTITIONS, SHOP, group, observed

from holdfast.errors import CannotPredict, ClusterTrouble, HoldfastError, Unsupported
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.kafka.wire.streams_group_description import DescribedTopology
from holdfast.ports import GroupConfig, ObservedGroup
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.kind import rows
from holdfast.rollout.broker_streams.plan import json as plan_json
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedMember, RecordedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import PartitionLog, StreamsGroupSnapshot
from holdfast.rollout.disks.state_directory import Lock, StateDirectory, TaskDirectory
from holdfast.rollout.kinds import any_document
from holdfast.workflows.collecting import collect_many, one_group
from holdfast.workflows.collecting.collect_many import About, Time, Wanted
from holdfast.workflows.collecting.collector import OneGroup, StatedByOperator
from holdfast.workflows.collecting.settling import Patience
from holdfast.workflows.deciding import assign_document
from holdfast.workflows.doctor import CheckStatus, examine_group

NOW = datetime(2026, 11, 22, 5, tzinfo=UTC)
NOTHING = StatedByOperator(None, {}, {})
LOG = "shop-counts-changelog"


def cluster(*views: ObservedGroup, configs: tuple[GroupConfig, ...] = CONFIGS, **more: Any) -> FakeCluster:
    return FakeCluster({SHOP: list(views) or [observed()]}, PARTITIONS, group_settings={SHOP: configs}, **more)


def taken(
    asked: FakeCluster, given: StatedByOperator = NOTHING, disks: tuple[StateDirectory | str, ...] = (), limit_s: float = 0
) -> StreamsGroupSnapshot:
    clock = iter(range(10_000))
    patience = Patience(limit_s, lambda _: None, lambda: float(next(clock)))
    there = FakeStateDirectories({one.url: (one, ()) for one in disks if isinstance(one, StateDirectory)})
    urls = tuple(one if isinstance(one, str) else one.url for one in disks)
    found = one_group.snapshot(asked, there, OneGroup("local", SHOP, urls, patience, lambda: NOW, given))
    assert isinstance(found, StreamsGroupSnapshot)
    return found


def said(found: StreamsGroupSnapshot, what: str) -> str:
    return " | ".join(one.reason for one in found.unknown if one.what == what)


class TestASnapshot:
    def test_has_all_that_decides(self) -> None:
        document = any_document.snapshot_to_json(taken(cluster()))
        assert document["protocol"] == "streams"
        assert (document["broker_release"], document["captured_at"]) == ("4.3", "2026-11-22T05:00:00.000Z")
        assert (document["group_state"], document["group_epoch"], document["assignment_epoch"]) == ("Stable", 7, 7)
        assert document["config"] == {"streams.num.standby.replicas": 1, "streams.session.timeout.ms": 45000}
        members: Any = document["members"]
        assert list(members) == ["m-b", "m-a"]  # the broker's order
        assert members["m-a"]["host"] == "10.0.0.1"
        assert members["m-a"]["target"] == {"active": ["0_0", "0_2", "1_0", "1_2"], "standby": ["1_1", "1_3"], "warmup": []}
        assert document["unknown"] == [
            {"what": "config.streams.session.timeout.ms", "reason": "not set for the group; 45000 is the brokers' value"}
        ]

    def test_is_read_again_as_it_was_and_answered(self) -> None:
        found = taken(cluster())
        document = any_document.snapshot_to_json(found)
        assert any_document.snapshot_from_json(document) == found
        answer: Any = assign_document(document, None, ())
        assert answer["members"] == {
            name: {role: about["target"][role] for role in ("active", "standby", "warmup")}
            for name, about in document["members"].items()  # type: ignore[attr-defined]
        }

    def test_waits_until_members_are_at_their_targets(self) -> None:
        moving = observed(group(state="Reconciling"))
        assert taken(cluster(moving, moving, observed()), limit_s=30).group_state == "Stable"

    def test_says_when_they_never_are(self) -> None:
        found = taken(cluster(observed(group(state="Assigning"))), limit_s=3)
        assert said(found, "group_state") == "still Assigning after 3 s: assignments are about to change"

    def test_of_a_group_without_members_says_so(self) -> None:
        found = taken(cluster(observed(group((), state="Empty"))))
        assert said(found, "group_state") == "the group is Empty: no member is running"
        assert assign_document(any_document.snapshot_to_json(found), None, ())["members"] == {}


def disk(process: str, *, held: bool | None = True, **offsets: int | None) -> StateDirectory:
    """`t1_0=7`: the checkpoint of task 1_0; None: it has none."""
    tasks = []
    for name, offset in offsets.items():
        task = TaskId.parse(name.removeprefix("t"))
        checkpoint = None if offset is None else ((TopicPartition(LOG, task.partition), offset),)
        tasks.append(TaskDirectory(task, checkpoint, non_empty=True))
    return StateDirectory(f"dir-{process[:4]}", ProcessId.parse(process), Lock(held), tasks=tuple(tasks))


class TestDisksAndLogs:
    """They price a change: what a disk has need not be restored."""

    def test_of_changelogs_are_in_the_snapshot_and_survive_its_json(self) -> None:
        whole = {TopicPartition(LOG, number): 10 * (number + 1) for number in range(4)}
        found = taken(cluster(ends=whole, begins=dict.fromkeys(whole, 5), sizes=dict.fromkeys(whole, 1000)))
        document: Any = any_document.snapshot_to_json(found)
        assert document["topics"][LOG]["partitions"][3] == {"id": 3, "begin_offset": 5, "end_offset": 40, "log_bytes": 1000}
        assert document["topics"]["orders"]["partitions"] == [{"id": number} for number in range(4)]  # no changelog
        assert any_document.snapshot_from_json(document) == found

    def test_that_may_not_be_measured_are_said_and_left_out(self) -> None:
        found = taken(cluster(forbidden=frozenset({THE_CLUSTER})))
        assert [one.what for one in found.unknown if one.about_log_sizes] == [f"log_bytes.{LOG}"]
        assert found.topics[-1].logs[0] == PartitionLog(0, begin_offset=0, end_offset=0)

    def test_of_which_the_cluster_says_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def silent(*_: object) -> None:
            raise ClusterTrouble("no answer")

        monkeypatch.setattr(FakeCluster, "end_offsets", silent)
        found = taken(cluster())
        assert said(found, f"end_offset.{SHOP}") == "no answer"
        assert found.topics[-1].logs[0] == PartitionLog(0, begin_offset=0, log_bytes=0)

    def test_state_directories_are_in_it_as_in_those_of_classic_groups(self) -> None:
        found = taken(cluster(), disks=(disk(groups.PROCESSES[0], t1_0=7, t1_2=None),))
        document: Any = any_document.snapshot_to_json(found)
        assert document["state_directories"][0]["tasks"]["1_0"] == {"checkpoint": [[LOG, 0, 7]], "non_empty": True}
        assert any_document.snapshot_from_json(document) == found
        assert "1_2: no checkpoint file" in said(found, f"state_directories.dir-{groups.PROCESSES[0][:4]}")

    @pytest.mark.parametrize(
        ("process", "held", "noted"),
        [(0, True, ""), (0, None, ""), (0, False, "has stopped and its session has not timed out"), (2, True, "is no member's")],
    )
    def test_a_lock_that_contradicts_the_group_is_said(self, process: int, held: bool | None, noted: str) -> None:
        one = disk((*groups.PROCESSES, "11111111-0000-4000-8000-000000000000")[process], held=held, t1_0=7)
        reasons = said(taken(cluster(), disks=(one,)), f"state_directories.{one.url}")
        assert noted in reasons if noted else not reasons

    def test_a_directory_that_is_not_there_is_said(self) -> None:
        assert "no such directory" in said(taken(cluster(), disks=("nowhere",)), "state_directories")

    def test_they_change_no_fingerprint_and_no_basis_of_a_plan(self) -> None:
        bare, full = taken(cluster()), taken(cluster(ends={TopicPartition(LOG, 0): 5}), disks=(disk(groups.PROCESSES[0], t1_0=7),))
        assert plan_json.relied_on(bare) == plan_json.relied_on(full)
        assert rows.relied_on(bare) == rows.relied_on(full)
        assert plan_json.basis_of(full, BrokerChange(())).state_directories == ()
        assert rows.decoded(full)["state_directories"] == [
            {
                "url": f"dir-{groups.PROCESSES[0][:4]}",
                "process_id": groups.PROCESSES[0],
                "tasks": 1,
                "files": 0,
                "bytes": 0,
                "locked": True,
            }
        ]


class TestWhatIsNotKnown:
    def test_a_topic_that_may_not_be_described(self) -> None:
        found = taken(cluster(forbidden=frozenset({"orders"})))
        assert said(found, "topics.orders")
        with pytest.raises(CannotPredict, match=r"topics\.orders"):
            assign_document(any_document.snapshot_to_json(found), None, ())

    def test_configs_that_may_not_be_read_are_inferred_from_the_targets(self) -> None:
        found = taken(cluster(without_configs=frozenset({SHOP})))
        assert "DESCRIBE_CONFIGS" in said(found, "config")
        assert dict(found.config) == {"streams.num.standby.replicas": 1}
        assert "assumed to be 1" in said(found, "config.streams.num.standby.replicas")

    def test_without_a_standby_none_is_assumed(self) -> None:
        alone = group((replace(MEMBERS[0], target=groups.owned((("0", (0,)),))),))
        found = taken(cluster(observed(alone), without_configs=frozenset({SHOP})))
        assert found.config == ()
        assert "assumed to be 0" in said(found, "config.streams.num.standby.replicas")

    def test_a_config_that_is_given_is_not_inferred(self) -> None:
        given = replace(NOTHING, overrides={"streams.num.standby.replicas": "2"})
        found = taken(cluster(without_configs=frozenset({SHOP})), given)
        assert dict(found.config) == {"streams.num.standby.replicas": "2"}
        assert not said(found, "config.streams.num.standby.replicas")

    @pytest.mark.parametrize("level", [None, 31, 99])
    def test_a_release_that_cannot_be_told(self, level: int | None) -> None:
        found = taken(cluster(observed(metadata_version=level)))
        assert found.broker_release is None
        assert "give --broker-release" in said(found, "broker_release")
        with pytest.raises(CannotPredict, match="broker_release"):
            assign_document(any_document.snapshot_to_json(found), None, ())
        assert taken(cluster(observed(metadata_version=level)), replace(NOTHING, broker_release="4.2.1")).broker_release == "4.2.1"

    @pytest.mark.parametrize(("level", "release"), [(29, "4.2"), (30, "4.3"), (33, "4.4")])
    def test_every_minor_release_is_told_by_its_metadata_version(self, level: int, release: str) -> None:
        found = taken(cluster(observed(metadata_version=level)))
        assert found.broker_release == release
        assert assign_document(any_document.snapshot_to_json(found), None, ())["members"]

    def test_early_access_is_collected_and_not_predicted(self) -> None:
        found = taken(cluster(observed(metadata_version=27)))
        with pytest.raises(Unsupported, match=r"4\.1"):
            assign_document(any_document.snapshot_to_json(found), None, ())

    def test_a_topology_that_could_not_be_configured(self) -> None:
        found = taken(cluster(observed(group(state="NotReady", topology=DescribedTopology(0, None)))))
        assert "source topics are missing" in said(found, "topology")
        assert assign_document(any_document.snapshot_to_json(found), None, ())["members"]["m-a"]["active"] == []  # type: ignore[index]

    def test_no_topology(self) -> None:
        assert "no member has sent one" in said(taken(cluster(observed(group(topology=None)))), "topology")

    def test_a_member_without_a_process_id(self) -> None:
        found = taken(cluster(observed(group((groups.without_process(MEMBERS[0]), MEMBERS[1])))))
        assert "did not send one" in said(found, "members.m-b.process_id")
        with pytest.raises(CannotPredict, match="m-b"):
            assign_document(any_document.snapshot_to_json(found), None, ())

    def test_a_member_of_the_classic_protocol(self) -> None:
        found = taken(cluster(observed(group((replace(MEMBERS[0], is_classic=True), MEMBERS[1])))))
        with pytest.raises(CannotPredict, match=r"members\.m-b"):
            assign_document(any_document.snapshot_to_json(found), None, ())

    def test_tasks_of_subtopologies_that_are_not_there(self) -> None:
        strange = replace(MEMBERS[0], assignment=groups.owned(tuple((f"x{number}", (0,)) for number in range(6))))
        assert "'x4', …, which the topology does not have" in said(taken(cluster(observed(group((strange,))))), "topology")

    def test_the_assignor_of_the_next_target_is_the_described_one(self) -> None:
        configs = (
            GroupConfig("streams.assignor.name", "sticky", True),
            GroupConfig("streams.assignor.offload.enable", "true", True),
        )
        found = taken(cluster(observed(group(assignor="ours"), 33), configs=configs))
        assert dict(found.config) == {"streams.assignor.name": "ours", "streams.assignor.offload.enable": True}
        with pytest.raises(Unsupported, match="'ours'"):
            assign_document(any_document.snapshot_to_json(found), None, ())


def recorded(epoch: int, *, standbys: str | None = None, moved: bool = False) -> RecordedTarget:
    """The target that the group is described with."""
    members = tuple(
        RecordedMember(one.member_id, () if moved else one.target.active, one.target.standby, process_id=one.process_id)
        for one in MEMBERS
    )
    return RecordedTarget(epoch, "2026-11-22T04:00:00Z", members, () if standbys is None else (("num.standby.replicas", standbys),))


class TestRecordedTargets:
    def test_up_to_the_described_one_are_in_the_snapshot(self) -> None:
        targets = (recorded(3, moved=True), recorded(7), recorded(8, moved=True))
        found = taken(cluster(recorded={SHOP: targets}))
        assert found.recorded_targets == targets[:2]
        assert any_document.snapshot_from_json(any_document.snapshot_to_json(found)) == found

    def test_that_contradict_the_described_one_are_not_used(self) -> None:
        found = taken(cluster(recorded={SHOP: (recorded(3), recorded(7, moved=True))}))
        assert found.recorded_targets == ()
        assert "epoch 7 contradicts" in said(found, "recorded_targets")

    def test_that_are_all_newer_are_left_out(self) -> None:
        assert taken(cluster(recorded={SHOP: (recorded(9),)})).recorded_targets == ()

    def test_that_may_not_be_read_are_named(self) -> None:
        found = taken(cluster(forbidden=frozenset({"__consumer_offsets"})))
        assert "not authorized" in said(found, "recorded_targets")

    def test_say_with_how_many_standbys_they_were_computed(self) -> None:
        found = taken(cluster(without_configs=frozenset({SHOP}), recorded={SHOP: (recorded(7, standbys="2"),)}))
        assert dict(found.config) == {"streams.num.standby.replicas": 2}
        assert "newest recorded target" in said(found, "config.streams.num.standby.replicas")


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("given", "says"),
        [
            (replace(NOTHING, broker_release="4.4.0"), "coordinator is of Kafka 4.3"),
            (replace(NOTHING, broker_release="9.9"), "9.9"),
            (replace(NOTHING, overrides={"num.standby.replicas": 1}), "its group configs do"),
            (replace(NOTHING, application={"application.id": "other"}), "'other'"),
            (replace(NOTHING, changelogs=("1=",)), "which topics are its changelogs"),
            (replace(NOTHING, stores="in-memory"), "does not affect"),
        ],
    )
    def test_what_means_nothing_for_such_a_group(self, given: StatedByOperator, says: str) -> None:
        with pytest.raises(HoldfastError, match=says):
            taken(cluster(), given)

    def test_a_group_that_becomes_classic_meanwhile(self) -> None:
        moving = observed(group(state="Reconciling"))
        classic = ObservedGroup(SHOP, "Stable", "consumer", "stream", ())
        with pytest.raises(Unsupported, match="or is one no longer"):
            taken(cluster(moving, classic), limit_s=30)


class TestTheDoctor:
    def test_finds_nothing_missing(self) -> None:
        checks = {one.name: one for one in examine_group(cluster(), SHOP)}
        assert checks["group shop"].found == "Stable, 2 members"
        assert checks["right: DESCRIBE_CONFIGS on the group shop (optional)"].status is CheckStatus.OK
        assert all(one.status is not CheckStatus.MISSING for one in checks.values())

    def test_says_what_lacks(self) -> None:
        lacking = cluster(without_configs=frozenset({SHOP}), forbidden=frozenset({"orders", "__consumer_offsets"}))
        checks = {one.name: one for one in examine_group(lacking, SHOP, servers="b:1")}
        configs = checks["right: DESCRIBE_CONFIGS on the group shop (optional)"]
        assert configs.status is CheckStatus.LIMITED
        assert configs.remedy == (
            "kafka-acls.sh --bootstrap-server b:1 --add --allow-principal User:PRINCIPAL --operation DescribeConfigs --group shop"
        )
        offsets = checks["right: READ on __consumer_offsets (optional)"]
        assert offsets.found == "not granted: the targets that the coordinator has recorded are unknown"
        topics = checks["right: DESCRIBE on the topics shop-* and the source topics"]
        assert (topics.status, "'orders'" in topics.found) == (CheckStatus.MISSING, True)

    def test_a_group_without_members_needs_its_application(self) -> None:
        empty = {one.name: one for one in examine_group(cluster(observed(group((), state="Empty"))), SHOP)}["group shop"]
        assert (empty.status, empty.remedy) == (CheckStatus.LIMITED, "start the application")


class TestManyGroups:
    @pytest.mark.thorough
    def test_are_asked_together_and_written_as_each_would_be_alone(self) -> None:
        names = [f"shop-{number}" for number in range(40)]
        known = FakeCluster(
            {name: [observed(group(group_id=name))] for name in names},
            PARTITIONS | {"__consumer_offsets": 4},
            group_settings=dict.fromkeys(names, CONFIGS),
            without_configs=frozenset(names[:1]),
        )
        lake = MemoryLake()
        clock = Time(600, lambda: 0.0, lambda _: None, lambda: NOW)
        report = collect_many.collect(
            known,
            FakeStateDirectories(),
            lake,
            Wanted({"shop-*": About(NOTHING)}),
            cluster_name="c",
            run_name="r",
            time=clock,
            tell=lambda _: None,
        )
        assert (report.taken, report.unread, report.left_out) == (40, (), ())
        assert [number for what, number in known.asked if what == "groups"] == [40]
        assert [number for what, number in known.asked if what == "configs"] == [40]
        written = {path[3]: json.loads(content) for path, content in lake.files.items() if path[0] == "snapshots"}
        assert written["group=shop-1"]["config"] == {"streams.num.standby.replicas": 1, "streams.session.timeout.ms": 45000}
        assert "DESCRIBE_CONFIGS" in str(written["group=shop-0"]["unknown"])
        assert written["group=shop-39"]["members"].keys() == {"m-a", "m-b"}
