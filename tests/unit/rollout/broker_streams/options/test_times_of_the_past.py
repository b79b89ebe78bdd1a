"""What the past of a group whose broker assigns says of restarts and of its courses, in the times of a plan."""

from tests.unit.rollout.broker_streams.plans import STABLE, restart
from tests.unit.rollout.broker_streams.streams_groups import Case, snapshot

from holdfast.rollout.backtest.learnt import Span
from holdfast.rollout.broker_streams.change.change import CHANGE
from holdfast.rollout.broker_streams.options import evaluation, impact, proposals
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.times import Estimate, Phase, PhaseKind
from holdfast.rollout.policy.learnt_times import LearntTimes
from holdfast.rollout.policy.policy import Policy

KNOWN = LearntTimes(restart=Span(2.5, 6, 11.2), restarts_apart=Span(5, 9, 15.9), took=Span(0.5, 1, 2))
ROLL = (restart("a"), STABLE, restart("b"))


def phases(known: LearntTimes, *events: Case) -> dict[PhaseKind, Estimate]:
    group, change = SNAPSHOT.read(snapshot()), CHANGE.read({"format_version": "1.0", "events": list(events)})
    baseline = next(one for one in proposals.propose(group, change) if one.name == BASELINE_NAME)
    found: tuple[Phase, ...] = impact.times_of(evaluation.evaluate(group, baseline), Policy(learnt=known)).phases
    return {one.kind: one.seconds for one in found}


def test_a_roll_is_one_restart_and_as_far_to_the_next_as_before() -> None:
    assumed, found = phases(LearntTimes(), *ROLL), phases(KNOWN, *ROLL)

    assert assumed[PhaseKind.START_UP] == Estimate(2 * 1, 2 * 5, 2 * 30)
    assert PhaseKind.BETWEEN_STEPS in assumed
    assert found[PhaseKind.START_UP] == Estimate(2, 6, 12)
    assert found[PhaseKind.NEXT_RESTART] == Estimate(5, 9, 16)
    assert PhaseKind.BETWEEN_STEPS not in found


def test_a_client_that_was_not_stopped_takes_what_is_assumed() -> None:
    events = ({"add_client": {"threads": 2}}, STABLE, restart("a"))
    found = phases(KNOWN, *events)

    assert found[PhaseKind.START_UP] == Estimate(1 + 2, 5 + 6, 30 + 12)
    assert PhaseKind.NEXT_RESTART not in found


def test_targets_take_as_many_times_as_long_as_before() -> None:
    usual = phases(LearntTimes(), restart("a"))[PhaseKind.REBALANCE].usual
    found = phases(KNOWN, restart("a"))[PhaseKind.REBALANCE]

    assert found.usual == usual
    assert abs(2 * found.low - usual) <= 2  # both are whole seconds
    assert abs(found.high - 2 * usual) <= 2
