"""The leader's rules, stated one by one, and a golden file recorded from the JVM (`tests/conformance/streams/record.py`)."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.streams import groups

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.release import LINES, RELEASES, behaviour
from holdfast.kafka.streams import config
from holdfast.kafka.streams.config import AssignorConfig, TaskAssignor
from holdfast.kafka.streams.group import About, Assignment, Changelog, Client, Consumer, Group, LeaderFailure, NextRebalance, Task
from holdfast.kafka.streams.leader import assign
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition

GOLDEN = Path(__file__).parents[3] / "golden" / "leader.jsonl"
A, B = "4b61083e-57d0-457d-951f-d06556c148ca", "7156cef1-307e-49c0-a5bb-0f11d26a4933"
C = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
D = "79000000-0000-4000-8000-000000000000"
ENDS = (2, 2, 8, 6, 4, 4)
CONFIG = AssignorConfig(acceptable_recovery_lag=0, probing_rebalance_interval_ms=60_000)


def article(running: dict[str, list[int]], release: str = "2.7.2", settings: AssignorConfig = CONFIG, **more: object) -> Group:
    """The published word count: `running` says which stateful tasks `1_n` run where; two threads a client."""
    stateless = (Task(TaskId(0, n), (TopicPartition("input", n),), ()) for n in range(6))
    stateful = (
        Task(TaskId(1, n), (TopicPartition("repartition", n),), (Changelog("changelog", n, end),)) for n, end in enumerate(ENDS)
    )
    clients = tuple(_client(process, tasks) for process, tasks in running.items())
    return Group(release, settings, (*stateless, *stateful), clients, **more)


def _client(process: str, running: list[int]) -> Client:
    return Client(ProcessId.parse(process), tuple(_consumer(process, thread, running[thread::2]) for thread in range(2)))


def _consumer(process: str, thread: int, running: list[int]) -> Consumer:
    return Consumer(
        member_id=f"{process}-StreamThread-{thread + 1}",
        client_id="",
        owned=tuple(TopicPartition("repartition", n) for n in running),
        task_offset_sums=tuple((TaskId(1, n), -2) for n in running),
    )


def decided(group: Group) -> Assignment:
    decision = assign(group)
    assert isinstance(decision, Assignment)
    return decision


def stateful(decision: Assignment) -> dict[str, tuple[list[int], list[int]]]:
    """Process ID to partitions of its active and standby stateful tasks."""
    return {
        str(client.process_id): (
            [task.partition for task in client.active if task.subtopology == 1],
            [task.partition for task in client.standby],
        )
        for client in decision.clients
    }


@pytest.mark.parametrize(
    "entry", [json.loads(line) for line in GOLDEN.read_text().splitlines()], ids=lambda entry: f"{entry['release']} {entry['name']}"
)
def test_as_recorded_from_the_jvm(entry: dict) -> None:
    assert groups.difference(entry["case"], entry["release"], entry["answer"]) == ""


class TestTheTarget:
    """Stateful tasks in TaskId order, round-robin over the clients in java.util.UUID's order; where state is does not count."""

    def test_two_clients(self) -> None:
        assert stateful(decided(article({A: [0, 2, 4], B: [1, 3, 5]}))) == {A: ([0, 2, 4], []), B: ([1, 3, 5], [])}

    @pytest.mark.parametrize("release", [line.releases[-1] for line in LINES])
    def test_ids_from_8_to_f_come_first(self, release: str) -> None:
        """Three at rest: C, whose ID begins with b, then A, then B."""
        decision = decided(article({A: [1, 4], B: [2, 5], C: [0, 3]}, release))

        assert stateful(decision) == {A: ([1, 4], []), B: ([2, 5], []), C: ([0, 3], [])}
        assert not decision.probing_rebalance_needed

    @pytest.mark.parametrize(("release", "warm_ups"), [("2.7.2", ([1, 4], [])), ("3.9.1", ([1], [2]))])
    def test_a_replacement_that_sorts_last_moves_everything(self, release: str, warm_ups: tuple[list[int], list[int]]) -> None:
        """C is gone, D is the new third: the target is A 0,3; B 1,4; D 2,5. What no client has goes there at once, the rest
        later."""
        decision = decided(article({A: [1, 4], B: [2, 5], D: []}, release))

        assert decision.probing_rebalance_needed
        assert stateful(decision) == {A: ([0, 1, 3, 4], []), B: ([2, 5], warm_ups[0]), D: ([], warm_ups[1])}

    def test_a_replacement_with_the_same_id_moves_nothing_else(self) -> None:
        decision = decided(article({A: [1, 4], B: [2, 5], C: []}))

        assert stateful(decision) == {A: ([1, 4], []), B: ([2, 5], []), C: ([0, 3], [])}
        assert not decision.probing_rebalance_needed


