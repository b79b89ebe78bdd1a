"""What the markers of a Change wait for: what is called a rebalance elsewhere is a target where the broker assigns."""

from enum import StrEnum

from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.json.codec import Codec, either


class _WaitFor(StrEnum):
    """As a document says it."""

    TARGET = "target"
    STABLE = "stable"


WAITS: Codec[Wait] = either(_WaitFor).to(
    lambda one: Wait.REBALANCE if one is _WaitFor.TARGET else Wait.STABLE,
    lambda one: _WaitFor.TARGET if one is Wait.REBALANCE else _WaitFor.STABLE,
)
ABOUT = "What follows comes after one target, or once every member has what its target says."
