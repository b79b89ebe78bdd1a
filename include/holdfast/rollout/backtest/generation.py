"""A completed rebalance of a group whose leader assigns, as its coordinator keeps it: what members sent and were sent."""

from collections.abc import Callable

from holdfast.errors import HoldfastError
from holdfast.kafka import java
from holdfast.rollout.json.codec import INSTANT, NAME, TEXT, integer, nullable
from holdfast.rollout.json.kafka_codecs import BYTES
from holdfast.rollout.json.record import codec_of, key, keyed, member, record


@record(closed=False)
class GenerationMember:
    """A member of a completed generation: the raw bytes of its subscription and assignment."""

    member_id: str = key(NAME)
    client_id: str = member(TEXT, absent="")
    client_host: str = member(TEXT, absent="")
    group_instance_id: str | None = member(nullable(TEXT), absent=None)
    subscription: bytes = member(BYTES)
    assignment: bytes = member(BYTES)
    session_timeout_ms: int | None = member(nullable(integer(1, java.INT_MAX)), default=None)
    """None: the broker did not say (a description does not, its own records do)."""


@record(closed=False)
class Generation:
    """A completed rebalance, as the broker wrote it to `__consumer_offsets`."""

    number: int = member(integer(0, java.INT_MAX))
    completed_at: str = member(INSTANT)
    leader_member_id: str | None = member(nullable(TEXT), absent=None)
    protocol: str | None = member(nullable(TEXT), absent=None)
    members: tuple[GenerationMember, ...] = member(keyed(codec_of(GenerationMember)))


def leaders_version(generation: Generation, version_of: Callable[[bytes], int]) -> int | None:
    """The version in the leader's subscription, as `version_of` reads it; the newest of all members, where the leader is unknown.
    None: unreadable."""
    versions: list[int] = []
    for one in generation.members:
        if generation.leader_member_id not in (None, one.member_id):
            continue
        try:
            versions.append(version_of(one.subscription))
        except HoldfastError:
            continue
    return max(versions, default=None)