class TestMovements:
    """A task whose target is behind runs where it is caught up; its target warms up, `max.warmup.replicas` at a time."""

    def test_two_warm_ups_in_the_order_of_the_release(self) -> None:
        before, after = (stateful(decided(article({A: [0, 2, 4], B: [1, 3, 5], C: []}, release))) for release in ("3.2.3", "3.3.0"))

        assert before == {A: ([0, 2, 4], []), B: ([1, 3, 5], [2]), C: ([], [0])}
        assert after == {A: ([0, 2, 4], [1]), B: ([1, 3, 5], []), C: ([], [0])}

    def test_enough_warm_ups_for_all(self) -> None:
        group = article(
            {A: [0, 2, 4], B: [1, 3, 5], C: []}, settings=AssignorConfig(max_warmup_replicas=6, acceptable_recovery_lag=0)
        )

        assert stateful(decided(group)) == {A: ([0, 2, 4], [1]), B: ([1, 3, 5], [2]), C: ([], [0, 3])}

    def test_nobody_caught_up(self) -> None:
        """Up to 3.1 the task starts on its target; from 3.2 where most of its state is (KAFKA-13600)."""

        def run(release: str) -> dict[str, tuple[list[int], list[int]]]:
            group = article({A: [0, 3], B: [1, 4], D: []}, release)
            client = group.clients[0]
            stale = Consumer(f"{A}-StreamThread-3", "", task_offset_sums=((TaskId(1, 2), 7),))
            first = Client(client.process_id, (*client.consumers, stale))
            return stateful(decided(Group(release, group.config, group.tasks, (first, *group.clients[1:]))))

        assert 2 in run("3.1.2")[D][0]
        assert 2 in run("3.2.0")[A][0]
        assert 2 in run("3.2.0")[D][1]

    def test_a_sum_beyond_the_end_counts_as_nothing(self) -> None:
        def takes_over(sum_of_0: int) -> bool:
            copy = Client(ProcessId.parse(A), (Consumer("a", "", task_offset_sums=((TaskId(1, 0), sum_of_0),)),))
            group = article({C: []})
            return 0 in stateful(decided(Group("2.7.2", CONFIG, group.tasks, (copy, *group.clients))))[A][0]

        assert takes_over(ENDS[0])
        assert not takes_over(ENDS[0] + 1)


class TestTheWire:
    """What a consumer gets, what is held back until its owner has revoked it, and who rejoins when."""

    def test_a_task_is_withheld_while_another_member_owns_it(self) -> None:
        settings = AssignorConfig(acceptable_recovery_lag=2**63 - 1)  # every client counts as caught up: the target at once
        decision = decided(article({A: [0, 2, 4], B: [1, 3, 5], C: []}, settings=settings))

        withheld = {consumer.member_id: [str(task) for task in consumer.withheld] for consumer in decision.consumers}
        assert withheld[f"{C}-StreamThread-1"] == ["1_0"]
        assert withheld[f"{C}-StreamThread-2"] == ["1_3"]
        for consumer in decision.consumers:
            assert (consumer.next_rebalance is NextRebalance.IMMEDIATE) == bool(consumer.withheld)
            assert not set(consumer.active) & set(consumer.withheld)

    @pytest.mark.parametrize(("release", "temporary"), [("3.5.1", ["1_0"]), ("3.5.2", [])])
    def test_temporary_standbys(self, release: str, temporary: list[str]) -> None:
        """From 3.5.2 only where the client had a copy before."""
        settings = AssignorConfig(acceptable_recovery_lag=2**63 - 1)
        decision = decided(article({A: [0, 2, 4], B: [1, 3, 5], C: []}, release, settings))

        assert [str(task) for task in decision.consumers[4].standby] == temporary

    def test_one_member_of_the_leaders_client_probes(self) -> None:
        group = article({A: [0, 2, 4], B: [1, 3, 5], C: []}, leader_process_id=ProcessId.parse(B))
        decision = decided(group)

        probing = [consumer.member_id for consumer in decision.consumers if consumer.next_rebalance is NextRebalance.PROBING]
        assert probing == [f"{B}-StreamThread-1"]
        assert decision.undetermined == ()

    def test_an_unknown_leader_is_said(self) -> None:
        (doubt,) = decided(article({A: [0, 2, 4], B: [1, 3, 5], C: []})).undetermined

        assert doubt.about is About.LEADER
        assert C in doubt.text

    def test_members_of_version_6_cannot_be_told_when(self) -> None:
        group = article({A: [0, 2, 4], B: [1, 3, 5], C: []})
        old = Consumer("old", "", metadata_version=6)
        clients = (*group.clients[:2], Client(group.clients[2].process_id, (*group.clients[2].consumers, old)))
        decision = decided(Group("2.7.2", CONFIG, group.tasks, clients))

        assert decision.probing_rebalance_needed
        assert {consumer.next_rebalance for consumer in decision.consumers} == {NextRebalance.NONE}


