"""The present generation of a group, and what only its record in `__consumer_offsets` has: the session timeouts."""

from collections.abc import Sequence

from holdfast.kafka.consumer.config import SESSION_TIMEOUT
from holdfast.ports import ObservedGroup
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.snapshot.snapshot import Generation

Config = tuple[tuple[str, ConfigValue], ...]


def present_generation(group: ObservedGroup, generations: Sequence[Generation]) -> Generation | None:
    """The newest one, if it has the same members with the same assignments."""
    present = {member.member_id: member.assignment for member in group.members}
    last = generations[-1] if generations else None
    return last if last and {member.member_id: member.assignment for member in last.members} == present else None


def with_session_timeout(config: Config, present: Generation | None, unknown: list[Unknown]) -> Config:
    """The settings, with what the operator did not give and the broker knows: each member sent it when it joined. What `unknown`
    says of it is then renewed."""
    timeouts = sorted({one.session_timeout_ms for one in present.members if one.session_timeout_ms is not None}) if present else []
    if SESSION_TIMEOUT in dict(config) or not timeouts:
        return config
    what = f"config.{SESSION_TIMEOUT}"
    unknown[:] = [one for one in unknown if one.what != what]
    if len(timeouts) > 1:
        unknown.append(Unknown(what, f"members have from {timeouts[0]} to {timeouts[-1]} ms; the longest is assumed"))
    return tuple(sorted((*config, (SESSION_TIMEOUT, timeouts[-1]))))
