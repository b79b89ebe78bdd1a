"""Many groups of one cluster: each as if it were read alone, in a few questions, and once, whatever ends the run in between."""

import json
import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.fakes.cluster import FakeCluster, FakeStateDirectories, streams_member
from tests.fakes.lake import MemoryLake

from holdfast.errors import ClusterTrouble, StatePathTrouble
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire import consumer_protocol
from holdfast.ports import ClusterReader, LakePath, ObservedGroup, PartitionFigures, StateDirectoryReader
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds.any_document import snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import GenerationMember
from holdfast.rollout.tables.collection_report import CollectionReport
from holdfast.workflows.collecting import collect_many, collect_runs, one_group
from holdfast.workflows.collecting.collect_many import About, Time, Wanted
from holdfast.workflows.collecting.collector import OneGroup, StatedByOperator
from holdfast.workflows.collecting.settling import Patience
from holdfast.workflows.writers import versions

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
PROCESS = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
ANY = About(StatedByOperator("3.9.1", {}, {}))


@dataclass
class Clock:
    """Seconds that pass only where a worker sleeps, or reads a group."""

    at: float = 0.0
    a_group_s: float = 0.0

    def sleep(self, seconds: float) -> None:
        self.at += seconds

    def now(self) -> datetime:
        self.at += self.a_group_s
        return NOON + timedelta(seconds=self.at)

    def time(self, limit_s: float = 600) -> Time:
        return Time(limit_s, lambda: self.at, self.sleep, self.now)


def streams(group_id: str) -> ObservedGroup:
    """Reads its own topic, and keeps a changelog that begins with its name."""
    tasks = {f"0_{number}": ((f"{group_id}-in", number),) for number in range(2)}
    member = streams_member(group_id, PROCESS, active=tasks, joined={"0_0": 5})
    return ObservedGroup(group_id, "Stable", "consumer", "stream", (member,))


def plain(group_id: str) -> ObservedGroup:
    subscription = consumer_protocol.encode_subscription(consumer_protocol.ConsumerProtocolSubscription(1, ("orders",)))
    assignment = consumer_protocol.encode_assignment(
        consumer_protocol.ConsumerProtocolAssignment(1, (TopicPartition("orders", 0),))
    )
    member = GenerationMember("m-1", "m", "/127.0.0.1", None, subscription, assignment)
    return ObservedGroup(group_id, "Stable", "consumer", "range", (member,))


def cluster(number: int = 9) -> FakeCluster:
    """Streams groups, every third a plain one."""
    names = [f"app-{at}" for at in range(number)]
    topics = {f"{name}-{kind}": 2 for name in names for kind in ("in", "store-changelog")}
    return FakeCluster(
        views={name: [plain(name) if at % 3 == 2 else streams(name)] for at, name in enumerate(names)},
        partitions={"orders": 1, "__consumer_offsets": 4, **topics},
        ends={TopicPartition(name, number): 10 + number for name in topics for number in range(2)},
        committed={name: {TopicPartition("orders", 0): at} for at, name in enumerate(names)},
    )


def collected(
    found: FakeCluster, lake: MemoryLake, wanted: dict[str, About] | None = None, clock: Clock | None = None, **more: object
) -> CollectionReport:
    given = {"cluster_name": "c", "run_name": "run", "time": (clock or Clock()).time(), "tell": lambda _: None} | more
    return collect_many.collect(found, FakeStateDirectories(), lake, Wanted(wanted or {"*": ANY}), **given)  # type: ignore[arg-type]


def snapshots_in(lake: MemoryLake) -> dict[str, list[bytes]]:
    """By group."""
    found: dict[str, list[bytes]] = {}
    for path, content in lake.files.items():
        if path[0] == "snapshots":
            found.setdefault(path[3].removeprefix("group="), []).append(content)
    return found


def test_every_group_is_what_it_would_be_alone() -> None:
    lake, known = MemoryLake(), cluster()

    report = collected(known, lake, at_once=4)

    alone = {
        name: one_group.snapshot(
            known,
            FakeStateDirectories(),
            OneGroup("c", name, (), Patience(1, lambda _: None, lambda: 0.0), lambda: NOON, ANY.given),
        )
        for name in known.views
    }
    assert (report.groups, report.taken, report.unread) == (9, 9, ())
    assert versions.of(lake) == (versions.own(),)
    assert {name: [json.loads(text) for text in texts] for name, texts in snapshots_in(lake).items()} == {
        name: [json.loads(dumps(snapshot_to_json(one)))] for name, one in alone.items()
    }


def test_what_is_asked_at_the_same_time_is_asked_together() -> None:
    known = cluster(60)

    collected(known, MemoryLake(), at_once=100)

    asked = [number for what, number in known.asked if what == "groups"]
    assert asked == [60]
    assert [number for what, number in known.asked if what == "histories"] == [60]


