"""What deploys cost under each protocol: figures that are known of Kafka 4.3.1, and what the comparison says of a group."""

from dataclasses import replace
from typing import Any

import pytest
from tests.harness.groups_at_rest import Shape, by_broker, streams
from tests.unit.rollout.kinds.protocols.groups import consumers

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka.consumer.group import Assignor
from holdfast.rollout.broker_consumer.events.add_consumer import AddConsumer
from holdfast.rollout.consumer.events import add_consumer as classic_events
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic
from holdfast.rollout.facts.moves import Prevents
from holdfast.rollout.facts.refusals import Refuses
from holdfast.rollout.kinds.protocols.classic_consumers import ClassicConsumers
from holdfast.rollout.kinds.protocols.classic_streams import ClassicStreams
from holdfast.rollout.kinds.protocols.compare import compare, draws, month, price, with_deploys
from holdfast.rollout.kinds.protocols.comparison import (
    COMPARISON,
    Applied,
    CountedFrom,
    Deploy,
    DeployKind,
    Figures,
    Price,
    ProtocolComparison,
    StepKind,
    Survives,
)
from holdfast.rollout.kinds.protocols.consumers_by_broker import ConsumersByBroker
from holdfast.rollout.kinds.protocols.deploys import deploys
from holdfast.rollout.kinds.protocols.groups_by_broker import GroupByBroker
from holdfast.rollout.kinds.protocols.side import Side, new_instance
from holdfast.rollout.kinds.protocols.words import blocks
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.document_blocks import to_text

