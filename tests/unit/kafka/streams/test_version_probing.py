"""Members newer than their leader: what is certain, what is named, and what is refused."""

from dataclasses import replace
from uuid import UUID

import pytest

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka import java
from holdfast.kafka.release import LINES, behaviour
from holdfast.kafka.streams import version_probing
from holdfast.kafka.streams.config import AssignorConfig, TaskAssignor
from holdfast.kafka.streams.group import Assignment, Changelog, Client, Consumer, Group, LeaderFailure, NextRebalance, Task
from holdfast.kafka.streams.leader import assign
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition

LAST = "7fffffff-ffff-4fff-8fff-ffffffffffff"
FIRST = "80000000-0000-4000-8000-000000000000"
A, B = "4b61083e-57d0-457d-951f-d06556c148ca", "7156cef1-307e-49c0-a5bb-0f11d26a4933"
CONFIG = AssignorConfig(acceptable_recovery_lag=0)
NEWER = 20


def _client(process: str, running: list[int], *versions: int | None) -> Client:
    consumers = tuple(
        Consumer(
            member_id=f"{process}-{thread}",
            client_id="",
            owned=tuple(TopicPartition("in", n) for n in running[thread :: len(versions)]),
            task_offset_sums=tuple((TaskId(0, n), -2) for n in running[thread :: len(versions)]),
            metadata_version=version,
        )
        for thread, version in enumerate(versions)
    )
    return Client(ProcessId.parse(process), consumers)


def _group(*clients: Client, release: str = "3.9.1", tasks: int = 4, stateful: bool = False, **more: object) -> Group:
    logs = [(Changelog("log", n, 100),) if stateful else () for n in range(tasks)]
    every = tuple(Task(TaskId(0, n), (TopicPartition("in", n),), logs[n]) for n in range(tasks))
    return Group(release, CONFIG, every, clients, **more)


def _decided(group: Group) -> Assignment:
    decision = assign(group)
    assert isinstance(decision, Assignment)
    return decision


@pytest.mark.parametrize("release", [line.releases[-1] for line in LINES])
def test_what_does_not_hang_on_the_random_id_is_certain(release: str) -> None:
    """Four tasks, two threads here, two there: half of them each; which half depends on who comes first."""
    decision = _decided(_group(_client(A, [], None, None), _client(B, [], NEWER, NEWER), release=release, tasks=4))
    assert [len(client.active) for client in decision.clients] == [0, 0]
    assert {str(task.id) for task in decision.undetermined_tasks} == {"0_0", "0_1", "0_2", "0_3"}
    assert all(len(task.active_consumers) == 2 for task in decision.undetermined_tasks)
    assert "random process ID" in decision.undetermined[0].text


def test_one_thread_of_a_client_that_cannot_be_read() -> None:
    """Its task is its own client's, in addition to those of the thread that can."""
    both = _client(A, [], None, NEWER)
    decision = _decided(_group(both, tasks=2))
    assert {task.id for task in decision.undetermined_tasks} == {TaskId(0, 0), TaskId(0, 1)}
    assert decision.clients[0].active == (TaskId(0, 0), TaskId(0, 1))


def test_what_newer_members_report_is_lost_and_their_state_moves() -> None:
    """Only A's report is read: all tasks that B runs look as if no client had them."""
    old = _decided(_group(_client(A, [0], None), _client(B, [1, 2, 3], None), stateful=True))
    new = _decided(_group(_client(A, [0], None), _client(B, [1, 2, 3], NEWER), stateful=True))
    assert old.clients[1].active != new.clients[1].active or new.undetermined_tasks


def test_all_newer_members_are_one_client() -> None:
    """Two newer clients of one thread have the share of one client of two threads."""
    one = _decided(_group(_client(A, [], None), _client(B, [], NEWER, NEWER), tasks=9))
    two = _decided(_group(_client(A, [], None), _client(B, [], NEWER), _client(LAST, [], NEWER), tasks=9))
    assert [len(each.active) for each in one.consumers] == [len(each.active) for each in two.consumers]


