"""An actor is asked about acts of a plan by name: one that keeps acts by it knows a client that is gone because of it."""

import pytest
from tests.harness.running_group import RunningGroup
from tests.unit.workflows.running.test_going_back import fewer, forward

from holdfast.rollout.execution.acts import Act


def test_an_actor_is_told_which_act_of_which_plan_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also before the act is begun, and after it was done."""
    reality, plan, asked = RunningGroup(), fewer(), set[str]()
    lacks = RunningGroup.lacks

    def told(self: RunningGroup, act: Act) -> str | None:
        asked.add(act.called)
        return lacks(self, act)

    monkeypatch.setattr(RunningGroup, "lacks", told)
    forward(reality, plan)
    assert asked == {f"{plan.plan_id}.{step}" for step in (1, 3)}
    reality.run(plan, back=True)
    assert asked == {f"{plan.plan_id}.{step}{back}" for step in (1, 3) for back in ("", ".back")}
