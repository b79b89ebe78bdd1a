"""Which lines of releases a leader may have run, and which of them decide alike for a given group."""

from dataclasses import fields
from functools import lru_cache

from holdfast.kafka import release as kafka_release
from holdfast.kafka.release import LINES, Behaviour
from holdfast.kafka.streams.config import AssignorConfig, TaskAssignor
from holdfast.kafka.wire import consumer_protocol, subscription_info
from holdfast.rollout.backtest import generation
from holdfast.rollout.backtest.generation import Generation

_NEVER = frozenset(
    {
        "releases",
        "idle_close_keeps_progress",
        "session_timeout_ms",
        "threads_can_change",
        "closed_copy_counts_last_record",
        "public_task_assignor",
        "running_counts_without_end_offsets",
    }
)
"""Facts that decide nothing in a rebalance whose end offsets are known."""
_OF_RACKS = frozenset({"rack_aware", "cycles_sought_from_all_nodes"})
_OF_VERSIONS = frozenset({"metadata_version", "versions_fail_with_code", "versions_compared_last"})
_OF_FALLBACK = frozenset({"topic_groups_in_hash_map"})


def leaders_version(of: Generation) -> int | None:
    """The newest metadata version that the leader knows; of all members, where the leader is unknown. None: unreadable."""
    return generation.leaders_version(of, _newest_known)


def _newest_known(subscription: bytes) -> int:
    info = subscription_info.decode(consumer_protocol.decode_subscription(subscription).user_data or b"")
    return max(info.version, info.latest_supported_version)


def fitting(version: int | None) -> tuple[str, ...]:
    """The newest release of every line whose members write this metadata version, oldest first; none where no line does."""
    return tuple(line.releases[-1] for line in LINES if version is None or line.metadata_version == version)


def of_leader(given: str | None, version: int | None) -> tuple[str, ...]:
    """The given release; where the leader's metadata version shows that it ran another one, those that fit."""
    if given is not None and (version is None or kafka_release.behaviour(given).metadata_version == version):
        return (given,)
    return fitting(version)


def unlike(releases: tuple[str, ...], config: AssignorConfig, *, one_version: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """One release of each set that decides alike with these settings, and the set. `one_version`: all members have the leader's
    metadata version, and none asks for anything."""
    return _unlike(releases, _irrelevant(config, one_version=one_version))


@lru_cache(maxsize=256)
def _unlike(releases: tuple[str, ...], irrelevant: frozenset[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    alike: dict[tuple[object, ...], list[str]] = {}
    for release in releases:
        alike.setdefault(_facts(kafka_release.behaviour(release), irrelevant), []).append(release)
    return tuple((found[-1], tuple(found)) for found in alike.values())


def _facts(line: Behaviour, irrelevant: frozenset[str]) -> tuple[object, ...]:
    return tuple(getattr(line, one.name) for one in fields(Behaviour) if one.name not in irrelevant)


def _irrelevant(config: AssignorConfig, *, one_version: bool) -> frozenset[str]:
    found = _NEVER
    if config.rack_aware_assignment_strategy == "none":
        found |= _OF_RACKS
    if one_version:
        found |= _OF_VERSIONS
    if config.task_assignor is TaskAssignor.HIGH_AVAILABILITY:
        found |= _OF_FALLBACK
    return found
