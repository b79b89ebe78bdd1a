"""What the move of a consumer group to the new protocol costs, once: 6 consumers, 48 partitions."""

from dataclasses import replace

from tests.unit.rollout.kinds.protocols.groups import consumers

from holdfast.rollout.kinds.protocols.compare import move_price
from holdfast.rollout.kinds.protocols.comparison import Applied
from holdfast.rollout.kinds.protocols.consumers_by_broker import ConsumersByBroker
from holdfast.rollout.policy.policy import Policy

POLICY = Policy()


def test_the_move_itself_costs_a_rebalance_and_a_roll() -> None:
    usual, quick = (
        move_price(ConsumersByBroker(consumers(), "4.3.1", POLICY, 1, Applied.UNIFORM, *more), 3)
        for more in ((), (Applied.LONG_INTERVAL,))
    )
    assert usual.figures is not None
    assert quick.figures is not None
    assert usual.figures.rebalances == 1 + 11
    assert quick.figures.rebalances == 1 + 6
    assert quick.figures.moves < usual.figures.moves
    static = replace(consumers(), members=tuple(replace(one, group_instance_id=one.member_id) for one in consumers().members))
    found = move_price(ConsumersByBroker(static, "4.3.1", POLICY, 1, Applied.UNIFORM), 1)
    assert found.figures is not None
    assert (found.figures.moves, found.figures.rebalances) == (0, 0)
    refused = move_price(ConsumersByBroker(static, "4.0.0", POLICY, 1, Applied.UNIFORM), 1)
    assert refused.figures is None
    assert refused.refused is not None