def test_no_more_groups_than_said_are_in_memory() -> None:
    known = cluster(60)

    collected(known, MemoryLake(), at_once=7)

    assert max(number for _, number in known.asked) == 7


class TestWhoIsWanted:
    def test_a_name_wins_over_a_pattern_and_the_first_pattern_over_the_next(self) -> None:
        first, second, named = (About(StatedByOperator(release, {}, {})) for release in ("3.7.2", "3.8.1", "3.9.1"))
        wanted = Wanted({"a*": first, "*": second, "abc": named})

        assert (wanted.of("abc"), wanted.of("ab"), wanted.of("b")) == (named, first, second)
        assert Wanted({"abc": named}).of("b") is None

    def test_only_those_that_fit_are_read(self) -> None:
        lake = MemoryLake()

        report = collected(cluster(), lake, {"app-[12]": ANY, "app-5": ANY})

        assert sorted(snapshots_in(lake)) == ["app-1", "app-2", "app-5"]
        assert report.groups == 3

    def test_other_kinds_are_counted_unless_they_are_named(self) -> None:
        known = cluster(2)
        connect = ObservedGroup("connect-x", "Stable", "connect", "sessioned", ())
        known = replace(known, views={**known.views, "connect-x": [connect]})

        assert collected(known, MemoryLake()).left_out == (("connect", 1),)
        named = collected(known, MemoryLake(), {"*": ANY, "connect-x": ANY})
        (unread,) = named.unread
        assert (unread.group_id, unread.why) == ("connect-x", "not read")
        assert "Kafka Connect" in unread.problem


