"""Configs that an option sets for the time of the rollout, over what the group has and what the change itself sets."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.json.kafka import ConfigValue


class _Event(Protocol):
    def configures(self) -> Settings:
        """The configs of the group that it sets, and nothing else; none of them: it does something else."""


E = TypeVar("E", bound=_Event)


def afterwards(config: Mapping[str, ConfigValue], events: Iterable[_Event]) -> dict[str, ConfigValue]:
    """The configs that the group has once the change is made: those of `config` that it does not set, and what it sets last."""
    found = dict(config)
    for event in events:
        found |= dict(event.configures())
    return found


def during(
    values: Mapping[str, int], events: Sequence[E | Then], after: Mapping[str, ConfigValue], sets: Callable[[Settings], E]
) -> tuple[E | Then, ...]:
    """The events between setting `values` and setting them to what `after` has, which is once the group is stable. `sets`: the
    event that sets configs.

    What the events themselves set of these configs would end it too early: it is left out, and is what `after` has.
    """
    kept = list(_without(values, events, sets))
    last = kept[:-1] if kept and isinstance(kept[-1], Then) else kept
    return (
        sets(tuple(values.items())),
        *last,
        Then(Wait.STABLE),
        sets(tuple((key, after.get(key)) for key in values)),
    )


def _without(keys: Collection[str], events: Sequence[E | Then], sets: Callable[[Settings], E]) -> Iterator[E | Then]:
    """The events, without what they set of these configs; where nothing is left of one, without the wait that follows it."""
    dropped = False
    for one in events:
        if isinstance(one, Then):
            if not dropped:
                yield one
            continue
        settings = one.configures()
        rest = tuple((key, value) for key, value in settings if key not in keys)
        dropped = bool(settings) and not rest
        if not dropped:
            yield one if rest == settings else sets(rest)
