"""A group outside a rebalance: during one, the broker shows no member metadata."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from holdfast.ports import ClusterReader, ObservedGroup
from holdfast.rollout.contract.group_state import REBALANCING

_ASK_AGAIN_S = 0.5
PROTOCOL_TYPE = "consumer"
"""Of classic groups of consumers, Kafka Streams included. Java: `ConsumerProtocol.PROTOCOL_TYPE`."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a rebalance to end, and how time passes (the tests have a clock of their own)."""

    limit_s: float
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def is_rebalancing(group: ObservedGroup) -> bool:
    return group.state in REBALANCING


def settled_group(
    cluster: ClusterReader,
    group_id: str,
    patience: Patience,
    rebalancing: Callable[[ObservedGroup], bool] = is_rebalancing,
    seen: ObservedGroup | None = None,
) -> ObservedGroup:
    """The group outside a rebalance, or its state when patience ends.

    `rebalancing`: whether the group is in one, or one is due at once. `seen`: the group as it was described a moment ago.
    """
    ends_at = patience.clock() + patience.limit_s
    while True:
        group, seen = seen or cluster.group(group_id), None
        if not rebalancing(group) or patience.clock() + _ASK_AGAIN_S > ends_at:
            return group
        patience.sleep(_ASK_AGAIN_S)


def why_no_members(group: ObservedGroup, patience: Patience) -> str:
    if is_rebalancing(group):
        return (
            f"the group was in the middle of a rebalance ({group.state}) for {patience.limit_s:g} s: the broker then returns no "
            "member metadata. Try again later, or allow more time"
        )
    return f"the group is {group.state}: no member is running"