@pytest.mark.parametrize(
    ("release", "shutdown", "code"),
    [("2.6.3", False, None), ("2.7.2", False, 3), ("3.7.2", False, 3), ("3.7.2", True, 3), ("3.8.1", False, 3), ("3.8.1", True, 4)],
)
def test_members_too_old_to_be_probed(release: str, shutdown: bool, code: int | None) -> None:
    group = _group(_client(A, [], 2, None), _client(B, [], NEWER), release=release)
    if shutdown:
        first = group.clients[0]
        asks = replace(first.consumers[1], error_code=4)
        group = replace(group, clients=(replace(first, consumers=(first.consumers[0], asks)), group.clients[1]))
    failure = assign(group)
    assert isinstance(failure, LeaderFailure)
    assert failure.error_code == code
    assert code is not None or failure.error.startswith("IllegalStateException")


@pytest.mark.parametrize(("release", "code"), [("2.7.2", 3), ("3.7.2", 3), ("3.8.1", 1)])
def test_missing_topics_beside_members_too_old_to_be_probed(release: str, code: int) -> None:
    group = _group(_client(A, [], 2), _client(B, [], NEWER), release=release, missing_topics=("in",))
    failure = assign(group)
    assert isinstance(failure, LeaderFailure)
    assert failure.error_code == code


def test_missing_topics() -> None:
    assert assign(_group(_client(A, [], None), missing_topics=("in",))) == LeaderFailure(
        "source topics are missing (in): the leader sends all members an error", 1
    )


def test_an_error_that_a_newer_member_tells_is_not_read() -> None:
    newer = _client(B, [], NEWER)
    newer = replace(newer, consumers=(replace(newer.consumers[0], error_code=4),))
    assert isinstance(assign(_group(_client(A, [], None), newer)), Assignment)


def test_an_unknown_leader_is_one_that_can_read() -> None:
    """B comes first, and is newer: a probing rebalance is shown at A or at LAST."""
    standby = _group(_client(A, [0, 1, 2, 3], None), _client(LAST, [], None), _client(FIRST, [], NEWER), stateful=True)
    decision = _decided(replace(standby, config=replace(CONFIG, max_warmup_replicas=1)))
    assert decision.probing_rebalance_needed
    assert f"shown at {A}" in decision.undetermined[0].text
    assert decision.consumers[2].next_rebalance is not NextRebalance.PROBING


class TestRandomIds:
    def test_each_place_and_bucket_once(self) -> None:
        group = _group(_client(A, [], None), _client(B, [], None), _client(LAST, [], NEWER))
        ids = version_probing.random_ids(group, behaviour("3.9.1"))
        others = [ProcessId.parse(A), ProcessId.parse(B)]
        places = [sum(other < one for other in others) for one in ids]
        codes = [java.uuid_hash(one.uuid.int) & 0xFFFFFFFF for one in ids]
        assert sorted(set(zip(places, ((code ^ code >> 16) & 15 for code in codes), strict=True))) == [
            (place, bucket) for place in range(3) for bucket in range(16)
        ]
        assert len(ids) == 48
        assert all(one.uuid.version == 4 and one.uuid.variant == UUID(B).variant for one in ids)

    def test_neighbours_without_room_between_them(self) -> None:
        near = "4b61083e-57d0-457d-951f-d06556c148cb"
        group = _group(_client(A, [], None), _client(near, [], None), _client(B, [], NEWER))
        assert len(version_probing.random_ids(group, behaviour("3.9.1"))) == 2 * 16


class TestRefusals:
    def test_a_leader_that_would_be_newer_than_itself(self) -> None:
        newer = _client(B, [], NEWER)
        with pytest.raises(CannotPredict, match="All members are newer"):
            assign(_group(newer))
        with pytest.raises(CannotPredict, match=f"The client that leads, {B}, is newer"):
            assign(_group(_client(A, [], None), newer, leader_process_id=ProcessId.parse(B)))

    def test_a_public_assignor_besides(self) -> None:
        group = _group(_client(A, [], None), _client(B, [], NEWER))
        public = replace(group, config=replace(CONFIG, task_assignor=TaskAssignor.PUBLIC_STICKY))
        with pytest.raises(Unsupported, match="both together are not"):
            assign(public)

    @pytest.mark.thorough
    def test_too_many_places(self) -> None:
        others = [_client(str(UUID(int=n << 112 | 4 << 76 | 8 << 60)), [], None) for n in range(100)]
        with pytest.raises(CannotPredict, match="too many places"):
            assign(_group(*others, _client(B, [], NEWER)))

    def test_process_ids_that_crowd_a_bucket(self) -> None:
        crowded = [_client(str(UUID(int=n << 120)), [], None) for n in range(0, 8 * 16, 16)]
        with pytest.raises(CannotPredict, match="too many places"):
            assign(_group(*crowded, _client(B, [], NEWER)))