class TestWhatCannotBeRead:
    def test_is_named_and_costs_no_other_its_snapshot(self) -> None:
        lake, known = MemoryLake(), cluster()
        forbidden = replace(known, forbidden=frozenset({"app-4"}))

        report = collected(forbidden, lake, {"*": ANY, "app-4": ANY, "gone": ANY})

        assert [one.group_id for one in report.unread] == ["app-4", "gone"]
        assert "not authorized" in report.unread[0].problem
        assert len(snapshots_in(lake)) == report.taken == 8

    def test_what_may_have_passed_is_asked_again(self) -> None:
        class Recovering(FakeCluster):
            troubles = 1

            def group(self, group_id: str) -> ObservedGroup:
                if group_id == "app-1" and self.troubles:
                    self.troubles -= 1
                    raise ClusterTrouble("broker 3 did not answer")
                return super().group(group_id)

        known = cluster(3)
        report = collected(Recovering(known.views, known.partitions, known.ends), MemoryLake())

        assert (report.taken, report.unread) == (3, ())

    def test_what_is_too_much_at_once_is_read_in_smaller_parts(self) -> None:
        class Small(FakeCluster):
            def groups(self, group_ids):
                found = super().groups(group_ids)
                too_long = ClusterTrouble("the answer is longer than 100 MB")
                return dict.fromkeys(group_ids, too_long) if len(group_ids) > 10 else found

        known = cluster(30)
        report = collected(Small(known.views, known.partitions, known.ends), MemoryLake(), at_once=30)

        assert (report.taken, report.unread) == (30, ())

    def test_a_host_that_does_not_answer_holds_up_its_own_group_only(self) -> None:
        answered = threading.Event()
        known = cluster(3)

        class Waiting(FakeStateDirectories):
            """Until the two other groups were described, and asked for their topics."""

            def read(self, url: str) -> tuple[StateDirectory, tuple[Unknown, ...]]:
                assert answered.wait(300), "the others waited, too"
                raise StatePathTrouble(f"{url}: no answer")

        class Noticing(FakeCluster):
            def end_offsets(self, partitions: tuple[TopicPartition, ...]) -> PartitionFigures:
                answered.set()
                return super().end_offsets(partitions)

        lake = MemoryLake()
        wanted = Wanted({"*": ANY, "app-0": replace(ANY, state_dirs=("file:///gone",))})
        report = collect_many.collect(
            Noticing(known.views, known.partitions, known.ends),
            Waiting(),
            lake,
            wanted,
            cluster_name="c",
            run_name="run",
            time=Clock().time(),
            tell=lambda _: None,
        )

        assert (report.taken, report.unread) == (3, ())
        assert b"file:///gone: no answer" in snapshots_in(lake)["app-0"][0]

    def test_settings_that_mean_nothing_are_about_their_group_only(self) -> None:
        report = collected(cluster(3), MemoryLake(), {"*": ANY, "app-0": About(StatedByOperator("1.0.0", {}, {}))})

        assert [(one.group_id, one.why) for one in report.unread] == [("app-0", "not read")]
        assert report.taken == 2

    def test_a_fault_of_ours_is_about_its_group_only(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        honest = one_group.snapshot

        def faulty(reader: ClusterReader, disks: StateDirectoryReader, wanted: OneGroup) -> AnySnapshot:
            if wanted.group_id == "app-1":
                raise IndexError("ours")
            return honest(reader, disks, wanted)

        monkeypatch.setattr(one_group, "snapshot", faulty)
        report = collected(cluster(3), MemoryLake())

        assert [(one.group_id, one.problem) for one in report.unread] == [
            ("app-1", "an internal error of Holdfast, IndexError: its log has the details")
        ]
        (logged,) = [record.exc_info for record in caplog.records if record.exc_info]  # Spark's logging shapes text otherwise
        assert repr(logged[1]) == "IndexError('ours')"

    def test_groups_that_were_there_before_are_missed_where_a_broker_is_silent(self) -> None:
        lake = MemoryLake()
        collected(cluster(4), lake, run_name="yesterday")
        fewer = cluster(3)
        fewer.silent = ("listing the groups: broker 3 did not answer within 6 s",)

        report = collected(fewer, lake, run_name="today")

        assert [one.group_id for one in report.unread] == ["app-3"]
        assert report.unlisted == fewer.silent

    def test_what_there_was_no_time_for_is_named(self) -> None:
        lake, clock = MemoryLake(), Clock(a_group_s=10)

        report = collected(cluster(30), lake, clock=clock, time=clock.time(100), at_once=3)

        assert report.taken + len(report.unread) == 30
        assert 0 < len(snapshots_in(lake)) == report.taken < 30
        assert {one.problem for one in report.unread} == {"not reached within the 100 s allowed for this cluster"}


def test_progress_is_told() -> None:
    told: list[str] = []
    collected(cluster(12), MemoryLake(), clock=(clock := Clock(a_group_s=3)), time=clock.time(), tell=told.append, at_once=2)

    assert told[0] == "c: 0 of 12 groups read, 3 s"
    assert told[-1].startswith("c: 12 of 12 groups read")
    assert len(told) > 4


@dataclass
class Dying(MemoryLake):
    """A lake whose writer is killed after the given number of writes."""

    writes: int
    files: dict[LakePath, bytes] = field(default_factory=dict)

    def write(self, path: LakePath, content: bytes) -> None:
        if not self.writes:
            raise KeyboardInterrupt
        self.writes -= 1
        super().write(path, content)


MOMENTS = 1 + 7 + 3 + 1
"""At which a run of seven groups, three written together, can be killed: its beginning, snapshots, parts and its report."""


@pytest.mark.parametrize("writes", range(MOMENTS))
def test_a_run_that_was_killed_and_begins_again_loses_nothing_and_has_nothing_twice(
    writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collect_many, "_WRITTEN_TOGETHER", 3)
    lake, clock = Dying(writes), Clock(a_group_s=1)
    with pytest.raises(KeyboardInterrupt):
        collected(cluster(7), lake, clock=clock, at_once=2)
    lake.writes = 10**6

    report = collected(cluster(7), lake, clock=clock, at_once=2)

    assert {name: len(texts) for name, texts in snapshots_in(lake).items()} == {f"app-{at}": 1 for at in range(7)}
    assert (report.taken, report.unread) == (7, ())
    assert collect_runs.load(lake, "/".join(collect_runs.place(report))) == report
    before = dict(lake.files)
    again = collected(cluster(7), lake, clock=clock, at_once=2)
    assert {path: text for path, text in lake.files.items() if path != collect_runs.place(again)} == {
        path: text for path, text in before.items() if path != collect_runs.place(again)
    }


@pytest.mark.parametrize("writes", range(2, MOMENTS))
def test_nor_does_one_that_was_killed_twice(writes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time right after it has named what it is about to write, or later."""
    monkeypatch.setattr(collect_many, "_WRITTEN_TOGETHER", 3)
    for then in range(1, MOMENTS - writes + 1):
        lake, clock = Dying(writes), Clock(a_group_s=1)
        for more in (0, then):
            lake.writes += more
            with pytest.raises(KeyboardInterrupt):
                collected(cluster(7), lake, clock=clock, at_once=2)
        lake.writes = 10**6

        report = collected(cluster(7), lake, clock=clock, at_once=2)

        assert {name: len(texts) for name, texts in snapshots_in(lake).items()} == {f"app-{at}": 1 for at in range(7)}, then
        assert report.taken == 7


def test_another_run_takes_other_snapshots() -> None:
    lake, clock = MemoryLake(), Clock(a_group_s=1)
    for name in ("first", "second"):
        collected(cluster(2), lake, clock=clock, run_name=name)

    assert {name: len(texts) for name, texts in snapshots_in(lake).items()} == {"app-0": 2, "app-1": 2}
