"""Configs that an option sets for the time of the rollout, over what the group has and what the change itself sets."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.set_config import SetConfig
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.json.kafka import ConfigValue


def afterwards(config: Mapping[str, ConfigValue], change: BrokerChange) -> dict[str, ConfigValue]:
    """The configs that the group has once the change is made: those of `config` that it does not set, and what it sets last."""
    found = dict(config)
    for event in change.statements():
        found |= dict(event.configures())
    return found


def during(values: Mapping[str, int], events: Sequence[BrokerItem], after: Mapping[str, ConfigValue]) -> BrokerChange:
    """The events between setting `values` and setting them to what `after` has, which is once the group is stable.

    What the events themselves set of these configs would end it too early: it is left out, and is what `after` has.
    """
    kept = list(_without(values, events))
    last = kept[:-1] if kept and isinstance(kept[-1], Then) else kept
    return BrokerChange(
        (
            SetConfig(tuple(values.items())),
            *last,
            Then(Wait.STABLE),
            SetConfig(tuple((key, after.get(key)) for key in values)),
        )
    )


def _without(keys: Collection[str], events: Sequence[BrokerItem]) -> Iterator[BrokerItem]:
    """The events, without what they set of these configs; where nothing is left of one, without the wait that follows it."""
    dropped = False
    for one in events:
        if isinstance(one, SetConfig):
            rest = tuple((key, value) for key, value in one.settings if key not in keys)
            dropped = not rest
            if rest:
                yield SetConfig(rest)
        elif not (dropped and isinstance(one, Then)):
            dropped = False
            yield one