POLICY = Policy()


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested does not depend on their number."""
    monkeypatch.setattr("holdfast.rollout.kinds.protocols.compare.MOST_DRAWS", 6)


def of(side: Side, deploy: DeployKind, count: int = 4) -> Figures:
    found = price(side, deploy, count)
    assert found.figures is not None, found.refused
    return found.figures


def by_consumers_broker(*applied: Applied, release: str = "4.3.1") -> ConsumersByBroker:
    return ConsumersByBroker(consumers(), release, POLICY, 1, *applied)


def shape(clients: int = 3, threads: int = 2, tasks: int = 24) -> Snapshot:
    return streams(Shape(clients=clients, threads=threads, tasks=tasks, log=50_000))


# 6 consumers, 48 partitions, one rolling restart.


def test_uniform_moves_each_partition_away_and_back() -> None:
    found = price(by_consumers_broker(Applied.UNIFORM), DeployKind.RESTART, 3)
    assert (found.least_moves, found.most_moves) == (96, 96)
    assert found.figures is not None
    assert found.figures.rebalances == 12


def test_range_moves_as_many_as_random_member_ids_make_it() -> None:
    found = price(by_consumers_broker(Applied.RANGE), DeployKind.RESTART, 12)
    assert found.figures is not None
    assert 200 < found.figures.moves < 245  # 215 in a simulation with the classes of 4.3.1
    assert found.least_moves is not None
    assert found.most_moves is not None
    assert found.least_moves < found.figures.moves < found.most_moves


@pytest.mark.parametrize("assignor", [Applied.UNIFORM, Applied.RANGE])
def test_static_members_move_nothing_and_their_partitions_wait_for_them(assignor: Applied) -> None:
    found = of(by_consumers_broker(assignor, Applied.STATIC), DeployKind.RESTART, 2)
    assert (found.moves, found.rebalances) == (0, 0)
    assert found.downtime_s == 48 * (POLICY.start_up_s + 2.5)  # and half a heartbeat


def test_a_long_interval_spares_all_but_the_first_restart() -> None:
    assert of(by_consumers_broker(Applied.UNIFORM, Applied.LONG_INTERVAL), DeployKind.RESTART, 2).moves == 16


@pytest.mark.parametrize("release", ["4.2.1", "4.3.1", "4.4.0"])
def test_one_more_and_one_less(release: str) -> None:
    side = by_consumers_broker(Applied.UNIFORM, release=release)
    assert of(side, DeployKind.SCALE_OUT, 2).moves == 6
    assert of(side, DeployKind.SCALE_IN, 2).moves == 8
    assert of(side, DeployKind.REPLACE, 2).moves == 8 + 8  # one goes, and then another one comes


def test_a_classic_eager_group_stops_for_every_rebalance() -> None:
    found = of(ClassicConsumers(consumers(), POLICY, 1), DeployKind.RESTART)
    assert found.rebalances == 12
    assert found.downtime_s is not None
    assert found.downtime_s > 12 * 48
    cooperative = of(ClassicConsumers(consumers(assignor=Assignor.COOPERATIVE_STICKY), POLICY, 1), DeployKind.RESTART)
    assert cooperative.moves == 96
    assert cooperative.downtime_s is not None
    assert cooperative.downtime_s < found.downtime_s


def test_classic_static_consumers_wait_for_their_start_and_leave_once_their_session_is_over() -> None:
    side = ClassicConsumers(consumers(), POLICY, 1, static=True)
    restart, less = of(side, DeployKind.RESTART, 1), of(side, DeployKind.SCALE_IN, 6)
    assert (restart.moves, restart.downtime_s) == (0, 48 * POLICY.start_up_s)
    dynamic = of(ClassicConsumers(consumers(), POLICY, 1), DeployKind.SCALE_IN, 6)
    assert less.moves == dynamic.moves
    assert less.downtime_s is not None
    assert dynamic.downtime_s is not None
    assert less.downtime_s > dynamic.downtime_s + 40 * 8


def test_a_static_consumer_that_is_back_in_time_is_the_same_in_later_rebalances() -> None:
    """It restarts first, with a new member ID; the partitions that only it has had since are no moves."""
    group = consumers(2, 4, assignor=Assignor.COOPERATIVE_STICKY)
    first, second = group.members
    mixed = replace(group, members=(replace(first, group_instance_id="static"), second))
    assert of(ClassicConsumers(mixed, POLICY, 1), DeployKind.RESTART, 1).moves == 2 + 2  # those of the dynamic one, away and back


def test_a_static_consumer_that_reads_nothing_at_first_is_the_same_after_its_restart() -> None:
    """It takes the partition of the first that restarts, and has it still when the last one does."""
    group = consumers(3, 2, assignor=Assignor.COOPERATIVE_STICKY)
    first, last, idle = group.members
    mixed = replace(group, members=(first, replace(idle, group_instance_id="static"), last))
    assert of(ClassicConsumers(mixed, POLICY, 1), DeployKind.RESTART, 1).moves == 1 + 1


def test_draws_are_of_other_ids_and_the_same_seed_gives_the_same() -> None:
    first, again = (ConsumersByBroker(consumers(), "4.3.1", POLICY, 7, Applied.RANGE) for _ in range(2))
    ids = [{one.member_id for one in first.settled(draw).members} for draw in range(3)]
    assert not ids[0] & ids[1]
    assert not ids[1] & ids[2]
    assert first.deployed(DeployKind.RESTART, 1) == again.deployed(DeployKind.RESTART, 1)
    other = ConsumersByBroker(consumers(), "4.3.1", POLICY, 8, Applied.RANGE)
    assert not ids[0] & {one.member_id for one in other.settled(0).members}


def test_a_deploy_begins_with_the_target_that_the_group_has() -> None:
    """Nothing is pending: the next target without a change is the one that it has."""
    from holdfast.rollout.broker_consumer.target.target import decide

    for applied in ((Applied.RANGE,), (Applied.UNIFORM,), (Applied.RANGE, Applied.STATIC)):
        settled = by_consumers_broker(*applied).settled(0)
        assert {one.member_id: set(one.partitions) for one in decide(settled).members} == {
            one.member_id: set(one.target or ()) for one in settled.members
        }


# Streams: 6 clients of 4 threads, 96 stateful tasks.


def test_a_streams_roll_hands_every_task_over_twice() -> None:
    group = shape(6, 4, 96)
    found = of(GroupByBroker(group, "4.2.1", POLICY, 1), DeployKind.RESTART, 2)
    assert found.moves == 192
    assert found.cold_moves is not None
    assert 130 < found.cold_moves < 190  # 164 as the mean of 50, with the classes of 4.3.1
    standby = of(GroupByBroker(group, "4.2.1", POLICY, 1, Applied.MORE_STANDBYS), DeployKind.RESTART, 2)
    assert standby.cold_moves is not None
    assert standby.cold_moves < 100  # 68


def test_the_leader_of_a_classic_group_gives_a_restarted_client_its_tasks_back() -> None:
    group = shape()
    found, static = (of(ClassicStreams(group, POLICY, static=static), DeployKind.RESTART, 1) for static in (False, True))
    assert (found.moves, found.rebalances) == (0, 3)
    assert found.downtime_s == 24 * 45  # no client leaves: its session has to be over
    assert (static.moves, static.rebalances, static.downtime_s) == (0, 0, 24 * POLICY.start_up_s)


def test_a_move_to_a_disk_that_never_had_the_task_is_cold() -> None:
    """A classic group warms up copies first for a new client; what a lost client had has no copy."""
    group = shape()
    replaced = of(ClassicStreams(group, POLICY), DeployKind.REPLACE, 3)
    assert replaced.cold_moves is not None
    assert 8 <= replaced.cold_moves < replaced.moves
    more = of(ClassicStreams(group, POLICY), DeployKind.SCALE_OUT, 1)
    assert more.moves > 0
    assert more.cold_moves == 0
    assert of(GroupByBroker(group, "4.3.1", POLICY, 1), DeployKind.SCALE_OUT, 2).cold_moves == 6


def test_static_streams_members_of_4_4() -> None:
    found = of(GroupByBroker(shape(), "4.4.0", POLICY, 1, Applied.STATIC), DeployKind.RESTART, 2)
    assert (found.moves, found.rebalances) == (0, 0)


def test_an_application_without_a_store_on_disk_comes_back_under_other_process_ids() -> None:
    from holdfast.rollout.streams.snapshot.snapshot import Stores

    group = replace(shape(), stores=Stores.IN_MEMORY)
    side = GroupByBroker(group, "4.3.1", POLICY, 1)
    settled, change = side.deployed(DeployKind.RESTART, 0)
    there = {one.process_id for one in settled.members}
    assert not {str(one.process_id) for one in group.clients} & there
    assert not {one.process_id for one in change.starts()} & there


# The comparison.


def compared(group: Any, **monthly: float) -> ProtocolComparison:
    given = {DeployKind(kind.replace("_", " ")): count for kind, count in monthly.items()}
    return compare(group, deploys(given | {DeployKind.REPLACE: 0}, None), POLICY)


def test_a_month_is_its_deploys_together() -> None:
    both = (Deploy(DeployKind.RESTART, 4, CountedFrom.GIVEN), Deploy(DeployKind.SCALE_IN, 0.5, CountedFrom.GIVEN))
    prices = [Price(kind, 1, Figures(moves=10, rebalances=2, downtime_s=5)) for kind in (DeployKind.RESTART, DeployKind.SCALE_IN)]
    assert month(both, prices) == Figures(moves=45, rebalances=9, downtime_s=22.5)
    unknown = [prices[0], Price(DeployKind.SCALE_IN, 0, None)]
    assert month(both, unknown) is None
    assert month((both[0], replace(both[1], monthly=0)), unknown) == Figures(moves=40, rebalances=8, downtime_s=20)


def test_other_numbers_a_month_leave_the_prices_as_they_are() -> None:
    once, often = compared(consumers(3, 12), rolling_restart=1), compared(consumers(3, 12), rolling_restart=8)
    assert with_deploys(once, often.deploys) == often
    assert once != often


def test_fewer_draws_where_a_reader_waits() -> None:
    side = by_consumers_broker(Applied.UNIFORM)
    assert [draws(side, DeployKind.RESTART, most_draws=most) for most in (1, 4, None)] == [1, 4, 6]
    found = compare(consumers(3, 12), deploys({}, None), POLICY, most_draws=3)
    assert {price.draws for one in found.protocols for price in one.prices} <= {1, 3}


def test_warm_ups_make_for_fewer_draws() -> None:
    """Of a large classic group a new client's tasks are warmed up two at a time, in hundreds of rebalances."""
    slow, quick = (ClassicStreams(replace(shape(6, 1, 600), config=(("max.warmup.replicas", most),)), POLICY) for most in (1, 600))
    assert slow.rebalances(DeployKind.REPLACE) > quick.rebalances(DeployKind.REPLACE)
    assert slow.rebalances(DeployKind.RESTART) == quick.rebalances(DeployKind.RESTART) == 13


