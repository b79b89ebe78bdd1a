"""Consumer groups whose members assign, decided again by every release that the leader may have run."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from holdfast.kafka.consumer import joining, leader
from holdfast.kafka.consumer.group import Assignment, Assignor, Group, Member, MemberAssignment, Topic
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire import consumer_protocol
from holdfast.rollout.backtest.generation import Generation, GenerationMember
from holdfast.rollout.backtest.judged import Because, Judged, NotForecast
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.consumer.backtest import group as groups
from holdfast.rollout.consumer.backtest import question, releases
from holdfast.rollout.consumer.backtest.judge import judge
from holdfast.rollout.json import instants

TOPICS = (Topic("orders", ((),) * 7), Topic("returns", ((),) * 4))


def generation(number: int, group: Group, decided: Assignment) -> Generation:
    members = tuple(_member(member, handed, group.release) for member, handed in zip(group.members, decided.members, strict=True))
    at = instants.of_broker(1_763_640_000_000 + 2_000 * number)
    return Generation(number, at, group.leader_member_id, str(decided.assignor), members)


def _member(member: Member, handed: MemberAssignment, release: str) -> GenerationMember:
    envelope = consumer_protocol.ConsumerProtocolAssignment(1, handed.partitions)
    sent = joining.encode(member, member.assignors[0], release)
    return GenerationMember(member.member_id, "c", "/10.0.0.1", None, sent, consumer_protocol.encode_assignment(envelope))


def history(release: str, assignor: Assignor, count: int, chance: random.Random) -> Iterator[Generation]:
    """Members come and go; cooperative ones rejoin until nothing is revoked."""
    subscription = tuple(topic.name for topic in TOPICS)
    members = tuple(Member(f"m-{each:02}-x", (assignor,), subscription) for each in range(3))
    number = 0
    while number < count:
        pending = True
        while pending and number < count:
            number += 1
            group = Group(release, members, TOPICS, leader_member_id=members[0].member_id)
            decided = leader.assign(group)
            assert isinstance(decided, Assignment)
            yield generation(number, group, decided)
            pending = any(one.revoked for one in decided.members)
            remembers = assignor in (Assignor.STICKY, Assignor.COOPERATIVE_STICKY)
            members = tuple(
                replace(member, owned=one.partitions, owned_generation=number) if remembers else member
                for member, one in zip(members, decided.members, strict=True)
            )
        if len(members) > 1 and chance.random() < 0.5:
            leaves = chance.randrange(len(members))
            members = (*members[:leaves], *members[leaves + 1 :])
        else:
            members = (*members, Member(f"m-{chance.randrange(10, 99)}-{number}", (assignor,), subscription))


@pytest.mark.parametrize("release", ["2.7.2", "3.3.2", "3.9.1"])
@pytest.mark.parametrize("assignor", list(Assignor))
def test_a_history_by_the_model_is_equal_rebalance_by_rebalance(release: str, assignor: Assignor) -> None:
    found = tuple(history(release, assignor, 30, random.Random(3)))

    given = groups.backtest("billing", lambda: found, Given(release=release))
    open_release = groups.backtest("billing", lambda: found, Given())

    assert (given.score.equal, given.score.different, given.score.not_judged) == (30, 0, 0)
    assert (open_release.score.different, open_release.score.not_judged) == (0, 0)
    for one in (given, open_release):
        assert one.score.ends_equal == one.score.sequences == one.score.rounds_within >= 5


def test_a_partition_that_another_member_has_is_named() -> None:
    found = next(history("3.9.1", Assignor.RANGE, 1, random.Random(1)))
    first, second = found.members[:2]
    exchanged = (replace(first, assignment=second.assignment), replace(second, assignment=first.assignment), *found.members[2:])

    result = judge(question.of(("3.9.1",), replace(found, members=exchanged))).result

    assert result.judged is Judged.DIFFERENT
    what = {one.what: (one.holdfast, one.recorded) for one in result.differences}
    assert what["orders-0"] == ((first.member_id,), (second.member_id,))


def test_what_cannot_be_judged_is_named() -> None:
    found = next(history("3.9.1", Assignor.RANGE, 1, random.Random(1)))
    assert judge(question.of(("3.9.1",), replace(found, protocol="own"))).result.because == (Because.ASSIGNOR,)
    assert judge(question.of((), found)).result.because == (Because.RELEASE,)
    broken = replace(found, members=(replace(found.members[0], subscription=b"\xff"), *found.members[1:]))
    whole = groups.backtest("billing", lambda: (broken,), Given())
    assert whole.score.because == ((Because.MALFORMED, 1),)


def test_members_in_racks_are_inferred_at_best() -> None:
    """Where replicas were is gone: a rack may have decided."""
    subscription = ("orders", "returns")
    members = tuple(Member(f"m-{each}", (Assignor.RANGE,), subscription, rack=f"r{each}") for each in range(2))
    group = Group("3.9.1", members, TOPICS, leader_member_id="m-0")
    decided = leader.assign(group)
    assert isinstance(decided, Assignment)
    found = generation(1, group, decided)

    assert judge(question.of(("3.9.1",), found)).result.because == (Because.RACKS,)
    exchanged = tuple(
        replace(one, assignment=other.assignment) for one, other in zip(found.members, reversed(found.members), strict=True)
    )
    other = judge(question.of(("3.9.1",), replace(found, members=exchanged))).result
    assert (other.judged, other.because) == (Judged.NOT_JUDGED, (Because.RACKS,))


def test_releases_that_decide_alike_are_tried_once() -> None:
    every = releases.fitting(3)
    assert len(releases.unlike(every, Assignor.RANGE, racks=False)) == 1
    assert 1 < len(releases.unlike(every, Assignor.STICKY, racks=False)) <= len(every)
    assert set(every).isdisjoint(releases.fitting(1)) is True


def test_a_change_between_leaves_a_sequence_without_comparison() -> None:
    found = list(history("3.9.1", Assignor.COOPERATIVE_STICKY, 30, random.Random(3)))
    several = next(index for index, one in enumerate(found[1:], 1) if _ids(one) == _ids(found[index - 1]))
    del found[several]

    score = groups.backtest("billing", lambda: found, Given()).score

    assert dict(score.sequences_not_compared)[NotForecast.INTERRUPTED] == 1


def _ids(one: Generation) -> list[str]:
    return sorted(member.member_id for member in one.members)


def test_topics_are_as_large_as_what_was_assigned_and_owned() -> None:
    found = next(history("3.9.1", Assignor.RANGE, 1, random.Random(1)))
    assert question.of(("3.9.1",), found).topics == (("orders", 7), ("returns", 4))
    assert TopicPartition("orders", 6) in {part for parts in question.handed(question.of((), found)).values() for part in parts}
