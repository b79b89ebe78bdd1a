"""Recorded rebalances decided again: equal, inferred, different or not judged, each for the right reason."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.harness.kafka import recorded_rebalances
from tests.harness.kafka.recorded_rebalances import of_tasks

from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.group import Client, Consumer, Group
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId
from holdfast.kafka.wire import consumer_protocol, subscription_info
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import Because, Judged, Role
from holdfast.rollout.json.strict import loads
from holdfast.rollout.streams.backtest import question, releases
from holdfast.rollout.streams.backtest.judge import judge
from holdfast.rollout.streams.backtest.question import PastTask, StreamsQuestion
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

RECORDED = Path(__file__).parents[3] / "recorded"
FIRST = ProcessId.parse("11111111-1111-4111-8111-111111111111")
SECOND = ProcessId.parse("22222222-2222-4222-8222-222222222222")
THIRD = ProcessId.parse("33333333-3333-4333-8333-333333333333")


def recorded(release: str = "3.9.1") -> Snapshot:
    return snapshot_from_json(loads((RECORDED / f"streams-{release}.json").read_text(encoding="utf-8")))


def asked(snapshot: Snapshot, generation: Generation, *, release: str | None = "3.9.1", exact: bool = True) -> StreamsQuestion:
    """With the end offsets of the snapshot, or none."""
    tasks = tuple(
        PastTask(task.id, task.partitions, bool(task.changelogs), (task.end_offset_sum or 0) if exact else 0, task.end_offset_sum)
        for task in snapshot.tasks
    )
    found = releases.of_leader(release, releases.leaders_version(generation))
    return question.of(found, snapshot.config, tasks, generation)


def clients(*, ends: int) -> Group:
    """Two clients: the first runs all four tasks, the second has copies of two, of which it lacks ten records."""
    tasks = of_tasks(0, 4, ends)
    runs = Consumer(
        "a-1", "a", None, tuple(one for task in tasks for one in task.partitions), tuple((task.id, LATEST_OFFSET) for task in tasks)
    )
    stands_by = Consumer("b-1", "b", None, (), ((TaskId(0, 0), ends - 10), (TaskId(0, 1), ends - 10)))
    config = AssignorConfig(acceptable_recovery_lag=100)
    return Group("3.9.1", config, tasks, (Client(FIRST, (runs,)), Client(SECOND, (stands_by,))), FIRST)


def of(group: Group, low: int, high: int | None, found: Generation | None = None) -> StreamsQuestion:
    tasks = tuple(PastTask(task.id, task.partitions, bool(task.changelogs), low, high) for task in group.tasks)
    found = found or recorded_rebalances.generation(1, group, recorded_rebalances.by_the_model(group))
    return question.of(("3.9.1",), (("acceptable.recovery.lag", 100),), tasks, found)


def test_each_recorded_rebalance_is_decided_as_its_leader_did() -> None:
    snapshot = recorded()
    later = [asked(snapshot, one) for one in snapshot.generations[1:]]

    assert {judge(one).result.judged for one in later} == {Judged.EQUAL}
    assert all(judge(one).explained is not None for one in later)


def test_two_tasks_that_were_exchanged_are_named_with_their_members() -> None:
    snapshot = recorded()
    other = recorded_rebalances.swapped(snapshot.generations[-1])
    assert other is not None

    result = judge(asked(snapshot, other)).result

    assert result.judged is Judged.DIFFERENT
    assert result.because == ()
    active = [one for one in result.differences if one.role is Role.ACTIVE]
    assert len(active) == 2
    assert {one.holdfast for one in active} == {one.recorded for one in active}
    assert [one.holdfast for one in active] == [one.recorded for one in reversed(active)]


def test_end_offsets_that_give_one_decision_only_need_not_be_known() -> None:
    """All copies lag 10 to 60 records behind: at most 100 are acceptable."""
    result = judge(of(clients(ends=1_000), 1_000, 1_050)).result

    assert (result.judged, result.because) == (Judged.EQUAL, ())


def test_end_offsets_that_the_decision_shows_are_inferred() -> None:
    """The second client was given tasks at once, so that its copies were caught up; with an end offset of 5,000 they are not."""
    result = judge(of(clients(ends=1_000), 990, 5_000)).result

    assert (result.judged, result.because) == (Judged.INFERRED, (Because.END_OFFSETS,))


def test_a_decision_that_no_end_offset_explains_is_different() -> None:
    group = clients(ends=1_000)
    decided = recorded_rebalances.by_the_model(group)
    without = decided | {"b-1": replace(decided["b-1"], standby=tuple(TaskId(0, each) for each in range(4)))}

    result = judge(of(group, 990, 5_000, recorded_rebalances.generation(1, group, without))).result

    assert result.judged is Judged.DIFFERENT
    assert {one.role for one in result.differences} == {Role.STANDBY}


def test_lags_of_copies_at_one_of_several_threads_may_decide_which_thread_gets_which() -> None:
    """One thread of two reports all four copies and keeps two of them: those that lag least."""
    tasks = of_tasks(0, 4, 1_000)
    reports = Consumer("b-1", "b", None, (), tuple((task.id, 990) for task in tasks))
    group = Group("3.9.1", AssignorConfig(), tasks, (Client(SECOND, (reports, Consumer("b-2", "b"))),), SECOND)

    assert judge(of(group, 1_000, 1_000)).result.judged is Judged.EQUAL
    result = judge(of(group, 1_000, 1_050)).result
    assert (result.judged, result.because) == (Judged.INFERRED, (Because.END_OFFSETS,))


def test_lags_that_may_be_equal_are_in_no_certain_order_either() -> None:
    """Equal lags are in the order of the tasks: 0_0 lags by one record, 0_3 by none or one."""
    tasks = of_tasks(0, 4, 1_000)
    reports = Consumer("b-1", "b", None, (), tuple((task.id, 999) for task in tasks))
    group = Group("3.9.1", AssignorConfig(), tasks, (Client(SECOND, (reports, Consumer("b-2", "b"))),), SECOND)
    known = of(group, 1_000, 1_000)
    open_one = replace(known, tasks=(*known.tasks[:3], replace(known.tasks[3], low=999)))
    last_first = {"b-1": (TaskId(0, 0), TaskId(0, 3)), "b-2": (TaskId(0, 1), TaskId(0, 2))}
    decided = {member: recorded_rebalances.Sent(active, ()) for member, active in last_first.items()}
    asked = replace(open_one, generation=recorded_rebalances.generation(1, group, decided))

    assert judge(asked).result.judged is not Judged.DIFFERENT


def test_copies_that_a_thread_may_all_keep_are_in_no_order() -> None:
    tasks = of_tasks(0, 4, 1_000)
    reports = [Consumer(f"b-{each}", "b", None, (), tuple((task.id, 990) for task in tasks[2 * each :][:2])) for each in (0, 1)]
    group = Group("3.9.1", AssignorConfig(), tasks, (Client(SECOND, tuple(reports)),), SECOND)

    assert judge(of(group, 1_000, 1_050)).result.judged is Judged.EQUAL


def test_an_unknown_leader_may_be_any_client() -> None:
    """Which of them probes depends on it, and nothing else does."""
    snapshot = recorded()
    found = [replace(one, leader_member_id=None) for one in snapshot.generations[1:]]

    results = [judge(asked(snapshot, one)).result for one in found]

    assert {one.judged for one in results} == {Judged.EQUAL, Judged.INFERRED}
    assert {one.because for one in results if one.judged is Judged.INFERRED} == {(Because.LEADER,)}


def test_an_unknown_release_is_any_that_fits_the_metadata_version() -> None:
    snapshot = recorded()
    result = judge(asked(snapshot, snapshot.generations[-1], release=None)).result

    assert result.judged is Judged.EQUAL
    assert result.tried == result.releases == ("3.2.3", "3.5.1", "3.5.2", "3.6.2", "3.7.2", "4.2.1", "4.3.1")


def test_a_given_release_is_not_believed_of_a_leader_with_another_metadata_version() -> None:
    assert releases.of_leader("3.9.1", 8) == ("2.6.3", "2.7.2")
    assert releases.of_leader("2.7.2", 8) == ("2.7.2",)
    assert releases.of_leader(None, 99) == ()


def test_an_unknown_state_of_a_subtopology_is_tried_both_ways() -> None:
    snapshot = recorded()
    known = asked(snapshot, snapshot.generations[-1])
    unknown = replace(known, tasks=tuple(replace(one, stateful=None) if one.id.subtopology == 1 else one for one in known.tasks))
    states = {one.id.subtopology: one.stateful for one in known.tasks}
    assert states == {0: False, 1: True}

    assert judge(unknown).result.judged in (Judged.EQUAL, Judged.INFERRED)


def test_settings_of_other_rebalances_explain_what_those_at_hand_do_not() -> None:
    group = clients(ends=1_000)
    with_standbys = replace(group, config=replace(group.config, num_standby_replicas=1))
    found = recorded_rebalances.generation(1, group, recorded_rebalances.by_the_model(with_standbys))
    alone = of(group, 1_000, 1_000, found)
    explained = replace(alone, alternatives=((("acceptable.recovery.lag", 100), ("num.standby.replicas", 1)),))

    assert judge(alone).result.judged is Judged.DIFFERENT
    result = judge(explained).result
    assert (result.judged, result.because) == (Judged.INFERRED, (Because.SETTINGS,))


@pytest.mark.parametrize(
    ("change", "because"),
    [
        (lambda one: replace(one, protocol="range"), Because.ASSIGNOR),
        (lambda one: replace(one, leader_member_id="no member"), Because.LEADER),
        (lambda one: _first(one, subscription=one.members[0].subscription[:-1]), Because.MALFORMED),
        (lambda one: _first(one, assignment=b"\x00\x01\xff"), Because.MALFORMED),
        (lambda one: _first(one, subscription=_newer(one.members[0].subscription)), Because.METADATA_VERSION),
    ],
)
def test_what_cannot_be_judged_is_named(change: object, because: Because) -> None:
    snapshot = recorded()
    assert callable(change)
    result = judge(asked(snapshot, change(snapshot.generations[-1]))).result

    assert (result.judged, result.because) == (Judged.NOT_JUDGED, (because,))


def test_a_custom_assignor_is_not_judged() -> None:
    snapshot = recorded()
    known = asked(snapshot, snapshot.generations[-1])
    result = judge(replace(known, config=(*known.config, ("task.assignor.class", "com.example.Own")))).result

    assert (result.judged, result.because) == (Judged.NOT_JUDGED, (Because.ASSIGNOR,))


def _first(generation: Generation, **fields: bytes) -> Generation:
    return replace(generation, members=(replace(generation.members[0], **fields), *generation.members[1:]))  # type: ignore[arg-type]


def _newer(subscription: bytes) -> bytes:
    envelope = consumer_protocol.decode_subscription(subscription)
    info = subscription_info.decode(envelope.user_data or b"")
    assert isinstance(info, subscription_info.SubscriptionInfo)
    data = (12).to_bytes(4, "big") + (12).to_bytes(4, "big") + subscription_info.encode(info)[8:]
    return consumer_protocol.encode_subscription(replace(envelope, user_data=data))
