"""What a collection makes of a consumer group: what its members would report now, and everything that can be missing."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.fakes.cluster import FakeCluster, FakeStateDirectories

from holdfast.errors import ClusterTrouble, HoldfastError, InvalidInput, Unsupported
from holdfast.kafka.consumer import joining
from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire.consumer_protocol import ConsumerProtocolAssignment, encode_assignment
from holdfast.ports import ObservedGroup
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json, consumer_snapshot_to_json
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember
from holdfast.workflows.collecting import one_group
from holdfast.workflows.collecting.collector import OneGroup, StatedByOperator
from holdfast.workflows.collecting.settling import Patience

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
GIVEN = StatedByOperator("3.9.1", {}, {})


def member(
    name: str,
    *handed: int,
    assignor: str = "cooperative-sticky",
    joined: tuple[int, ...] = (),
    instance: str | None = None,
    session: int | None = None,
) -> GenerationMember:
    """A member of `in` that was handed partitions, having reported that it owned those of `joined`."""
    owned = tuple(TopicPartition("in", number) for number in joined)
    says = Member(name, (Assignor(assignor),), ("in",), owned, 6 if joined else None, rack="r")
    assigned = tuple(TopicPartition("in", number) for number in handed)
    return GenerationMember(
        name,
        f"client-{name}",
        "/10.0.0.1",
        instance,
        joining.encode(says, Assignor(assignor), "3.9.1"),
        encode_assignment(ConsumerProtocolAssignment(3, assigned)),
        session_timeout_ms=session,
    )


def cluster(*members: GenerationMember, protocol: str = "cooperative-sticky", state: str = "Stable") -> FakeCluster:
    group = ObservedGroup("g", state, "consumer", protocol, members)
    return FakeCluster(
        {"g": [group]},
        {"in": 3},
        ends={TopicPartition("in", number): 90 for number in range(3)},
        begins={TopicPartition("in", number): 5 for number in range(3)},
        committed={"g": {TopicPartition("in", 0): 80}},
        history={"g": (Generation(7, "2026-11-20T11:00:00Z", "b", protocol, members),)},
    )


def taken(seen: FakeCluster, given: StatedByOperator = GIVEN) -> ConsumerSnapshot:
    moments = iter(range(1000))
    patience = Patience(20, sleep=lambda _: None, clock=lambda: float(next(moments)))
    found = one_group.snapshot(seen, FakeStateDirectories(), OneGroup(None, "g", (), patience, lambda: NOW, given))
    assert isinstance(found, ConsumerSnapshot)
    assert consumer_snapshot_from_json(consumer_snapshot_to_json(found)) == found
    return found


def reasons(found: ConsumerSnapshot, what: str) -> str:
    return " ".join(one.reason for one in found.unknown if one.what.startswith(what))


def test_state_directories_are_refused() -> None:
    patience = Patience(20, sleep=lambda _: None, clock=lambda: 0.0)
    wanted = OneGroup(None, "g", ("file:///x",), patience, lambda: NOW, GIVEN)
    with pytest.raises(InvalidInput, match="'g' is a consumer group without state: leave it out") as refused:
        one_group.snapshot(cluster(member("a", 0)), FakeStateDirectories(), wanted)
    assert "--state-dir" in str(refused.value)


def test_a_cooperative_member_owns_what_it_was_handed() -> None:
    found = taken(cluster(member("a", 0, 1, joined=(0, 1)), member("b", 2, instance="one")))

    assert [(one.member_id, [each.partition for each in one.owned], one.owned_generation) for one in found.members] == [
        ("a", [0, 1], 7),
        ("b", [2], 7),
    ]
    assert (found.generation, found.leader_member_id, found.broker_release) == (7, "b", "4.3")
    assert (found.members[1].group_instance_id, found.members[0].rack, found.members[0].host) == ("one", "r", "10.0.0.1")
    assert found.topics[0].partitions[:2] == (
        ConsumedPartition((None,), 5, 90, 80),
        ConsumedPartition((None,), 5, 90, None, uncommitted=True),
    )
    assert "has no other" in reasons(found, "consumers.assignors")


@pytest.mark.parametrize(
    ("assignor", "settings", "listed", "remembers"),
    [
        ("sticky", {}, ("sticky",), True),
        ("range", {}, ("range", "cooperative-sticky"), False),
        (
            "cooperative-sticky",
            {"partition.assignment.strategy": "cooperative-sticky,range"},
            ("cooperative-sticky", "range"),
            False,
        ),
        ("sticky", {"partition.assignment.strategy": "org.apache.kafka.clients.consumer.StickyAssignor"}, ("sticky",), True),
    ],
)
def test_what_a_member_remembers(assignor: str, settings: dict[str, str], listed: tuple[str, ...], remembers: bool) -> None:
    found = taken(cluster(member("a", 0, 1, 2, assignor=assignor), protocol=assignor), replace(GIVEN, application=settings))

    (one,) = found.members
    assert (one.assignors, bool(one.owned), one.owned_generation) == (listed, remembers, 7 if remembers else None)
    assert bool(reasons(found, "consumers.assignors")) == (not settings)


def test_before_3_0_range_stands_alone() -> None:
    found = taken(cluster(member("a", 0, assignor="range"), protocol="range"), replace(GIVEN, kafka_release="2.8.2"))

    assert found.members[0].assignors == ("range",)


def test_without_the_present_generation_its_number_and_leader_are_not_known() -> None:
    seen = cluster(member("a", 0, 1, 2, joined=(0, 1, 2)))
    seen.history = {}
    found = taken(seen)

    assert (found.generation, found.leader_member_id, found.members[0].owned_generation) == (None, None, 7)
    assert "was not found" in reasons(found, "leader_member_id")
    seen.forbidden = frozenset({"__consumer_offsets"})
    assert "not authorized" in reasons(taken(seen), "leader_member_id")


def test_a_follow_up_is_waited_for() -> None:
    """`a` reported that it owned all three and was handed two: it joins again at once."""
    first = cluster(member("a", 0, 1, joined=(0, 1, 2)), member("b"))
    after = cluster(member("a", 0, 1, joined=(0, 1)), member("b", 2))
    after.views["g"][:0] = [*first.views["g"]] * 3

    assert [len(one.owned) for one in taken(after).members] == [2, 1]


def test_settings_that_decide_are_kept_and_no_others() -> None:
    application = {"session.timeout.ms": "6000", "ssl.key.password": "secret", "group.id": "g", "auto.offset.reset": "earliest"}
    found = taken(cluster(member("a", 0)), replace(GIVEN, application=application, overrides={"session.timeout.ms": "9000"}))

    assert dict(found.config) == {"session.timeout.ms": "9000", "auto.offset.reset": "earliest"}
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        (replace(GIVEN, application={"group.id": "other"}), InvalidInput, "those of the group 'other'"),
        (
            replace(GIVEN, overrides={"max.warmup.replicas": 2}),
            InvalidInput,
            "does not affect a consumer group",
        ),
        (replace(GIVEN, overrides={"partition.assignment.strategy": "my.Own"}), Unsupported, "'my.Own' is not modelled"),
        (replace(GIVEN, overrides={"partition.assignment.strategy": "range"}), Unsupported, "the group runs cooperative-sticky"),
        (replace(GIVEN, overrides={"session.timeout.ms": "soon"}), InvalidInput, "session.timeout.ms"),
        (replace(GIVEN, kafka_release="2.5.0"), Unsupported, "2.5.0"),
        (replace(GIVEN, changelogs=("1=",)), InvalidInput, "group without state"),
    ],
)
def test_what_means_nothing_here_is_refused(given: StatedByOperator, kind: type[HoldfastError], said: str) -> None:
    with pytest.raises(kind, match=said):
        taken(cluster(member("a", 0)), given)


def test_bytes_that_cannot_be_read_are_refused_by_the_members_name() -> None:
    odd = replace(member("a", 0, assignor="range"), subscription=b"\xff")

    with pytest.raises(Unsupported, match="'a' sent"):
        taken(cluster(odd, protocol="range"))


def test_a_group_that_does_not_come_to_rest_is_not_read() -> None:
    seen = cluster(member("a", 0), state="PreparingRebalance")

    with pytest.raises(ClusterTrouble, match="in the middle of a rebalance"):
        taken(seen)


def test_what_members_were_assigned_is_kept_also_where_nobody_remembers_it() -> None:
    found = taken(cluster(member("a", 0, 1, assignor="range"), member("b", 2, assignor="range"), protocol="range"))

    assert [one.owned for one in found.members] == [(), ()]
    assert found.assigned is not None
    assert [[each.partition for each in one] for one in found.assigned] == [[0, 1], [2]]


def test_the_session_time_out_is_what_members_told_the_broker() -> None:
    found = taken(cluster(member("a", 0, session=9000), member("b", 1, session=30000)))

    assert dict(found.config)["session.timeout.ms"] == 30000
    assert "from 9000 to 30000 ms" in reasons(found, "config.session.timeout.ms")
    assert "default" not in reasons(found, "config.session.timeout.ms")
    given = taken(cluster(member("a", 0, session=9000)), StatedByOperator("3.9.1", {}, {"session.timeout.ms": 6000}))
    assert dict(given.config)["session.timeout.ms"] == 6000
