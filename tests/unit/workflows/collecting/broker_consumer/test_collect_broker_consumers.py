"""Snapshots of consumer groups whose broker assigns, from a cluster in memory."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.fakes.cluster import FakeCluster

from holdfast.errors import ClusterTrouble, InvalidInput, Unsupported
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire.consumer_group_description import DescribedConsumer, DescribedConsumerGroup
from holdfast.ports import GroupConfig, ListedGroup, ObservedGroup
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.workflows import doctor
from holdfast.workflows.collecting import one_group, registry
from holdfast.workflows.collecting.broker_consumer import collect
from holdfast.workflows.collecting.broker_consumer.settings import BrokerConsumerSettings
from holdfast.workflows.collecting.collector import OneGroup, StatedByOperator
from holdfast.workflows.collecting.settling import Patience

NOTHING = StatedByOperator(None, {}, {})


def member(name: str, *topics: str, regex: str | None = None) -> DescribedConsumer:
    target = (("orders", (17, 1)),)
    return DescribedConsumer(name, None, "a", 7, "app", "/10.0.0.1", topics, regex, (("orders", (1,)),), target, "consumer")


def described(*members: DescribedConsumer, state: str = "Stable") -> DescribedConsumerGroup:
    return DescribedConsumerGroup(0, None, "shop", state, 7, 7, "uniform", members, 0)


def observed(group: DescribedConsumerGroup, metadata_version: int | None = 30) -> ObservedGroup:
    return ObservedGroup(
        "shop", group.state, "consumer", group.assignor, (), described_consumers=group, metadata_version=metadata_version
    )


def cluster(*views: ObservedGroup, **more: Any) -> FakeCluster:
    return FakeCluster({"shop": list(views)}, {"orders": 20, "clicks": 1, "other": 1}, **more)


def snapshot(asked: FakeCluster, given: StatedByOperator = NOTHING, state_dirs: tuple[str, ...] = ()) -> BrokerConsumerSnapshot:
    wanted = OneGroup(
        None,
        "shop",
        state_dirs,
        Patience(1, lambda _: None, iter(range(100)).__next__),
        lambda: datetime(2026, 1, 1, tzinfo=UTC),
        given,
    )
    found = one_group.snapshot(asked, None, wanted)  # type: ignore[arg-type] # no disk is read
    assert isinstance(found, BrokerConsumerSnapshot)
    return found


def reasons(found: BrokerConsumerSnapshot) -> dict[str, str]:
    return {one.what: one.reason for one in found.unknown}


def test_all_that_decides_is_in_the_order_of_the_broker() -> None:
    names = member("b", "orders", "gone"), member("a", regex="cl.*")
    known = {TopicPartition("orders", number): 90 for number in range(20)}
    found = snapshot(
        cluster(
            observed(described(*names)),
            ends=known,
            committed={"shop": {TopicPartition("orders", 0): 80}},
            group_settings={
                "shop": (
                    GroupConfig("consumer.session.timeout.ms", "45000", of_group=False),
                    GroupConfig("other", "1", of_group=True),
                )
            },
        )
    )

    assert (found.broker_release, found.assignor, found.group_epoch) == ("4.3", "uniform", 7)
    assert [one.member_id for one in found.members] == ["b", "a"]
    assert found.members[0].subscription == ("orders", "gone")
    assert found.members[0].target == (TopicPartition("orders", 17), TopicPartition("orders", 1))
    assert (found.members[1].subscription_regex, found.members[1].host) == ("cl.*", "10.0.0.1")
    assert [(one.name, len(one.partitions)) for one in found.topics] == [("clicks", 1), ("orders", 20)]
    first = found.topics[1].partitions[0]
    assert (first.committed_offset, first.end_offset, found.topics[1].partitions[1].uncommitted) == (80, 90, True)
    assert dict(found.config) == {"consumer.session.timeout.ms": 45_000}
    assert "45000 is the brokers' value" in reasons(found)["config.consumer.session.timeout.ms"]


def test_what_cannot_be_read_is_named() -> None:
    without_rights = cluster(
        observed(described(member("a", "orders", regex="\\pL"), state="Reconciling"), metadata_version=99),
        without_configs=frozenset({"shop"}),
    )
    found = snapshot(without_rights)

    assert found.broker_release is None
    assert "still Reconciling" in reasons(found)["group_state"]
    assert "give --broker-release" in reasons(found)["broker_release"]
    assert "cannot be resolved" in reasons(found)["topics"]
    assert "config" in reasons(found)


def test_a_topic_without_an_id_is_left_out_and_named() -> None:
    asked = cluster(observed(described(member("a", "orders"))))
    asked.topic_ids = lambda _: {}  # type: ignore[method-assign] # as before 2.8
    found = snapshot(asked)

    assert found.topics == ()
    assert "do not say its ID" in reasons(found)["topics.orders"]


def test_the_release_may_be_given_and_must_not_contradict_the_coordinator() -> None:
    group = observed(described(member("a", "orders")))

    assert snapshot(cluster(group), replace(NOTHING, broker_release="4.3.1")).broker_release == "4.3.1"
    with pytest.raises(InvalidInput, match=r"the coordinator is of Kafka 4\.3; '4\.4\.0' was given"):
        snapshot(cluster(group), replace(NOTHING, broker_release="4.4.0"))


@pytest.mark.parametrize(
    ("given", "refusal", "said"),
    [
        (replace(NOTHING, broker_release="3.9.1"), Unsupported, "not covered"),
        (replace(NOTHING, overrides={"linger.ms": 1}), InvalidInput, "does not affect"),
        (replace(NOTHING, application={"group.id": "other"}), InvalidInput, "those of the group 'other'"),
        (replace(NOTHING, changelogs=("x",)), InvalidInput, "--changelog: .*keep no state"),
    ],
)
def test_what_cannot_be_true_of_it_is_refused(given: StatedByOperator, refusal: type[Exception], said: str) -> None:
    with pytest.raises(refusal, match=said):
        snapshot(cluster(observed(described(member("a", "orders")))), given)


def test_it_has_no_state_directories_and_patterns_list_it() -> None:
    group = observed(described(member("a", "orders")))
    collector = registry.owner_of(group)

    assert collector is not None
    assert collector.lists(ListedGroup("shop", "consumer", "consumer", "Stable"))
    assert collector.topics(group) == ("orders",)
    with pytest.raises(InvalidInput, match="its members keep no state"):
        snapshot(cluster(group), state_dirs=("/var/lib",))
    assert snapshot(cluster(group), replace(NOTHING, overrides={"consumer.session.timeout.ms": 1})).config == (
        ("consumer.session.timeout.ms", 1),
    )


def test_a_group_that_has_become_another_kind_is_refused() -> None:
    other = ObservedGroup("shop", "Stable", "consumer", "range", ())

    with pytest.raises(Unsupported, match="no consumer group whose broker assigns"):
        collect.snapshot(
            cluster(other),  # type: ignore[arg-type] # a fake
            OneGroup(None, "shop", (), Patience(0), lambda: datetime(2026, 1, 1, tzinfo=UTC), NOTHING),
            BrokerConsumerSettings(),
        )
    with pytest.raises(ClusterTrouble, match="no group"):
        snapshot(FakeCluster({}, {}))


def test_the_doctor_finds_that_it_can_be_collected() -> None:
    checks = doctor.examine_group(cluster(observed(described(member("a", "orders")))), "shop")

    assert [one.found for one in checks if one.name == "group shop"] == ["Stable, 1 members"]
