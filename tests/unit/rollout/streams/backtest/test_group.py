"""A whole group: its tasks, settings and end offsets are found in its own records, and sequences are as forecast."""

import random
from dataclasses import replace

import pytest
from tests.harness.kafka import recorded_rebalances
from tests.harness.kafka.recorded_rebalances import of_tasks
from tests.unit.rollout.streams.backtest.test_judge import FIRST, SECOND, THIRD, recorded

from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.group import Client, Consumer, Group
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import Because, Judged, NotForecast
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.streams.backtest import group as groups
from holdfast.rollout.streams.backtest.history import Facts, decoded
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

RELEASES = ("2.7.2", "3.9.1", "4.3.1")


def changelogs(snapshot: Snapshot) -> tuple[tuple[str, tuple[int | None, ...]], ...]:
    found: dict[str, list[int | None]] = {}
    for task in snapshot.tasks:
        for one in task.changelogs or ():
            found.setdefault(one.topic, []).append(one.end_offset)
    return tuple((topic, tuple(ends)) for topic, ends in found.items())


def group(release: str = "3.9.1", *, standbys: int = 1, threads: int = 1) -> Group:
    members = tuple(
        Client(process, tuple(Consumer(f"{name}-{each}", f"{name}-{each}") for each in range(threads)), host=name)
        for process, name in ((FIRST, "a"), (SECOND, "b"), (THIRD, "c"))
    )
    config = AssignorConfig(num_standby_replicas=standbys, acceptable_recovery_lag=50)
    return Group(release, config, of_tasks(0, 6, 1_000), members, FIRST)


def backtested(
    found: tuple[Generation, ...], config: tuple[tuple[str, int], ...] = (), *, since: str | None = None, ends: bool = True
) -> GroupBacktest:
    known = (("app-0-changelog", (1_000,) * 6),) if ends else ()
    return groups.backtest("app", lambda: found, Given(config=config, changelogs=known, since=since))


def history(count: int = 30, *, standbys: int = 1, threads: int = 1) -> tuple[Generation, ...]:
    return tuple(recorded_rebalances.history(group(standbys=standbys, threads=threads), count, random.Random(7)))


@pytest.mark.thorough
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("known", ["everything", "end offsets", "settings", "nothing"])
def test_what_real_groups_did_is_decided_as_they_did(release: str, known: str) -> None:
    """Without settings they are found in the records; without end offsets most of it is inferred."""
    snapshot = recorded(release)
    given = Given(
        release=release if known == "everything" else None,
        config=snapshot.config if known in ("everything", "settings") else (),
        changelogs=changelogs(snapshot) if known in ("everything", "end offsets") else (),
    )

    found = groups.backtest(snapshot.group_id, lambda: snapshot.generations, given)

    score = found.score
    assert (score.different, score.not_judged) == (0, 0)
    assert score.equal + score.inferred == len(snapshot.generations)
    assert {one for one, _ in score.because} <= {Because.END_OFFSETS}
    assert score.equal > len(snapshot.generations) // 2 or known in ("settings", "nothing")
    assert score.ends_equal == score.rounds_within == score.seconds_within == score.sequences == 4


@pytest.mark.thorough
def test_settings_that_are_not_given_are_found_and_said() -> None:
    snapshot = recorded("3.9.1")
    found = groups.backtest(snapshot.group_id, lambda: snapshot.generations, Given(changelogs=changelogs(snapshot)))

    assert {one.name: (one.value, one.source) for one in found.settings} == {
        "acceptable.recovery.lag": ("0", "records"),
        "max.warmup.replicas": ("5", "records"),
        "num.standby.replicas": ("0", "records"),
        "probing.rebalance.interval.ms": ("60000", "records"),
    }


def test_the_same_without_records_that_show_them() -> None:
    """Kafka's defaults, and none of Holdfast's own."""
    found = backtested(history(1))

    assert [one.source for one in found.settings if one.name == "max.warmup.replicas"] == ["default"]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_history_by_the_model_is_equal_rebalance_by_rebalance(threads: int) -> None:
    found = backtested(history(threads=threads), (("acceptable.recovery.lag", 50),))

    assert found.score.different == 0
    assert found.score.equal + found.score.inferred == 30
    assert found.standbys == 1
    assert found.score.ends_equal == found.score.sequences >= 5


def test_one_exchange_of_two_tasks_in_thirty_rebalances_is_found() -> None:
    rebalances = list(history())
    other = recorded_rebalances.swapped(rebalances[20])
    assert other is not None
    rebalances[20] = other

    found = backtested(tuple(rebalances), (("acceptable.recovery.lag", 50),))

    assert found.score.different == 1
    (different,) = [one for one in found.rebalances if one.judged is Judged.DIFFERENT]
    assert different.number == rebalances[20].number
    assert len(different.differences) >= 2


