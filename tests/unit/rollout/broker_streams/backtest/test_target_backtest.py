"""Recorded targets of a group whose broker assigns, computed again: what compaction leaves of them, and what does not show."""

import itertools
import random
from dataclasses import replace

import pytest
from tests.harness.kafka import recorded_targets
from tests.harness.kafka.recorded_targets import WrittenGroup, a_history, compacted, exchanged

from holdfast.kafka.wire.streams_group_records import GroupMetadata, MemberMetadata, RecordKind, TargetMember, TargetMetadata
from holdfast.rollout.backtest.coordinated import CoordinatorRecord, Unreadable
from holdfast.rollout.backtest.judged import Because, Judged, RebalanceResult
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.broker_streams.backtest.question import TargetQuestion
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds import backtests, mismatch_file

Log = list[CoordinatorRecord]


def judged(log: Log, given: Given | None = None, kept: list[TargetQuestion] | None = None) -> GroupBacktest:
    def keep(question: TargetQuestion, _: RebalanceResult) -> None:
        if kept is not None:
            kept.append(question)

    found = backtests.backtest("shop", lambda: log, given or Given(), keep)
    assert found is not None
    return found


def written(release: str = "4.2.1") -> Log:
    """Two members, a third one in a process of its own, and the first one leaves."""
    group = WrittenGroup(release)
    for name in ("a", "b", "c"):
        group.join(name, f"process-{name}")
    group.leave("a")
    return group.log


def targets(log: Log) -> list[int]:
    return [at for at, one in enumerate(log) if isinstance(one.value, TargetMetadata)]


def reasons(found: GroupBacktest) -> list[tuple[Because, ...]]:
    return [one.because for one in found.rebalances if one.judged is not Judged.EQUAL]


def changed(log: Log, kind: RecordKind, **fields: object) -> Log:
    return [
        one._replace(value=replace(one.value, **fields)) if one.key.kind is kind and one.value is not None else one  # type: ignore[type-var]
        for one in log
    ]


