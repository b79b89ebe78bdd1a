"""The recommended option is never worse than the baseline in anything that ranks before what it wins by.

Worked out from the finished plan, as its reader would: not by the criteria that choose.
"""

import uuid
from collections.abc import Iterable
from datetime import UTC, datetime

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.harness.article import Document, change, fleet
from tests.harness.examples import examples
from tests.harness.plans import read
from tests.unit.rollout.consumer.plan.test_plan import EAGER, TWO
from tests.unit.rollout.consumer.plan.test_plan import planned as planned_for_consumers

from holdfast.rollout.consumer.plan.plan import Considered as ConsumerConsidered
from holdfast.rollout.contract.verdicts import PLAINLY, Rule, Status
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.evaluation import effort_rank
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.workflows import plan as workflow

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
OPTIONS = ("copy-process-metadata", "copy-state-directory", "seed-process-id", "raise-warm-ups", "one-at-a-time", "static-return")


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    some = draw(st.sets(st.sampled_from(OPTIONS), max_size=3))
    return Policy(
        moved_percent_most=draw(st.sampled_from((0, 25, 100))),
        without_caught_up_copy_s_most=draw(st.sampled_from((0, 600, 10**6))),
        rebalances_most=draw(st.sampled_from((None, 0, 5, 50))),
        restore_records_per_second=draw(st.sampled_from((10, 10_000))),
        copy_state_over_s=draw(st.sampled_from((0, 600))),
        blocking=draw(st.sampled_from(((), ("forecast", "converges"), ("moved-without-need", "rebalances")))),
        exclude=tuple(sorted(some)),
    )


@st.composite
def changes(draw: st.DrawFn) -> tuple[Document, Document]:
    """A stable group, and a change to it."""
    hosts = draw(st.integers(2, 5))
    snapshot, ids = fleet(hosts, draw(st.integers(hosts, 14)), draw(st.integers(0, 2**32)))
    snapshot["config"]["num.standby.replicas"] = draw(st.integers(0, 1))
    newcomer = str(draw(st.builds(uuid.UUID, int=st.integers(0, 2**128 - 1)).filter(lambda one: str(one) not in ids)))
    one = draw(st.sampled_from(ids))
    event: Document = draw(
        st.sampled_from(
            (
                {"replace_client": {"process_id": one, "by": {"process_id": newcomer}, "state": "empty"}},
                {"add_client": {"process_id": newcomer, "threads": 1}},
                {"remove_client": {"process_id": one}},
                {"restart_client": {"process_id": one}},
                {"rolling_restart": {}},
            )
        )
    )
    return snapshot, event


def failing(rules: Iterable[Rule]) -> int:
    return sum(rule.status is Status.FAIL for rule in rules)


def of_streams(option: Considered, policy: Policy) -> tuple[float, ...] | None:
    """What counts, the smaller the better. A limit of Holdfast's own that is exceeded asks for a person, and decides nothing.

    None: its figures hold under a condition that is not known to be met."""
    worst, speed = option.worst, policy.restore_records_per_second
    if worst is None or (worst.times is not None and not worst.times.certain):
        return None
    own = {"rebalances": policy.rebalances_most is None, "time-to-stable": policy.time_to_stable_s_most is None}
    return (
        failing(rule for rule in option.rules if rule.blocking),
        failing(rule for rule in option.rules if rule.blocking or not own.get(rule.name)),
        worst.needless,
        max(0, worst.cold_seconds_longest(speed) - policy.copy_state_over_s),
        worst.downtime_task_seconds(speed),
        0 if option.effort_counts is None else option.effort_counts.restarts,
        effort_rank(option.effort),
        worst.usual_rebalances,
        worst.moved,
    )


def refuse_worse(best: tuple[float, ...], baseline: tuple[float, ...]) -> None:
    for mine, theirs in zip(best, baseline, strict=True):
        if mine != theirs:
            assert mine < theirs, (best, baseline)
            return


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(changes(), policies())
def test_of_a_streams_group(case: tuple[Document, Document], policy: Policy) -> None:
    snapshot, event = case
    plan = workflow.make(read(snapshot), change_from_json(change(event)), policy, NOON)
    assert isinstance(plan, Plan)
    best, baseline = plan.chosen_way, plan.plain_way
    if best is None or baseline is None or best.name == PLAINLY or not baseline.costs:
        return
    figures = of_streams(best, plan.policy), of_streams(baseline, plan.policy)
    if figures[0] is not None and figures[1] is not None:
        refuse_worse(figures[0], figures[1])


def of_consumers(option: ConsumerConsidered) -> tuple[float, ...] | None:
    if option.summary is None or option.effort_counts is None:
        return None
    stopped = option.summary.partition_seconds
    return (
        failing(rule for rule in option.rules if rule.blocking),
        failing(option.rules),
        float("inf") if option.summary.needless is None else option.summary.needless,
        float("inf") if stopped is None else stopped.usual,
        option.effort_counts.restarts,
        option.effort_counts.manual_steps,
        option.summary.rebalances,
    )


@st.composite
def consumer_changes(draw: st.DrawFn) -> tuple[dict[str, Document], list[Document]]:
    group = draw(st.sampled_from((TWO, EAGER)))
    one = draw(st.sampled_from(sorted(group)))
    roll: list[Document] = []
    for name in sorted(group):
        roll += [{"restart_consumer": {"member_id": name, "new_member_id": f"{name}2"}}, {"then": "stable"}]
    events: list[list[Document]] = [
        [{"restart_consumer": {"member_id": one, "new_member_id": f"{one}2"}}],
        [{"remove_consumer": {"member_id": one}}],
        roll[:-1],
    ]
    return group, draw(st.sampled_from(events))


@settings(max_examples=examples(30), deadline=None)
@given(consumer_changes(), st.sampled_from((None, 0, 3)), st.sampled_from(((), ("forecast", "rebalances"))))
def test_of_a_consumer_group(
    case: tuple[dict[str, Document], list[Document]], rebalances: int | None, blocking: tuple[str, ...]
) -> None:
    group, events = case
    plan = planned_for_consumers(group, *events, policy=Policy(rebalances_most=rebalances, blocking=blocking))
    best, baseline = plan.chosen_way, plan.plain_way
    if best is None or baseline is None or best.name == PLAINLY:
        return
    figures = of_consumers(best), of_consumers(baseline)
    if figures[0] is not None and figures[1] is not None:
        refuse_worse(figures[0], figures[1])
