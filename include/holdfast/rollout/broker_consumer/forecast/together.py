"""What all possible random IDs say together: what each of them gives to the same consumers, and how likely the rest is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.forecast.bounds import Bounds
from holdfast.rollout.broker_consumer.forecast.outcomes import GroupOutcome
from holdfast.rollout.broker_consumer.forecast.possibilities import Possibilities
from holdfast.rollout.coordinated.chance import Spread, missed_at_most
from holdfast.rollout.coordinated.spans import Seconds

_NO_TIME = Seconds(0, 0, 0)


def usual(outcomes: Sequence[GroupOutcome], possible: Possibilities) -> int:
    """The number of the possibility in the middle."""
    return _middle([(one.summary.moves, one.summary.moved) for one in outcomes], possible)


def together(outcomes: Sequence[GroupOutcome], possible: Possibilities, example: int) -> GroupOutcome:
    """The example, with what the others say of its targets. A partition is undetermined where not every possibility gives it to the
    same consumer."""
    found = outcomes[example]
    weights = [one.probability for one in possible.each]
    names = [same_names(one.change, possible.each[example].change) for one in possible.each]
    targets = []
    for number, target in enumerate(found.targets):
        owners = [
            {one: own.get(member, member) for one, member in each.targets[number].owners.items()}
            for each, own in zip(outcomes, names, strict=True)
        ]
        open_ = {one for each in outcomes for one in each.targets[number].assignment.undetermined_partitions}
        after = {one for each in outcomes for one in each.targets[number].after_undetermined} - open_
        open_ |= {one for each in owners for one in each if len({other.get(one) for other in owners}) > 1}
        ordered = tuple(sorted(open_))
        assignment = replace(target.assignment, undetermined_partitions=ordered)
        likely = tuple((one, _shares(one, owners, weights)) for one in ordered)
        targets.append(replace(target, assignment=assignment, after_undetermined=tuple(sorted(after - open_)), likely=likely))
    spans = [one.summary.seconds_to_stable for one in outcomes]
    known = [one for each in outcomes if (one := each.summary.longest_unowned) is not None]
    summary = replace(
        found.summary,
        seconds_to_stable=_widest(spans),
        longest_unowned=max(known, key=lambda one: (one.most, one.usual), default=None),
    )
    return replace(found, targets=tuple(targets), summary=summary, unowned=_unowned(outcomes), bounds=_bounds(outcomes, possible))


def same_names(change: GroupChange, example: GroupChange) -> dict[str, str]:
    """The IDs of one possibility, and those of another in their places."""
    both = zip(change.starts(), example.starts(), strict=True)
    return {one.consumer.member_id or "": other.consumer.member_id or "" for one, other in both}


def _bounds(outcomes: Sequence[GroupOutcome], possible: Possibilities) -> Bounds:
    moves = [one.summary.moves for one in outcomes]
    weights = [one.probability for one in possible.each]
    return Bounds(
        count=len(outcomes),
        exhaustive=possible.exhaustive,
        missed_at_most=0.0 if possible.exhaustive else round(missed_at_most(len(outcomes)), 4),
        moved=_spread([one.summary.moved for one in outcomes], possible),
        collateral=_spread([one.summary.collateral for one in outcomes], possible),
        moves=_spread(moves, possible),
        worst=round(min(1.0, sum(weight for one, weight in zip(moves, weights, strict=True) if one == max(moves))), 6),
    )


def _spread(values: list[int], possible: Possibilities) -> Spread:
    return Spread(min(values), values[_middle([(one,) for one in values], possible)], max(values))


def _middle(values: Sequence[tuple[int, ...]], possible: Possibilities) -> int:
    """The number of the weighted median."""
    order = sorted(range(len(values)), key=values.__getitem__)
    over = 0.0
    for number in order:
        over += possible.each[number].probability
        if over >= 0.5 * sum(one.probability for one in possible.each):
            return number
    return order[-1]


def _shares(
    one: TopicPartition, owners: Sequence[Mapping[TopicPartition, str]], weights: Sequence[float]
) -> tuple[tuple[str, float], ...]:
    """The likeliest first."""
    found: dict[str, float] = {}
    for each, weight in zip(owners, weights, strict=True):
        if one in each:
            found[each[one]] = found.get(each[one], 0.0) + weight
    return tuple((member, min(1.0, round(share, 4))) for member, share in sorted(found.items(), key=lambda each: -each[1]))


def _widest(spans: list[Seconds]) -> Seconds:
    middle = sorted(one.usual for one in spans)
    return Seconds(min(one.least for one in spans), middle[len(middle) // 2], max(one.most for one in spans))


def _unowned(outcomes: Sequence[GroupOutcome]) -> tuple[tuple[TopicPartition, Seconds | None], ...]:
    """Of the partitions that any possibility hands over. Where some do not, it may be no time at all."""
    drawn = [dict(one.unowned) for one in outcomes]
    found: list[tuple[TopicPartition, Seconds | None]] = []
    for partition in sorted({one for each in drawn for one in each}):
        spans = [one.get(partition, _NO_TIME) for one in drawn]
        known = [one for one in spans if one is not None]
        found.append((partition, _widest(known) if len(known) == len(spans) else None))
    return tuple(found)