class TestWhereTheLeaderFails:
    def test_a_report_of_a_task_that_is_gone(self) -> None:
        """Fatal up to 3.0, passed over from 3.1."""

        def answer(release: str) -> Assignment | LeaderFailure:
            group = article({A: [0, 2, 4], B: [1, 3, 5]}, release)
            stranger = Consumer("x", "", task_offset_sums=((TaskId(7, 0), 5),))
            first = Client(group.clients[0].process_id, (*group.clients[0].consumers, stranger))
            return assign(Group(release, CONFIG, group.tasks, (first, group.clients[1])))

        assert isinstance(answer("3.0.2"), LeaderFailure)
        assert isinstance(answer("3.1.0"), Assignment)

    def test_all_owned_partitions_are_gone(self) -> None:
        group = article({A: [0, 2, 4], B: [1, 3, 5]})
        lost = Client(ProcessId.parse(C), (Consumer("lost", "", owned=(TopicPartition("gone", 0),)),))

        answer = assign(Group("3.9.1", CONFIG, group.tasks, (*group.clients, lost)))

        assert isinstance(answer, LeaderFailure)
        assert answer.error.startswith("IllegalStateException")


class TestWithoutEndOffsets:
    """The leader falls back: every client keeps what it ran, whatever the target is, and a probing rebalance follows."""

    @pytest.mark.parametrize("release", [line.releases[-1] for line in LINES])
    def test_everybody_keeps_what_they_ran(self, release: str) -> None:
        group = article({A: [0, 1, 2, 3], B: [4, 5], C: []}, release, leader_process_id=ProcessId.parse(C))
        unknown = tuple(
            replace(task, changelogs=tuple(changelog._replace(end_offset=None) for changelog in task.changelogs or ()))
            for task in group.tasks
        )
        decision = decided(replace(group, tasks=unknown))

        assert decision.probing_rebalance_needed
        assert stateful(decision)[A] == ([0, 1, 2, 3], [])
        assert stateful(decision)[B] == ([4, 5], [])
        assert len(decision.clients[2].active) > 0  # stateless ones: C has room

    def test_what_hangs_on_the_java_version_is_said(self) -> None:
        group = article({A: [0], B: [1]}, "3.9.1", leader_process_id=ProcessId.parse(A))  # 12 tasks: a copied set differs
        last = replace(group.tasks[-1], changelogs=(Changelog("changelog", 5, None),))

        assert "Java" in decided(replace(group, tasks=(*group.tasks[:-1], last))).undetermined[0].text
        assert decided(group).undetermined == ()


class TestRefusals:
    def test_unknown_changelogs(self) -> None:
        task = Task(TaskId(0, 0), (TopicPartition("input", 0),), None)
        with pytest.raises(CannotPredict, match="0_0"):
            assign(Group("3.9.1", CONFIG, (task,), (_client(A, []),)))

    def test_an_empty_group(self) -> None:
        with pytest.raises(CannotPredict):
            assign(Group("3.9.1", CONFIG, (), ()))

    @pytest.mark.parametrize("release", ["2.5.0", "4.9.0", "abc", "", "3.9.1-rc0", "3.9.10", "3"])
    def test_releases_that_are_not_covered(self, release: str) -> None:
        with pytest.raises(Unsupported, match=r"2\.6\.1 to 2\.6\.3.*4\.3\.0 to 4\.3\.1"):
            behaviour(release)

    def test_a_minor_release_will_do_where_its_patches_agree(self) -> None:
        assert behaviour("3.9") == behaviour("3.9.1")
        with pytest.raises(Unsupported, match=r"3\.5\.1"):
            behaviour("3.5")

    def test_every_release_stands_in_one_line(self) -> None:
        assert len(set(RELEASES)) == len(RELEASES)
        assert all(behaviour(release) in LINES for release in RELEASES)


