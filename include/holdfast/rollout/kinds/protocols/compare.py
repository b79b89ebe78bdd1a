"""The comparison for one group: every deploy under every protocol, each forecast by the kind of group that it is then.

Nothing is decided here. Random IDs are drawn by a seed, so that the same group and seed give the same figures.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput, TooMuchWork, Unsupported
from holdfast.rollout.facts import refusals
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.kinds.protocols import spread, table
from holdfast.rollout.kinds.protocols.comparable import from_every_release
from holdfast.rollout.kinds.protocols.comparison import (
    ComparedProtocol,
    Deploy,
    DeployKind,
    Figures,
    MovePrice,
    Price,
    ProtocolComparison,
)
from holdfast.rollout.kinds.protocols.side import WORK, Drawn, Side, name_of
from holdfast.rollout.policy.policy import Policy

MOST_DRAWS = spread.BLOCK
_REFUSALS = (CannotPredict, Unsupported, InvalidInput, TooMuchWork)


def compare(
    snapshot: AnySnapshot,
    deploys: tuple[Deploy, ...],
    policy: Policy,
    seed: int = 0,
    times: int = 1,
    tell: Callable[[str], object] = len,
    most_draws: int | None = None,
) -> ProtocolComparison:
    """`times`: the factor by which more than the usual work is allowed. `tell` hears the name of the protocol that is looked at.
    `most_draws`: None: MOST_DRAWS.

    Raise Unsupported for a group that is of a new protocol already, CannotPredict for one that is not at rest.
    """
    group = table.comparable(snapshot)
    about = group.about(snapshot)
    compared = []
    for side in group.sides(snapshot, policy, seed):
        tell(name_of(side))
        compared.append(compared_with(side, deploys, times, most_draws))
    return ProtocolComparison(
        cluster=snapshot.cluster,
        group_id=snapshot.group_id,
        captured_at=snapshot.captured_at,
        protocol=group.protocol,
        members=about.members,
        assigned=about.assigned,
        seed=seed,
        deploys=deploys,
        protocols=tuple(compared),
        move=group.move(snapshot, from_every_release(compared)),
        unknown=about.unknown,
    )


def with_deploys(found: ProtocolComparison, deploys: tuple[Deploy, ...]) -> ProtocolComparison:
    """The same prices with other numbers a month, of the same kinds in the same order."""
    protocols = tuple(replace(one, month=month(deploys, one.prices)) for one in found.protocols)
    return replace(found, deploys=deploys, protocols=protocols)


def compared_with(side: Side, deploys: Sequence[Deploy], times: int = 1, most_draws: int | None = None) -> ComparedProtocol:
    prices = tuple(price(side, one.kind, draws(side, one.kind, times, most_draws)) for one in deploys)
    return ComparedProtocol(
        name=name_of(side),
        protocol=side.protocol,
        release=side.release,
        applied=side.applied,
        now=side.now,
        prices=prices,
        month=month(deploys, prices),
        prevents=side.prevents,
        limits=side.limits,
        moved=move_price(side, draws(side, DeployKind.RESTART, times, most_draws)) if side.is_move else None,
    )


def draws(side: Side, deploy: DeployKind, times: int = 1, most_draws: int | None = None) -> int:
    """How many draws stand for all: fewer of a large group. Of those that are of one client each, every client has as many; of one
    more, every rank."""
    members = max(1, side.members())
    most = max(
        1, min(MOST_DRAWS if most_draws is None else most_draws, times * WORK // max(1, side.work() * side.rebalances(deploy)))
    )
    if deploy in (DeployKind.REPLACE, DeployKind.SCALE_IN):
        if not side.is_random(deploy):
            return min(members, most)
        return most // members * members or most
    if deploy is DeployKind.SCALE_OUT and side.is_random(deploy):
        return most // (members + 1) * (members + 1) or most
    return most if side.is_random(deploy) else 1


def price(side: Side, deploy: DeployKind, count: int) -> Price:
    try:
        found = [one for draw in range(count) for one in side.drawn(deploy, draw)]
    except _REFUSALS as refusal:
        return Price(deploy, 0, None, refused=refusals.refusal_of(refusal))
    moves = [one.moves for one in found]
    return Price(deploy, count, _mean(found), min(moves), max(moves))


def move_price(side: Side, count: int) -> MovePrice:
    """A move restarts every member, as a rolling restart does."""
    try:
        found = [side.move_drawn(draw) for draw in range(count)]
    except _REFUSALS as refusal:
        return MovePrice(0, None, refused=refusals.refusal_of(refusal))
    moves = [one.moves for one in found]
    return MovePrice(count, _mean(found), min(moves), max(moves))


def _mean(found: Sequence[Drawn]) -> Figures:
    def of(value: Callable[[Drawn], float | None]) -> float | None:
        values = [(one.share, value(one)) for one in found]
        known = [(share, one) for share, one in values if one is not None]
        if len(known) < len(values):
            return None
        return round(sum(share * one for share, one in known) / sum(share for share, _ in known), 3)

    return Figures(
        moves=of(lambda one: one.moves) or 0.0,
        rebalances=of(lambda one: one.rebalances) or 0.0,
        downtime_s=of(lambda one: one.downtime_s),
        cold_moves=of(lambda one: one.cold_moves),
        restored_bytes=of(lambda one: one.restored_bytes),
        restored_records=of(lambda one: one.restored_records),
    )


def month(deploys: Sequence[Deploy], prices: Sequence[Price]) -> Figures | None:
    """All deploys of a month together. None: one of them cannot be predicted."""
    happen = [(one.monthly, cost.figures) for one, cost in zip(deploys, prices, strict=True) if one.monthly]
    known = [(monthly, figures) for monthly, figures in happen if figures is not None]
    if len(known) < len(happen):
        return None

    def of(value: Callable[[Figures], float | None]) -> float | None:
        found = [(monthly, value(figures)) for monthly, figures in known]
        summed = [monthly * one for monthly, one in found if one is not None]
        return round(sum(summed), 1) if len(summed) == len(found) else None

    return Figures(
        moves=of(lambda one: one.moves) or 0.0,
        rebalances=of(lambda one: one.rebalances) or 0.0,
        downtime_s=of(lambda one: one.downtime_s),
        cold_moves=of(lambda one: one.cold_moves),
        restored_bytes=of(lambda one: one.restored_bytes),
        restored_records=of(lambda one: one.restored_records),
    )
