"""Losses that cannot be counted, forecast within a budget of work per group, the worst first.

A forecast of one loss takes a fraction of a millisecond in a small group, and seconds in a large one with standbys; every loss of
every group would take days for a whole fleet. So the work of each is estimated beforehand, in microseconds of one processor, from
the Snapshot alone: the selection is the same on every machine, however the work is divided.

As `holdfast forecast` says it: each is the same course of rebalances (`course.carried_out`), and its times are those of a plan
for the same loss (`loss_times`); only figures that a blast radius does not have are left out.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import repeat

from holdfast.errors import HoldfastError
from holdfast.kafka.streams.compiled import jit
from holdfast.kafka.streams.config import DEFAULTS
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.loss_budget import BEYOND, BUDGET_MS, affordable
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.disks.logs import total_or_none
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.forecast.compiled import walks
from holdfast.rollout.streams.forecast.course import carried_out
from holdfast.rollout.streams.forecast.final_owners import owners_at_the_end
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import allowed
from holdfast.rollout.streams.host_loss import loss_times
from holdfast.rollout.streams.host_loss.blast_radius import (
    BlastRadius,
    FigureBasis,
    Loss,
    change_of,
    likeliest_places,
    no_client_left,
    of_a_release,
)
from holdfast.rollout.streams.host_loss.walked_losses import WalkedLosses
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

MOST_REBALANCES = 5_000
"""A group that has not settled by then is treated as one that does not, within a night. (Five thousand warm-up batches are a
month.)"""
_REBALANCES_WITHOUT_WARM_UPS = 3
_A_LOSS_US = 1_500
"""What each loss takes beyond its rebalances, where they are walked."""


def work_us(snapshot: Snapshot, moved: int | None) -> int:
    """The approximate time, on one processor, of a forecast of a loss that moves so much (None: by an assignor without warm-ups).

    Measured with groups of `benchmarks.synthetic_fleet`: rebalances grow with the tasks that migrate and their standbys,
    and what one of them takes grows with copies and clients. It depends on whether there is a compiler; the rows do not.
    """
    config = dict(snapshot.config)
    standbys, warm_ups = (
        _whole(config.get(name), usual)
        for name, usual in (
            ("num.standby.replicas", DEFAULTS.num_standby_replicas),
            ("max.warmup.replicas", DEFAULTS.max_warmup_replicas),
        )
    )
    copies = sum(task.stateful for task in snapshot.tasks) * (1 + standbys)
    batches = 0 if moved is None else moved * (1 + standbys) / max(1, warm_ups)
    rebalances = _REBALANCES_WITHOUT_WARM_UPS + 1.5 * batches
    compiled = moved is not None and jit.is_installed()
    begun_us, work = (_A_LOSS_US, walks.COMPILED) if compiled else (0, walks.ONE_BY_ONE)
    return int(begun_us + rebalances * work.of_rebalance(copies, len(snapshot.clients)))


def _whole(value: object, usual: int) -> int:
    return value if isinstance(value, int) else usual


def forecasts(snapshot: Snapshot, losses: Iterable[Loss]) -> Iterator[Loss]:
    """These losses of one group, each forecast; or unchanged, with the reason why no more can be predicted."""
    wanted = tuple(losses)
    if not wanted:  # who runs what of a large group is not looked up for nothing
        return
    snapshot = of_a_release(snapshot)
    before, policy = dict(ownership.owners(snapshot)), loss_times.policy_of(snapshot)
    known: dict[Change, Loss] = {}
    common = functools.cache(lambda: WalkedLosses.of(snapshot, before, policy, MOST_REBALANCES))
    for loss in wanted:
        change = change_of(loss)
        if change not in known:
            together = common() if walks.have_begun() else None
            walked = None if together is None else together.forecast(loss, change)
            known[change] = walked or _forecast(snapshot, loss, change, before, policy)
        found = known[change]
        place = loss.place if loss.place is None or found.moved is None else replace(loss.place, moved=found.moved)
        yield replace(found, scenario=loss.scenario, place=place)


def _forecast(snapshot: Snapshot, loss: Loss, change: Change, before: Mapping[TaskId, ProcessId], policy: Policy) -> Loss:
    try:
        ground = Ground(snapshot, allowed(snapshot), most_rounds=MOST_REBALANCES)
        course = carried_out(ground, change)
    except HoldfastError as refusal:
        return replace(loss, reason=str(refusal))
    if course.length.trouble is not None:
        return replace(loss, reason=course.length.trouble)
    after = owners_at_the_end(course, before, snapshot.tasks)
    return replace(
        loss,
        moved=sum(before.get(task.id) != after.get(task.id) for task in snapshot.tasks if task.stateful),
        without_copy=len(dict.fromkeys(task for one in course.rounds for task in one.without_caught_up_copy)),
        basis=FigureBasis.FORECAST,
        rebalances=len(course.rounds),
        rebalances_exact=True,
        times=loss_times.of_course(course, policy),
        restore_bytes=total_or_none(size for one in course.rounds for _, size in one.restoring_bytes),
        reason=None,
    )


def by_forecasts(
    snapshot: Snapshot, only: tuple[ProcessId, ...] | None = None, budget_ms: int | None = BUDGET_MS
) -> tuple[BlastRadius, ...]:
    """The blast radius of a group of which nothing can be counted: each client's three cases within the budget, those that
    run most tasks first (None: all of them); if it goes further, as many more positions of a new random ID for each, the likeliest
    first.

    The forecast of a client does not depend on `only`.
    """
    snapshot = of_a_release(snapshot)
    in_order = tuple(sorted(client.process_id for client in snapshot.clients))
    runs = Counter(process_id for _, process_id in ownership.owners(snapshot))
    ranked = sorted(in_order, key=lambda one: (-runs[one], one))
    losses = len(_SCENARIOS) * len(in_order)
    positions = repeat(work_us(snapshot, None), losses * len(in_order))
    count = affordable(positions, BUDGET_MS if budget_ms is None else budget_ms)
    more = max(0, count - losses) // len(in_order)
    count = losses if budget_ms is None else count
    return tuple(
        _by_forecasts(snapshot, in_order, one, max(0, count - len(_SCENARIOS) * ranked.index(one)), more)
        for one in (in_order if only is None else only)
    )


_SCENARIOS = (Scenario.NEW_ID_LIKELIEST, Scenario.NOT_REPLACED, Scenario.SAME_ID)
"""In the order in which they are forecast. The worst position of a new random ID is one of those that were."""


def _by_forecasts(snapshot: Snapshot, in_order: tuple[ProcessId, ...], lost: ProcessId, count: int, more: int) -> BlastRadius:
    """The first `count` of its cases, and this many more positions."""
    places = likeliest_places(in_order, lost, 1 + more)
    open_ones = [
        Loss(
            lost,
            option,
            places[0] if option is Scenario.NEW_ID_LIKELIEST else None,
            None,
            None,
            FigureBasis.NOT_FORECAST,
            reason=BEYOND,
        )
        for option in _SCENARIOS
    ]
    found = {loss.scenario: loss for loss in (*forecasts(snapshot, open_ones[:count]), *open_ones[count:])}
    if len(in_order) == 1:
        found[Scenario.NOT_REPLACED] = no_client_left(lost, sum(owner == lost for _, owner in ownership.owners(snapshot)))
    likeliest = found[Scenario.NEW_ID_LIKELIEST]
    fresh = [likeliest, *forecasts(snapshot, [replace(open_ones[0], place=place) for place in places[1:]])]
    known = [(loss.moved, loss.place) for loss in fresh if loss.moved is not None and loss.place is not None]
    worst = max(fresh, key=lambda loss: (-1 if loss.moved is None else loss.moved, loss.place.probability if loss.place else 0.0))
    found[Scenario.NEW_ID_WORST] = replace(worst, scenario=Scenario.NEW_ID_WORST)
    looked_at = tuple(sorted((place for _, place in known), key=lambda place: place.place))
    return BlastRadius(lost, tuple(found[option] for option in Scenario), looked_at)
