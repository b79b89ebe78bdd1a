"""How the made-up kind of group in `lamps` is planned for: its options judged, and one of them recommended."""

from datetime import datetime, timedelta

from tests.harness.lamps.values import (
    ConsideredLampOption,
    EvaluatedLampOption,
    LampChange,
    LampOption,
    LampPlan,
    LampSnapshot,
    LampStep,
)

from holdfast.rollout.contract.assessment import BASELINE_NAME, Rule
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.times import EffortCounts, Estimate, Times
from holdfast.rollout.facts.sourced_text import texts_of
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.options import blocking, rules, selection
from holdfast.rollout.options.criteria import Counted
from holdfast.rollout.options.impact import Impact
from holdfast.rollout.options.option import RankedOption
from holdfast.rollout.options.rules import Rebalances, RuleFacts, Share, Unstated
from holdfast.rollout.policy.policy import Policy

COUNTED = Counted("lamp", "lamp", "switch")


def assemble(
    snapshot: LampSnapshot, change: LampChange, evaluated: tuple[EvaluatedLampOption, ...], policy: Policy, now: datetime
) -> LampPlan:
    options = tuple(
        RankedOption(place, one, judged(one, policy, now), selection.barred(one.option, policy), policy, impact(one))
        for place, one in enumerate(evaluated)
    )
    chosen = selection.best(options)
    blocked = blocking.blocked_by(options, chosen, policy)
    made = now.isoformat().replace("+00:00", "Z")
    lamps = [] if chosen is None or blocked else [*change.events, None]
    return LampPlan(
        plan_id="",
        created_at=made,
        expires_at=(now + timedelta(hours=1)).isoformat().replace("+00:00", "Z"),
        created_from=CreatedFrom(*(fingerprint(str(one)) for one in (snapshot, change, policy)), captured_at=None),
        basis=snapshot,
        policy=policy,
        change=change,
        assessment=blocking.assessment(nothing=False, chosen=chosen, blocked=blocked, policy=policy),
        headline=blocking.headline(options, chosen, blocked, lambda one: f"dark for {one.evaluated.dark_s} s.", nothing=False),
        blocked_by=texts_of(blocked),
        chosen=None if chosen is None else chosen.name,
        candidates=tuple(
            ConsideredLampOption(
                one.name,
                one.evaluated.option.title,
                change,
                one.rules,
                None,
                "" if one is chosen else selection.why_not(one, chosen, COUNTED).text,
            )
            for one in options
        ),
        steps=tuple(LampStep(str(number), lamp) for number, lamp in enumerate(lamps, start=1)),
    )


def times() -> tuple[Times, ...]:
    return (Times(Estimate(1, 2, 3), Estimate(1, 2, 3)),)


def evaluated(option: LampOption) -> EvaluatedLampOption:
    return EvaluatedLampOption(option, 5 * len(option.change.events) if option.name == BASELINE_NAME else 0)


def impact(one: EvaluatedLampOption) -> Impact:
    effort = EffortCounts(0, len(one.option.change.events), 0)
    return Impact(0, one.dark_s, 0, 0, effort, effort.manual_steps, "a hand at the switch", times())


def judged(one: EvaluatedLampOption, policy: Policy, now: datetime) -> tuple[Rule, ...]:
    share = Share(0, len(one.option.change.events))
    found = RuleFacts(True, None, "lamp", share, share, times(), False, Rebalances(0, None, 0), ("light",), {})
    return rules.judge(found, (), policy, Unstated(now))
