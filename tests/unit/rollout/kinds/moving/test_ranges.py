"""What a plan says of a move where random member IDs decide."""

from dataclasses import replace

import pytest
from tests.unit.rollout.kinds.moving.test_move import NOW, planned

from holdfast.rollout.broker_streams.limits.rules import judge
from holdfast.rollout.broker_streams.options.evaluation import EvaluatedBrokerOption
from holdfast.rollout.broker_streams.options.option import BrokerOption
from holdfast.rollout.broker_streams.plan.figures import target_figures
from holdfast.rollout.contract.assessment import RuleStatus
from holdfast.rollout.coordinated.chance import Spread
from holdfast.rollout.options.rules import Unstated
from holdfast.rollout.policy.policy import Policy


@pytest.mark.thorough
def test_says_what_member_ids_leave_open() -> None:
    """Member IDs are new at each start, and decide between clients of equal load: 3 or 4 tasks, not the usual 4."""
    made = planned()
    plain = made.baseline_option

    assert plain is not None
    assert plain.draws is not None
    assert "Baseline (no mitigation): 3–4 of 6 stateful tasks migrate, 3–4 hand-overs (1–2 restored in full)" in made.headline
    figures = target_figures(plain)
    assert figures is not None
    assert (figures.moved_text, figures.hand_overs_text, figures.cold_text) == ("3–4", "3–4", "1–2")

    usually_less = replace(plain.draws, active_moved=Spread(3, 3, 4))
    option = BrokerOption(plain.name, plain.title, plain.change)
    found = EvaluatedBrokerOption(option, plain.summary, draws=usually_less, hand_over=plain.hand_over)
    judged = judge(found, made.basis, Policy(moved_in_all_percent_most=66), 1, Unstated(NOW))
    assert [one.status for one in judged if one.name == "moved"] == [RuleStatus.FAIL]  # as many as any draw moves
