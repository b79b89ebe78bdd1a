"""Groups judged side by side, in this process or in others; what an operator gives; and what the brokers have of changelogs."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.harness.kafka import recorded_rebalances
from tests.unit.rollout.streams.backtest.test_group import group

from holdfast.adapters.broker.recorded_groups import spool
from holdfast.errors import ClusterTrouble, InvalidInput
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.ports import GroupConfig
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.streams.snapshot.snapshot import Topic, TopicPartitionInfo
from holdfast.workflows import backtest
from holdfast.workflows.backtest import About

ABOUT = About("here", "2026-11-20T12:00:00Z")
KNOWN = Given("3.9.1", config=(("acceptable.recovery.lag", 50),), changelogs=(("app-0-changelog", (1_000,) * 6),))


@dataclass(frozen=True)
class Past:
    """One group from memory."""

    group_id: str
    found: tuple[Generation, ...]
    troubles: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        return len(self.found)

    def entries(self) -> Iterator[Generation]:
        return iter(self.found)

    def unreadable(self) -> tuple[str, ...]:
        return self.troubles


@dataclass(frozen=True)
class Pasts:
    groups: tuple[Past, ...]
    unread: tuple[str, ...] = ()


def generations(count: int = 12) -> tuple[Generation, ...]:
    return tuple(recorded_rebalances.history(group(), count, random.Random(4)))


def test_groups_and_their_lives_are_counted_and_mismatches_handed_out() -> None:
    found = generations()
    other = recorded_rebalances.swapped(found[3])
    assert other is not None
    wrong = (*found[:3], other, *found[4:])
    lines: list[str] = []

    past = Pasts((Past("b", found), Past("a", wrong), Past("b", found[:5], ("a record",)), Past("empty", ())), ("partition 3",))
    judged = backtest.run(past, lambda _: KNOWN, ABOUT, processes=1, tell=lines.append)

    first, second = judged.backtest.groups
    assert (first.group_id, first.score.different, first.score.rebalances) == ("a", 1, 12)
    assert (second.group_id, second.score.different, second.score.rebalances) == ("b", 0, 17)
    assert second.notes == ("a record",)
    assert judged.backtest.unread == ("partition 3",)
    assert judged.backtest.score.rebalances == 29
    assert [(group_id, result.number) for group_id, _, result in judged.mismatches] == [("a", found[3].number)]
    assert lines[-1] == "4 of 4 groups judged"


@pytest.mark.starts
def test_other_processes_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backtest, "FEW_RECORDS", 0)
    with spool(lambda _: True) as past:
        for one in generations():
            for group_id in ("a", "b"):
                record = recorded_rebalances.value(one, recorded_rebalances.STARTED_MS)
                past.take(recorded_rebalances.key(group_id), record, recorded_rebalances.STARTED_MS)
        past.file.flush()
        given = {"a": KNOWN, "b": replace(KNOWN, config=())}
        alone = backtest.run(past, given.__getitem__, ABOUT, processes=1)
        several = backtest.run(past, given.__getitem__, ABOUT, processes=2)

    assert several == alone
    assert several.backtest.score.rebalances == 24


def test_only_what_was_given_is_given() -> None:
    """A snapshot adds Kafka's defaults; the backtest finds settings in the records instead."""
    found = backtest.stated(
        "app", "3.9.1", {"num.standby.replicas": "2", "ssl.keystore.password": "secret"}, {"max.warmup.replicas": "4"}
    )

    assert found == Given("3.9.1", config=(("max.warmup.replicas", 4), ("num.standby.replicas", 2)))
    with pytest.raises(InvalidInput):
        backtest.stated("app", None, {"application.id": "other"}, {})


@dataclass
class Cluster:
    """What is asked about changelogs."""

    names: tuple[str, ...]
    fails: bool = False
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def topic_names(self, prefix: str = "") -> tuple[str, ...]:
        assert not prefix
        if self.fails:
            raise ClusterTrouble("no answer")
        return self.names

    def topics(self, names: tuple[str, ...]) -> tuple[tuple[Topic, ...], tuple[()]]:
        self.asked.append(names)
        return tuple(Topic(name, (TopicPartitionInfo(0), TopicPartitionInfo(1))) for name in names), ()

    def end_offsets(self, partitions: tuple[TopicPartition, ...]) -> tuple[tuple[tuple[TopicPartition, int], ...], tuple[()]]:
        return tuple((one, 7) for one in partitions if one.partition == 0), ()


def test_the_changelogs_of_each_group_are_those_that_its_name_begins() -> None:
    cluster = Cluster(("app-a-changelog", "app-two-b-changelog", "other-changelog", "app-input"))

    found = backtest.changelog_ends(cluster, ("app", "app-two"))  # type: ignore[arg-type]

    assert cluster.asked == [("app-a-changelog", "app-two-b-changelog")]
    assert found == {"app": (("app-a-changelog", (7, None)),), "app-two": (("app-two-b-changelog", (7, None)),)}


def test_without_the_right_to_see_topics_end_offsets_are_open() -> None:
    assert backtest.changelog_ends(Cluster((), fails=True), ("app",)) == {}  # type: ignore[arg-type]


def test_intervals_of_groups_whose_broker_assigns_are_those_that_the_brokers_say() -> None:
    said = (GroupConfig("streams.heartbeat.interval.ms", "1000", True), GroupConfig("streams.assignor.name", "", False))
    cluster: Any = SimpleNamespace(configs=lambda ids: {one: said if one == "shop" else ClusterTrouble("no right") for one in ids})

    assert backtest.group_configs(cluster, ["shop", "other"]) == {"shop": (("streams.heartbeat.interval.ms", "1000"),)}
