"""Every price equals a forecast of the group, with the present setting and with the fixed one."""

from collections.abc import Callable

import pytest
from tests.harness.groups_at_rest import Shape, streams
from tests.unit.rollout.settings.examples_of_rules import BY_BROKER, PAIRS, PRICED, Pair

from holdfast.rollout.kinds.settings import examined
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.examine import hits_of
from holdfast.rollout.settings.rule import Measure, Scenario, World
from holdfast.rollout.settings.table import BY_NAME
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Outcome
from holdfast.rollout.streams.settings import prices
from holdfast.rollout.streams.settings.case import case_of
from holdfast.rollout.streams.settings.prices import Pricing, change_in, ranks_of
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

POLICY = Policy()
OF: dict[Measure, Callable[[Outcome], float | None]] = {
    Measure.PROBING: lambda one: one.probing,
    Measure.REBALANCES: lambda one: one.summary.rebalances,
    Measure.STABLE_S: lambda one: one.summary.seconds_to_stable,
    Measure.STOPPED_S: lambda one: max((each.seconds for each in one.summary.stopped), default=0),
    Measure.RESTORED: lambda one: one.summary.restore_records,
    Measure.MOVED: lambda one: one.summary.active_moved,
    Measure.AT_ONCE: lambda one: max((sum(records for _, records in each.restoring) for each in one.rounds), default=0),
}


def _by_forecast(snapshot: Snapshot, scenario: Scenario, world: World, measure: Measure) -> float:
    outcomes = forecast(snapshot, change_in(snapshot, scenario, world, POLICY), ranks_of(snapshot)).outcomes
    return round(sum(one.probability * (OF[measure](one) or 0) for one in outcomes), 3)


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(PRICED - {BY_BROKER}))
def test_a_price_is_that_of_two_forecasts(name: str) -> None:
    pair: Pair = PAIRS[name]
    snapshot, properties = pair.group(), dict(pair.bad)
    assert isinstance(snapshot, Snapshot)
    price = next(one.price for one in examined(snapshot, properties).findings if one.rule.name == name)
    case = case_of(snapshot, properties, POLICY)
    questions = [one for hit in hits_of(BY_NAME[name], case.subject) for one in hit.questions]
    assert price is not None
    question = next(one for one in questions if (one.scenario, one.measure) == (price.scenario, price.measure))
    pricing = case.prices.__self__  # type: ignore[attr-defined]
    assert isinstance(pricing, Pricing)

    for world, found in ((question.as_is, price.as_is), (question.fixed, price.fixed)):
        group = pricing.group_in(world)
        if price.measure is Measure.RESTORING_S:
            assert found == pricing.figures(question.scenario, world)[Measure.RESTORING_S]
        else:
            assert found == _by_forecast(group, price.scenario, world, price.measure)
    assert question.worth.met(price.as_is, price.fixed)


def test_the_group_of_a_price_has_the_settings_of_its_world() -> None:
    snapshot = streams(Shape(log=20_000_000))
    pricing = Pricing(snapshot, snapshot, POLICY)

    as_is, with_standbys = pricing.group_in(World()), pricing.group_in(World((("num.standby.replicas", 1),)))

    def copies(group: Snapshot) -> int:
        return sum(len(one.task_offset_sums) for client in group.clients for one in client.consumers)

    assert as_is.clients == snapshot.clients
    assert copies(with_standbys) == 2 * copies(as_is) == 24


def test_a_task_that_restores_before_it_runs_is_unavailable_for_that_long() -> None:
    """By hand: 3,000,000 records at 10,000 a second; with the default lag the copies are warmed up."""
    snapshot = streams(Shape(log=3_000_000))
    pricing = Pricing(snapshot, snapshot, POLICY)

    def seconds(*settings: tuple[str, int]) -> float | None:
        return pricing.figures(Scenario.SCALE_OUT, World(settings))[Measure.RESTORING_S]

    assert seconds(("acceptable.recovery.lag", 4_000_000)) == 300
    assert seconds(("acceptable.recovery.lag", 10_000)) == 0
    assert pricing.figures(Scenario.LOSS, World())[Measure.RESTORING_S] == 300
    assert pricing.figures(Scenario.LOSS, World((("num.standby.replicas", 1),)))[Measure.RESTORING_S] == 0


def test_the_client_that_runs_most_is_lost() -> None:
    snapshot = streams(Shape(tasks=7))
    busiest = prices.busiest(snapshot)
    runs = {client.process_id: sum(len(one.owned) for one in client.consumers) for client in snapshot.clients}

    assert runs[busiest.process_id] == max(runs.values())
