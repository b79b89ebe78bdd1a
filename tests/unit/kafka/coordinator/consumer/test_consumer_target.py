"""Targets of consumer groups whose broker assigns; those of many random groups are compared with the JVM's in tests/conformance."""

from dataclasses import replace

import pytest

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka.coordinator.consumer import target
from holdfast.kafka.coordinator.consumer.group import Assignor, Group, Member, MemberTarget, Owned, Topic
from holdfast.kafka.coordinator.consumer.release import LINES, RELEASES, behaviour

ORDERS, CLICKS = Topic("orders", 0x66416D2F447E4F7F, 5), Topic("clicks", 0x1234567890ABCDEF << 64, 4)


def group(*members: Member, release: str = "4.3.1", assignor: Assignor = Assignor.UNIFORM, topics: tuple[Topic, ...] = ()) -> Group:
    return Group(release, assignor, members, topics or (ORDERS, CLICKS))


def owned(found: target.Target) -> dict[str, dict[str, set[int]]]:
    return {one.member_id: {topic: set(numbers) for topic, numbers in one.owned} for one in found.members}


def on(*topics: str, had: Owned = (), instance: str | None = None, name: str = "a") -> Member:
    return Member(name, topics, instance_id=instance, target=had)


def test_who_has_an_equal_share_keeps_it_and_only_4_0_0_gives_the_extra_to_the_first() -> None:
    members = (on("orders", name="a"), on("orders", had=(("orders", (0, 1, 2, 3, 4)),), name="b"))

    assert owned(target.assign(group(*members))) == {"a": {"orders": {3, 4}}, "b": {"orders": {0, 1, 2}}}
    assert owned(target.assign(group(*members, release="4.0.0"))) == {"a": {"orders": {2, 3, 4}}, "b": {"orders": {0, 1}}}


def test_members_that_are_subscribed_differently_are_balanced_over_all_topics() -> None:
    members = (on("orders", "clicks", name="a"), on("clicks", name="b"))

    assert owned(target.assign(group(*members))) == {"a": {"orders": {0, 1, 2, 3, 4}}, "b": {"clicks": {0, 1, 2, 3}}}


def test_static_members_come_first_in_ranges_and_the_others_by_member_id() -> None:
    members = (on("orders", name="a"), on("orders", name="c", instance="z"), on("orders", name="b", instance="y"))

    found = target.assign(group(*members, assignor=Assignor.RANGE))

    assert owned(found) == {"b": {"orders": {0, 1}}, "c": {"orders": {2, 3}}, "a": {"orders": {4}}}
    assert [one.member_id for one in found.members] == ["a", "c", "b"]


def test_a_topic_that_does_not_exist_is_nobodys() -> None:
    members = (on("orders", "gone", had=(("gone", (0, 1)),)),)

    assert owned(target.assign(group(*members))) == {"a": {"orders": {0, 1, 2, 3, 4}}}


def test_a_group_without_members_or_topics_has_nothing() -> None:
    assert target.assign(group()).members == ()
    assert owned(target.assign(group(on()))) == {"a": {}}
    assert owned(target.assign(group(on("gone"), on(name="b")))) == {"a": {}, "b": {}}


def test_what_the_coordinator_takes_them_for_can_be_given() -> None:
    """It notices that a regular expression is gone only with the next member that joins, leaves or subscribes."""
    members = (on("orders", name="a", had=(("orders", (0,)),)), on("orders", name="b", had=(("orders", (1,)),)))
    alike = Group("4.3.1", Assignor.UNIFORM, members, (ORDERS, CLICKS))
    late = Group("4.3.1", Assignor.UNIFORM, members, (ORDERS, CLICKS), alike=False)

    assert owned(target.assign(alike)) == {"a": {"orders": {0, 2}}, "b": {"orders": {1, 3, 4}}}
    assert owned(target.assign(late)) == {"a": {"orders": {0, 2, 4}}, "b": {"orders": {1, 3}}}


def test_a_partition_that_its_topic_does_not_have_is_refused_where_the_assignor_would_throw() -> None:
    had: Owned = (("orders", (0, 1, 2, 3, 4, 5, 6)),)

    with pytest.raises(CannotPredict, match="partition 6 of topic 'orders' was assigned, and the topic has 5 partitions"):
        target.assign(group(on("orders", had=had), on("clicks", name="b")))


def test_another_java_is_told_where_its_sets_have_another_order() -> None:
    """A set of 12 entries that is made of a list has 32 buckets, and 16 in Java 19 and later."""
    had: Owned = (("orders", tuple(range(8, 20))),)
    members = (on("orders", had=had, name="a"), on("orders", name="b"))
    topics = (Topic("orders", 1, 20),)

    assert target.assign(group(*members, topics=topics)).depends_on_java
    assert not target.assign(group(*members, topics=topics, assignor=Assignor.RANGE)).depends_on_java
    assert not target.assign(group(on("orders", had=had[:0]), topics=topics)).depends_on_java


def test_a_target_in_the_order_of_its_record_is_put_into_new_sets() -> None:
    """A list in that order comes from a broker on Java 19; a record may come from any."""
    had: Owned = (("orders", (0, 16, *range(1, 11))),)
    members = (on("orders", had=had, name="a"), on("orders", had=(("orders", tuple(range(11, 16))),), name="b"))
    listed = group(*members, topics=(Topic("orders", 1, 17),))

    def kept_by_a(members: tuple[MemberTarget, ...]) -> set[int]:
        return next(set(numbers) for name, ((_, numbers),) in members if name == "a")

    assert [kept_by_a(one) for one in target.by_java(listed)] == [{0, 16, *range(1, 8)}]
    first, later = target.by_java(replace(listed, recorded=True))
    assert kept_by_a(first) == set(range(9))
    assert kept_by_a(later) == {0, 16, *range(1, 8)}


def test_the_table_of_releases() -> None:
    assert RELEASES[0] == "4.0.0"
    assert RELEASES[-1] == "4.4.0"
    assert behaviour("4.3") is behaviour("4.3.1") is LINES[-2]
    assert behaviour("4.4") is LINES[-1]
    with pytest.raises(
        Unsupported, match=r"Releases of Kafka 4\.0 differ for consumer groups; give one of 4\.0\.0, 4\.0\.1, 4\.0\.2"
    ):
        behaviour("4.0")
    with pytest.raises(Unsupported, match=r"'3\.9\.1' is not covered .* Covered are 4\.0\.0 to 4\.4\.0"):
        behaviour("3.9.1")
