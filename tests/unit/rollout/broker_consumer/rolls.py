"""A roll with more courses than can be compared."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from tests.unit.rollout.broker_consumer.groups import A, B, C, group
from tests.unit.rollout.broker_consumer.plans import STABLE, planned, restart

from holdfast.rollout.broker_consumer.change.change import Item
from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.policy.policy import ACTS, Policy

SLOW = Policy(start_up_s_least=10, start_up_s=20, start_up_s_most=60, acts=ACTS)
"""Consumers of this team are not back within the interval, as a rule, and runs may do all that they can."""


def of_nine() -> dict[str, Any]:
    """Nine members, of which the last has two of ten partitions."""
    document = group("uniform")
    document["topics"]["orders"]["partitions"] = [{"id": number} for number in range(10)]
    like = document["members"][A]
    names = [A, B, C, *(letter * 22 for letter in "defghi")]
    for number, name in enumerate(names):
        mine = [["orders", one] for one in ((8, 9) if number == 8 else (number,))]
        document["members"][name] = like | {"host": f"app-{name[0]}", "assignment": mine, "target": mine}
    return document


NINE = planned(*[event for name in of_nine()["members"] for event in (STABLE, restart(name))][1:], of=of_nine(), policy=SLOW)


def fast(events: Sequence[Item], which: Collection[int]) -> tuple[Item, ...]:
    """The same, where these restarts were over before a target without the consumer."""
    restarts = [place for place, one in enumerate(events) if isinstance(one, RestartConsumer)]
    chosen = {restarts[number] for number in which}
    return tuple(
        replace(one, within_interval=True) if place in chosen and isinstance(one, RestartConsumer) else one
        for place, one in enumerate(events)
    )