class TestConfig:
    def test_defaults(self) -> None:
        assert config.read("2.7.2", {}) == AssignorConfig(0, 2, 10_000, 600_000)

    def test_values_as_json_or_text(self) -> None:
        given = {"num.standby.replicas": "1", "acceptable.recovery.lag": 0, "max.warmup.replicas": " 3 "}
        assert config.read("3.9.1", given) == AssignorConfig(1, 3, 0, 600_000)

    def test_a_key_of_another_release_is_ignored(self) -> None:
        assert config.read("2.7.2", {"rack.aware.assignment.strategy": "min_traffic"}) == AssignorConfig()

    @pytest.mark.parametrize(
        ("key", "value", "said"),
        [
            ("acceptable.recovery.lagg", 1, "acceptable.recovery.lag"),
            ("acceptable.recovery.lag", -1, "0 or more"),
            ("max.warmup.replicas", 0, "1 or more"),
            ("probing.rebalance.interval.ms", "59999", "60000 or more"),
            ("num.standby.replicas", 2**31, "2147483647"),
            ("num.standby.replicas", True, "whole number"),
            ("processing.guarantee", "twice", "at_least_once"),
            ("producer.acks", "5", "-1, 0, 1, all"),
            ("rack.aware.assignment.tags", "a,b,c,d,e,f", "a list of 5 items at most"),
        ],
    )
    def test_what_kafka_would_refuse(self, key: str, value: str | int, said: str) -> None:
        with pytest.raises(InvalidInput, match=said):
            config.read("3.9.1", {key: value})

    @pytest.mark.parametrize("key", ["internal.task.assignor.class", "task.assignor.class"])
    def test_an_assignor_of_ones_own_is_refused_by_name(self, key: str) -> None:
        with pytest.raises(Unsupported, match=r"com\.example\.Assignor"):
            config.read("3.9.1", {key: "com.example.Assignor"})

    @pytest.mark.parametrize(
        ("release", "name", "found"),
        [
            ("2.7.2", "StickyTaskAssignor", TaskAssignor.STICKY),
            ("3.7.2", "StickyTaskAssignor", TaskAssignor.STICKY),
            ("3.8.1", "LegacyStickyTaskAssignor", TaskAssignor.STICKY),
            ("3.9.1", "FallbackPriorTaskAssignor", TaskAssignor.FALLBACK_PRIOR),
            ("3.9.1", "HighAvailabilityTaskAssignor", TaskAssignor.HIGH_AVAILABILITY),
        ],
    )
    def test_internal_assignors_by_simple_and_by_full_name(self, release: str, name: str, found: TaskAssignor) -> None:
        full = f"org.apache.kafka.streams.processor.internals.assignment.{name}"

        assert config.read(release, {}, name).task_assignor is found
        assert config.read(release, {"internal.task.assignor.class": full}).task_assignor is found

    def test_a_name_that_two_classes_have_from_3_8_on_must_be_given_in_full(self) -> None:
        with pytest.raises(CannotPredict, match="a name of two classes"):
            config.read("3.8.0", {}, "StickyTaskAssignor")

    def test_the_old_class_name_is_gone_from_3_8_on(self) -> None:
        old = "org.apache.kafka.streams.processor.internals.assignment.StickyTaskAssignor"
        with pytest.raises(Unsupported, match="LegacyStickyTaskAssignor"):
            config.read("3.8.0", {"internal.task.assignor.class": old})

    def test_strategies_of_placing_by_rack(self) -> None:
        strategy = "rack.aware.assignment.strategy"

        assert config.read("3.6.0", {strategy: "min_traffic"}).rack_aware_assignment_strategy == "min_traffic"
        assert config.read("3.5.2", {strategy: "min_traffic"}).rack_aware_assignment_strategy == "none"
        with pytest.raises(InvalidInput, match="min_traffic"):
            config.read("3.6.0", {strategy: "balance_subtopology"})


class TestStandbys:
    def test_tags_spread_standbys(self) -> None:
        """KIP-708: the copies of a task differ in zone where there are zones; only from 3.2."""

        def zones_of_copies(release: str) -> list[int]:
            settings = config.read(release, {"num.standby.replicas": 1, "rack.aware.assignment.tags": "zone"})
            group = article({A: [], B: [], C: [], D: []}, release, settings)
            zone_of = {A: "east", B: "east", C: "west", D: "east"}
            clients = tuple(replace(each, client_tags=(("zone", zone_of[str(each.process_id)]),)) for each in group.clients)
            holders: dict[int, set[str]] = {}
            for process, (active, standby) in stateful(decided(replace(group, clients=clients))).items():
                for task in (*active, *standby):
                    holders.setdefault(task, set()).add(zone_of[process])
            return [len(zones) for _, zones in sorted(holders.items())]

        assert zones_of_copies("3.2.0") == [2] * 6
        assert zones_of_copies("3.9.1") == [2] * 6
        assert zones_of_copies("3.1.2") != [2] * 6

    def test_more_replicas_than_clients(self) -> None:
        settings = AssignorConfig(num_standby_replicas=3, acceptable_recovery_lag=0)
        decision = decided(article({A: [0, 2, 4], B: [1, 3, 5]}, settings=settings))

        assert stateful(decision) == {A: ([0, 2, 4], [1, 3, 5]), B: ([1, 3, 5], [0, 2, 4])}
