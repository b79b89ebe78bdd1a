"""The effect of losing any consumer of a group: it is not replaced, it returns, or it is replaced immediately.

Each case is a Change (`change_of`), and every figure is that of its forecast. The broker makes a member ID of the
client.id and a random UUID: the rank of a new one among the members is random, and range and roundrobin go by
that order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.consumer.events.parts.timing import Departure
from holdfast.rollout.consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.consumer.events.replace_consumer import ReplaceConsumer
from holdfast.rollout.consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.consumer.forecast.forecast import forecast
from holdfast.rollout.consumer.forecast.outcomes import ConsumerOutcome
from holdfast.rollout.consumer.snapshot.member_order import with_a_release
from holdfast.rollout.consumer.snapshot.new_id_ranks import FreshPlace, new_id_ranks
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.scenarios import TOO_LARGE, Scenario

MOST_WORK = 5_000
"""Positions of a new random ID, times partitions: up to this all are forecast for each consumer, above it only the likeliest."""
MOST_FORECAST = 50_000_000
"""Consumers, times partitions: up to that (some minutes' work) every loss is forecast, in a larger group none."""


@dataclass(frozen=True, slots=True)
class ConsumerLoss:
    """One case of losing a consumer. `outcome` None: `reason` says why it cannot be predicted.

    `expected_moved`: of a new random ID, on average over its positions; None: not all of them were forecast.
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
        return tuple(ConsumerLoss(one, Scenario.NOT_REPLACED, None, None, reason=TOO_LARGE) for one in looked_at)
    return tuple(loss for member in (snapshot.members if only is None else only) for loss in _of_member(snapshot, member))


def change_of(member: Member, scenario: Scenario, place: FreshPlace | None) -> ConsumerChange:
    """The Change whose forecast this is."""
    match scenario:
        case Scenario.NOT_REPLACED:
            return ConsumerChange((RemoveConsumer(member.member_id, Departure.CRASHES),))
        case Scenario.SAME_ID:
            back = NewConsumer(f"{member.member_id}~back")
            return ConsumerChange((RestartConsumer(member.member_id, back, within_session=True),))
        case Scenario.NEW_ID_LIKELIEST | Scenario.NEW_ID_WORST:
            assert place is not None, "a new random ID has a rank"
            return ConsumerChange((ReplaceConsumer(member.member_id, NewConsumer(place.member_id)),))


def _of_member(snapshot: ConsumerSnapshot, member: Member) -> Iterator[ConsumerLoss]:
    yield _loss(snapshot, member, Scenario.NOT_REPLACED, None)
    if member.group_instance_id is not None:
        yield _loss(snapshot, member, Scenario.SAME_ID, None)
        return
    places = new_id_ranks(member, [one for one in snapshot.members if one is not member])
    likeliest = max(places, key=lambda one: (one.probability, -one.place))
    if len(places) * sum(len(topic.partitions) for topic in snapshot.topics) > MOST_WORK:
        yield _loss(snapshot, member, Scenario.NEW_ID_LIKELIEST, likeliest)
        return
    found = [_loss(snapshot, member, Scenario.NEW_ID_WORST, place) for place in places]
    known = all(one.moved >= 0 for one in found)
    expected = sum(place.probability * one.moved for place, one in zip(places, found, strict=True)) if known else None
    worst = max(found, key=lambda one: (one.moved, one.place.probability if one.place else 0))
    likely = found[places.index(likeliest)]
    for one, scenario in ((likely, Scenario.NEW_ID_LIKELIEST), (worst, Scenario.NEW_ID_WORST)):
        yield ConsumerLoss(member, scenario, one.place, one.outcome, expected, one.reason)


def _loss(snapshot: ConsumerSnapshot, member: Member, scenario: Scenario, place: FreshPlace | None) -> ConsumerLoss:
    try:
        outcome = forecast(snapshot, change_of(member, scenario, place)).outcome
    except CannotPredict as refusal:
        return ConsumerLoss(member, scenario, place, None, reason=str(refusal))
    if not outcome.stable:
        return ConsumerLoss(member, scenario, place, None, reason=outcome.unsettled)
    return ConsumerLoss(member, scenario, place, outcome)
