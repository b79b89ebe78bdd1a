"""What the loss of any one consumer of a plain group would do: it is not replaced, comes back, or is replaced at once.

Each way is a Change (`change_of`), and every figure is what the forecast of that Change says. The broker makes a member ID of the
client.id and a random UUID: where a fresh one falls in the order of the members is left to chance, and range and roundrobin go by
that order.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from holdfast.errors import CannotPredict
from holdfast.kafka import java
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.blast_radius import Scenario
from holdfast.rollout.consumer.change import ConsumerChange, NewConsumer, RemoveConsumer, ReplaceConsumer, RestartConsumer
from holdfast.rollout.consumer.forecast import forecast
from holdfast.rollout.consumer.member_order import with_a_release
from holdfast.rollout.consumer.outcomes import ConsumerOutcome
from holdfast.rollout.consumer.timing import Departure
from holdfast.rollout.consumer_snapshot import ConsumerSnapshot

MOST_WORK = 5_000
"""Positions of a fresh ID, times partitions: up to that all of them are forecast for each consumer, beyond only the likeliest."""
MOST_FORECAST = 50_000_000
"""Consumers, times partitions: up to that (some minutes' work) every loss is forecast, in a larger group none."""
_TOO_LARGE = "the group is too large for a forecast of every loss; `holdfast forecast` tells of any one"
_SPACE = 1 << 128
_DIGITS = "0123456789abcdef"
_DASHES = (8, 13, 18, 23)
"""Where dashes stand in a UUID as text."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


@dataclass(frozen=True, slots=True)
class FreshPlace:
    """A position that a fresh member ID can take: so many others come before it. `member_id` stands for all that fall there."""

    place: int
    probability: float
    member_id: str


@dataclass(frozen=True, slots=True)
class ConsumerLoss:
    """One way of losing a consumer. `outcome` None: `reason` says why it cannot be told.

    `expected_moved`: of a fresh ID, on average over its positions; None: not all of them were forecast.
    """

    member: Member
    scenario: Scenario
    place: FreshPlace | None
    outcome: ConsumerOutcome | None
    expected_moved: float | None = None
    reason: str | None = None

    @property
    def moved(self) -> int:
        return -1 if self.outcome is None or self.outcome.summary.moved is None else self.outcome.summary.moved


def losses(snapshot: ConsumerSnapshot, only: Sequence[Member] | None = None) -> tuple[ConsumerLoss, ...]:
    """Of every consumer, in the order of the member list, or of `only` these. Without a release: as the newest.

    Raise Unsupported or InvalidInput for a group of which no forecast can be made at all.
    """
    snapshot = with_a_release(snapshot)
    if len(snapshot.members) * sum(len(topic.partitions) for topic in snapshot.topics) > MOST_FORECAST:
        looked_at = snapshot.members if only is None else only
        return tuple(ConsumerLoss(one, Scenario.NOT_REPLACED, None, None, reason=_TOO_LARGE) for one in looked_at)
    return tuple(loss for member in (snapshot.members if only is None else only) for loss in _of_member(snapshot, member))


def change_of(member: Member, scenario: Scenario, place: FreshPlace | None) -> ConsumerChange:
    """The Change whose forecast this is."""
    match scenario:
        case Scenario.NOT_REPLACED:
            return ConsumerChange((RemoveConsumer(member.member_id, Departure.CRASHES),))
        case Scenario.SAME_ID:
            back = NewConsumer(f"{member.member_id}~back")
            return ConsumerChange((RestartConsumer(member.member_id, back, within_session=True),))
        case Scenario.FRESH_LIKELIEST | Scenario.FRESH_WORST:
            assert place is not None, "a fresh ID falls somewhere"
            return ConsumerChange((ReplaceConsumer(member.member_id, NewConsumer(place.member_id)),))


def _of_member(snapshot: ConsumerSnapshot, member: Member) -> Iterator[ConsumerLoss]:
    yield _loss(snapshot, member, Scenario.NOT_REPLACED, None)
    if member.group_instance_id is not None:
        yield _loss(snapshot, member, Scenario.SAME_ID, None)
        return
    places = fresh_places(member, [one for one in snapshot.members if one is not member])
    likeliest = max(places, key=lambda one: (one.probability, -one.place))
    if len(places) * sum(len(topic.partitions) for topic in snapshot.topics) > MOST_WORK:
        yield _loss(snapshot, member, Scenario.FRESH_LIKELIEST, likeliest)
        return
    found = [_loss(snapshot, member, Scenario.FRESH_WORST, place) for place in places]
    known = all(one.moved >= 0 for one in found)
    expected = sum(place.probability * one.moved for place, one in zip(places, found, strict=True)) if known else None
    worst = max(found, key=lambda one: (one.moved, one.place.probability if one.place else 0))
    likely = found[places.index(likeliest)]
    for one, scenario in ((likely, Scenario.FRESH_LIKELIEST), (worst, Scenario.FRESH_WORST)):
        yield ConsumerLoss(member, scenario, one.place, one.outcome, expected, one.reason)


def _loss(snapshot: ConsumerSnapshot, member: Member, scenario: Scenario, place: FreshPlace | None) -> ConsumerLoss:
    try:
        outcome = forecast(snapshot, change_of(member, scenario, place)).outcome
    except CannotPredict as refusal:
        return ConsumerLoss(member, scenario, place, None, reason=str(refusal))
    if not outcome.stable:
        return ConsumerLoss(member, scenario, place, None, reason=outcome.notes[-1])
    return ConsumerLoss(member, scenario, place, outcome)


def fresh_places(lost: Member, others: Sequence[Member]) -> tuple[FreshPlace, ...]:
    """Where a member ID of the lost one's client.id can fall among the others, with the share of all UUIDs that do."""
    prefix = f"{lost.client_id}-" if lost.client_id else _UUID.sub("", lost.member_id)
    start = java.string_order(prefix)
    dynamic = sorted(java.string_order(one.member_id) for one in others if one.group_instance_id is None)
    ahead = len(others) - len(dynamic) + sum(one < start for one in dynamic)
    rivals = [one[len(start) :].decode("utf-16-be", "surrogatepass") for one in dynamic if one.startswith(start)]
    edges = [0, *(_place_of(one) for one in rivals), _SPACE]
    return tuple(
        FreshPlace(ahead + place, (high - low) / _SPACE, f"{prefix}{UUID(int=(low + high) // 2)}")
        for place, (low, high) in enumerate(pairwise(edges))
        if high - low > 1
    )


def _place_of(text: str) -> int:
    """How many of all 2^128 UUIDs come before this text, as Java compares text."""
    place, unit = 0, _SPACE
    for position, letter in enumerate(text[:36]):
        if position in _DASHES:
            if letter != "-":
                return place + (unit if letter > "-" else 0)
            continue
        unit >>= 4
        place += sum(digit < letter for digit in _DIGITS) * unit
        if letter not in _DIGITS:
            return place
    return place