def test_rebalances_before_a_moment_are_learnt_from_and_not_judged() -> None:
    rebalances = history()
    later = backtested(rebalances, since=rebalances[10].completed_at)

    assert later.score.rebalances == 20
    assert later.score.first_at == rebalances[10].completed_at


def test_what_compaction_removed_is_counted() -> None:
    rebalances = history()
    found = backtested((*rebalances[:5], *rebalances[8:]))

    assert found.not_recorded == 3
    assert dict(found.score.sequences_not_compared).get(NotForecast.INTERRUPTED, 0) >= 0


def test_a_change_before_the_group_is_stable_leaves_a_sequence_without_comparison() -> None:
    """The records end, or members change, while warm-ups catch up."""
    found = backtested(history(standbys=0))
    apart = dict(found.score.sequences_not_compared)

    assert found.score.sequences >= 1
    assert set(apart) <= {NotForecast.UNFINISHED, NotForecast.INTERRUPTED}


@pytest.mark.parametrize("standbys", [1, 2])
def test_two_clients_have_room_for_one_copy_however_many_are_wanted(standbys: int) -> None:
    """No rebalance of such a group shows how many that are: one is enough for all its decisions."""
    of_two = replace(group(standbys=standbys), clients=group().clients[:2])
    found = backtested((next(recorded_rebalances.history(of_two, 1, random.Random(7))),), (("acceptable.recovery.lag", 50),))

    assert (found.score.judged, found.score.different) == (1, 0)
    assert found.standbys == 1


def test_a_standby_that_is_missing_at_the_end_is_no_stable_end_as_forecast() -> None:
    rebalances = list(history(30, standbys=0))
    ends = backtested(tuple(rebalances)).sequences
    long = next(one for one in ends if one.rounds > 1 and one.compared)
    last = next(index for index, one in enumerate(rebalances) if one.number == long.last)
    other = recorded_rebalances.swapped(rebalances[last])
    assert other is not None
    rebalances[last] = other

    found = backtested(tuple(rebalances))

    differing = [one for one in found.sequences if one.compared and not one.end_equal]
    assert [one.last for one in differing] == [long.last]
    assert found.score.ends_equal == found.score.sequences - 1
    assert not found.score.perfect


def test_a_withheld_task_is_found_in_what_another_member_owned() -> None:
    """No member is sent it in that rebalance."""
    facts = Facts()
    snapshot = recorded("3.9.1")
    for one in snapshot.generations:
        facts.take(one)
    every = {task.id for task in snapshot.tasks}

    assert {task for task, _ in facts.last_tasks()} == every
    for one in snapshot.generations:
        assert set(facts.tasks_of(one, decoded(one))) == every, one.number


def test_its_json_is_read_back() -> None:
    codec = codec_of(GroupBacktest)
    found = backtested(history())

    assert codec.read(codec.write(found)) == found


def test_a_release_that_others_rule_out_leaves_the_rest_equal() -> None:
    """In 3.2 some decisions are others than in 3.9: once one of them is ruled out, what depends on it is no longer open."""
    rebalances = history(40, standbys=0)
    found = backtested(rebalances, (("acceptable.recovery.lag", 50), ("max.warmup.replicas", 2)))

    assert dict(found.score.because).get(Because.RELEASE, 0) == 0
    assert found.score.different == 0


def test_members_of_two_clients_are_not_mixed_up_when_a_process_has_two_threads() -> None:
    found = backtested(tuple(replace(one, leader_member_id=None) for one in history(10, threads=2)))

    assert found.score.different == 0


@pytest.mark.parametrize(("seed", "first"), [(2, 9), (2, 10), (2, 11), (8, 1), (8, 4), (11, 11)])
def test_of_a_log_that_was_cut_nothing_is_different(seed: int, first: int) -> None:
    """Compaction leaves the newest records, at the end one: tasks that are withheld in it are in no other, no settled rebalance
    shows how many standbys there are, and few show the lag."""
    past = tuple(recorded_rebalances.history(group(), 12, random.Random(seed)))
    assert {one.judged for one in backtested(past, ends=False).rebalances} <= {Judged.EQUAL, Judged.INFERRED}
    found = backtested(past[first:], ends=False)

    assert len(found.rebalances) == 12 - first
    assert Judged.DIFFERENT not in {one.judged for one in found.rebalances}