def test_who_is_replaced_is_followed_by_one_that_reads_the_same() -> None:
    """In a group whose consumers read other topics: what one alone reads has a reader again."""
    group = consumers(3, 12)
    other = ConsumedTopic("other", group.topics[0].partitions[:4])
    alone = replace(group.members[0], subscription=("in", "other"))
    mixed = replace(group, members=(alone, *group.members[1:]), topics=(*group.topics, other))
    classic, new = ClassicConsumers(mixed, POLICY, 1), ConsumersByBroker(mixed, "4.3.1", POLICY, 1, Applied.UNIFORM)
    changes: list[Any] = [classic.change(DeployKind.REPLACE, one) for one in range(3)]
    changes += [new.deployed(DeployKind.REPLACE, one)[1] for one in range(3)]
    comes = [len(item.consumer.subscription) for one in changes for item in one.events if hasattr(item, "consumer")]
    assert sorted(comes) == [1, 1, 1, 1, 2, 2]


def test_a_host_of_two_is_replaced_by_two_of_which_the_first_has_a_target_alone() -> None:
    """Once the interval is over, the heartbeat with which a consumer joins computes a target; up to 4.2 each does."""
    group = consumers(6)
    shared = replace(group, members=tuple(replace(one, host=f"host-{number // 2}") for number, one in enumerate(group.members)))
    for release in ("4.2.1", "4.3.1"):
        side = ConsumersByBroker(shared, release, POLICY, 1, Applied.UNIFORM)
        assert of(side, DeployKind.REPLACE, 1).rebalances == 3
        assert of(side, DeployKind.SCALE_OUT, 1).rebalances == 1


