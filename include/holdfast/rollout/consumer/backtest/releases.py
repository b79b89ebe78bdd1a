"""Which lines of releases the leader of a consumer group may have run, and which of them decide alike."""

from dataclasses import fields
from functools import lru_cache

from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.consumer.release import LINES, Behaviour, behaviour, subscription_version
from holdfast.kafka.wire import consumer_protocol
from holdfast.rollout.backtest import generation
from holdfast.rollout.backtest.generation import Generation

_RACKS = frozenset({"racks", "rack_quotas_kept"})


def leaders_version(of: Generation) -> int | None:
    """The version of the leader's subscription; of all members, where the leader is unknown. None: unreadable."""
    return generation.leaders_version(of, lambda found: consumer_protocol.decode_subscription(found).version)


def fitting(version: int | None) -> tuple[str, ...]:
    """One release of every line that has one whose members write this version of a subscription, oldest first."""
    found = []
    for line in LINES:
        fit = [release for release in line.releases if version is None or subscription_version(release) == min(version, 3)]
        found += fit[-1:]
    return tuple(found)


def of_leader(given: str | None, version: int | None) -> tuple[str, ...]:
    return (given,) if given is not None else fitting(version)


@lru_cache(maxsize=256)
def unlike(releases: tuple[str, ...], assignor: Assignor, *, racks: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """One release of each set that decides alike with this assignor, and the set. `racks`: some member says its rack."""
    alike: dict[tuple[object, ...], list[str]] = {}
    for release in releases:
        alike.setdefault(_facts(behaviour(release), assignor, racks=racks), []).append(release)
    return tuple((found[-1], tuple(found)) for found in alike.values())


def _facts(line: Behaviour, assignor: Assignor, *, racks: bool) -> tuple[object, ...]:
    sticky = assignor in (Assignor.STICKY, Assignor.COOPERATIVE_STICKY)
    names = [one.name for one in fields(Behaviour) if one.name != "releases"]
    return tuple(getattr(line, name) for name in names if (racks if name in _RACKS else sticky))