def test_every_target_of_a_whole_log_is_judged() -> None:
    found = judged(written())

    assert (found.protocol, found.standbys, found.not_recorded) == ("streams", 1, 0)
    assert [(one.number, one.judged, one.releases) for one in found.rebalances] == [
        (epoch, Judged.EQUAL, ("4.2.1",)) for epoch in (2, 3, 4, 5)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_what_compaction_leaves_is_judged_or_counted_apart(seed: int) -> None:
    """Wherever compaction ended: no target is found to differ, and the newest ones are judged."""
    group = a_history(random.Random(seed))
    equal = []
    for below in group.batches:
        score = judged(compacted(group.log, below)).score
        assert score.different == score.inferred == 0
        assert set(dict(score.because)) <= {Because.PREVIOUS_TARGET}
        assert score.not_judged <= 1
        equal.append(score.equal)
    assert equal == sorted(equal, reverse=True)
    assert equal[-1] > 0


def test_epochs_before_the_first_recorded_target_are_counted() -> None:
    log = written()
    left = compacted(log, targets(log)[2] + 1)
    found = judged(left)

    assert found.not_recorded == 2
    assert [(one.number, one.judged) for one in found.rebalances] == [(4, Judged.NOT_JUDGED), (5, Judged.EQUAL)]


def test_an_exchange_of_tasks_differs_and_can_be_sent_without_names() -> None:
    for log in list(exchanged(written()))[:3]:
        kept: list[TargetQuestion] = []
        found = judged(log, kept=kept)
        assert found.score.different >= 1
        first = next(one for one in found.rebalances if one.judged is Judged.DIFFERENT)
        assert first.differences[0].holdfast != first.differences[0].recorded
        sent = mismatch_file.sendable(kept[0])
        assert sent is not None
        document = mismatch_file.to_json(sent.question)
        assert mismatch_file.from_json(document) == sent.question
        assert "process-a" not in str(document)


def test_since_judges_later_ones_only_and_learns_from_earlier_ones() -> None:
    log = written()
    moment = judged(log).rebalances[2].completed_at

    assert [one.number for one in judged(log, Given(since=moment)).rebalances] == [4, 5]


class TestWhatIsNotRecorded:
    def test_configs_that_brokers_of_4_1_do_not_write(self) -> None:
        log = recorded_targets.without_configs(written())
        assert set(reasons(judged(log))) == {(Because.RELEASE,)}
        given = judged(log, Given(broker_release="4.2.1"))
        assert given.score.different == given.score.not_judged == 0  # each number of standbys is tried
        assert {because for one in given.rebalances for because in one.because} <= {Because.SETTINGS}

    def test_the_release_of_a_log_with_moments(self) -> None:
        """Brokers since 4.3 write when a target was computed; those since 4.4 read offsets of disks too."""
        found = judged(written("4.3.1"))
        assert found.score.equal == 4  # 4.3 explains all of it
        assert found.scores[0].releases == ("4.3.1", "4.4.0")
        assert {one.releases for one in judged(written("4.3.1"), Given(broker_release="4.3.1")).rebalances} == {("4.3.1",)}

    def test_a_release_newer_than_the_brokers_explains_nothing(self) -> None:
        """What a broker of 4.4 may have decided by what is not recorded is wrong where none runs 4.4."""
        log = next(exchanged(written("4.3.1")))
        assert Because.DISKS in dict(judged(log).score.because)
        found = judged(log, Given(brokers_newest="4.3"))
        assert found.score.different >= 1
        assert found.scores[0].releases == ("4.3.1",)
        assert judged(written("4.3.1"), Given(brokers_newest="4.4")).score == judged(written("4.3.1")).score
        assert set(reasons(judged(written("4.3.1"), Given(brokers_newest="4.2")))) == {(Because.RELEASE,)}

    def test_offsets_of_disks_where_they_decide(self) -> None:
        found = judged(written("4.4.0"), Given(broker_release="4.4.0"))
        assert found.score.different == 0
        assert Because.DISKS in dict(found.score.because)

    def test_a_release_that_is_not_covered(self) -> None:
        assert set(reasons(judged(written(), Given(broker_release="4.1.0")))) == {(Because.RELEASE,)}

    def test_the_topology(self) -> None:
        log = [one for one in written() if one.key.kind is not RecordKind.TOPOLOGY]
        assert set(reasons(judged(log))) == {(Because.STATE,)}

    def test_a_record_that_cannot_be_read(self) -> None:
        log = written()
        at = targets(log)[1]
        log[at - 1] = log[at - 1]._replace(value=Unreadable("version 7"))
        found = judged(log)
        assert [one.judged for one in found.rebalances] == [Judged.EQUAL] + 3 * [Judged.NOT_JUDGED]
        assert found.rebalances[1].detail == "version 7"

    def test_another_assignor(self) -> None:
        configs = (("num.standby.replicas", "1"), ("assignor", "ours"))
        assert set(reasons(judged(changed(written(), RecordKind.GROUP_METADATA, assignment_configs=configs)))) == {
            (Because.ASSIGNOR,)
        }

    def test_a_number_of_standbys_that_is_none(self) -> None:
        log = changed(written(), RecordKind.GROUP_METADATA, assignment_configs=(("num.standby.replicas", "9" * 30),))
        assert set(reasons(judged(log))) == {(Because.MALFORMED,)}

    def test_a_task_that_nobody_has(self) -> None:
        log = written()
        value = log[targets(log)[-1] - 1].value
        assert isinstance(value, TargetMember)
        log[targets(log)[-1] - 1] = log[targets(log)[-1] - 1]._replace(
            value=TargetMember(replace(value.target, active=value.target.active[1:]))
        )
        assert reasons(judged(log))[-1] in ((Because.TOPICS,), ())
        assert judged(log).score.equal == 3

    def test_when_members_joined_whose_metadata_was_written_again(self) -> None:
        """One that is found to differ in the order of the log is tried in others."""
        log = written()
        again = [one for one in log if isinstance(one.value, MemberMetadata)]
        found = judged([*log[:-4], *again[1:], *log[-4:]])
        assert found.score.different == 0


def test_members_whose_hash_codes_collide_are_not_tried_for_ever() -> None:
    """`Aa` and `BB` have the same hash code in Java, and so have all texts of six of them."""
    group = WrittenGroup()
    names = ["".join(one) for one in itertools.islice(itertools.product(("Aa", "BB"), repeat=6), 20)]
    for name in names:
        group.join(name, f"process-{name}")
    again = [one for one in group.log if isinstance(one.value, MemberMetadata)]
    group.leave(names[0])
    last = group.batches[-1]
    *_, log = exchanged([*group.log[:last], *again, *group.log[last:]])
    assert judged(log).rebalances[-1].because == (Because.MEMBER_ORDER,)


def test_a_topology_that_is_not_ready_hands_out_nothing() -> None:
    log = changed(written(), RecordKind.GROUP_METADATA, validated_topology_epoch=-1)
    assert judged(log).score.different == 4
    nothing = TargetMember(recorded_targets.NOTHING)
    empty = [one._replace(value=nothing) if isinstance(one.value, TargetMember) else one for one in log]
    assert judged(empty).score.equal == 4


def test_a_group_that_has_only_just_been_named_has_no_score() -> None:
    log = [one for one in written() if isinstance(one.value, GroupMetadata)]
    assert judged(log).score.rebalances == 0


def test_a_question_is_complete_in_itself() -> None:
    kept: list[TargetQuestion] = []
    judged(next(exchanged(written())), kept=kept)
    document = codec_of(TargetQuestion).write(kept[0])

    assert codec_of(TargetQuestion).read(document) == kept[0]
    assert backtests.judge(kept[0]).judged is Judged.DIFFERENT