def test_who_replaces_a_static_consumer_is_static() -> None:
    group = consumers(2)
    mixed = replace(group, members=(replace(group.members[0], group_instance_id="b"), group.members[1]))
    classic, new = ClassicConsumers(mixed, POLICY, 1), ConsumersByBroker(mixed, "4.3.1", POLICY, 1, Applied.UNIFORM)
    for draw in range(2):  # each of both is replaced once
        events = classic.change(DeployKind.REPLACE, draw).events
        assert [one.consumer.group_instance_id for one in events if isinstance(one, classic_events.AddConsumer)] == [
            "b-2" if draw == 0 else None
        ]
    comes = [
        [one.consumer.instance_id for one in new.deployed(DeployKind.REPLACE, draw)[1].events if isinstance(one, AddConsumer)]
        for draw in range(2)
    ]
    assert sorted(comes, key=str) == [["b-2"], [None]]


def test_one_more_consumer_is_static_if_all_are_and_the_last_in_their_order() -> None:
    assert new_instance(["b", "a"], 0, None) == "b-0"
    assert new_instance(["b", None], 0, None) is None
    assert new_instance(["b", None], 3, "b") == "b-3"
    assert new_instance([], 0, None) is None


def test_every_client_is_replaced_as_often() -> None:
    side = by_consumers_broker(Applied.UNIFORM)
    assert draws(side, DeployKind.REPLACE) % 6 == 0
    assert draws(ClassicStreams(shape(), POLICY), DeployKind.RESTART) == 1
    large = ConsumersByBroker(consumers(50, 500), "4.3.1", POLICY, 1, Applied.UNIFORM)
    assert (draws(large, DeployKind.RESTART), draws(large, DeployKind.RESTART, times=3)) == (2, 6)
    assert [large.start_of(draw) for draw in range(4)] == [0, 1, 0, 1]
    assert len({by_consumers_broker(Applied.UNIFORM).start_of(draw) for draw in range(60)}) == 30
    assert draws(ClassicStreams(shape(), POLICY), DeployKind.SCALE_IN) == 3


