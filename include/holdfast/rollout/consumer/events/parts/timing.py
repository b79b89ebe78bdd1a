"""When the coordinator removes a consumer that is gone, and how long a rebalance may take. Times in seconds.

Java: `Heartbeat`, `ConsumerCoordinator`; the broker's `GroupCoordinator` with its delayed join. A member learns of a rebalance with
its next heartbeat and joins with its next poll; a member that has not joined after max.poll.interval.ms is left out.
"""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.json.codec import SECONDS, Codec, row


class Departure(StrEnum):
    """How a consumer leaves: by LeaveGroup; it ends without leaving; or it no longer calls poll, and its own heartbeat thread
    leaves."""

    LEAVES = "leaves"
    CRASHES = "crashes"
    HANGS = "hangs"


def noticed_s(member: Member, departure: Departure, config: ConsumerConfig) -> float:
    """Seconds until the group rebalances without it. A static member sends no LeaveGroup (KIP-345): its session has to time out."""
    seconds = 0.0
    if departure is Departure.HANGS:
        seconds += config.max_poll_interval_ms / 1000
    if departure is Departure.CRASHES or (departure is Departure.HANGS and member.group_instance_id is not None):
        seconds += config.session_timeout_ms / 1000
    return seconds


@dataclass(frozen=True, slots=True)
class Span:
    """`usual`: every member polls at once when it hears of the rebalance. `most`: one of them is busy with what it polled last."""

    usual: float
    most: float

    def __add__(self, other: "Span") -> "Span":
        return Span(self.usual + other.usual, self.most + other.most)

    def times(self, count: int) -> "Span":
        return Span(self.usual * count, self.most * count)


SPAN: Codec[Span] = row(
    "two numbers of seconds: usual, and at most",
    Span,
    lambda span: [span.usual, span.most],
    *(SECONDS, SECONDS),
    about="Usually (members poll as soon as they hear of it), and at most (one is busy).",
)
NOTHING = Span(0, 0)


def round_span(config: ConsumerConfig, *, from_empty: bool) -> Span:
    """How long one rebalance lasts. `from_empty`: no member was left, and the broker waits for more to come."""
    delay = config.initial_rebalance_delay_ms / 1000 if from_empty else 0.0
    if from_empty:
        return Span(delay, max(delay, config.max_poll_interval_ms / 1000))
    return Span(config.heartbeat_interval_ms / 1000, config.max_poll_interval_ms / 1000)


def longest(spans: list[Span]) -> Span:
    return Span(max((one.usual for one in spans), default=0.0), max((one.most for one in spans), default=0.0))
