"""From the costs of the options for a streams group whose broker assigns to one Plan, with its ID. No clock."""

from dataclasses import replace
from datetime import datetime

from holdfast.rollout.broker_streams.change.change import CHANGE, BrokerChange
from holdfast.rollout.broker_streams.limits.rules import judge
from holdfast.rollout.broker_streams.options import impact
from holdfast.rollout.broker_streams.options.evaluation import EvaluatedBrokerOption
from holdfast.rollout.broker_streams.options.impact import COUNTED, impact_of
from holdfast.rollout.broker_streams.plan import effect_words
from holdfast.rollout.broker_streams.plan.json import basis_of, relied_on, with_id
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan, Considered
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.steps.steps import BrokerStep, steps_of
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.times import Times
from holdfast.rollout.facts import refusals
from holdfast.rollout.facts.missing_inputs import not_known
from holdfast.rollout.facts.sourced_text import Said
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.options import conclusion, interval_rule, selection
from holdfast.rollout.options.option import RankedOption
from holdfast.rollout.policy.json import policy_to_json
from holdfast.rollout.policy.policy import Policy

Ranked = RankedOption[EvaluatedBrokerOption]


def assemble(
    snapshot: StreamsGroupSnapshot,
    change: BrokerChange,
    evaluated: tuple[EvaluatedBrokerOption, ...],
    policy: Policy,
    now: datetime,
    requested_by: str | None = None,
) -> BrokerPlan:
    """The plan. `evaluated`: those of `proposals.propose`, in its order. Raise InvalidInput for a `now` without time zone."""
    made = conclusion.in_utc(now)
    found = conclusion.concluded(ranked(snapshot, evaluated, policy, made), policy, made, nothing=not change.events)
    chosen = found.chosen
    created_from = CreatedFrom(
        snapshot=fingerprint(relied_on(snapshot)),
        change=fingerprint(CHANGE.write(change)),
        policy=fingerprint(policy_to_json(policy)),
        captured_at=snapshot.captured_at,
    )

    def effect(one: Ranked) -> str:
        assert one.evaluated.summary is not None, "only what was forecast has an effect"
        unowned, _ = impact.unowned(one.evaluated, policy)
        (times,) = one.known.times
        return effect_words.effect(one.evaluated.summary, unowned, times, one.evaluated.draws)

    plan = BrokerPlan(
        plan_id="",
        basis=basis_of(snapshot, change),
        change=change,
        candidates=tuple(_considered(one, chosen) for one in found.options),
        steps=() if chosen is None or found.blocked else _steps(chosen, snapshot),
        unknown=() if chosen is None else not_known(chosen.evaluated.unknown),
        requested_by=requested_by,
        **found.fields(created_from, effect, () if chosen is None else chosen.known.times),
    )
    return with_id(plan)


def ranked(
    snapshot: StreamsGroupSnapshot, evaluated: tuple[EvaluatedBrokerOption, ...], policy: Policy, made: datetime
) -> tuple[Ranked, ...]:
    """Every option with what the policy says about it."""
    evaluated = tuple(_in_time(one, policy) for one in evaluated)
    baseline = next((one for one in evaluated if one.option.name == BASELINE_NAME and one.summary is not None), None)
    requested = 0 if baseline is None or baseline.summary is None else baseline.summary.targets
    unstated = conclusion.unstated(made, None if baseline is None else impact.times_of(baseline, policy))
    return conclusion.ranked(
        evaluated,
        policy,
        lambda one: judge(one, snapshot, policy, requested, unstated),
        lambda one: impact_of(one, policy),
    )


def _in_time(one: EvaluatedBrokerOption, policy: Policy) -> EvaluatedBrokerOption:
    """What the policy's start-up time makes impossible does not apply; the requested change stays, with the rule that it fails."""
    late = None if one.option.name == BASELINE_NAME else interval_rule.too_short(one.interval_ms, policy)
    return one if late is None else EvaluatedBrokerOption(one.option, None, late)


def _steps(chosen: Ranked, snapshot: StreamsGroupSnapshot) -> tuple[BrokerStep, ...]:
    course = chosen.evaluated.course
    return steps_of(chosen.evaluated.option.change, () if course is None else course.targets, snapshot)


def _considered(one: Ranked, chosen: Ranked | None) -> Considered:
    evaluated, option = one.evaluated, one.evaluated.option
    whole = one is chosen or one.name == BASELINE_NAME
    lost = Said("") if one is chosen else selection.why_not(one, chosen, COUNTED)
    times = Times(None, None) if one.impact is None else one.impact.times[0]
    unowned, longest = impact.unowned(evaluated, one.policy)
    return Considered(
        name=option.name,
        title=option.title,
        change=option.change,
        summary=evaluated.summary,
        rules=one.rules,
        unknown=not_known(evaluated.unknown),
        refused=None if evaluated.refused is None else refusals.sentence(evaluated.refused),
        refusal=evaluated.refused,
        why_not=lost.text,
        reason=lost.fact,
        settings=option.settings,
        draws=evaluated.draws,
        hand_over=evaluated.hand_over,
        unowned=None if evaluated.summary is None else unowned,
        longest=None if evaluated.summary is None else longest,
        course=evaluated.course if whole else None,
        orders=option.orders,
        times=times if whole else replace(times, phases=(), rebalances=()),
        effort_counts=option.effort,
        restored=impact.restored(evaluated, one.policy),
    )
