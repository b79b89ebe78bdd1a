"""Random IDs whose ranks are spread over the draws: each rank as often, and otherwise as random as Kafka's."""

import re
from bisect import bisect
from collections import Counter

import pytest
from tests.unit.rollout.kinds.protocols.groups import consumers

from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.kinds.protocols import spread
from holdfast.rollout.kinds.protocols.compare import draws, price
from holdfast.rollout.kinds.protocols.comparison import Applied, DeployKind
from holdfast.rollout.kinds.protocols.consumers_by_broker import ConsumersByBroker
from holdfast.rollout.policy.policy import Policy

THERE = sorted(spread.member_id((), 9, draw, "there") for draw in range(9))


def test_an_id_is_one_of_kafkas() -> None:
    made = [spread.member_id(THERE, 3, draw, "new") for draw in range(300)]
    assert all(re.fullmatch(r"[0-9A-Za-z_][-0-9A-Za-z_]{21}", one) for one in made)
    assert len({*made}) == 300
    assert made == [spread.member_id(THERE, 3, draw, "new") for draw in range(300)]
    assert made != [spread.member_id(THERE, 4, draw, "new") for draw in range(300)]


@pytest.mark.parametrize("block", [10, spread.BLOCK])
def test_each_rank_is_as_often_in_every_block(block: int) -> None:
    for first in (0, block, 5 * block):
        ranks = [bisect(THERE, spread.member_id(THERE, 3, first + draw, "new", block=block)) for draw in range(block)]
        assert Counter(ranks) == dict.fromkeys(range(10), block // 10)


def test_two_starts_of_a_draw_have_nothing_to_do_with_each_other() -> None:
    both = {tuple(bisect(THERE, spread.member_id(THERE, 3, draw, start)) for start in "ab") for draw in range(2_000)}
    assert len(both) == 100


def test_a_broker_makes_ids_of_classic_members() -> None:
    made = [spread.random_part(3, draw, 0) for draw in range(spread.BLOCK)]
    assert {one.version for one in made} == {4}
    assert Counter(one.bytes[0] * spread.BLOCK // 256 for one in sorted(made)).most_common(1)[0][1] <= 2


def test_a_mean_over_the_draws_is_that_of_all_starts() -> None:
    """range gives 48 partitions to 6 consumers by the order of their IDs: whichever of 6 leaves, and whichever of 7 ranks a new one
    has. Exact, from the ranks: 18.5 moves for one less, 19 for one more."""
    for seed in range(4):
        side = ConsumersByBroker(consumers(), "4.3.1", Policy(), seed, Applied.RANGE)
        for deploy, exact in ((DeployKind.SCALE_IN, 18.5), (DeployKind.SCALE_OUT, 19.0)):
            found = price(side, deploy, draws(side, deploy)).figures
            assert found is not None
            assert found.moves == exact


def test_who_restarts_has_each_rank_among_those_that_stay() -> None:
    side = ConsumersByBroker(consumers(), "4.3.1", Policy(), 1, Applied.RANGE)
    ranks = [Counter[int]() for _ in range(6)]
    for draw in range(spread.BLOCK):
        group, change = side.deployed(DeployKind.RESTART, draw)
        there = {one.member_id for one in group.members}
        for number, event in enumerate(one for one in change.events if isinstance(one, RestartConsumer)):
            there.remove(event.member_id)
            ranks[number][bisect(sorted(there), str(event.new_member_id))] += 1
            there.add(str(event.new_member_id))
    assert ranks == [dict.fromkeys(range(6), spread.BLOCK // 6)] * 6