def test_a_consumer_group_compared() -> None:
    found = compared(consumers(3, 12, session_timeout_ms=30_000), rolling_restart=8)
    assert COMPARISON.read(COMPARISON.write(found)) == found
    assert [one.name for one in found.protocols[:3]] == [
        "consumer-classic",
        "consumer-classic+static-members",
        "consumer-4.2.1+uniform",
    ]
    assert {one.release for one in found.protocols} == {None, "4.2.1", "4.3.1", "4.4.0"}
    assert len({one.name for one in found.protocols}) == len(found.protocols)
    assert [one.now for one in found.protocols].count(True) == 1
    kinds = [one.kind for one in found.protocols[2].prevents]
    assert kinds == [Prevents.CONSUMER_BROKER_TOO_OLD, Prevents.CONSUMER_CLIENT_TOO_OLD, Prevents.CONSUMER_SETTINGS]
    assert found.move.online
    assert [one.kind for one in found.move.steps] == [
        StepKind.REMOVE_BLOCKERS,
        StepKind.UPGRADE_BROKERS,
        StepKind.UPGRADE_CLIENTS,
        StepKind.SET_PROTOCOL,
        StepKind.RESTART_EACH,
        StepKind.CHECK,
        StepKind.GO_BACK,
    ]
    assert Survives.ASSIGNMENT in found.move.survives
    text = to_text(blocks(found))
    assert "consumer on 4.2.1, 4.3.1, 4.4.0, uniform" in text  # the same figures: one row
    assert "8 (given)" in text
    assert "1 (assumed: nothing was given)" in text
    assert "session.timeout.ms" in text
    assert "fewest under consumer on 4.2.1, uniform, static members, which is blocked" in text


def test_a_streams_group_compared() -> None:
    group = replace(streams(Shape(tasks=12, log=50_000), {"num.standby.replicas": 1}), kafka_release="3.9.1")
    found = compared(group, rolling_restart=1)
    assert COMPARISON.read(COMPARISON.write(found)) == found
    assert not found.move.online
    assert (found.members, found.assigned) == (3, 12)
    assert any(
        one.kind is StepKind.SET_GROUP_CONFIGS and one.reason == "streams.num.standby.replicas=1" for one in found.move.steps
    )
    assert {Survives.PROCESS_IDS, Survives.LOST_ASSIGNMENT} <= set(found.move.survives)
    assert "KAFKA-20254" in to_text(blocks(found))


def test_blockers_are_named_and_do_not_hide_the_price() -> None:
    group = streams(Shape(static=(True, True, True)), {"rack.aware.assignment.tags": "zone"})
    found = compared(group)
    by_release = {one.release: one for one in found.protocols}
    assert {one.kind for one in by_release["4.3.1"].prevents} == {Prevents.STATIC_MEMBERS, Prevents.CLIENT_TAGS}
    assert {one.kind for one in by_release["4.4.0"].prevents} == {Prevents.CLIENT_TAGS}
    assert by_release["4.3.1"].month is not None
    restart = next(one for one in by_release["4.4.0"].prices if one.deploy is DeployKind.RESTART)
    assert restart.figures is not None
    assert restart.figures.moves == 0  # its members are static already
    removed = [one.reason for one in found.move.steps if one.kind is StepKind.REMOVE_BLOCKERS]
    assert len(removed) == 1, "what keeps it from every release"
    assert "client tags" in removed[0]


def test_what_cannot_be_predicted_is_said_and_not_summed() -> None:
    group = shape()
    unknown = replace(group, tasks=tuple(replace(one, changelogs=None) for one in group.tasks))
    found = compared(unknown)
    refused = [one for one in found.protocols if one.release is not None]
    assert refused
    assert all(one.month is None for one in refused)
    first = refused[0].prices[0].refused
    assert first is not None
    assert first.kind is Refuses.EVIDENCE
    assert "Which tasks are stateful is unknown (0_0 and others)" in to_text(blocks(found))


def test_the_last_member_is_not_removed() -> None:
    refused = price(ConsumersByBroker(consumers(1, 4), "4.3.1", POLICY, 1, Applied.UNIFORM), DeployKind.SCALE_IN, 1).refused
    assert refused is not None
    assert refused.kind is Refuses.MISFIT


def test_a_group_of_a_new_protocol_is_refused_by_name() -> None:
    with pytest.raises(Unsupported, match="of a new protocol already"):
        compare(by_broker(), (), POLICY)


def test_a_group_that_is_not_stable_is_refused() -> None:
    with pytest.raises(CannotPredict, match="PreparingRebalance"):
        compare(replace(consumers(), group_state="PreparingRebalance"), (), POLICY)
